"""Front-coded dictionaries: a worked example, a simple reader as the oracle, refusals, and equality of the twins."""

from __future__ import annotations

from array import array
from itertools import accumulate
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy import kernels
from greppy.kernels import reference

STRINGS = st.binary(max_size=6) | st.sampled_from([b"a" * 255, b"a" * 254 + b"b", b"aa", b"ab\0", "größe".encode()])
dictionaries = st.dictionaries(STRINGS, st.integers(0, 1 << 33), max_size=70)


def unpacked(blocks: bytes, data: bytes, count: int) -> list[tuple[bytes, int]]:
    """Every term with the length of its list."""
    starts = memoryview(blocks).cast("I")
    found: list[tuple[bytes, int]] = []
    at = total = 0
    for ordinal in range(count):
        before = found[-1][0] if ordinal % kernels.TERM_BLOCK else b""
        if ordinal % kernels.TERM_BLOCK == 0:
            assert list(starts[ordinal // 8 : ordinal // 8 + 2]) == [at, total]
        own = data[at + 2 : at + 2 + data[at + 1]]
        assert own[:1] != before[data[at] : data[at] + 1] or not own, "more could be shared"
        at += 2 + len(own)
        end = next(place for place in range(at, len(data)) if data[place] < 0x80)
        length = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data[at : end + 1]))
        found.append((before[: data[at - 2 - len(own)]] + own, length))
        at, total = end + 1, total + length
    assert at == len(data)
    return found


def test_a_small_dictionary_is_laid_out_as_worked_by_hand(twin: ModuleType) -> None:
    blocks, data = twin.pack_terms([b"author", b"authors", b"b"], [3, 203, 203])
    assert blocks == array("I", [0, 0]).tobytes()
    assert data == b"\x00\x06author\x03" + b"\x06\x01s\xc8\x01" + b"\x00\x01b\x00"


@given(sizes=dictionaries)
def test_what_was_packed_can_be_read(twin: ModuleType, sizes: dict[bytes, int]) -> None:
    terms = [(term, sizes[term] >> 5) for term in sorted(sizes)]
    if sum(size for _, size in terms) < 1 << 32:
        blocks, data = twin.pack_terms([term for term, _ in terms], list(accumulate(size for _, size in terms)))
        assert unpacked(blocks, data, len(terms)) == terms


@given(sizes=dictionaries, kind=st.sampled_from([list, tuple, lambda numbers: array("Q", numbers)]))
def test_the_twins_pack_equally(fast: ModuleType, sizes: dict[bytes, int], kind: Any) -> None:
    terms, ends = list(sizes), kind(accumulate(sizes.values()))
    try:
        expected = reference.pack_terms(terms, ends)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem)):
            fast.pack_terms(terms, ends)
        return
    assert fast.pack_terms(terms, ends) == expected


def test_an_empty_dictionary_has_no_bytes(twin: ModuleType) -> None:
    assert twin.pack_terms([], []) == twin.pack_terms((), array("Q")) == (b"", b"")


@pytest.mark.parametrize(
    ("terms", "ends", "problem"),
    [
        ([b"a"], [], "as many ends"),
        ([], [1], "as many ends"),
        ([b"a" * 256], [1], "at most 255"),
        ([b"a", b"b"], [2, 1], "must not descend"),
        ([b"a"], [-1], "must not descend"),
        ([b"%02d" % number for number in range(17)], [1 << 32] * 17, "at most 4 GiB"),
    ],
)
def test_what_cannot_be_packed_is_refused(twin: ModuleType, terms: list[bytes], ends: list[int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        twin.pack_terms(terms, ends)


@pytest.mark.parametrize(("terms", "ends"), [(["a"], [1]), ([b"a"], ["1"]), ([b"a"], None), (None, [1]), ([1], [1])])
def test_terms_are_bytes_and_ends_are_numbers(twin: ModuleType, terms: Any, ends: Any) -> None:
    with pytest.raises(TypeError):
        twin.pack_terms(terms, ends)
