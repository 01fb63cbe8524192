"""The same work in several processes: numbers in, what each process makes of its number out. Cold path.

Reading and searching text is C that several threads can do; counting words is Python that only processes can. A fork
costs 2 ms, and what has been read so far is there for nothing. A process that ends badly (a grammar may crash) gives
None, and its part is for the caller to do again, with care.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Child:
    """A process at work: its id, and the pipe that its answer comes through."""

    __slots__ = ("pid", "pipe")

    def __init__(self, work: Callable[[], bytes]) -> None:
        self.pipe, theirs = os.pipe()
        # Signals wait until the child has said what they mean to it, and the parent is ready to end it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        self.pid = os.fork()
        if not self.pid:
            _live(work, theirs)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(theirs)

    def answer(self) -> bytes | None:
        """Wait for what it makes; None when it came to a bad end."""
        parts = []
        while part := os.read(self.pipe, 1 << 20):
            parts.append(part)
        return b"".join(parts) if self._end() == 0 else None

    def dismiss(self) -> None:
        """End it, if it is still there."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self._end()

    def _end(self) -> int:
        os.close(self.pipe)
        pid, self.pid = self.pid, 0
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def in_processes(count: int, work: Callable[[int], bytes]) -> list[bytes | None]:
    """What `work(0)`, …, `work(count - 1)` give, each in a process of its own; None for one that failed."""
    children: list[_Child] = []
    try:
        for number in range(count):
            children.append(_Child(lambda number=number: work(number)))  # type: ignore[misc]
        return [child.answer() for child in children]
    finally:
        for child in children:
            child.dismiss()


def _live(work: Callable[[], bytes], pipe: int) -> None:
    """The child's life; it never returns."""
    status = 1
    try:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        view = memoryview(work())
        while view:
            view = view[os.write(pipe, view) :]
        status = 0
    finally:
        os._exit(status)
