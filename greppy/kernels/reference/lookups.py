"""Terms in, posting lists out, from a dictionary that is read in place.

A *dictionary* is (data, checked, page, verify, string index, offset and size of the strings' blocks, list index, offset
and size of the lists' blocks): `data` is a container of which only the `page`-sized pages count whose byte in `checked`
is not zero; `verify(start, end)` sets those of a range or raises. Strings are terms (`strings`), lists are
`postings`'s; both are numbered alike.
"""

from __future__ import annotations

from greppy.kernels.codes import TERM_BLOCK
from greppy.kernels.reference.postings import DOCS, take_list
from greppy.kernels.reference.scores import integers
from greppy.kernels.reference.strings import find_string, take_strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import ReadableBuffer

    Dictionary = tuple[
        ReadableBuffer,
        ReadableBuffer,
        int,
        Callable[[int, int], object],
        ReadableBuffer,
        int,
        int,
        ReadableBuffer,
        int,
        int,
    ]

_TERM = 0


def find_lists(dictionary: Dictionary, terms: tuple[bytes, ...]) -> tuple[bytes | None, ...]:
    """The posting list of each term, None for one that is not there.

    ValueError when the dictionary is damaged; and what `verify` raises.
    """
    opened = _Opened(dictionary)
    ordinals = [find_string(opened.string_index, opened.strings, term, _TERM) for term in terms]
    return tuple(opened.list_at(ordinal) if ordinal >= 0 else None for ordinal in ordinals)


def beginning_lists(dictionary: Dictionary, beginning: ReadableBuffer) -> list[bytes]:
    """The posting lists of the terms that begin so, in their order. ValueError as `find_lists`."""
    opened, wanted = _Opened(dictionary), bytes(beginning)
    ordinal = find_string(opened.string_index, opened.strings, wanted, _TERM)
    ordinal = ordinal if ordinal >= 0 else -1 - ordinal
    found: list[bytes] = []
    while ordinal < opened.count and opened.string_at(ordinal).startswith(wanted):
        found.append(opened.list_at(ordinal))
        ordinal += 1
    return found


class _Opened:
    """A dictionary whose sizes fit together."""

    def __init__(self, dictionary: Dictionary) -> None:
        data, checked, self._page, self._verify, index, self._at, self._size, lists, self._lists, self._all = dictionary
        self._data, self._checked = memoryview(data), memoryview(checked)
        self.string_index = index
        self._numbers, self._places = integers(index, "I"), integers(lists, "I")
        if len(self._numbers) < 2 or len(self._numbers) - 2 != -(-self._numbers[0] // TERM_BLOCK):
            raise ValueError("the index of strings has a wrong length")
        self.count = self._numbers[0]
        if len(self._places) != len(self._numbers) + 1 or self._places[1] != self.count:
            raise ValueError("there are not as many posting lists as terms")
        sections = ((self._at, self._size), (self._lists, self._all))
        inside = all(min(at, size) >= 0 and at + size <= len(self._data) for at, size in sections)
        end = max(at + size for at, size in sections)  # the sums of pages, behind the last section, are not in a page
        if self._page <= 0 or not inside or len(self._checked) < -(-end // self._page):
            raise ValueError("a section lies outside of its container")
        if self._places[0] > DOCS:
            raise ValueError("posting list has more documents than there are")

    def strings(self, start: int, end: int) -> memoryview:
        return self._piece(self._at, self._size, start, end)

    def string_at(self, ordinal: int) -> bytes:
        block, place = divmod(ordinal, TERM_BLOCK)
        return take_strings(self.strings(self._numbers[1 + block], self._numbers[2 + block]), place + 1, _TERM)[-1]

    def list_at(self, ordinal: int) -> bytes:
        block, place = divmod(ordinal, TERM_BLOCK)
        data = self._piece(self._lists, self._all, self._places[2 + block], self._places[3 + block])
        return take_list(data, place, self._places[0])

    def _piece(self, at: int, size: int, start: int, end: int) -> memoryview:
        if start > end or end > size:
            raise ValueError("the index of strings is out of order")
        first, last = at + start, at + end
        if not all(self._checked[first // self._page : -(-last // self._page)]):
            self._verify(first, last)
        return self._data[first:last]
