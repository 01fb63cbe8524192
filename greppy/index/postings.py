"""The dictionaries of a shard: strings by ordinal, sorted ones by name, and the posting lists of terms.

In: strings, and posting lists as `greppy.kernels.Inverter` leaves them. Out: two sections each, and look-ups in them
that touch only the blocks they need. The layouts are specified where they are written: of strings in
`greppy.kernels.reference.strings`, of lists in `greppy.kernels.reference.postings`. Strings have at most 255 bytes.
Importable on the hot path.
"""

from __future__ import annotations

from greppy import kernels
from greppy.errors import DamagedIndex
from greppy.index import format as layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK = kernels.TERM_BLOCK

TERM_SECTIONS = (layout.TERM_BLOCKS, layout.TERMS, layout.LIST_BLOCKS, layout.POSTINGS)
TERM, SYMBOL = range(2)
"""Which tables of codes strings are packed with."""


def pack_symbols(symbols: Sequence[bytes]) -> list[tuple[int, bytes]]:
    """The sections of the qualified names of chunks, in the order of the chunks."""
    index, data = kernels.pack_strings(symbols, SYMBOL)
    return [(layout.SYMBOL_BLOCKS, index), (layout.SYMBOLS, data)]


def pack_terms(terms: Sequence[bytes], lists: bytes, ends: Sequence[int], docs: int) -> list[tuple[int, bytes]]:
    """The sections of sorted terms and their posting lists, which are concatenated, end at `ends` and are of `docs`
    documents."""
    packed = (*kernels.pack_strings(terms, TERM), *kernels.pack_lists(lists, ends, docs))
    return list(zip(TERM_SECTIONS, packed, strict=True))


class Strings:
    """The strings of one container by ordinal; `index` and `data` are the numbers of its two sections.

    Every look-up raises `DamagedIndex`.
    """

    __slots__ = ("_container", "_data", "_index", "_kind", "_numbers")

    def __init__(self, container: layout.Container, index: int, data: int, kind: int) -> None:
        self._container = container
        self._index = container.section(index)
        self._numbers = self._index.cast("I")
        if len(self._numbers) != 2 - (-self._numbers[0] // BLOCK):
            raise DamagedIndex(container.name, "an index of strings has a wrong length")
        self._data = data
        self._kind = kind

    def __len__(self) -> int:
        count: int = self._numbers[0]
        return count

    def __getitem__(self, ordinal: int) -> bytes:
        if not 0 <= ordinal < len(self):
            raise DamagedIndex(self._container.name, "an ordinal points outside its dictionary")
        block, place = divmod(ordinal, BLOCK)
        data = self._fetch(self._numbers[1 + block], self._numbers[2 + block])
        try:
            return kernels.string_at(data, place, self._kind)
        except ValueError as problem:
            raise DamagedIndex(self._container.name, str(problem)) from None

    def several(self, ordinals: Sequence[int]) -> list[bytes]:
        """The strings with these ordinals, which ascend."""
        found: list[bytes] = []
        at = -1
        strings: list[bytes] = []
        for ordinal in ordinals:
            block, place = divmod(ordinal, BLOCK)
            if block != at:
                if not 0 <= ordinal < len(self):
                    raise DamagedIndex(self._container.name, "an ordinal points outside its dictionary")
                at, strings = block, self._block(block, min(BLOCK, len(self) - block * BLOCK))
            found.append(strings[place])
        return found

    def ending(self, ordinals: Sequence[int], ending: bytes) -> list[int]:
        """Of these ordinals, which ascend, those that `kernels.strings_ending` chooses."""
        try:
            return kernels.strings_ending(
                self._index, self._container.section(self._data), ordinals, ending, self._kind
            )
        except ValueError as problem:
            raise DamagedIndex(self._container.name, str(problem)) from None

    def find(self, string: bytes) -> int:
        """The ordinal of a string, where they are sorted; for one that is not there, -1 minus how many are below it."""
        try:
            return kernels.find_string(self._index, self._fetch, string, self._kind)
        except ValueError as problem:
            raise DamagedIndex(self._container.name, str(problem)) from None

    def since(self, ordinal: int) -> Iterator[bytes]:
        """The strings from an ordinal on."""
        for block in range(ordinal // BLOCK, len(self._numbers) - 2):
            strings = self._block(block, min(BLOCK, len(self) - block * BLOCK))
            yield from strings[max(ordinal - block * BLOCK, 0) :]

    def _fetch(self, start: int, end: int) -> memoryview:
        return self._container.section(self._data, start, end)

    def _block(self, block: int, count: int) -> list[bytes]:
        data = self._fetch(self._numbers[1 + block], self._numbers[2 + block])
        try:
            return kernels.take_strings(data, count, self._kind)
        except ValueError as problem:
            raise DamagedIndex(self._container.name, str(problem)) from None


class Terms:
    """The terms of one container, sorted, with their posting lists. Every look-up raises `DamagedIndex`."""

    __slots__ = ("_container", "_dictionary", "_numbers", "strings")

    def __init__(self, container: layout.Container) -> None:
        self.strings = Strings(container, layout.TERM_BLOCKS, layout.TERMS, TERM)
        self._container = container
        self._numbers = container.section(layout.LIST_BLOCKS).cast("I")
        if len(self._numbers) != len(self.strings._numbers) + 1 or self._numbers[1] != len(self.strings):
            raise DamagedIndex(container.name, "there are not as many posting lists as terms")
        self._dictionary = (
            *container.pages,
            self.strings._index,
            *container.place(layout.TERMS),
            self._numbers,
            *container.place(layout.POSTINGS),
        )

    def lists(self, terms: tuple[bytes, ...]) -> tuple[bytes | None, ...]:
        """The posting list of each of the terms, None for one that no document has."""
        try:
            return kernels.find_lists(self._dictionary, terms)
        except ValueError as problem:
            raise DamagedIndex(self._container.name, str(problem)) from None

    def beginning(self, beginning: bytes) -> list[bytes]:
        """The posting lists of the terms that begin so, in their order."""
        try:
            return kernels.beginning_lists(self._dictionary, beginning)
        except ValueError as problem:
            raise DamagedIndex(self._container.name, str(problem)) from None

    def find(self, term: bytes) -> memoryview | None:
        """The posting list of a term, or None when no document has it."""
        ordinal = self.strings.find(term)
        return None if ordinal < 0 else self.postings(ordinal)

    def postings(self, ordinal: int) -> memoryview:
        """The posting list of the term with an ordinal."""
        block = ordinal // BLOCK
        data = self._container.section(layout.POSTINGS, self._numbers[2 + block], self._numbers[3 + block])
        try:
            return memoryview(kernels.take_list(data, ordinal % BLOCK, self._numbers[0]))
        except ValueError as problem:
            raise DamagedIndex(self._container.name, str(problem)) from None

    def since(self, term: bytes) -> Iterator[tuple[bytes, int]]:
        """The terms from `term` on, in order, each with its ordinal."""
        ordinal = self.strings.find(term)
        ordinal = ordinal if ordinal >= 0 else -1 - ordinal
        for found in self.strings.since(ordinal):
            yield found, ordinal
            ordinal += 1
