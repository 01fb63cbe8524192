"""The manifest as rows, for those who change it: manifest → rows → manifest. Cold path.

In: rows in any order, folders, inputs and open shards. Out: the bytes of a manifest (`greppy.index.manifest` reads
them).
"""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from greppy.analysis.version import ANALYZER
from greppy.index import format as layout
from greppy.index.manifest import NEVER, REASONS, Manifest
from greppy.index.names import pack_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from greppy.index.shard import Shard

Signature = tuple[int, int, int, int]
"""size, mtime_ns, ctime_ns, inode; size -1 for a folder."""

ABSENT: Signature = (0, 0, 0, 0)


class Row(NamedTuple):
    """One file of the snapshot. `shard` is a name; it and `blob` mean something only where `reason` is empty."""

    path: bytes
    signature: Signature
    oid: bytes
    flags: int
    reason: str
    shard: str
    blob: int


class Watched(NamedTuple):
    """A folder or an input with its signature."""

    path: bytes
    signature: Signature


class Ledger(NamedTuple):
    """Everything that a manifest holds of the working tree."""

    rows: Sequence[Row]
    folders: Sequence[Watched]
    inputs: Sequence[Watched]
    tracked: bytes = b""


EMPTY = Ledger((), (), ())


class Origin(NamedTuple):
    """What a manifest is of: see `greppy.index.manifest.Meta`."""

    root: bytes
    algorithm: str
    digest: bytes
    indexed_at: int


def read_ledger(manifest: Manifest) -> Ledger:
    """The rows of an open manifest."""
    stats = manifest.column(layout.STATS, "q")
    paths = manifest.paths
    count = manifest.meta.files
    inputs = manifest.column(layout.INPUT_STATS, "q")
    return Ledger(
        _read_rows(manifest, stats, paths),
        [Watched(path, _signature(stats, count + at)) for at, path in enumerate(paths[count:])],
        [Watched(path, _signature(inputs, at)) for at, path in enumerate(manifest.inputs)],
        manifest.meta.tracked,
    )


def _read_rows(manifest: Manifest, stats: memoryview, paths: list[bytes]) -> list[Row]:
    flags = manifest.column(layout.FILE_FLAGS, "I")
    reasons = manifest.column(layout.FILE_REASON, "B")
    shards = manifest.column(layout.FILE_SHARD, "I")
    blobs = manifest.column(layout.FILE_BLOB, "I")
    oids = bytes(manifest.column(layout.FILE_OIDS, "B"))
    names = [*manifest.shards, ""]
    count = manifest.meta.files
    width = len(oids) // count if count else 20
    return [
        Row(
            paths[at],
            _signature(stats, at),
            oids[at * width : (at + 1) * width],
            flags[at],
            REASONS[reasons[at]],
            "" if reasons[at] else names[shards[at]],
            blobs[at],
        )
        for at in range(count)
    ]


def _signature(stats: memoryview, at: int) -> Signature:
    size, mtime, ctime, inode = stats[4 * at : 4 * at + 4]
    return size, mtime, ctime, inode


def pack_manifest(ledger: Ledger, shards: Sequence[Shard], origin: Origin) -> bytes:
    """The bytes of a manifest over these shards, each of which is kept even where no row needs it."""
    rows = sorted(ledger.rows)
    place = {shard.file: ordinal for ordinal, shard in enumerate(shards)}
    live = sorted((place[row.shard], row.blob, at) for at, row in enumerate(rows) if not row.reason)
    dead, counts = _counts(shards, {(shard, blob) for shard, blob, _ in live})
    width = 32 if origin.algorithm == "sha256" else 20
    return pack_sections(
        {
            layout.META: meta_text(origin, ledger.tracked, len(rows), len(ledger.folders), counts),
            layout.PATHS: nul_ended(row.path for row in rows) + nul_ended(folder.path for folder in ledger.folders),
            layout.STATS: pack_stats([row.signature for row in rows] + [folder.signature for folder in ledger.folders]),
            layout.FILE_OIDS: b"".join([row.oid or bytes(width) for row in rows]),
            layout.FILE_SHARD: array("I", [0 if row.reason else place[row.shard] for row in rows]).tobytes(),
            layout.FILE_BLOB: array("I", [row.blob for row in rows]).tobytes(),
            layout.FILE_FLAGS: array("I", [row.flags for row in rows]).tobytes(),
            layout.FILE_REASON: bytes([REASONS.index(row.reason) for row in rows]),
            layout.BY_BLOB: array("I", [at for _, _, at in live]).tobytes(),
            layout.INPUTS: nul_ended(item.path for item in ledger.inputs),
            layout.INPUT_STATS: pack_stats([item.signature for item in ledger.inputs]),
            layout.SHARDS: "\n".join(place).encode("ascii"),
            layout.DEAD: pack_places(dead),
            **dict(pack_names((at, row.path) for at, row in enumerate(rows) if not row.reason)),
        }
    )


def pack_sections(sections: Mapping[int, bytes | memoryview]) -> bytes:
    """The bytes of a manifest with these sections, of which none may be missing."""
    return layout.pack(
        layout.MANIFEST_MAGIC, ANALYZER, [(number, sections[number]) for number in layout.MANIFEST_SECTIONS]
    )


def meta_text(origin: Origin, tracked: bytes, files: int, folders: int, counts: Counts) -> bytes:
    """The section META."""
    fields = {
        "root": origin.root.hex(),
        "digest": origin.digest.hex(),
        "tracked": tracked.hex(),
        "algorithm": origin.algorithm,
        "files": files,
        "folders": folders,
        "indexed_at": origin.indexed_at,
        **counts._asdict(),
    }
    return "".join(f"{key}={value}\n" for key, value in fields.items()).encode("ascii")


def nul_ended(paths: Iterable[bytes]) -> bytes:
    """A table of paths."""
    return b"".join([path + b"\0" for path in paths])


def pack_stats(signatures: Iterable[Signature]) -> bytes:
    """Four i64 a signature; an inode of 64 bits keeps its bits."""
    numbers = array("q")
    for size, mtime, ctime, inode in signatures:
        numbers.extend((size, mtime, ctime, inode - (1 << 64) if inode >= 1 << 63 else inode))
    return numbers.tobytes()


def pack_places(places: Iterable[tuple[int, int]]) -> bytes:
    """Two u32 a place."""
    return array("I", [number for place in places for number in place]).tobytes()


class Counts(NamedTuple):
    """Sums over live blobs: chunks, lengths of bodies and of comments (BM25's averages), bytes of text."""

    chunks: int
    body: int
    comment: int
    text_bytes: int

    def plus(self, other: Counts, times: int = 1) -> Counts:
        return Counts(*(a + times * b for a, b in zip(self, other, strict=True)))


def counts_of(shard: Shard, blob: int) -> Counts:
    """What one blob adds to the sums when it is alive."""
    start, end = shard.chunk_range(blob)
    body, comment = shard.column(layout.BLOB_LENGTHS, "I")[2 * blob : 2 * blob + 2]
    return Counts(end - start, body, comment, shard.column(layout.BLOB_BYTES, "I")[blob])


def _counts(shards: Sequence[Shard], live: set[tuple[int, int]]) -> tuple[list[tuple[int, int]], Counts]:
    """(shard, blob) of the dead blobs, and the sums over the live ones."""
    dead: list[tuple[int, int]] = []
    chunks = body = comment = text_bytes = 0
    for place, shard in enumerate(shards):
        lengths = shard.column(layout.BLOB_LENGTHS, "I")
        sizes = shard.column(layout.BLOB_BYTES, "I")
        for blob, (start, end) in enumerate(pairwise(shard.column(layout.FIRST_CHUNK, "I"))):
            if (place, blob) not in live:
                dead.append((place, blob))
                continue
            chunks += end - start
            body += lengths[2 * blob]
            comment += lengths[2 * blob + 1]
            text_bytes += sizes[blob]
    return dead, Counts(chunks, body, comment, text_bytes)


def unsettled(signature: Signature) -> Signature:
    """The signature of something racy: never equal to what is on disk, so that the next search looks again."""
    return signature[0], NEVER, signature[2], signature[3]
