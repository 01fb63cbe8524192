"""A manifest in which the content of a few files has changed: the manifest before, with their rows replaced. Cold path.

In: a manifest, its shards with the new ones, the new rows. Out: the bytes of a manifest, equal to the last byte to what
`greppy.index.ledger.pack_manifest` makes of the same rows; it is the reference, on Django it takes 79 ms and this 0.6,
because an edit must not cost time proportional to the tree.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from greppy.index import format as layout
from greppy.index.ledger import Counts, Origin, counts_of, meta_text, nul_ended, pack_places, pack_sections, pack_stats
from greppy.index.manifest import REASONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from greppy.index.ledger import Row, Signature, Watched
    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard

Place = tuple[int, int]
"""Ordinals of a shard and of a blob in it."""

_MANY = 32
"""Files from which on sorting all of them anew is cheaper than moving each."""


class _Columns:
    """The columns of the files, writable."""

    def __init__(self, manifest: Manifest) -> None:
        section = manifest.container.section
        self.stats = bytearray(section(layout.STATS))
        self.oids = bytearray(section(layout.FILE_OIDS))
        self.shards = array("I", bytes(section(layout.FILE_SHARD)))
        self.blobs = array("I", bytes(section(layout.FILE_BLOB)))
        self.flags = array("I", bytes(section(layout.FILE_FLAGS)))
        self.reasons = bytearray(section(layout.FILE_REASON))
        self.order = array("I", bytes(section(layout.BY_BLOB)))
        self.inputs = bytearray(section(layout.INPUT_STATS))

    def place(self, file: int) -> Place:
        return self.shards[file], self.blobs[file]

    def key(self, file: int) -> tuple[int, int, int]:
        return self.shards[file], self.blobs[file], file

    def set_signature(self, at: int, signature: Signature) -> None:
        self.stats[32 * at : 32 * at + 32] = pack_stats([signature])

    def set_row(self, file: int, row: Row, shard: int) -> None:
        width = len(self.oids) // len(self.shards)
        self.set_signature(file, row.signature)
        self.oids[width * file : width * file + width] = row.oid or bytes(width)
        self.shards[file], self.blobs[file], self.flags[file] = shard, row.blob, row.flags
        self.reasons[file] = REASONS.index(row.reason)

    def is_held(self, place: Place) -> bool:
        """Whether a file has the blob there."""
        at = bisect_left(self.order, (*place, 0), key=self.key)
        return at < len(self.order) and self.place(self.order[at]) == place


def patched(
    manifest: Manifest,
    shards: Sequence[Shard],
    rows: Mapping[int, Row],
    folders: Mapping[int, Signature],
    inputs: Mapping[int, Signature],
    indexed_at: int,
) -> bytes:
    """The manifest with `rows` by file ordinal, each left out as before or not, and `folders` and `inputs` by theirs.

    `shards` are the manifest's in its order, then those that are new.
    """
    meta = manifest.meta
    columns = _Columns(manifest)
    indexed = [file for file, row in rows.items() if not row.reason]
    touched = {columns.place(file) for file in indexed}
    _set_rows(columns, rows, {shard.file: ordinal for ordinal, shard in enumerate(shards)})
    for folder, signature in folders.items():
        columns.set_signature(meta.files + folder, signature)
    for at, signature in inputs.items():
        columns.inputs[32 * at : 32 * at + 32] = pack_stats([signature])
    touched.update(columns.place(file) for file in indexed)
    fresh = [
        (ordinal, blob) for ordinal in range(len(manifest.shards), len(shards)) for blob in range(shards[ordinal].blobs)
    ]
    dead, counts = _live_now(manifest, shards, columns, touched, fresh)
    origin = Origin(meta.root, meta.algorithm, meta.digest, indexed_at)
    replaced = {
        layout.META: meta_text(origin, meta.tracked, meta.files, meta.folders, counts),
        layout.STATS: bytes(columns.stats),
        layout.FILE_OIDS: bytes(columns.oids),
        layout.FILE_SHARD: columns.shards.tobytes(),
        layout.FILE_BLOB: columns.blobs.tobytes(),
        layout.FILE_FLAGS: columns.flags.tobytes(),
        layout.FILE_REASON: bytes(columns.reasons),
        layout.BY_BLOB: columns.order.tobytes(),
        layout.SHARDS: "\n".join(shard.file for shard in shards).encode("ascii"),
        layout.DEAD: pack_places(dead),
        layout.INPUT_STATS: bytes(columns.inputs),
    }
    same = (number for number in layout.MANIFEST_SECTIONS if number not in replaced)
    return pack_sections({**replaced, **{number: manifest.container.section(number) for number in same}})


def readdressed(
    manifest: Manifest, origin: Origin, tracked: bytes, stats: bytes, inputs: Sequence[Watched], flags: bytes
) -> bytes:
    """The same files with the same blobs in another place: with the stat data and flags that they have there, and with
    what decides about them there."""
    meta = manifest.meta
    counts = Counts(meta.chunks, meta.body, meta.comment, meta.text_bytes)
    replaced = {
        layout.META: meta_text(origin, tracked, meta.files, meta.folders, counts),
        layout.STATS: stats,
        layout.FILE_FLAGS: flags,
        layout.INPUTS: nul_ended(item.path for item in inputs),
        layout.INPUT_STATS: pack_stats([item.signature for item in inputs]),
    }
    same = (number for number in layout.MANIFEST_SECTIONS if number not in replaced)
    return pack_sections({**replaced, **{number: manifest.container.section(number) for number in same}})


def _set_rows(columns: _Columns, rows: Mapping[int, Row], ordinals: Mapping[str, int]) -> None:
    indexed = {file for file, row in rows.items() if not row.reason}
    many = len(indexed) > _MANY
    if many:
        columns.order = array("I", [file for file in columns.order if file not in indexed])
    for file, row in rows.items():
        if file in indexed and not many:
            columns.order.remove(file)
        columns.set_row(file, row, 0 if row.reason else ordinals[row.shard])
    if many:
        columns.order = array("I", sorted((*columns.order, *indexed), key=columns.key))
        return
    for file in indexed:
        insort(columns.order, file, key=columns.key)


def _live_now(
    manifest: Manifest, shards: Sequence[Shard], columns: _Columns, touched: set[Place], fresh: Sequence[Place]
) -> tuple[list[Place], Counts]:
    """The places of dead blobs in order, and the sums over living ones, now that files went to and from `touched`."""
    dead = {*manifest.dead(), *fresh}
    meta = manifest.meta
    counts = Counts(meta.chunks, meta.body, meta.comment, meta.text_bytes)
    for place in touched:
        lived, lives = place not in dead, columns.is_held(place)
        if lived != lives:
            (dead.discard if lives else dead.add)(place)
            counts = counts.plus(counts_of(shards[place[0]], place[1]), 1 if lives else -1)
    return sorted(dead), counts
