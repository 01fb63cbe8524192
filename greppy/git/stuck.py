"""Waiting for a git that may wait for ever itself (cold).

In: a running git. Out: what it says; IndexFailure where it waits for somebody to write into a named pipe, which stands
in the place of a file that git reads: `.git/config`, `.gitattributes`, whatever a setting names. git opens those
without looking, and nobody would ever write. Exists because any project may hold such a pipe. Linux says what a process
waits for; elsewhere git waits as long as its caller lets it.
"""

from __future__ import annotations

import select
import subprocess
import time

from greppy.errors import IndexFailure

PATIENCE_SECONDS = 1.0
"""How long git may be silent before it is looked at: what it waits for may be about to come."""

_OPENS_PIPE = (b"wait_for_partner", b"fifo_open")


def communicate(process: subprocess.Popen[bytes], stdin: bytes | None, timeout: float) -> tuple[bytes, bytes]:
    """As `Popen.communicate`. Raises IndexFailure, subprocess.TimeoutExpired."""
    end = time.monotonic() + timeout
    while True:
        try:
            return process.communicate(stdin, min(PATIENCE_SECONDS, timeout))
        except subprocess.TimeoutExpired:
            _refuse_pipe(process)
            if time.monotonic() > end:
                raise
            stdin = None  # what is not yet written is kept


def await_answer(process: subprocess.Popen[bytes]) -> None:
    """Return when there is something to read, or git has ended. Raises IndexFailure."""
    assert process.stdout is not None
    waiting = select.poll()
    waiting.register(process.stdout, select.POLLIN)
    while not waiting.poll(PATIENCE_SECONDS * 1000):
        _refuse_pipe(process)


def _refuse_pipe(process: subprocess.Popen[bytes]) -> None:
    if not _waits_for_pipe(process.pid):
        return
    process.kill()
    raise IndexFailure(
        "git waits for a named pipe that is where it looks for a file",
        "'find . -type p' lists such pipes: remove what is called .gitattributes, config, …",
    )


def _waits_for_pipe(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/wchan", "rb") as file:
            return file.read().startswith(_OPENS_PIPE)
    except OSError:
        return False
