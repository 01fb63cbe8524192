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
from greppy.index.postings import pack_symbols, pack_terms
from greppy.index.trigrams import TrigramWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.analysis.chunks import Analysis, Chunk

SIGNATURE = 1
MOST_LINES = 255
"""Of a chunk, in a byte; what it has more is in LONG_CHUNKS."""
LONGEST_SYMBOL = 255
"""Bytes of a qualified name that are kept, its end: a dictionary's strings have no more."""
BODY, COMMENT = 0, 1  # places in a chunk's pair of length codes


class Names(dict[str, int]):
    """Distinct names in order of first use, as ordinals. `reserved` are there from the beginning."""

    def __init__(self, *reserved: str) -> None:
        super().__init__((name, ordinal) for ordinal, name in enumerate(reserved))

    def __missing__(self, name: str) -> int:
        ordinal = self[name] = len(self)
        return ordinal

    def text(self) -> bytes:
        return "\n".join(self).encode()


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
        self.chunk_lines = array("I")
        self.chunk_kind = bytearray()
        self.kinds = Names("")
        self.symbols: list[bytes] = []

    def add_blob(self, oid: bytes, language: str, flags: int, lines: int, size: int) -> None:
        self.oids += oid
        self.blob_language.append(self.languages[language])
        self.blob_flags.append(flags & 0xFF)
        self.blob_lines.append(lines)
        self.blob_bytes.append(size)
        self.first_chunk.append(len(self.chunk_kind))

    def add_chunks(self, chunks: Sequence[Chunk], lines: int) -> None:
        """All chunks of a blob with so many lines, which `add_blob` then ends."""
        starts = [1, *[chunk[0] for chunk in chunks[1:]], lines + 1]
        self.chunk_lines.extend([end - start for start, end in pairwise(starts)] if chunks else [])
        self.chunk_kind.extend(map(self.kinds.__getitem__, [chunk[2] for chunk in chunks]))
        self.symbols.extend([_shortened(symbol) if symbol else b"" for _, _, _, symbol, _ in chunks])

    def pack(self, lengths: bytes, terms: Sequence[tuple[int, bytes]], trigrams: Sequence[tuple[int, bytes]]) -> bytes:
        """The shard's bytes. `lengths` are two length codes a chunk; terms and trigrams are whole sections."""
        lengths = lengths.ljust(2 * len(self.chunk_kind), b"\0")
        sections = [
            (layout.OIDS, bytes(self.oids)),
            (layout.LANGUAGES, self.languages.text()),
            (layout.BLOB_LANGUAGE, bytes(self.blob_language)),
            (layout.BLOB_FLAGS, bytes(self.blob_flags)),
            (layout.BLOB_LINES, self.blob_lines.tobytes()),
            (layout.BLOB_BYTES, self.blob_bytes.tobytes()),
            (layout.BLOB_LENGTHS, blob_lengths(lengths, self.first_chunk)),
            (layout.FIRST_CHUNK, self.first_chunk.tobytes()),
            (layout.CHUNK_LINES, bytes([min(lines, MOST_LINES) for lines in self.chunk_lines])),
            (layout.LONG_CHUNKS, _excess(self.chunk_lines)),
            (layout.CHUNK_KIND, bytes(self.chunk_kind)),
            (layout.CHUNK_LENGTHS, lengths),
            (layout.KINDS, self.kinds.text()),
            *pack_symbols(self.symbols),
            *terms,
            *trigrams,
        ]
        return layout.pack(layout.SHARD_MAGIC, ANALYZER, sections)


def _excess(lines: Sequence[int]) -> bytes:
    """LONG_CHUNKS for the lines of each chunk."""
    longer = [(chunk, count - MOST_LINES) for chunk, count in enumerate(lines) if count > MOST_LINES]
    return array("I", [number for pair in longer for number in pair]).tobytes()


def _shortened(symbol: str) -> bytes:
    """Its end, from the beginning of a character on."""
    name = symbol.encode("utf-8", "replace")
    return name[-LONGEST_SYMBOL:].decode("utf-8", "ignore").encode() if len(name) > LONGEST_SYMBOL else name


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
        first = len(self._columns.chunk_kind)
        self._invert(first, analysis)
        self._columns.add_chunks(analysis.chunks, analysis.lines)
        self._columns.add_blob(oid, language, analysis.flags, analysis.lines, len(analysis.text))
        self._trigrams.add(data)
        self.text_bytes += len(analysis.text)
        self.blobs += 1
        return self.blobs - 1

    def _invert(self, first: int, analysis: Analysis) -> None:
        """The names around a definition count as part of its signature: `save` in `Session.save` is about sessions."""
        add, text = self._inverter.add, analysis.text
        for doc, (_, _, kind, symbol, spans) in enumerate(analysis.chunks, first):
            add(doc, text, spans)
            around = symbol.rpartition(" > " if kind == "section" else ".")[0] if symbol else ""
            if around:
                context = around.encode("utf-8", "replace")
                add(doc, context, ((SIGNATURE, 0, len(context)),))

    def finish(self) -> bytes:
        """The shard's bytes; the writer is used up."""
        terms, postings, ends, lengths, _ = self._inverter.finish()
        sections = pack_terms(terms, postings, ends, len(lengths) // 2)
        return self._columns.pack(lengths, sections, self._trigrams.sections())
