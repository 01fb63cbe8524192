"""The dictionaries of a shard: sorted strings, by name (terms → where their posting lists lie) or by ordinal (symbols).

In: sorted terms and the ends of their lists, as `greppy.kernels.Inverter` leaves them. Out: two sections, and look-ups
in them that touch only the blocks they need. Strings have at most 255 bytes.

TERMS is front-coded in blocks of `BLOCK` terms. An entry is: u8 bytes shared with the term before (0 at the start of a
block), u8 bytes of its own, those bytes, LEB128 length of its posting list. TERM_BLOCKS holds for each block u32 start
in TERMS and u32 start in POSTINGS. The terms `author`, `authors` with lists of 3 and 200 bytes::

    00 06 61 75 74 68 6f 72 03      0 shared, 6 own, "author", 3 bytes
    06 01 73 c8 01                  6 shared, 1 own, "s", 200 bytes

The symbols of a shard are such a pair of sections too, with empty lists: neighbours share their class's name.
"""

from __future__ import annotations

from greppy import kernels
from greppy.errors import DamagedIndex
from greppy.index import format as layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK = kernels.TERM_BLOCK


def pack_terms(terms: Sequence[bytes], ends: Sequence[int]) -> tuple[bytes, bytes]:
    """The sections TERM_BLOCKS and TERMS for sorted terms whose posting lists end at `ends`."""
    return kernels.pack_terms(terms, ends)


class Terms:
    """Look-ups in a dictionary of one container; `blocks` and `data` are the numbers of its two sections."""

    __slots__ = ("_blocks", "_container", "_count", "_data")

    def __init__(self, container: layout.Container, blocks: int = layout.TERM_BLOCKS, data: int = layout.TERMS) -> None:
        self._container = container
        self._blocks = container.section(blocks).cast("I")
        self._count = len(self._blocks) // 2
        self._data = data

    def __getitem__(self, ordinal: int) -> bytes:
        """The string with an ordinal. Raises `DamagedIndex` when there is none."""
        if 0 <= ordinal // BLOCK < self._count:
            for place, (term, _, _) in enumerate(self._entries(ordinal // BLOCK)):
                if place == ordinal % BLOCK:
                    return term
        raise DamagedIndex(self._container.name, "an ordinal points outside its dictionary")

    def find(self, term: bytes) -> tuple[int, int] | None:
        """The range in POSTINGS of a term's list, or None when no chunk of the shard has the term."""
        block = self._block_of(term)
        if block < 0:
            return None
        for found, start, end in self._entries(block):
            if found >= term:
                return (start, end) if found == term else None
        return None

    def since(self, term: bytes) -> Iterator[tuple[bytes, int, int]]:
        """The terms from `term` on, in order, each with the range of its list."""
        for block in range(max(self._block_of(term), 0), self._count):
            for entry in self._entries(block):
                if entry[0] >= term:
                    yield entry

    def _block_of(self, term: bytes) -> int:
        """The last block that begins at or before the term; -1 when there is none."""
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self._first(middle) <= term:
                low = middle + 1
            else:
                high = middle
        return low - 1

    def _first(self, block: int) -> bytes:
        start = self._blocks[2 * block]
        length = self._container.section(self._data, start + 1, start + 2)[0]
        return bytes(self._container.section(self._data, start + 2, start + 2 + length))

    def _entries(self, block: int) -> Iterator[tuple[bytes, int, int]]:
        at, posting = self._blocks[2 * block], self._blocks[2 * block + 1]
        last = block + 1 == self._count
        data = self._container.section(self._data, at, None if last else self._blocks[2 * block + 2])
        term = b""
        at = 0
        try:
            while at < len(data):
                shared, own = data[at], data[at + 1]
                term = term[:shared] + bytes(data[at + 2 : at + 2 + own])
                at += 2 + own
                length = shift = 0
                while data[at] > 127:
                    length |= (data[at] & 127) << shift
                    shift += 7
                    at += 1
                length |= data[at] << shift
                at += 1
                yield term, posting, posting + length
                posting += length
        except IndexError:
            raise DamagedIndex(self._container.name, "the dictionary ends in the middle of a term") from None
