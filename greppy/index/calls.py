"""The calls of hooks that wait for a refresh, and the one process that answers them. Cold, but imports next to nothing.

In: `$GREPPY_HOME/hooks`, where shims (`githooks/shim`) leave what they have to say without starting anything. Out: the
folders that they named, and a lease that one process has at a time. ::

    queue    appended by shims: the folder of each call, ended by a NUL
    taken    the queue while its newest entries may still be on their way
    lock     locked (flock) by the process that refreshes; its mtime lies ahead of the clock as long as that process
             looks at the queue, so that a shim knows without a system call of its own language that it need start none
    log      a line for each refresh

No call is lost: a shim appends before it looks at `lock`, and the process looks at the queue after it has let go. One
that is killed leaves a time that passes by itself.
"""

from __future__ import annotations

import fcntl
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

QUIET_SECONDS = 0.3
"""Calls that follow each other more closely than this are one refresh: a rebase makes some 50 a second."""

_LONGEST_WAIT = 5.0
_LARGEST_QUEUE = 1 << 20


class Lease:
    """The right to refresh. Entering yields whether it was had; nobody waits for it. Raises OSError."""

    __slots__ = ("_fd", "_path")

    def __init__(self, folder: bytes) -> None:
        self._path = folder + b"/lock"
        self._fd = -1

    def __enter__(self) -> bool:
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._fd = fd
        return True

    def extend(self, seconds: float) -> None:
        """Keep shims from starting anything for that long, unless the lease ends before."""
        until = time.time() + seconds
        os.utime(self._fd, (until, until))

    def holds(self, fd: int) -> bool:
        """Whether a descriptor is the lease's."""
        return fd == self._fd

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fd >= 0:
            os.utime(self._fd, (0, 0))
            os.close(self._fd)
            self._fd = -1


def waiting(folder: bytes) -> bool:
    """Whether there is a call that nobody has taken."""
    return os.path.exists(folder + b"/queue")


def gather(folder: bytes) -> dict[bytes, int]:
    """Take the calls until there is a pause between them, or for five seconds: how many there are of each folder."""
    calls: dict[bytes, int] = {}
    end = time.monotonic() + _LONGEST_WAIT
    while True:
        _set_aside(folder)
        time.sleep(QUIET_SECONDS)
        for root in _take(folder + b"/taken"):
            calls[root] = calls.get(root, 0) + 1
        if not waiting(folder) or time.monotonic() > end:
            return calls


def _set_aside(folder: bytes) -> None:
    """Shims that have opened the queue already write into the file that was set aside, which is read after a while."""
    if not os.path.exists(folder + b"/taken") and waiting(folder):
        os.rename(folder + b"/queue", folder + b"/taken")


def _take(path: bytes) -> list[bytes]:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            names = file.read(_LARGEST_QUEUE).split(b"\0")
    except FileNotFoundError:
        return []
    os.unlink(path)
    return [name for name in names if name.startswith(b"/")]
