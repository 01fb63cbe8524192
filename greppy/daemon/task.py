"""A request that is answered by a process of its own: whatever takes long, changes an index or may fail. Cold.

In: what to run. Out: its output as it comes, through pipes, and its exit status. The process is forked from a warm
worker, which costs about a millisecond; a crash, a leak or an endless loop is its own affair, and it is ended, with all
that it started, when nobody waits for it any more.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from typing import NoReturn

from greppy.daemon.board import now

SECONDS = 600.0
MOST_BYTES = 4 << 30
NOT_HERE = 255
"""The exit status of a task that found out that its client should run the program itself."""

_PIECE = 1 << 16
_FIRST_FREE = 3
_MOST_FILES = 1 << 16
_RESTORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGCHLD)


class Task:
    """A running process. `outputs` maps the descriptors to read to the stream that each is, 1 or 2."""

    __slots__ = ("deadline", "outputs", "pid", "sent")

    def __init__(self, action: Callable[[], int], joined: bool) -> None:
        out, out_end = os.pipe()
        err, err_end = (-1, out_end) if joined else os.pipe()
        self.pid = os.fork()
        if not self.pid:
            _live(action, out_end, err_end)
        os.close(out_end)
        self.outputs = {out: 1}
        if not joined:
            os.close(err_end)
            self.outputs[err] = 2
        for fd in self.outputs:
            os.set_blocking(fd, False)
        self.deadline = now() + SECONDS
        self.sent = False

    def read(self, fd: int) -> bytes | None:
        """What there is to read; b"" at the end of that stream, None where there is nothing yet."""
        try:
            data = os.read(fd, _PIECE)
        except BlockingIOError:
            return None
        if not data:
            os.close(fd)
            del self.outputs[fd]
        return data

    def wait(self) -> int:
        """The exit status, after the last output; negative: the signal that ended it."""
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.pid = 0
        return status

    def end(self) -> None:
        """End it with everything that it started."""
        for fd in self.outputs:
            os.close(fd)
        self.outputs.clear()
        if not self.pid:
            return
        for ended in (os.killpg, os.kill):
            try:
                ended(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.wait()


def _live(action: Callable[[], int], out: int, err: int) -> NoReturn:
    status = NOT_HERE
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for number in _RESTORED:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(out, 1)
        os.dup2(err, 2)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.closerange(_FIRST_FREE, _MOST_FILES)
        _limit(resource.RLIMIT_DATA, MOST_BYTES)
        status = action()
    finally:
        os._exit(status)


def _limit(what: int, most: int) -> None:
    """Lower a limit; one that is lower already stays."""
    soft, hard = resource.getrlimit(what)
    if soft == resource.RLIM_INFINITY or soft > most:
        resource.setrlimit(what, (most, hard))
