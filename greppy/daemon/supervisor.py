"""The supervisor: owns the socket, keeps workers alive, and has the indexes follow what is saved. Cold.

In: the claim of a socket, the program that workers run. Out: a daemon, until it is told to stop. It answers no client
itself, so there is little that could take it down. A worker that ends is replaced; a socket, log or index that is
removed is made anew. A change in a project in use is taken into its index when it has been quiet there for a moment,
longer the more has changed; and projects in use are looked at as a whole now and then, for writes that no event tells.
Both are done by processes of their own, and no query waits for them.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import time
from traceback import format_exc
from typing import TYPE_CHECKING, NamedTuple

from greppy import log
from greppy.config import load_config
from greppy.daemon.board import MOST_WORKERS, Board, now
from greppy.daemon.views import key_of
from greppy.daemon.worker import DIRTY, STOP, USED, Worker
from greppy.errors import DaemonFailure, GreppyError
from greppy.git.project import find_project
from greppy.index.freshness import find_changes
from greppy.index.maintenance import Seen, update
from greppy.index.store import manifests
from greppy.index.view import store_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.daemon.claim import Claim
    from greppy.daemon.runner import Program

TARGET = "greppy.daemon"
SWEEP_SECONDS = 2.0
SWEEP_SHARE = 50
"""A sweep takes at most one part in so many of the time of one processor."""

USE_SECONDS = 300.0
"""How long after its last request a project is kept fresh in the background."""

DEBOUNCE = ((1, 0.1), (100, 0.5), (1 << 30, 1.0))
"""Up to so many names: seconds of quiet before they are taken in."""

LOG_BYTES = 1 << 18
_LOOK_SECONDS = 2.0
_STOP_SECONDS = 5.0
_HASTY_SECONDS = 2.0
_MOST_HASTY = 8
_NICE = 10
_FIRST_FREE = 3
_MOST_FILES = 1 << 16
_MOST_MESSAGE = 1 << 14


class Settings(NamedTuple):
    """`idle_seconds` without a request end the daemon (0: never); `watch` are roots of projects to keep fresh whether
    or not they are asked about."""

    home: bytes
    workers: int = 0
    idle_seconds: float = 0.0
    watch: Sequence[bytes] = ()


class Kept:
    """A project that is kept fresh."""

    __slots__ = ("always", "due", "home", "key", "root", "sweep", "used")

    def __init__(self, home: bytes, root: bytes, always: bool = False) -> None:
        self.home = home
        self.root = root
        self.key = key_of(home, root)
        self.always = always
        self.used = now()
        self.due = 0.0
        self.sweep = 0.0 if always else now() + SWEEP_SECONDS

    def is_due(self, moment: float) -> bool:
        """Whether it is time to look at it: it has been quiet since a change, or nobody has looked for long."""
        return 0 < self.due <= moment or self.sweep <= moment


class Job(NamedTuple):
    """A process that refreshes a project."""

    kept: Kept
    began: float


class Supervisor:
    """The parent of all processes of a daemon."""

    def __init__(self, claim: Claim, program: Program, settings: Settings) -> None:
        self._claim = claim
        self._program = program
        self._settings = settings
        self._board = Board()
        self._count = min(settings.workers or max(os.cpu_count() or 1, 2), MOST_WORKERS)
        self._listening = claim.bind()
        self._identity = _identity(claim.path)
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._lifeline, self._life = os.pipe()
        self._workers: dict[int, int] = {}
        self._births: list[float] = []
        self._kept: dict[int, Kept] = {}
        self._jobs: dict[int, Job] = {}
        self._used = now()
        self._looked = now()
        self._stopping = False

    def live(self) -> None:
        """Serve until told to stop, by a signal or a client, or until nobody has asked anything for long."""
        alarm, wakeup = socket.socketpair()
        for each in (alarm, wakeup, self._ours):
            each.setblocking(False)
        signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop_on_signal)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        self._board.open(os.getpid(), self._count)
        self._keep_watched()
        gc.collect()
        gc.freeze()  # a collector that touches shared pages would make them private
        try:
            self._loop(alarm)
        finally:
            self._end()

    def _loop(self, alarm: socket.socket) -> None:
        while not self._stopping:
            self._start_workers()
            timeout = 0.1 if any(kept.due for kept in self._kept.values()) or self._jobs else 0.5
            readable, _, _ = select.select([alarm, self._ours], [], [], timeout)
            if alarm in readable:
                alarm.recv(4096)
            self._hear()
            self._bury()
            self._refresh()
            self._look()

    def _stop_on_signal(self, _number: int, _frame: object) -> None:
        self._stopping = True

    # Workers

    def _start_workers(self) -> None:
        for number in set(range(self._count)).difference(self._workers.values()):
            self._check_haste()
            process = os.fork()
            if not process:
                self._become_worker(number)
            self._workers[process] = number

    def _check_haste(self) -> None:
        """Give up where workers end as soon as they are there."""
        moment = time.monotonic()
        self._births = [birth for birth in self._births if moment - birth < _HASTY_SECONDS][-_MOST_HASTY:]
        if len(self._births) >= _MOST_HASTY * self._count:
            raise DaemonFailure("the workers keep ending", "see daemon.log in GREPPY_HOME")
        self._births.append(moment)

    def _become_worker(self, number: int) -> None:
        status, errors = 1, os.dup(2)
        try:
            self._ours.close()
            os.close(self._life)
            Worker(self._listening, self._theirs, self._lifeline, self._program, self._board, number).live()
            status = 0
        except BaseException:
            os.write(errors, format_exc().encode("utf-8", "backslashreplace"))
            raise
        finally:
            os._exit(status)

    def _bury(self) -> None:
        """Take note of processes that have ended."""
        while self._workers or self._jobs:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            job = self._jobs.pop(process, None)
            if job is not None:
                self._end_job(job, os.waitstatus_to_exitcode(status))
            elif process in self._workers:
                number = self._workers.pop(process)
                self._log("warn", worker=number, process=process, ended=os.waitstatus_to_exitcode(status))

    # What workers tell

    def _hear(self) -> None:
        while True:
            try:
                message = self._ours.recv(_MOST_MESSAGE)
            except BlockingIOError:
                return
            kind, fields = message[:1], message[1:].split(b"\0")
            if kind == STOP:
                self._stopping = True
            elif kind == USED and len(fields) == 2:
                self._used = now()
                self._keep(*fields).used = now()
            elif kind == DIRTY and len(fields) == 3:
                self._expect(int(fields[0]), self._keep(fields[1], fields[2]))

    def _keep(self, home: bytes, root: bytes) -> Kept:
        key = key_of(home, root)
        if key not in self._kept:
            self._kept[key] = Kept(home, root)
        return self._kept[key]

    def _expect(self, count: int, kept: Kept) -> None:
        """Something changed: it is taken in when nothing more has changed for a while."""
        quiet = next(seconds for most, seconds in DEBOUNCE if count <= most)
        kept.due = now() + quiet

    def _keep_watched(self) -> None:
        for folder in self._settings.watch:
            try:
                root = find_project(folder).root
            except GreppyError as error:
                self._log("warn", watch=folder, failed=error.message)
                continue
            kept = Kept(self._settings.home, root, always=True)
            self._kept[kept.key] = kept

    # Keeping indexes fresh

    def _refresh(self) -> None:
        moment = now()
        busy = {job.kept.key for job in self._jobs.values()}
        for kept in list(self._kept.values()):
            if not kept.always and moment - kept.used > USE_SECONDS:
                del self._kept[kept.key]
            elif kept.key not in busy and len(self._jobs) < self._count and kept.is_due(moment):
                self._start_job(kept)

    def _start_job(self, kept: Kept) -> None:
        kept.due = 0.0
        kept.sweep = now() + USE_SECONDS
        process = os.fork()
        if not process:
            _become_refresher(kept)
        self._jobs[process] = Job(kept, now())

    def _end_job(self, job: Job, status: int) -> None:
        kept = job.kept
        kept.sweep = now() + max(SWEEP_SECONDS, SWEEP_SHARE * (now() - job.began))
        if status == 0:
            self._board.write_sweep(kept.key, job.began)
        elif status != _UNSETTLED:
            self._log("warn", project=kept.root, refresh_ended=status)

    # Looking after itself

    def _look(self) -> None:
        moment = now()
        if moment - self._looked < _LOOK_SECONDS:
            return
        self._looked = moment
        idle = self._settings.idle_seconds
        if idle and moment - self._used > idle:
            self._log("info", idle=idle)
            self._stopping = True
        if not self._stopping and _identity(self._claim.path) != self._identity:
            self._bind_anew()
        open_log(self._settings.home)

    def _bind_anew(self) -> None:
        """The socket is no longer the one that was bound: bind again, and have workers that listen there."""
        self._log("warn", socket=self._claim.path, found="removed; listening anew")
        self._listening.close()
        self._listening = self._claim.bind()  # where something else is there now, this ends the daemon
        self._identity = _identity(self._claim.path)
        for process in self._workers:
            os.kill(process, signal.SIGTERM)

    def _end(self) -> None:
        """Let workers finish, then leave nothing behind."""
        if _identity(self._claim.path) == self._identity:
            os.unlink(self._claim.path)
        self._listening.close()
        for process in [*self._workers, *self._jobs]:
            _kill(process, signal.SIGTERM)
        end = time.monotonic() + _STOP_SECONDS
        while (self._workers or self._jobs) and time.monotonic() < end:
            self._bury()
            time.sleep(0.01)
        for process in [*self._workers, *self._jobs]:
            _kill(process, signal.SIGKILL)
        self._log("info", stopped=os.getpid())

    def _log(self, level: str, **fields: object) -> None:
        log.event(level, TARGET, **fields)


def _kill(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


def _identity(path: bytes) -> tuple[int, int]:
    try:
        found = os.lstat(path)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


_UNSETTLED = 3
"""The exit status of a refresh that could not be made, since somebody else is at it, or since there is no index."""


def _become_refresher(kept: Kept) -> None:
    status = 1
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        os.closerange(_FIRST_FREE, _MOST_FILES)  # above all the lock, which is the daemon's and not this process's
        os.nice(_NICE)
        status = 0 if _bring_up_to_date(kept) else _UNSETTLED
    except GreppyError:
        status = _UNSETTLED
    finally:
        os._exit(status)


def _bring_up_to_date(kept: Kept) -> bool:
    """Whether the index is true now."""
    project = find_project(kept.root)
    config = load_config(kept.home).for_project(project.root)
    store = store_of(project, kept.home)
    if project.root != kept.root or not manifests(store.directory):
        return False
    manifest = store.open_manifest()
    changes = find_changes(manifest, project, config) if manifest is not None else None
    if manifest is not None and changes is not None and not changes:
        return True
    with store.lock(wait=False) as held:
        if held:
            seen = Seen(manifest, changes) if manifest is not None and changes is not None else None
            update(project, store, config, _unseen, seen=seen)
        return held


def _unseen(_done: int, _total: int, _what: str) -> None:
    """Nobody watches."""


def open_log(home: bytes) -> None:
    """Have events go to `daemon.log`, also when that was removed or has grown too long."""
    path = home + b"/daemon.log"
    try:
        there = os.stat(path)
        if os.path.samestat(there, os.fstat(2)) and there.st_size < LOG_BYTES:
            return
        if there.st_size >= LOG_BYTES:
            os.rename(path, path + b".1")
    except OSError:
        pass
    try:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return  # the disk is full or the home is gone; there is nobody to tell
    os.dup2(fd, 2)
    os.close(fd)
