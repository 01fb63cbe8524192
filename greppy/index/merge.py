"""Making one shard of several, so that a query opens few files however many edits there were. Cold path.

In: open shards and, for each, the blobs to keep. Out: the bytes of one shard with the kept blobs in the order given.
Nothing is analysed again and no source text is read: columns are copied and posting lists re-numbered.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from greppy import kernels
from greppy.index import format as layout
from greppy.index.postings import TERM_SECTIONS
from greppy.index.trigrams import merged as merged_trigrams
from greppy.index.writer import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.shard import Shard

GONE = 0xFFFFFFFF


def merge(shards: Sequence[Shard], keep: Sequence[Sequence[int]]) -> bytes:
    """The bytes of a shard with the blobs `keep[i]` (ascending ordinals) of each `shards[i]`.

    Raises `DamagedIndex` where a shard fails its sums.
    """
    columns = Columns()
    lengths = bytearray()
    parts = []
    for shard, blobs in zip(shards, keep, strict=True):
        new = _copy(shard, blobs, columns, lengths)
        index, terms, list_index, lists = map(shard.column, TERM_SECTIONS)
        parts.append((index, terms, list_index, lists, new))
    merged = zip(TERM_SECTIONS, kernels.merge_terms(parts, len(columns.chunk_kind)), strict=True)
    return columns.pack(bytes(lengths), list(merged), merged_trigrams(shards, keep))


def _copy(shard: Shard, blobs: Sequence[int], columns: Columns, lengths: bytearray) -> array[int]:
    """Append the kept blobs' columns; returns the new ordinal of each chunk, `GONE` for dropped ones."""
    new = array("I", [GONE]) * shard.chunks
    lines, length = shard.sizes(0, shard.chunks), shard.column(layout.CHUNK_LENGTHS)
    kinds = bytes(shard.column(layout.KINDS)).decode().split("\n")
    kind_of, symbols = shard.column(layout.CHUNK_KIND), list(shard.symbols.since(0))
    for blob in blobs:
        start, end = shard.chunk_range(blob)
        first = len(columns.chunk_kind)
        new[start:end] = array("I", range(first, first + end - start))
        columns.chunk_lines.extend(lines[start:end])
        columns.chunk_kind.extend([columns.kinds[kinds[kind]] for kind in kind_of[start:end]])
        columns.symbols += symbols[start:end]
        lengths += length[2 * start : 2 * end]
        columns.add_blob(
            shard.oid(blob),
            shard.language(blob),
            shard.column(layout.BLOB_FLAGS)[blob],
            shard.column(layout.BLOB_LINES, "I")[blob],
            shard.column(layout.BLOB_BYTES, "I")[blob],
        )
    return new
