"""Which processes a daemon is, for the case that it has to be ended by force. Cold.

In: the socket's path. Out: process numbers. Every process of a daemon holds the lock beside its socket
(`greppy.daemon.claim`), and Linux tells who holds one; elsewhere only the first of them is known, which the lock names,
and the others end when they lose it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator

from greppy.daemon.claim import is_held

_PROCESSES = b"/proc"
_LOCKED = b"FLOCK"


def holders(path: bytes) -> list[int]:
    """The processes of the daemon at a socket, as far as they can be known."""
    if not is_held(path):
        return []
    lock = os.path.realpath(path + b".lock")
    found = [process for process in _own_processes() if _holds(process, lock)]
    return found or _named(lock)


def _own_processes() -> Iterator[int]:
    names = os.listdir(_PROCESSES) if os.path.isdir(_PROCESSES) else []
    yield from (int(name) for name in names if name.isdigit() and int(name) != os.getpid())


def _holds(process: int, lock: bytes) -> bool:
    """Whether a process has the lock, and not merely looks at its file. Those of other users cannot be looked into."""
    folder = b"%s/%d/" % (_PROCESSES, process)
    try:
        return any(
            os.readlink(folder + b"fd/" + fd) == lock and _LOCKED in _content(folder + b"fdinfo/" + fd)
            for fd in os.listdir(folder + b"fd")
        )
    except OSError:
        return False


def _named(lock: bytes) -> list[int]:
    try:
        text = _content(lock)
    except OSError:
        return []
    return [int(text)] if text.strip().isdigit() else []


def stopped(processes: Iterable[int]) -> list[int]:
    """Those that were stopped (SIGSTOP, a debugger) and so can do nothing that they are asked to."""
    return [process for process in processes if _state(process) in (b"T", b"t")]


def _state(process: int) -> bytes:
    try:
        return _content(b"%s/%d/stat" % (_PROCESSES, process)).rpartition(b")")[2].split()[0]
    except OSError:
        return b""


def _content(path: bytes) -> bytes:
    with open(path, "rb") as file:
        return file.read(4096)


def kill(processes: Iterable[int]) -> int:
    """End processes at once; how many there were."""
    count = 0
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except OSError:
            continue
        count += 1
    return count
