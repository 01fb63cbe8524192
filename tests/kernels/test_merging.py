"""Merging dictionaries: a dict of dicts as the oracle, refusals, and equality of the twins."""

from __future__ import annotations

from array import array
from itertools import accumulate
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.codes import TERM_BLOCK

GONE = 0xFFFFFFFF
TERMS = st.text("abco1_", max_size=4).map(str.encode)
DICTIONARIES = st.dictionaries(TERMS, st.dictionaries(st.integers(0, 39), st.integers(0, 255), min_size=1), max_size=90)

Lists = dict[bytes, dict[int, int]]
Part = tuple[bytes, bytes, bytes, bytes, bytes]


def sections(lists: Lists, docs: int = 40) -> tuple[bytes, bytes, bytes, bytes]:
    terms = sorted(lists)
    encoded = [
        reference.encode_postings(sorted(lists[term]), bytes(code for _, code in sorted(lists[term].items())), docs)
        for term in terms
    ]
    packed = reference.pack_lists(b"".join(encoded), list(accumulate(map(len, encoded))), docs)
    return (*reference.pack_strings(terms, 0), *packed)


def part(lists: Lists, new: list[int]) -> Part:
    return (*sections(lists, len(new)), array("I", new).tobytes())


def read(merged: tuple[bytes, bytes, bytes, bytes]) -> Lists:
    index, strings, list_index, lists = merged
    count, *starts = memoryview(index).cast("I")
    docs, _, *list_starts = memoryview(list_index).cast("I")
    found: Lists = {}
    for block in range(len(starts) - 1):
        here = strings[starts[block] : starts[block + 1]]
        terms = reference.take_strings(here, min(TERM_BLOCK, count - block * TERM_BLOCK), 0)
        for at, term in enumerate(terms):
            stored = reference.take_list(lists[list_starts[block] : list_starts[block + 1]], at, docs)
            found[term] = dict(zip(*reference.decode_postings(stored), strict=True))
    return found


@st.composite
def merges(draw: st.DrawFn) -> tuple[list[Lists], list[list[int]], int]:
    """Dictionaries, the new numbers of the documents of each, and how many there are then."""
    dictionaries = draw(st.lists(DICTIONARIES, max_size=3))
    kept = [[draw(st.booleans()) for _ in range(40)] for _ in dictionaries]
    next_number, new = 0, []
    for flags in kept:
        numbers = []
        for flag in flags:
            numbers.append(next_number if flag else GONE)
            next_number += flag
        new.append(numbers)
    return dictionaries, new, next_number


@given(case=merges())
def test_a_merge_has_what_a_dict_of_dicts_has(twin: ModuleType, case: tuple[list[Lists], list[list[int]], int]) -> None:
    dictionaries, new, universe = case
    expected: Lists = {}
    for lists, numbers in zip(dictionaries, new, strict=True):
        for term, postings in lists.items():
            for doc, code in postings.items():
                if numbers[doc] != GONE:
                    expected.setdefault(term, {})[numbers[doc]] = code
    merged = twin.merge_terms([part(*each) for each in zip(dictionaries, new, strict=True)], universe)
    assert read(merged) == expected
    assert merged == sections(expected, universe)


@given(case=merges())
def test_the_twins_merge_equally(fast: ModuleType, case: tuple[list[Lists], list[list[int]], int]) -> None:
    parts = [part(*each) for each in zip(*case[:2], strict=True)]
    assert fast.merge_terms(parts, case[2]) == reference.merge_terms(parts, case[2])


@given(lists=DICTIONARIES, which=st.integers(0, 3), at=st.integers(0, 200), value=st.integers(0, 255))
def test_the_twins_agree_on_damage(fast: ModuleType, lists: Lists, which: int, at: int, value: int) -> None:
    damaged: list[Any] = [*part(lists, list(range(40)))]
    changed = bytearray(damaged[which])
    if at < len(changed):
        changed[at] = value
    damaged[which] = bytes(changed)
    try:
        expected = reference.merge_terms([tuple(damaged)], 40)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            fast.merge_terms([tuple(damaged)], 40)
        return
    assert fast.merge_terms([tuple(damaged)], 40) == expected


ONE: Lists = {b"a": {0: 1, 1: 2}}


@pytest.mark.parametrize(
    ("parts", "universe", "problem"),
    [
        ([part(ONE, [0, 1])], -1, "at most"),
        ([part(ONE, [0, 1])], 2**31 + 1, "at most"),
        ([part(ONE, [0, 2])], 2, "beyond the documents"),
        ([part(ONE, [1, 0])], 2, "must ascend"),
        ([part(ONE, [0, 1]), part(ONE, [1, 2])], 3, "must ascend"),
        ([(*sections(ONE, 2), bytes(4))], 2, "one new number for each"),
        ([(*sections(ONE, 2), bytes(9))], 2, "one new number for each"),
        ([(b"", *part(ONE, [0, 1])[1:])], 2, "wrong length"),
        ([(*sections({})[:2], *part(ONE, [0, 1])[2:])], 2, "as many posting lists"),
        ([(sections(ONE, 2)[0], b"", *part(ONE, [0, 1])[2:])], 2, "out of order"),
        ([(*reference.pack_strings([b"b", b"a"], 0), *part({b"a": {0: 1}, b"b": {0: 1}}, [0])[2:])], 2, "must ascend"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    twin: ModuleType, parts: list[Part], universe: int, problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        twin.merge_terms(parts, universe)


def test_parts_are_five_buffers(twin: ModuleType) -> None:
    with pytest.raises((TypeError, ValueError)):
        twin.merge_terms([sections(ONE, 2)], 2)
