"""Other manifests of the same repository: of its other worktrees, or of a clone beside it. Cold path.

In: a store without a manifest, and what git's index file names. Out: the manifest that has most in common with it, its
shards being ours. A clone has an index of its own: of the one that it was cloned from the shards are linked into it,
which costs neither time nor room, since shards never change. Where links cannot be made it is built as ever.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from greppy.errors import DamagedIndex
from greppy.index import format as layout
from greppy.index.store import SHARDS, directories, manifests, open_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.git.staging import Staging
    from greppy.index.manifest import Manifest
    from greppy.index.store import Store

MOST_INDEXES = 32
"""Indexes of other repositories that are looked into, those first that changed last."""

SAMPLE = 32
"""Blobs of ours that are looked for in another index; it is kin when it has half of them."""


class Kin(NamedTuple):
    """A manifest, and whether it is of a clone, whose name may be another."""

    manifest: Manifest
    is_clone: bool


def kin(store: Store, algorithm: str, staging: Staging, tracked: bytes) -> Kin | None:
    """The manifest to begin with; the caller holds the lock. `tracked` is the digest of its names."""
    ours = [path for path in manifests(store.directory) if path != store.manifest]
    found = [manifest for path in ours if (manifest := _opened(path, algorithm)) is not None]
    if found:
        best = max(found, key=lambda manifest: (manifest.meta.tracked == tracked, manifest.meta.indexed_at))
        return Kin(best, False)
    clone = _of_a_clone(store, algorithm, staging)
    return Kin(clone, True) if clone else None


def _opened(path: bytes, algorithm: str) -> Manifest | None:
    try:
        manifest = open_manifest(path)
    except DamagedIndex:
        return None
    return manifest if manifest is not None and manifest.meta.algorithm == algorithm else None


def _of_a_clone(store: Store, algorithm: str, staging: Staging) -> Manifest | None:
    others = [directory for directory in directories(store.home) if directory != store.directory]
    paths = [path for directory in others for path in manifests(directory)]
    every, width = -(-staging.entries // SAMPLE), staging.width
    sample = [staging.oids[width * at : width * at + width] for at in range(0, staging.entries, every)]
    for path in sorted(paths, key=_changed_ns, reverse=True)[:MOST_INDEXES]:
        manifest = _opened(path, algorithm)
        if manifest is not None and _has_half(manifest, sample) and _linked(path, manifest, store):
            return manifest
    return None


def _changed_ns(path: bytes) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _has_half(manifest: Manifest, oids: Sequence[bytes]) -> bool:
    """Whether a manifest has half of these blobs; a run of bytes across two counts, and misleads nobody."""
    column = bytes(manifest.container.section(layout.FILE_OIDS))
    return 2 * sum(oid in column for oid in oids) >= len(oids)


def _linked(path: bytes, manifest: Manifest, store: Store) -> bool:
    """Whether all shards of a manifest are in our index now."""
    shards = os.path.dirname(os.path.dirname(path)) + SHARDS
    try:
        for name in map(os.fsencode, manifest.shards):
            _link(shards + b"/" + name, store.shards + b"/" + name)
    except OSError:
        return False
    return True


def _link(shard: bytes, ours: bytes) -> None:
    try:
        os.link(shard, ours)
    except FileExistsError:
        return
