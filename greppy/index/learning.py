"""Giving files without an analysis trigrams (cold): a search that read many of them does it once, when it has answered.

In: a view of a working tree. Out: the file that `greppy.index.unanalysed` reads, replaced as a whole. It is no part of
the index proper: searches are as right without it, only slower.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from greppy.analysis.version import ANALYZER
from greppy.errors import IndexFailure
from greppy.git.files import Folders, Unreadable, is_racy, read_with_signature
from greppy.index import format as layout
from greppy.index.manifest import REASONS
from greppy.index.store import MANIFESTS, publish, remove
from greppy.index.trigrams import TrigramWriter
from greppy.index.unanalysed import GIVEN_UP, KNOWN, PRINTABLE, keys_of, learnt, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.index.store import Store
    from greppy.index.view import View

LARGEST = 1 << 26
"""Bytes of a file that gets trigrams."""

MOST_BYTES = 1 << 29
"""Bytes of all of them together: a second and a half."""

ENOUGH = 1 << 21
"""Bytes that a search may read in vain before learning pays, where opening a file counts as `OPENING`."""

OPENING = 1 << 14

_LEARNT = ("binary", "too large", "beyond the file limit", "analysis fails")
_OTHERS = bytes(byte if byte in PRINTABLE else 0 for byte in range(256))


def pays(view: View, unknown: Sequence[int]) -> bool:
    """Whether it is worth while to learn, where so many files are unknown."""
    stats = view.manifest.column(layout.STATS, "q")
    return len(unknown) * OPENING + sum(stats[4 * at] for at in unknown) >= ENOUGH


def learn(view: View) -> None:
    """Write what is known of the files without an analysis; where that cannot be done, nothing."""
    if view.mode != "full" or view.store.refusal:
        return
    known, given_up, trigrams = b"", b"", TrigramWriter()
    for key, data in _contents(view):
        if data is None:
            given_up += key
        else:
            known += key
            trigrams.add(data.translate(_OTHERS))
    sections = [(KNOWN, known), (GIVEN_UP, given_up), *trigrams.sections()]
    try:
        publish(path_of(view.store), layout.pack(layout.SHARD_MAGIC, ANALYZER, sections))
    except IndexFailure:
        return
    _clear(view.store)


def _clear(store: Store) -> None:
    """Remove what belongs to worktrees that have no index any more."""
    for path in learnt(store.directory):
        if not os.path.lexists(store.directory + MANIFESTS + b"/" + path.rpartition(b"-")[2]):
            remove(path)


def _contents(view: View) -> Iterator[tuple[bytes, bytes | None]]:
    """The key and the bytes of each file; None for the bytes of one that is not read, or has changed just now."""
    manifest, root = view.manifest, view.project.root
    reasons = bytes(manifest.column(layout.FILE_REASON, "B"))
    stats = manifest.column(layout.STATS, "q")
    files = [at for at, reason in enumerate(reasons) if REASONS[reason] in _LEARNT]
    room = MOST_BYTES
    with Folders(root) as folders:
        for at, key in zip(files, keys_of(view, files), strict=True):
            data = None
            if stats[4 * at] <= min(room, LARGEST):
                data = _read(root, manifest.paths[at], tuple(stats[4 * at : 4 * at + 4]), folders)
                room -= stats[4 * at]
            yield key, data


def _read(root: bytes, path: bytes, expected: tuple[int, ...], folders: Folders) -> bytes | None:
    try:
        data, seen = read_with_signature(root, path, LARGEST, folders)
    except Unreadable:
        return None
    return data if tuple(seen) == expected and not is_racy(seen, time.time_ns()) else None
