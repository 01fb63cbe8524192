"""What may have changed in one project since it was last looked at, by file events. Cold.

In: the folders of a manifest. Out: names that an event was about, complete up to the moment of asking: every event of a
system call that has returned is in the queue already.

What makes no event: a store through a memory mapping (nor does it change the stat data at once, on some file systems
never), a write through a hard link elsewhere, a mount over a folder. For these a file that somebody has closed after
writing stays a `suspect`, looked at every time, and `greppy.daemon.views` looks at the whole project at intervals.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from greppy.daemon import inotify
from greppy.daemon.inotify import Inotify, Unsupported, is_local

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_SUSPECTS = 64
MOST_NAMES = 10_000
"""Names that are kept; with more the whole project is looked at, which costs less by then."""


class Watch:
    """The events of one project. `lost`: events were, so that everything may have changed; `moved`: the root is another
    folder than the one that is watched.

    Raises Unsupported where events cannot be relied on.
    """

    __slots__ = (
        "_device",
        "_folders",
        "_inode",
        "_inotify",
        "_names",
        "_root",
        "_suspects",
        "_watches",
        "lost",
        "moved",
    )

    def __init__(self, root: bytes, folders: Sequence[bytes]) -> None:
        self._root = root
        self._names: set[bytes] = set()
        self._suspects: dict[bytes, None] = {}
        self._folders: dict[int, bytes] = {}
        self._watches: dict[bytes, int] = {}
        self.lost = True
        self.moved = False
        found = os.stat(root)
        self._device, self._inode = found.st_dev, found.st_ino
        if not is_local(root):
            raise Unsupported("not a local file system")
        self._inotify = Inotify()
        try:
            self.follow(folders)
        except BaseException:
            self._inotify.close()
            raise

    @property
    def fd(self) -> int:
        """A descriptor that can be read from when there are events."""
        return self._inotify.fd

    @property
    def folders(self) -> int:
        """How many folders are watched."""
        return len(self._watches)

    def follow(self, folders: Iterable[bytes]) -> None:
        """Watch these folders and no others; `lost` where one is new, since nobody knows what happened in it."""
        wanted = set(folders)
        for folder in [folder for folder in self._watches if folder not in wanted]:
            self._forget(self._watches[folder])
        for folder in wanted.difference(self._watches):
            self.lost = True
            self._add(folder)

    def _add(self, folder: bytes) -> None:
        full = self._root if folder == b"." else self._root + b"/" + folder
        watch = self._inotify.add(full)
        if watch < 0:
            return  # gone, or not to be read; the folder above tells when that changes
        try:
            device = os.lstat(full).st_dev
        except OSError:
            device = self._device
        if device != self._device and not is_local(full):
            raise Unsupported(f"{os.fsdecode(folder)} is not on a local file system")
        if self._folders.get(watch, folder) != folder:
            raise Unsupported(f"{os.fsdecode(folder)} is there twice")
        self._folders[watch] = folder
        self._watches[folder] = watch

    def _forget(self, watch: int) -> None:
        folder = self._folders.pop(watch, None)
        if folder is not None and self._watches.get(folder) == watch:
            del self._watches[folder]
            self._inotify.remove(watch)

    def drain(self) -> bool:
        """Take in what happened until now; whether anything did."""
        happened = self.lost
        for event in self._inotify.read():
            happened = True
            if event.mask & inotify.OVERFLOW:
                self.lost = True
            else:
                self._take(event)
        self.moved = not self._is_same_root()
        if len(self._names) > MOST_NAMES or self.moved:
            self.lost = happened = True
        return happened

    def _take(self, event: inotify.Event) -> None:
        folder = self._folders.get(event.watch)
        if folder is None:
            return
        if event.mask & inotify.GONE:
            self._names.add(folder)
            if event.mask & inotify.MOVE_SELF:
                self._forget(event.watch)
            elif event.mask & inotify.IGNORED:
                del self._folders[event.watch]
                self._watches.pop(folder, None)
            return
        if event.mask & inotify.NAMES:
            self._names.add(folder)
        if event.name:
            path = event.name if folder == b"." else folder + b"/" + event.name
            self._names.add(path)
            if event.mask & (inotify.CLOSE_WRITE | inotify.MODIFY):
                self._suspect(path)

    def _suspect(self, path: bytes) -> None:
        self._suspects.pop(path, None)
        self._suspects[path] = None
        if len(self._suspects) > MOST_SUSPECTS:
            del self._suspects[next(iter(self._suspects))]

    def _is_same_root(self) -> bool:
        try:
            found = os.stat(self._root)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (self._device, self._inode)

    @property
    def names(self) -> set[bytes]:
        """Paths (of files, or of folders whose names changed) that may differ from what was last `settled`."""
        return self._names.union(self._suspects)

    def settled(self) -> None:
        """What was drained has been looked at."""
        self._names.clear()
        self.lost = False

    def close(self) -> None:
        """End the watch."""
        self._inotify.close()
