"""Running the program inside a process that runs many: what it writes is caught, what it is told is set. Cold.

In: a function that writes to the descriptors 1 and 2, and may only be called in a process with one thread. Out: the
bytes that it wrote. Files in memory stand in for the streams, so that whatever writes there, libraries and C code too,
is caught as it would have been seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from greppy.daemon.protocol import is_relevant


class Capture:
    """Stand-ins for stdout and stderr of this process, for as long as it lives."""

    def __init__(self) -> None:
        self._out, self._err = _memory_file("stdout"), _memory_file("stderr")
        os.dup2(self._out, 1)
        os.dup2(self._err, 2)

    def of(self, action: Callable[[], int], joined: bool) -> tuple[int, bytes, bytes]:
        """What an action gives and writes. With `joined` both streams are one, and its bytes are in their order."""
        if joined:
            os.dup2(self._out, 2)
        try:
            status = action()
        finally:
            if joined:
                os.dup2(self._err, 2)
            out, err = _take(self._out), _take(self._err)
        return status, out, err


def _memory_file(name: str) -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    import tempfile

    with tempfile.TemporaryFile(buffering=0) as file:
        return os.dup(file.fileno())


def _take(fd: int) -> bytes:
    """The bytes of a file, which is empty afterwards."""
    size = os.lseek(fd, 0, os.SEEK_CUR)
    if not size:
        return b""
    os.lseek(fd, 0, os.SEEK_SET)
    parts = []
    while part := os.read(fd, size):
        parts.append(part)
    os.lseek(fd, 0, os.SEEK_SET)
    os.ftruncate(fd, 0)
    return b"".join(parts)


def set_variables(variables: Mapping[bytes, bytes]) -> None:
    """Make these the variables of the environment that can matter, and no others."""
    environment = os.environb
    for name in [name for name in environment if is_relevant(name) and name not in variables]:
        del environment[name]
    for name, value in variables.items():
        if environment.get(name) != value:
            environment[name] = value
