"""Making one shard of several, so that a query opens few files however many edits there were. Cold path.

In: open shards and, for each, the blobs to keep. Out: the bytes of one shard with the kept blobs in the order given.
Nothing is analysed again and no source text is read: columns are copied and posting lists re-numbered.
"""

from __future__ import annotations

from array import array
from heapq import merge as merge_sorted
from itertools import compress, groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from greppy import kernels
from greppy.index import format as layout
from greppy.index.trigrams import merged as merged_trigrams
from greppy.index.writer import Columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.index.shard import Shard

GONE = 0xFFFFFFFF


def merge(shards: Sequence[Shard], keep: Sequence[Sequence[int]]) -> bytes:
    """The bytes of a shard with the blobs `keep[i]` (ascending ordinals) of each `shards[i]`."""
    columns = Columns()
    lengths = bytearray()
    renumbered = [_copy(shard, blobs, columns, lengths) for shard, blobs in zip(shards, keep, strict=True)]
    terms: list[bytes] = []
    postings = bytearray()
    ends: list[int] = []
    streams = [_tagged(shard, place) for place, shard in enumerate(shards)]
    for term, group in groupby(merge_sorted(*streams, key=itemgetter(0, 1)), key=itemgetter(0)):
        encoded = _joined([(renumbered[place], buffer) for _, place, buffer in group])
        if encoded:
            terms.append(term)
            postings += encoded
            ends.append(len(postings))
    return columns.pack(bytes(lengths), terms, bytes(postings), ends, merged_trigrams(shards, keep))


def _tagged(shard: Shard, place: int) -> Iterator[tuple[bytes, int, memoryview]]:
    for term, buffer in shard.lists():
        yield term, place, buffer


def _copy(shard: Shard, blobs: Sequence[int], columns: Columns, lengths: bytearray) -> array[int]:
    """Append the kept blobs' columns; returns the new ordinal of each chunk, `GONE` for dropped ones."""
    new = array("I", [GONE]) * shard.chunks
    line = shard.starts()
    length = shard.column(layout.CHUNK_LENGTHS)
    for blob in blobs:
        start, end = shard.chunk_range(blob)
        for chunk in range(start, end):
            new[chunk] = len(columns.chunk_kind)
            columns.add_chunk(line[chunk], shard.kind(chunk), shard.symbol(chunk))
        lengths += length[2 * start : 2 * end]
        columns.add_blob(
            shard.oid(blob),
            shard.language(blob),
            shard.column(layout.BLOB_FLAGS)[blob],
            shard.column(layout.BLOB_LINES, "I")[blob],
            shard.column(layout.BLOB_BYTES, "I")[blob],
        )
    return new


def _joined(lists: Sequence[tuple[array[int], memoryview]]) -> bytes:
    """One posting list of several with new numbers; empty when no posting is left."""
    docs: list[int] = []
    codes = bytearray()
    for new, buffer in lists:
        found, found_codes = kernels.decode_postings(buffer)
        moved = list(map(new.__getitem__, found))
        if GONE in moved:
            alive = [doc != GONE for doc in moved]
            docs += compress(moved, alive)
            codes += bytes(compress(found_codes, alive))
        else:
            docs += moved
            codes += found_codes
    return kernels.encode_postings(docs, bytes(codes)) if docs else b""
