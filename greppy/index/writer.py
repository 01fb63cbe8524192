"""Writing one shard: analyses, one blob after the other → the bytes of a shard.

In: `Analysis` values with their oid and language. Out: the bytes that `greppy.index.shard` reads. The inverted lists
are made by `greppy.kernels.Inverter`; the columns of blobs and chunks are gathered here. Cold path.
"""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import TYPE_CHECKING

from greppy import kernels
from greppy.analysis.tokens import terms_of_run
from greppy.analysis.version import ANALYZER
from greppy.index import format as layout
from greppy.index.postings import pack_terms
from greppy.index.trigrams import TrigramWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.analysis.chunks import Analysis, Chunk

SIGNATURE = 1
LONGEST_SYMBOL = 255
"""Bytes of a qualified name that are kept, its end: a dictionary's strings have no more."""
BODY, COMMENT = 0, 1  # places in a chunk's pair of length codes


class Names:
    """Distinct names in order of first use, as ordinals. `reserved` are there from the beginning."""

    def __init__(self, *reserved: str) -> None:
        self._ordinals = {name: ordinal for ordinal, name in enumerate(reserved)}

    def __call__(self, name: str) -> int:
        return self._ordinals.setdefault(name, len(self._ordinals))

    def text(self) -> bytes:
        return "\n".join(self._ordinals).encode()

    def sorted(self) -> tuple[list[bytes], array[int]]:
        """The names sorted by their UTF-8, and for each ordinal its place among them."""
        names = [name.encode("utf-8", "replace") for name in self._ordinals]
        order = sorted(range(len(names)), key=names.__getitem__)
        place = array("I", bytes(4 * len(order)))
        for at, ordinal in enumerate(order):
            place[ordinal] = at
        return [names[ordinal] for ordinal in order], place


class Columns:
    """The columns of a shard's blobs and chunks while they grow."""

    def __init__(self) -> None:
        self.oids = bytearray()
        self.languages = Names()
        self.blob_language = bytearray()
        self.blob_flags = bytearray()
        self.blob_lines = array("I")
        self.blob_bytes = array("I")
        self.first_chunk = array("I", [0])
        self.chunk_line = array("I")
        self.chunk_symbol = array("I")
        self.chunk_kind = bytearray()
        self.kinds = Names("")
        self.symbols = Names("")

    def add_blob(self, oid: bytes, language: str, flags: int, lines: int, size: int) -> None:
        self.oids += oid
        self.blob_language.append(self.languages(language))
        self.blob_flags.append(flags & 0xFF)
        self.blob_lines.append(lines)
        self.blob_bytes.append(size)
        self.first_chunk.append(len(self.chunk_kind))

    def add_chunk(self, line: int, kind: str, symbol: str) -> None:
        self.chunk_line.append(line)
        self.chunk_kind.append(self.kinds(kind))
        self.chunk_symbol.append(self.symbols(_shortened(symbol)))

    def pack(
        self,
        lengths: bytes,
        terms: Sequence[bytes],
        postings: bytes,
        ends: Sequence[int],
        trigrams: Sequence[tuple[int, bytes]],
    ) -> bytes:
        """The shard's bytes. `lengths` are two length codes a chunk; terms, lists and their ends as the kernel gives
        them."""
        lengths = lengths.ljust(2 * len(self.chunk_kind), b"\0")
        names, place = self.symbols.sorted()
        symbol_blocks, symbols = pack_terms(names, [0] * len(names))
        blocks, dictionary = pack_terms(terms, ends)
        sections = [
            (layout.OIDS, bytes(self.oids)),
            (layout.LANGUAGES, self.languages.text()),
            (layout.BLOB_LANGUAGE, bytes(self.blob_language)),
            (layout.BLOB_FLAGS, bytes(self.blob_flags)),
            (layout.BLOB_LINES, self.blob_lines.tobytes()),
            (layout.BLOB_BYTES, self.blob_bytes.tobytes()),
            (layout.BLOB_LENGTHS, blob_lengths(lengths, self.first_chunk)),
            (layout.FIRST_CHUNK, self.first_chunk.tobytes()),
            (layout.CHUNK_LINE, _narrow(self.chunk_line)),
            (layout.CHUNK_SYMBOL, array("I", map(place.__getitem__, self.chunk_symbol)).tobytes()),
            (layout.CHUNK_KIND, bytes(self.chunk_kind)),
            (layout.CHUNK_LENGTHS, lengths),
            (layout.KINDS, self.kinds.text()),
            (layout.SYMBOL_BLOCKS, symbol_blocks),
            (layout.SYMBOLS, symbols),
            (layout.TERM_BLOCKS, blocks),
            (layout.TERMS, dictionary),
            (layout.POSTINGS, postings),
            *trigrams,
        ]
        return layout.pack(layout.SHARD_MAGIC, ANALYZER, sections)


def _narrow(numbers: array[int]) -> bytes:
    """As u16 where all fit, else as u32."""
    return (array("H", numbers) if max(numbers, default=0) < 1 << 16 else numbers).tobytes()


def _shortened(symbol: str) -> str:
    if len(symbol) * 4 <= LONGEST_SYMBOL:
        return symbol
    return symbol.encode("utf-8", "replace")[-LONGEST_SYMBOL:].decode("utf-8", "ignore")


def blob_lengths(lengths: bytes, first_chunk: Sequence[int]) -> bytes:
    """For each blob u32 runs in the bodies and in the comments of its chunks, summed over the codes' smallest lengths.

    Of the codes and not of the true lengths, so that the average that BM25F divides by is made of the lengths it
    divides.
    """
    of_code = kernels.LENGTHS.__getitem__
    sums = array("I")
    for start, end in pairwise(first_chunk):
        pairs = lengths[2 * start : 2 * end]
        sums.append(sum(map(of_code, pairs[BODY::2])))
        sums.append(sum(map(of_code, pairs[COMMENT::2])))
    return sums.tobytes()


class ShardWriter:
    """Gathers analyses until `finish`. `text_bytes` tells when a shard is large enough."""

    def __init__(self) -> None:
        self._columns = Columns()
        self._inverter = kernels.Inverter(terms_of_run)
        self._trigrams = TrigramWriter()
        self.text_bytes = 0
        self.blobs = 0

    def add(self, oid: bytes, language: str, analysis: Analysis, data: bytes) -> int:
        """Add one blob's analysis and its bytes as they lie on disk; returns the blob's ordinal in the shard."""
        columns = self._columns
        for chunk in analysis.chunks:
            doc = len(columns.chunk_kind)
            self._inverter.add(doc, analysis.text, chunk.spans)
            self._add_context(doc, chunk)
            columns.add_chunk(chunk.start_line, chunk.kind, chunk.symbol)
        columns.add_blob(oid, language, analysis.flags, analysis.lines, len(analysis.text))
        self._trigrams.add(data)
        self.text_bytes += len(analysis.text)
        self.blobs += 1
        return self.blobs - 1

    def _add_context(self, doc: int, chunk: Chunk) -> None:
        """The names around a definition count as part of its signature: `save` in `Session.save` is about sessions."""
        around, separator, _ = chunk.symbol.rpartition(" > " if chunk.kind == "section" else ".")
        if separator:
            context = around.encode("utf-8", "replace")
            self._inverter.add(doc, context, [(SIGNATURE, 0, len(context))])

    def finish(self) -> bytes:
        """The shard's bytes; the writer is used up."""
        terms, postings, ends, lengths, _ = self._inverter.finish()
        return self._columns.pack(lengths, terms, postings, ends, self._trigrams.sections())
