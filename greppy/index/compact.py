"""Putting the shards of an index together and leaving out what nobody uses any more. Cold path, under the index's lock.

In: an index's directory. Out: fewer shards with the same analyses, and manifests that name them; the old shards are
then garbage. Each manifest is replaced by itself, after the shards that it names, so whoever reads meanwhile, or is
killed, sees an index that is whole.

An analysis that no file of any manifest has is dropped when it has not been used for a while, or at once where there is
another one of the same blob. A large shard is not written anew for less than a 16th of its blobs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from greppy.index import format as layout
from greppy.index.ledger import Origin, Row, pack_manifest, read_ledger
from greppy.index.merge import merge
from greppy.index.store import open_manifest, open_shard, publish, write_shard
from greppy.index.tiers import LARGEST_MERGED
from greppy.index.unused import read_unused, write_unused

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from greppy.index.known import Key, Place
    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard

BUNDLE = 4 * LARGEST_MERGED
"""Chunks of small shards that are put into one: their merge takes some five seconds."""

_WORTH_A_REWRITE = 16


class Compacted(NamedTuple):
    """What was done, or would be: shards that were replaced by how many, analyses dropped, bytes freed."""

    replaced: int = 0
    written: int = 0
    dropped: int = 0
    freed: int = 0

    def plus(self, other: Compacted) -> Compacted:
        return Compacted(*(a + b for a, b in zip(self, other, strict=True)))


class _Index(NamedTuple):
    """Everything that is open: manifests by path, shards by name, and the places that files have."""

    directory: bytes
    manifests: dict[bytes, Manifest]
    shards: dict[str, Shard]
    live: set[Place]


class _Moves(NamedTuple):
    """Shards that were replaced, and where each of their blobs that were kept went."""

    replaced: set[str]
    places: dict[Place, Place]


def compact(directory: bytes, paths: Sequence[bytes], keep: float, now: float, dry_run: bool) -> Compacted:
    """Compact an index whose manifests are at `paths`; what has not been used for `keep` seconds goes.

    Raises `DamagedIndex`, `Vanished`, `Unwritable`; the index is as it was then, or partly compacted.
    """
    index = _opened(directory, paths)
    unused, expired = _aged(index, now, now - keep)
    total = Compacted()
    moves = _Moves(set(), {})
    for names in _groups(index.shards, expired):
        done, more = _rewrite(index, names, expired, dry_run)
        total = total.plus(done)
        moves = _Moves(moves.replaced | more.replaced, {**moves.places, **more.places})
    if not dry_run:
        _rewrite_manifests(index, moves)
        write_unused(directory, unused)
    return total


def _opened(directory: bytes, paths: Sequence[bytes]) -> _Index:
    found = {path: manifest for path in paths if (manifest := open_manifest(path)) is not None}
    names = dict.fromkeys(name for manifest in found.values() for name in manifest.shards)
    live = {place for manifest in found.values() for place in _live_places(manifest)}
    return _Index(directory, found, {name: open_shard(directory, name) for name in names}, live)


def _live_places(manifest: Manifest) -> Iterator[Place]:
    shards, blobs = manifest.column(layout.FILE_SHARD, "I"), manifest.column(layout.FILE_BLOB, "I")
    for file in manifest.column(layout.BY_BLOB, "I"):
        yield manifest.shards[shards[file]], blobs[file]


def _aged(index: _Index, now: float, limit: float) -> tuple[dict[Key, int], set[Place]]:
    """Since when which analyses are unused, and the places of those that may go.

    None has been used since the newest manifest was made, whatever an earlier run knew.
    """
    before = read_unused(index.directory)
    newest = max((manifest.meta.indexed_at / 1e9 for manifest in index.manifests.values()), default=now)
    used = {key for place, key in _keys(index.shards) if place in index.live}
    unused: dict[Key, int] = {}
    expired: set[Place] = set()
    for place, key in _keys(index.shards):
        if place in index.live:
            continue
        since = int(min(before.get(key, now), newest))
        if key in used or key in unused or since <= limit:
            expired.add(place)
        else:
            unused[key] = since
    return unused, expired


def _keys(shards: Mapping[str, Shard]) -> Iterator[tuple[Place, Key]]:
    for name, shard in shards.items():
        for blob, key in enumerate(shard.blob_keys()):
            yield (name, blob), key


def _groups(shards: Mapping[str, Shard], expired: Collection[Place]) -> list[list[str]]:
    """The shards that are to be written anew, those of a group as one."""
    counts = dict.fromkeys(shards, 0)
    for name, _ in expired:
        counts[name] += 1
    small = [name for name, shard in shards.items() if shard.chunks < LARGEST_MERGED]
    large = [name for name in shards if shards[name].chunks >= LARGEST_MERGED]
    groups = [[name] for name in large if counts[name] and counts[name] * _WORTH_A_REWRITE >= shards[name].blobs]
    groups += _bundles(shards, small)
    return [group for group in groups if len(group) > 1 or counts[group[0]]]


def _bundles(shards: Mapping[str, Shard], names: Sequence[str]) -> list[list[str]]:
    bundles: list[list[str]] = []
    chunks = 0
    for name in names:
        chunks += shards[name].chunks
        if not bundles or chunks > BUNDLE:
            bundles.append([])
            chunks = shards[name].chunks
        bundles[-1].append(name)
    return bundles


def _rewrite(
    index: _Index, names: Sequence[str], expired: Collection[Place], dry_run: bool
) -> tuple[Compacted, _Moves]:
    """Write a group's one shard."""
    shards = [index.shards[name] for name in names]
    keep = [
        [blob for blob in range(shard.blobs) if (name, blob) not in expired]
        for name, shard in zip(names, shards, strict=True)
    ]
    content = merge(shards, keep) if any(keep) else b""
    target = _written(index, content) if content and not dry_run else ""
    kept = [(name, blob) for name, blobs in zip(names, keep, strict=True) for blob in blobs]
    dropped = sum(shard.blobs for shard in shards) - len(kept)
    freed = sum(shard.size for shard in shards) - len(content)
    moves = {place: (target, at) for at, place in enumerate(kept)}
    return Compacted(len(names), int(bool(content)), dropped, freed), _Moves(set(names), moves)


def _written(index: _Index, content: bytes) -> str:
    name = write_shard(index.directory, content)
    index.shards[name] = open_shard(index.directory, name)
    return name


def _rewrite_manifests(index: _Index, moves: _Moves) -> None:
    """Let each manifest name the new shards. Its time of last use, the file's, stays."""
    for path, manifest in index.manifests.items():
        if moves.replaced.isdisjoint(manifest.shards):
            continue
        names = _names_after(manifest.shards, moves)
        ledger = read_ledger(manifest)
        rows = [_moved(row, moves.places) for row in ledger.rows]
        meta = manifest.meta
        origin = Origin(meta.root, meta.algorithm, meta.digest, meta.indexed_at)
        times = os.stat(path)
        publish(path, pack_manifest(ledger._replace(rows=rows), [index.shards[name] for name in names], origin))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _names_after(names: Sequence[str], moves: _Moves) -> list[str]:
    """What a manifest that had these shards has now; one of which nothing was kept has no successor."""
    successors = {old: new for (old, _), (new, _) in moves.places.items()}
    after = [successors.get(name, "") if name in moves.replaced else name for name in names]
    return [name for name in dict.fromkeys(after) if name]


def _moved(row: Row, places: Mapping[Place, Place]) -> Row:
    if row.reason or (row.shard, row.blob) not in places:
        return row
    shard, blob = places[row.shard, row.blob]
    return row._replace(shard=shard, blob=blob)
