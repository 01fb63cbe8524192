"""Warm views: open manifests and shards of the projects in use, and what file events say of them. Cold.

In: a project. Out: a `View` that is as true as `greppy.index.view.open_view` makes it, mostly without looking at the
disk. What is dirty is mended by the same code as everywhere (`greppy.index.maintenance`).

The promise: a search sees every write by a system call that returned before it began. A write that makes no event
(through a memory mapping, or a hard link elsewhere) it sees `LATE_SECONDS` after it changed the file's stat data at
the latest, ordinarily after `greppy.daemon.supervisor.SWEEP_SECONDS`. Where there are no events every search looks at
all stat data, as without the daemon.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import TYPE_CHECKING

from xxhash import xxh3_64_intdigest

from greppy import kernels
from greppy.daemon.board import now
from greppy.daemon.inotify import Unsupported
from greppy.daemon.watch import Watch
from greppy.errors import DamagedIndex
from greppy.index import format as layout
from greppy.index.freshness import Changes, find_changes, inputs_differ, rules_digest
from greppy.index.store import Vanished
from greppy.index.view import View, store_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.config import Config
    from greppy.daemon.board import Board
    from greppy.git.project import Project
    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard
    from greppy.index.store import Store

LATE_SECONDS = 30.0
MOST_CHANGES = 200
"""Files that differ beyond which the client does the work itself, where its progress can be seen."""

_SHARDS_SECONDS = 0.1
"""How often it is looked whether a shard was damaged while it is open."""

MOST_PROJECTS = 16
IDLE_SECONDS = 600.0

Signature = tuple[int, int, int, int]


class NotHere(BaseException):
    """The client should run the program itself: a daemon would do it no better. Not an Exception, since nothing between
    the one who finds out and the worker has anything to do about it."""


class Dirty(BaseException):
    """The index has to be changed first, which is for a process of its own."""


class Entry:
    """One project as it was last seen. `mode` says how its freshness is known."""

    __slots__ = (
        "_checked",
        "_folders",
        "_signatures",
        "_view",
        "home",
        "key",
        "manifest",
        "mode",
        "project",
        "shards",
        "store",
        "swept",
        "used",
        "watch",
    )

    def __init__(self, project: Project, home: bytes) -> None:
        self.project = project
        self.home = home
        self.key = key_of(home, project.root)
        self.store: Store = store_of(project, home)
        self.manifest: Manifest | None = None
        self.shards: Sequence[Shard] = ()
        self.watch: Watch | None = None
        self.mode = ""
        self.swept = 0.0
        self.used = now()
        self._signatures: dict[bytes, Signature] = {}
        self._checked = 0.0
        self._view: View | None = None
        self._folders: dict[bytes, int] = {}

    def reopen(self) -> bool:
        """Open what is on disk where it is not what is open; whether there is an index that can be used at all.

        Raises DamagedIndex.
        """
        moved = self.watch is not None and self.watch.moved
        if self.manifest is not None and not moved and self._is_unchanged():
            return True
        self.manifest = self._view = None
        paths = [self.store.manifest]
        before = signature_of(self.store.manifest)
        manifest = None if self.store.refusal else self.store.open_manifest()
        if manifest is None:
            return False
        try:
            self.shards = [self.store.open_shard(name) for name in manifest.shards]
        except Vanished:
            return False  # the next request finds the manifest that does not name it
        paths += [self.store.shards + b"/" + name.encode() for name in manifest.shards]
        self._signatures = {path: signature_of(path) for path in paths} | {self.store.manifest: before}
        self.manifest = manifest
        self._follow(manifest)
        return True

    def _is_unchanged(self) -> bool:
        """Whether the files that are open are those on disk. Shards never change unless somebody damages them."""
        if signature_of(self.store.manifest) != self.identity:
            return False
        moment = now()
        if moment - self._checked < _SHARDS_SECONDS:
            return True
        self._checked = moment
        return all(signature_of(path) == seen for path, seen in self._signatures.items())

    @property
    def view(self) -> View:
        """What the open manifest says: one view for as long as it is open, with all that searches work out of it."""
        assert self.manifest is not None
        if self._view is None or self._view.manifest is not self.manifest:
            self._view = View(self.project, self.store, self.manifest, self.shards)
        self._view.is_watched = self.watch is not None
        return self._view

    @property
    def identity(self) -> Signature:
        """What tells the open manifest from every other that was or will be there."""
        return self._signatures[self.store.manifest]

    def _follow(self, manifest: Manifest) -> None:
        """Watch the folders of a manifest, where that can be had."""
        folders = manifest.paths[manifest.meta.files :]
        self._folders = {folder: at for at, folder in enumerate(folders)}
        try:
            if self.watch is not None and self.watch.moved:
                self._unwatch("")
            if self.watch is not None:
                self.watch.follow(self._folders)
            elif not self.mode.startswith("stat"):
                self.watch = Watch(self.project.root, folders)
                self.mode = "events"
        except (Unsupported, OSError) as error:
            self._unwatch(f"stat checks: {error}")

    def _unwatch(self, mode: str) -> None:
        if self.watch is not None:
            self.watch.close()
        self.watch, self.mode = None, mode

    def changes(self, config: Config, board: Board, known: Manifest | None = None) -> Changes:
        """What differs from the open manifest now; if that is the one that is `known`, configuration and inputs are as
        they were."""
        assert self.manifest is not None
        began = now()
        watch = self.watch
        if watch is not None:
            watch.drain()
        swept = max(self.swept, board.sweep(self.key)) if watch is not None else 0.0
        if watch is None or watch.lost or began - swept > LATE_SECONDS:
            found = find_changes(self.manifest, self.project, config)
            self.swept = began
        else:
            found = self._among(watch.names, self.manifest is not known and self._inputs_differ(config))
        if watch is not None and not found:
            watch.settled()
        return found

    def _inputs_differ(self, config: Config) -> bool:
        assert self.manifest is not None
        return self.manifest.meta.digest != rules_digest(self.project, config) or inputs_differ(self.manifest)

    def _among(self, names: set[bytes], inputs: bool) -> Changes:
        """What differs among these paths."""
        manifest = self.manifest
        assert manifest is not None
        count = manifest.meta.files
        if not names:
            return Changes((), (), inputs)
        paths = manifest.paths
        ordinals = []
        for name in names:
            at = bisect_left(paths, name, 0, count)
            if at < count and paths[at] == name:
                ordinals.append(at)
            if name in self._folders:
                ordinals.append(count + self._folders[name])
        ordinals.sort()
        stats = manifest.column(layout.STATS, "q")
        table = b"".join(paths[at] + b"\0" for at in ordinals)
        recorded = b"".join(bytes(stats[4 * at : 4 * at + 4]) for at in ordinals)
        differing = kernels.changed_stats(self.project.root, table, recorded, len(ordinals))
        changed = [ordinals[at] for at in differing]
        return Changes([at for at in changed if at < count], [at - count for at in changed if at >= count], inputs)

    def close(self) -> None:
        """Let events and mappings go."""
        self._unwatch("")
        self.manifest, self.shards, self._view = None, (), None

    def note(self) -> dict[str, object]:
        """What `status` says of it."""
        meta = self.manifest.meta if self.manifest else None
        return {
            "path": self.project.root,
            "files": meta.files if meta else 0,
            "indexed_at": meta.indexed_at / 1e9 if meta else 0.0,
            "freshness": self.mode,
            "folders_watched": self.watch.folders if self.watch else 0,
            "idle": now() - self.used,
        }


def key_of(home: bytes, root: bytes) -> int:
    """What a project is called on the board."""
    return xxh3_64_intdigest(home + b"\0" + root)


def signature_of(path: bytes) -> Signature:
    """size, mtime_ns, ctime_ns, inode; zeros where there is nothing."""
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return 0, 0, 0, 0
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


class Views:
    """The projects in use."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._entries: dict[tuple[bytes, bytes], Entry] = {}

    def look(
        self, project: Project, home: bytes, config: Config, known: Manifest | None = None
    ) -> tuple[Entry, Changes]:
        """A project with what differs from its manifest now (of the one that is `known` only by its files). Raises
        NotHere where there is no index to build on."""
        entry = self._entry(project, home)
        try:
            ready = entry.reopen()
        except DamagedIndex:
            ready = False
        if not ready:
            self._drop(entry)
            raise NotHere("not indexed yet")
        entry.used = now()
        entry.store.note_use()
        return entry, entry.changes(config, self._board, known)

    def _entry(self, project: Project, home: bytes) -> Entry:
        key = (home, project.root)
        entry = self._entries.pop(key, None)
        if entry is None or (entry.project.git_dir, entry.project.common_dir) != (project.git_dir, project.common_dir):
            if entry is not None:
                entry.close()
            entry = Entry(project, home)
        self._entries[key] = entry  # last in the order of use
        while len(self._entries) > MOST_PROJECTS:
            self._drop(next(iter(self._entries.values())))
        return entry

    def forget(self, project: Project, home: bytes) -> None:
        """Open the project anew next time."""
        entry = self._entries.get((home, project.root))
        if entry is not None:
            self._drop(entry)

    def _drop(self, entry: Entry) -> None:
        entry.close()
        self._entries.pop((entry.home, entry.project.root), None)

    def tidy(self) -> None:
        """Let go of projects that nobody has asked for in a while."""
        for entry in list(self._entries.values()):
            if now() - entry.used > IDLE_SECONDS:
                self._drop(entry)

    def notes(self) -> list[dict[str, object]]:
        """What `status` says of each project."""
        return [entry.note() for entry in self._entries.values()]

    @property
    def entries(self) -> list[Entry]:
        """The projects that are open, the last one used at the end."""
        return list(self._entries.values())
