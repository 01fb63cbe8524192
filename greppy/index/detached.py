"""Letting go of whoever started this process, so that nobody waits for it or is held up by it. Cold path.

In: a process that was forked or started to work in the background. Out: the same one with nothing of its caller's open,
out of his folder, without variables that name a repository, and last in the queue for a processor.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from greppy.git.calling import LOCAL_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable

_NICE = 10


def let_go(name: str, keep: Callable[[int], bool], nice: int = _NICE) -> None:
    """Keep nothing that the caller has: streams, folder, priority, files but those of `keep`. Be called `name`."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(nothing, fd)
    for fd in _open_files():
        if fd > 2 and not keep(fd):
            os.close(fd)
    os.chdir("/")
    os.nice(nice)
    for variable in LOCAL_VARIABLES:
        if not variable.startswith("GIT_CONFIG_"):  # of these git gets only which folders are safe
            os.environ.pop(variable, None)
    _rename(name)


def is_open(fd: int, wanted: os.stat_result | None = None) -> bool:
    """Whether a descriptor is open, and of the file that is meant."""
    try:
        found = os.fstat(fd)
    except OSError:
        return False
    return wanted is None or os.path.samestat(found, wanted)


def _open_files() -> list[int]:
    """The descriptors of this process that are open."""
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        numbers = list(range(os.sysconf("SC_OPEN_MAX")))
    return [number for number in numbers if is_open(number)]


def _rename(name: str) -> None:
    """Be found by this name in `ps` and `top`, where that can be had for a write."""
    try:
        with open("/proc/self/comm", "w", encoding="ascii") as file:
            file.write(name)
    except OSError:
        return
