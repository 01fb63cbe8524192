"""Reading one shard: an immutable file with the analyses of many blobs (layout: `greppy.index.format`).

In: the bytes of a shard, mapped or in memory. Out: its columns, its blobs and chunks by ordinal, its posting lists.
Importable on the hot path. `greppy.index.writer` makes shards, `greppy.index.merge` makes one of several.
"""

from __future__ import annotations

from greppy.index import format as layout
from greppy.index.postings import Terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    Code = Literal["B", "H", "I", "q"]


class Shard:
    """One open shard. `name` is its file's path, for messages, and `file` the last part of it, by which manifests name
    it; every accessor raises `DamagedIndex` for bytes that fail their sum."""

    __slots__ = ("_columns", "_symbols", "_terms", "blobs", "chunks", "container", "file", "name", "oid_bytes", "size")

    def __init__(self, buffer: memoryview, analyzer: int, name: str) -> None:
        self.name = name
        self.file = name.rpartition("/")[2]
        self.size = len(buffer)
        self.container = layout.Container(buffer, layout.SHARD_MAGIC, analyzer, name)
        self._columns: dict[int, memoryview] = {}
        self._terms: Terms | None = None
        self._symbols: Terms | None = None
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

    def postings(self, term: bytes) -> memoryview | None:
        """The posting list of a term, or None."""
        found = self.terms.find(term)
        return None if found is None else self.container.section(layout.POSTINGS, *found)

    def lists(self) -> Iterator[tuple[bytes, memoryview]]:
        """Every term in order with its posting list."""
        for term, start, end in self.terms.since(b""):
            yield term, self.container.section(layout.POSTINGS, start, end)

    def oid(self, blob: int) -> bytes:
        width = self.oid_bytes
        return bytes(self.container.section(layout.OIDS, blob * width, (blob + 1) * width))

    def language(self, blob: int) -> str:
        names = bytes(self.column(layout.LANGUAGES)).decode().split("\n")
        return names[self.column(layout.BLOB_LANGUAGE)[blob]]

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

    def starts(self) -> memoryview:
        """The first line of each chunk; u16 where every one of them fits."""
        return self.column(
            layout.CHUNK_LINE, "H" if self.container.length(layout.CHUNK_LINE) == 2 * self.chunks else "I"
        )

    def lines(self, blob: int, chunk: int) -> tuple[int, int]:
        """First and last line of a chunk, 1-based and inclusive."""
        starts = self.starts()
        _, end = self.chunk_range(blob)
        last = starts[chunk + 1] - 1 if chunk + 1 < end else self.column(layout.BLOB_LINES, "I")[blob]
        return starts[chunk], last

    def symbol(self, chunk: int) -> str:
        """The qualified name of what a chunk defines; empty for none."""
        ordinal = self.column(layout.CHUNK_SYMBOL, "I")[chunk]
        if self._symbols is None:
            self._symbols = Terms(self.container, layout.SYMBOL_BLOCKS, layout.SYMBOLS)
        return self._symbols[ordinal].decode("utf-8", "replace") if ordinal else ""

    def kind(self, chunk: int) -> str:
        names = bytes(self.column(layout.KINDS)).decode().split("\n")
        return names[self.column(layout.CHUNK_KIND)[chunk]]
