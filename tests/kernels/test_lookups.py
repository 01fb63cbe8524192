"""Terms → posting lists in place: a sorted dict is the oracle; pages are verified as they are touched; refusals."""

from __future__ import annotations

from itertools import accumulate
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference

DOCS = 90
PAGE = 64
TERMS = st.binary(max_size=5) | st.text("abe", max_size=7).map(str.encode)
LISTS = st.dictionaries(TERMS, st.sets(st.integers(0, DOCS - 1), min_size=1, max_size=40).map(sorted), max_size=150)


class Packed:
    """A dictionary in a container whose pages are verified one by one; `touched` are those that were asked for."""

    def __init__(self, lists: dict[bytes, list[int]]) -> None:
        self.lists = {term: reference.encode_postings(lists[term], bytes(len(lists[term])), DOCS) for term in lists}
        terms = sorted(lists)
        encoded = [self.lists[term] for term in terms]
        self.string_index, strings = reference.pack_strings(terms, 0)
        ends = list(accumulate(map(len, encoded)))
        self.list_index, stored = reference.pack_lists(b"".join(encoded), ends, DOCS)
        self.data = b"head" + strings + b"between" + stored
        self.checked = bytearray(len(self.data) // PAGE + 1)
        self.touched: list[tuple[int, int]] = []
        at = 4, len(strings), 4 + len(strings) + 7, len(stored)
        self.tuple: tuple[Any, ...] = (
            *(self.data, self.checked, PAGE, self.verify, self.string_index, *at[:2]),
            *(self.list_index, *at[2:]),
        )

    def verify(self, start: int, end: int) -> None:
        self.touched.append((start, end))
        for page in range(start // PAGE, -(-end // PAGE)):
            self.checked[page] = 1


@given(lists=LISTS, asked=st.lists(TERMS, max_size=6))
def test_a_list_is_found_for_each_term_that_has_one(
    twin: ModuleType, lists: dict[bytes, list[int]], asked: list[bytes]
) -> None:
    packed, wanted = Packed(lists), (*sorted(lists)[::5], *asked)
    assert twin.find_lists(packed.tuple, wanted) == tuple(map(packed.lists.get, wanted))


@given(lists=LISTS, asked=st.lists(TERMS, max_size=4))
def test_the_lists_of_what_begins_so_come_in_order(
    twin: ModuleType, lists: dict[bytes, list[int]], asked: list[bytes]
) -> None:
    packed = Packed(lists)
    for beginning in [b"", b"a", *asked]:
        expected = [packed.lists[term] for term in sorted(lists) if term.startswith(beginning)]
        assert twin.beginning_lists(packed.tuple, beginning) == expected


def test_pages_are_verified_before_they_are_read_and_only_once(twin: ModuleType) -> None:
    packed = Packed({b"term%03d" % number: [number % DOCS] for number in range(400)})
    assert twin.find_lists(packed.tuple, (b"term200",)) == (packed.lists[b"term200"],)
    assert 0 < sum(packed.checked) < len(packed.checked)
    packed.touched.clear()
    twin.find_lists(packed.tuple, (b"term200",))
    assert packed.touched == []


def test_what_verifying_raises_is_raised(twin: ModuleType) -> None:
    packed = Packed({b"a": [1]})

    def refuse(_start: int, _end: int) -> None:
        raise LookupError("damaged")

    with pytest.raises(LookupError, match="damaged"):
        twin.find_lists((*packed.tuple[:3], refuse, *packed.tuple[4:]), (b"a",))


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (1, b"", "outside"),
        (2, 0, "outside"),
        (4, b"", "wrong length"),
        (4, b"\xff" * 12, "wrong length"),
        (5, -1, "outside"),
        (6, 1 << 40, "outside"),
        (6, 0, "out of order"),
        (7, bytes(12), "as many"),
        (8, 1 << 40, "outside"),
    ],
)
def test_sections_that_do_not_fit_are_refused(twin: ModuleType, place: int, value: object, problem: str) -> None:
    packed = Packed({b"a": [1], b"b": [2]})
    with pytest.raises(ValueError, match=problem):
        twin.find_lists((*packed.tuple[:place], value, *packed.tuple[place + 1 :]), (b"a",))
