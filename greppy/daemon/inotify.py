"""File events of Linux: a folder is added, what happened in it is read. Cold: only daemon processes import it.

In: folders. Out: `Event`s. By ctypes and not by a library: what the daemon needs is to read, without waiting, all
events of the writes that were finished before (the kernel queues an event before the system call that caused it
returns), and libraries that offer a stream of events from a thread of their own (watchdog, watchfiles) cannot say when
they have caught up.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED = 0x2000, 0x4000, 0x8000
NAMES = MOVED_FROM | MOVED_TO | CREATE | DELETE
GONE = DELETE_SELF | MOVE_SELF | UNMOUNT | IGNORED

_ONLY_FOLDERS, _NO_LINKS, _NOT_UNLINKED = 0x1000000, 0x2000000, 0x4000000
_WANTED = MODIFY | ATTRIB | CLOSE_WRITE | NAMES | DELETE_SELF | MOVE_SELF | _ONLY_FOLDERS | _NO_LINKS | _NOT_UNLINKED
_HEAD = struct.Struct("iIII")
_PIECE = 1 << 18

LOCAL_FILE_SYSTEMS = frozenset(
    # ext2-4, xfs, btrfs, tmpfs, ramfs, f2fs; overlayfs, zfs, bcachefs, jfs, nilfs (statfs(2); zfs: its own source)
    (
        *(0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0x858458F6, 0xF2F52010),
        *(0x794C7630, 0x2FC12FC1, 0xCA451A4E, 0x3153464A, 0x3434),
    )
)
"""Where every change is made by this kernel, so that it sees them all."""


class Event(NamedTuple):
    """What happened (`mask`) to `name` in the folder with the number `watch`; to the folder itself where it is b""."""

    watch: int
    mask: int
    name: bytes


class Unsupported(Exception):
    """There are no events here; the text says why."""


class Inotify:
    """One queue of events. Raises Unsupported."""

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise Unsupported(f"no file events on {sys.platform}")
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise Unsupported(f"no file events: {os.strerror(ctypes.get_errno())} (fs.inotify.max_user_instances)")

    def add(self, folder: bytes) -> int:
        """The folder's number; -1 where it is none (any more) or may not be read. Raises Unsupported at a limit."""
        watch: int = self._libc.inotify_add_watch(self.fd, folder, _WANTED)
        number = ctypes.get_errno() if watch < 0 else 0
        if number in (errno.ENOSPC, errno.ENOMEM):
            raise Unsupported("too many folders to watch (fs.inotify.max_user_watches)")
        return watch

    def remove(self, watch: int) -> None:
        """No more events of a folder."""
        self._libc.inotify_rm_watch(self.fd, watch)

    def read(self) -> Iterator[Event]:
        """Every event that is there; never waits."""
        while True:
            try:
                data = os.read(self.fd, _PIECE)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                watch, mask, _, length = _HEAD.unpack_from(data, at)
                at += _HEAD.size
                yield Event(watch, mask, data[at : at + length].rstrip(b"\0"))
                at += length

    def close(self) -> None:
        """End all watches."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def is_local(folder: bytes) -> bool:
    """Whether the file system of a folder is one of those where every change makes an event."""
    buffer = ctypes.create_string_buffer(256)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.statfs(folder, buffer) != 0:
        return False
    kind: int = ctypes.c_long.from_buffer(buffer).value
    return kind & 0xFFFFFFFF in LOCAL_FILE_SYSTEMS
