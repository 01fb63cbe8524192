"""Reading one shard: an immutable file with the analyses of many blobs (layout: `greppy.index.format`).

In: the bytes of a shard, mapped or in memory. Out: its columns, its blobs and chunks by ordinal, its posting lists.
Importable on the hot path. `greppy.index.writer` makes shards, `greppy.index.merge` makes one of several.
"""

from __future__ import annotations

from greppy.index import format as layout
from greppy.index.postings import SYMBOL, Strings, Terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    Code = Literal["B", "H", "I", "q"]


class Shard:
    """One open shard. `name` is its file's path, for messages, and `file` the last part of it, by which manifests name
    it; every accessor raises `DamagedIndex` for bytes that fail their sum."""

    __slots__ = (
        "_columns",
        "_named",
        "_symbols",
        "_terms",
        "blobs",
        "chunks",
        "container",
        "file",
        "name",
        "oid_bytes",
        "size",
    )

    def __init__(self, buffer: memoryview, analyzer: int, name: str) -> None:
        self.name = name
        self.file = name.rpartition("/")[2]
        self.size = len(buffer)
        self.container = layout.Container(buffer, layout.SHARD_MAGIC, analyzer, name)
        self._columns: dict[int, memoryview] = {}
        self._terms: Terms | None = None
        self._symbols: Strings | None = None
        self._named: dict[int, list[str]] = {}
        self.blobs = self.container.length(layout.BLOB_LANGUAGE)
        self.chunks = self.container.length(layout.CHUNK_KIND)
        self.oid_bytes = self.container.length(layout.OIDS) // self.blobs if self.blobs else 20

    def column(self, section: int, kind: Code = "B") -> memoryview:
        """A whole section as a sequence of numbers; `kind` is its `array` type code."""
        column = self._columns.get(section)
        if column is None:
            column = self.container.section(section).cast(kind)
            self._columns[section] = column
        return column

    @property
    def terms(self) -> Terms:
        if self._terms is None:
            self._terms = Terms(self.container)
        return self._terms

    @property
    def symbols(self) -> Strings:
        """The qualified names of what the chunks define, in their order; empty for none."""
        if self._symbols is None:
            self._symbols = Strings(self.container, layout.SYMBOL_BLOCKS, layout.SYMBOLS, SYMBOL)
        return self._symbols

    def postings(self, term: bytes) -> memoryview | None:
        """The posting list of a term, or None."""
        return self.terms.find(term)

    def lists(self) -> Iterator[tuple[bytes, memoryview]]:
        """Every term in order with its posting list."""
        for term, ordinal in self.terms.since(b""):
            yield term, self.terms.postings(ordinal)

    def oid(self, blob: int) -> bytes:
        width = self.oid_bytes
        return bytes(self.container.section(layout.OIDS, blob * width, (blob + 1) * width))

    def language(self, blob: int) -> str:
        return self.languages[self.column(layout.BLOB_LANGUAGE)[blob]]

    def blob_keys(self) -> Iterator[tuple[bytes, str]]:
        """(oid, language) of every blob in order: the keys of the analyses held here."""
        names = bytes(self.column(layout.LANGUAGES)).decode().split("\n")
        oids = bytes(self.column(layout.OIDS))
        width = self.oid_bytes
        for blob, language in enumerate(self.column(layout.BLOB_LANGUAGE)):
            yield oids[blob * width : (blob + 1) * width], names[language]

    def chunk_range(self, blob: int) -> tuple[int, int]:
        """The ordinals of a blob's chunks: first, and one past the last."""
        first = self.column(layout.FIRST_CHUNK, "I")
        return first[blob], first[blob + 1]

    def blob_of(self, chunk: int) -> int:
        """The blob that a chunk is of."""
        first = self.column(layout.FIRST_CHUNK, "I")
        low, high = 0, self.blobs
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if first[middle] <= chunk else (low, middle)
        return low

    def sizes(self, first: int, end: int) -> list[int]:
        """How many lines the chunks first..end-1 have."""
        sizes = list(self.column(layout.CHUNK_LINES)[first:end])
        more = self.column(layout.LONG_CHUNKS, "I")
        low, high = 0, len(more) // 2
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if more[2 * middle] < first else (low, middle)
        while 2 * low < len(more) and more[2 * low] < end:
            sizes[more[2 * low] - first] += more[2 * low + 1]
            low += 1
        return sizes

    def lines(self, blob: int, chunk: int) -> tuple[int, int]:
        """First and last line of a chunk, 1-based and inclusive."""
        *before, size = self.sizes(self.chunk_range(blob)[0], chunk + 1)
        start = sum(before) + 1
        return start, start + size - 1

    @property
    def kinds(self) -> list[str]:
        """The names of kinds of chunks, by ordinal."""
        return self._names(layout.KINDS)

    @property
    def languages(self) -> list[str]:
        """The names of languages, by ordinal."""
        return self._names(layout.LANGUAGES)

    def _names(self, section: int) -> list[str]:
        names = self._named.get(section)
        if names is None:
            names = self._named[section] = bytes(self.column(section)).decode().split("\n")
        return names

    def symbol(self, chunk: int) -> str:
        """The qualified name of what a chunk defines; empty for none."""
        return self.symbols[chunk].decode("utf-8", "replace")

    def symbols_of(self, chunks: Sequence[int]) -> list[str]:
        """Those of several chunks, which ascend."""
        return [symbol.decode("utf-8", "replace") for symbol in self.symbols.several(chunks)]

    def kind(self, chunk: int) -> str:
        return self.kinds[self.column(layout.CHUNK_KIND)[chunk]]
