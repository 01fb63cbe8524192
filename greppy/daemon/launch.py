"""Starting a daemon and ending one. Cold.

In: where it listens and what it shall do. Out: a process of its own that nobody waits for, or the error that kept it
from being one; or its end, however it has to be brought about.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from greppy import log
from greppy.daemon import client
from greppy.daemon.claim import Claim, Running, check_owner, is_held
from greppy.daemon.holders import holders, kill, stopped
from greppy.daemon.supervisor import TARGET, Settings, Supervisor, open_log
from greppy.errors import DaemonFailure, GreppyError
from greppy.index.detached import let_go

if TYPE_CHECKING:
    from typing import Any

    from greppy.daemon.runner import Program

_STATUS = b'{"type":"Status"}'
_SHUTDOWN = b'{"type":"Shutdown"}'
_RUNNING = b"running"
_START_SECONDS = 15.0
_POLITE_SECONDS = 2.0
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.02
_MOST_REPORT = 1 << 16


class Ended(NamedTuple):
    """How a daemon was ended: not at all (none was there), when asked, or by force."""

    running: bool
    forced: bool = False


def ask_status(path: bytes) -> dict[str, Any] | None:
    """What the daemon at a socket says of itself; None where none answers."""
    answer = client.request(path, _STATUS)
    try:
        document = json.loads(answer) if answer else None
    except ValueError:
        return None
    return document if isinstance(document, dict) and document.get("type") == "Status" else None


def serve(path: bytes, program: Program, settings: Settings) -> None:
    """Be the daemon, in this process, until it is to stop. Raises DaemonFailure."""
    if sys.getfilesystemencoding().lower().replace("-", "") != "utf8":
        raise DaemonFailure("a daemon needs a locale of UTF-8", "set LC_ALL to C.UTF-8 and start it again")
    check_owner(settings.home)
    with Claim(path) as claim:
        program.preload()
        Supervisor(claim, program, settings).live()


def start(path: bytes, program: Program, settings: Settings) -> None:
    """Start a daemon in the background; back when it answers. Raises Running, or the error that kept it from that."""
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            _start(path, program, settings)
            return
        except Running:
            if ask_status(path) is not None:
                raise
            if time.monotonic() > end:
                raise DaemonFailure(
                    "a daemon is there and does not answer", "'greppy daemon restart' ends it"
                ) from None
        time.sleep(_POLL_SECONDS)  # one that was killed takes a moment until its last process is gone


def _start(path: bytes, program: Program, settings: Settings) -> None:
    theirs, ours = os.pipe()
    child = os.fork()
    if not child:
        _live_detached(path, program, settings, ours)
    os.close(ours)
    os.waitpid(child, 0)
    with open(theirs, "rb") as pipe:
        report = pipe.read(_MOST_REPORT)
    if report == _RUNNING:
        raise Running(f"a daemon is running at {os.fsdecode(path)}", "'greppy daemon stop' ends it")
    if report != b"ok":
        message, _, hint = report.decode("utf-8", "surrogateescape").partition("\n")
        raise DaemonFailure(message or "the daemon ended at once", hint or "see daemon.log in GREPPY_HOME")


def _live_detached(path: bytes, program: Program, settings: Settings, report: int) -> NoReturn:
    """Fork again, so that the process belongs to nobody, and serve."""
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        let_go("greppy-daemon", lambda fd: fd == report, nice=0)
        _serve_detached(path, program, settings, report)
    finally:
        os._exit(0)


def _serve_detached(path: bytes, program: Program, settings: Settings, report: int) -> None:
    try:
        check_owner(settings.home)
        with Claim(path) as claim:
            open_log(settings.home)
            log.configure(f"{TARGET}=info")
            program.preload()
            supervisor = Supervisor(claim, program, settings)
            os.write(report, b"ok")
            os.close(report)
            report = -1
            supervisor.live()
    except Running:
        os.write(report, _RUNNING)
    except GreppyError as error:
        if report >= 0 and ask_status(path) is not None:  # somebody has removed its lock
            os.write(report, _RUNNING)
            return
        log.event("error", TARGET, failed=error.message)
        if report >= 0:
            os.write(report, f"{error.message}\n{error.hint}".encode("utf-8", "surrogateescape"))


def stop(path: bytes) -> Ended:
    """End the daemon at a socket: by asking it, and where it does not answer or does not come to an end, by force.
    Raises DaemonFailure when it does not end at all."""
    if not _is_there(path):
        return Ended(False)
    is_ending = client.request(path, _SHUTDOWN, _POLITE_SECONDS) is not None
    if is_ending and _is_freed(path, _POLITE_SECONDS):
        return Ended(True)
    forced = kill(stopped(holders(path)))
    if is_ending and not os.path.lexists(path) and _is_freed(path, _STOP_SECONDS):  # it had answers to finish
        return Ended(True, bool(forced))
    kill(holders(path))
    if _is_freed(path, _STOP_SECONDS):
        return Ended(True, True)
    raise DaemonFailure("the daemon does not end", "end its processes by hand; 'ps' calls them greppy-daemon")


def _is_there(path: bytes) -> bool:
    """Whether a daemon holds the lock, or answers although its lock was removed."""
    return is_held(path) or ask_status(path) is not None


def _is_freed(path: bytes, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while _is_there(path):
        if time.monotonic() > end:
            return False
        time.sleep(_POLL_SECONDS)
    return True
