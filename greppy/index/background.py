"""Building an index in a process that nobody waits for, and how far it is. Cold path.

In: a project without an index. Out: one detached process, however many searches ask for one at once: it is forked with
the index's lock in its hands, and whoever does not get the lock starts none. It leaves the session and the terminal,
keeps nothing of its caller's open, yields the processor to everybody, and ends when the index is there. ::

    $GREPPY_HOME/indexes/…/progress     locked (flock) by the process that builds, and removed at its end:
                                        "<done> <total> <pid> <started, s since the epoch> <what>\\n", padded

Killed at any moment it leaves the lock free and at most that file, which is recognised by being unlocked.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from typing import TYPE_CHECKING, NamedTuple

from greppy.errors import GreppyError
from greppy.index.detached import is_open, let_go
from greppy.index.maintenance import update
from greppy.index.store import manifests, remove

if TYPE_CHECKING:
    from types import TracebackType

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.store import Store

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_WRITE_SECONDS = 0.2
_RECORD = 128
"""Bytes of the progress file: written in one call, so that no reader meets half of it."""


class Building(NamedTuple):
    """A build that is going on: how many files of how many are done, in which process, since when (s)."""

    done: int
    total: int
    what: str
    pid: int
    started: float


class Background:
    """A build in the background that waits until this context is left. None is started while somebody else builds, nor
    when somebody else's build has just ended: then `done` is true and the index is there.

    Without arguments there is nothing to start. Raises `Unwritable`.
    """

    __slots__ = ("_gate", "done")

    def __init__(
        self, project: Project | None = None, store: Store | None = None, config: Config | None = None
    ) -> None:
        self._gate = -1
        self.done = False
        if project is None or store is None or config is None:
            return
        with store.lock(wait=False) as held:
            # Only under the lock is it certain that nobody's build ended since the caller looked.
            self.done = held and bool(manifests(store.directory))
            if held and not self.done:
                self._gate = _start(project, store, config)

    def __enter__(self) -> Background:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._gate >= 0:
            os.close(self._gate)
            self._gate = -1


def _start(project: Project, store: Store, config: Config) -> int:
    """Fork twice, so that the process belongs to nobody; gives the descriptor whose closing lets it begin."""
    theirs, ours = os.pipe()
    # Signals wait until the process has said what they mean to it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(theirs)
        os.waitpid(child, 0)
        return ours
    try:
        os.close(ours)
        os.setsid()
        if not os.fork():
            _live(project, store, config, theirs)
    finally:
        os._exit(0)


def _live(project: Project, store: Store, config: Config, gate: int) -> None:
    """The life of the process; the caller ends it."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    _let_go(gate, store.directory + b"/lock")
    os.read(gate, 1)
    os.close(gate)
    try:
        with _Progress(store.directory) as progress:
            update(project, store, config, progress.show)
    except GreppyError:
        return  # whoever searches next meets it, and says so


def _let_go(gate: int, lock: bytes) -> None:
    lock_stat = os.stat(lock)
    let_go("greppy-index", lambda fd: fd == gate or is_open(fd, lock_stat))


class _Progress:
    """The progress file, locked as long as it is true."""

    def __init__(self, directory: bytes) -> None:
        self._path = directory + b"/progress"
        self._file = -1
        self._started = time.time()
        self._due = 0.0

    def __enter__(self) -> _Progress:
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._close()
        self.show(0, 0, "listing")
        return self

    def show(self, done: int, total: int, what: str) -> None:
        """`done` of `total` files are through. A disk that is full costs only this."""
        now = time.monotonic()
        if self._file < 0 or now < self._due:
            return
        self._due = now + _WRITE_SECONDS
        text = f"{done} {total} {os.getpid()} {self._started:.3f} {what}"[: _RECORD - 1]
        try:
            os.pwrite(self._file, text.ljust(_RECORD - 1).encode("ascii", "replace") + b"\n", 0)
        except OSError:
            self._close()

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file >= 0:
            remove(self._path)
            self._close()


def building(directory: bytes) -> Building | None:
    """How far the build in the background is in an index's directory; None when there is none."""
    try:
        file = os.open(directory + b"/progress", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return None if _is_free(file) else _read(os.pread(file, _RECORD, 0))
    except OSError:
        return None
    finally:
        os.close(file)


def _is_free(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(record: bytes) -> Building | None:
    fields = record.decode("ascii", "replace").split(None, 4)
    try:
        done, total, pid, started, what = fields
        return Building(int(done), int(total), what.strip(), int(pid), float(started))
    except ValueError:
        return None
