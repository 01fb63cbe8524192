"""Tables of strings: the layout worked by hand, a sorted list as the oracle, refusals, and equality of the twins."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy import kernels
from greppy.kernels import reference
from greppy.kernels.reference import strings as specification

LONG = [b"a" * 255, b"a" * 254 + b"b", b"\xff" * 255, b"aa", b"ab\0", "größe".encode(), b"Session.save", b"sha256"]
STRINGS = st.binary(max_size=6) | st.text("abes01_.S", max_size=9).map(str.encode) | st.sampled_from(LONG)
kinds = st.sampled_from([0, 1])


def numbers(index: bytes) -> list[int]:
    return list(memoryview(index).cast("I"))


def fetcher(blocks: bytes) -> Any:
    return lambda start, end: blocks[start:end]


def test_the_worked_example_of_the_docstring_is_what_is_packed(twin: ModuleType) -> None:
    lines = (specification.__doc__ or "").split("::\n\n")[2].splitlines()
    index, block = (bytes.fromhex(line[4:44]) for line in lines[:2])
    assert twin.pack_strings([b"author", b"authors"], 0) == (index, block)
    bits = "".join("".join(line[4:44].split()) for line in lines[3:7])
    assert "".join(f"{byte:08b}"[::-1] for byte in block) == bits


@given(strings=st.lists(STRINGS, max_size=200), kind=kinds)
def test_what_was_packed_is_unpacked_block_by_block(twin: ModuleType, strings: list[bytes], kind: int) -> None:
    index, blocks = twin.pack_strings(strings, kind)
    count, *starts = numbers(index)
    assert (count, starts[-1]) == (len(strings), len(blocks))
    for block, (start, end) in enumerate(pairwise(starts)):
        here = strings[block * kernels.TERM_BLOCK : (block + 1) * kernels.TERM_BLOCK]
        assert twin.take_strings(blocks[start:end], len(here), kind) == here
        assert twin.take_strings(blocks[start:end], 1, kind) == here[:1]
        for place in {0, len(here) // 2, len(here) - 1}:
            assert twin.string_at(blocks[start:end], place, kind) == here[place]


@given(strings=st.lists(STRINGS, max_size=200), kind=kinds)
def test_the_twins_pack_equally(fast: ModuleType, strings: list[bytes], kind: int) -> None:
    assert fast.pack_strings(strings, kind) == reference.pack_strings(strings, kind)


@given(strings=st.sets(STRINGS, max_size=200).map(sorted), asked=st.lists(STRINGS, max_size=6), kind=kinds)
def test_a_string_is_found_where_bisection_finds_it(
    twin: ModuleType, strings: list[bytes], asked: list[bytes], kind: int
) -> None:
    index, blocks = twin.pack_strings(strings, kind)
    for string in [*strings[::5], *asked]:
        place = bisect_left(strings, string)
        expected = place if strings[place : place + 1] == [string] else -1 - place
        assert twin.find_string(index, fetcher(blocks), string, kind) == expected


def test_every_byte_can_follow_every_kind_of_byte(twin: ModuleType) -> None:
    strings = [before + bytes([value]) for before in (b"", b"7", b"e", b"x") for value in range(256)]
    for kind in (0, 1):
        for string in strings:
            _, block = twin.pack_strings([string], kind)
            assert twin.take_strings(block, 1, kind) == [string]


def test_a_search_reads_a_logarithm_of_the_blocks(twin: ModuleType) -> None:
    strings = [b"%06d" % number for number in range(64 * 100)]
    index, blocks = twin.pack_strings(strings, 0)
    read: list[int] = []

    def fetch(start: int, end: int) -> bytes:
        read.append(start)
        found: bytes = blocks[start:end]
        return found

    assert twin.find_string(index, fetch, b"004321", 0) == 4321
    assert len(read) <= 8


@given(data=st.binary(max_size=60), count=st.integers(0, 64), kind=kinds)
def test_the_twins_agree_on_any_bytes(fast: ModuleType, data: bytes, count: int, kind: int) -> None:
    try:
        expected = reference.take_strings(data, count, kind)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem)):
            fast.take_strings(data, count, kind)
        return
    assert fast.take_strings(data, count, kind) == expected


@given(index=st.lists(st.integers(0, 70), max_size=4), data=st.binary(max_size=60), kind=kinds)
def test_the_twins_agree_on_any_index(fast: ModuleType, index: list[int], data: bytes, kind: int) -> None:
    packed = b"".join(number.to_bytes(4, "little") for number in index)
    try:
        expected = reference.find_string(packed, fetcher(data), b"e", kind)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem)):
            fast.find_string(packed, fetcher(data), b"e", kind)
        return
    assert fast.find_string(packed, fetcher(data), b"e", kind) == expected


@pytest.mark.parametrize("index", [b"", bytes(4), bytes(9), bytes(12), b"\x41\0\0\0" + bytes(8)])
def test_an_index_of_a_wrong_length_is_refused(twin: ModuleType, index: bytes) -> None:
    with pytest.raises(ValueError, match="wrong length"):
        twin.find_string(index, fetcher(b""), b"a", 0)


def test_an_index_out_of_order_is_refused(twin: ModuleType) -> None:
    index = b"".join(number.to_bytes(4, "little") for number in (1, 2, 0))
    with pytest.raises(ValueError, match="out of order"):
        twin.find_string(index, fetcher(b"abcd"), b"a", 0)


@pytest.mark.parametrize(("strings", "kind"), [([b"a" * 256], 0), ([b"a"], 2), ([b"a"], -1)])
def test_what_cannot_be_packed_is_refused(twin: ModuleType, strings: list[bytes], kind: int) -> None:
    with pytest.raises(ValueError, match=r"at most 255|terms"):
        twin.pack_strings(strings, kind)


@pytest.mark.parametrize("strings", [["a"], None, [1], 3])
def test_strings_are_bytes(twin: ModuleType, strings: Any) -> None:
    with pytest.raises(TypeError):
        twin.pack_strings(strings, 0)


NAMES = st.lists(st.text("abXt_.$@é", max_size=8).map(str.encode), min_size=1, max_size=150)


@given(NAMES, st.data(), st.text("abxt_", min_size=1, max_size=3).map(str.encode), st.sampled_from((0, 1)))
def test_strings_that_have_an_ending_only_inside_are_passed_over(
    fast: ModuleType, strings: list[bytes], data: st.DataObject, ending: bytes, kind: int
) -> None:
    ordinals = sorted(data.draw(st.sets(st.integers(0, len(strings) - 1))))
    index, blocks = fast.pack_strings(strings, kind)
    found = fast.strings_ending(index, blocks, ordinals, ending, kind)
    assert found == reference.strings_ending(index, blocks, ordinals, ending, kind)
    for ordinal in set(ordinals).difference(found):
        folded = strings[ordinal].lower()
        assert ending in folded and not folded.rstrip(b"$@").endswith(ending)


def test_strings_out_of_order_or_beyond_the_last_are_refused(twin: ModuleType) -> None:
    index, blocks = twin.pack_strings([b"a", b"b"], 1)
    for ordinals in ([1, 0], [0, 0], [2], [-1]):
        with pytest.raises(ValueError, match="must ascend"):
            twin.strings_ending(index, blocks, ordinals, b"a", 1)
    with pytest.raises(ValueError, match="empty"):
        twin.strings_ending(index, blocks, [0], b"", 1)
    with pytest.raises(ValueError, match="out of order"):
        twin.strings_ending(index, b"", [1], b"a", 1)
