"""How far a build is, on stderr. Cold; rich is imported only for a terminal.

In: `update(done, total, what)`, at most every 50 ms. Out: on a terminal a bar that is gone when the build is
done; elsewhere one line, and only for a build of more than two seconds.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from greppy.output.stream import is_terminal, write_error

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

# A build that ends sooner is not worth a flicker.
_BAR_AFTER = 0.2
_LINE_AFTER = 2.0


class Progress(Protocol):
    """Something that can show how far a build is."""

    def update(self, done: int, total: int, what: str) -> None:
        """`done` of `total` files are through."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def start() -> Progress:
    """What suits stderr."""
    return Bar() if is_terminal(2) else Line()


class Line:
    """`indexing 6890 files ...`, once, when it takes long."""

    def __init__(self, after: float = _LINE_AFTER) -> None:
        self._due = time.monotonic() + after
        self._said = False

    def update(self, done: int, total: int, what: str) -> None:
        """Say it when it is due."""
        if not self._said and time.monotonic() >= self._due:
            self._said = True
            write_error(f"{what} {total} files ...\n")

    def close(self) -> None:
        """Nothing to take away."""


class Bar:
    """A bar by rich, drawn only from `update`: a thread of its own would be there when the builder forks."""

    def __init__(self, after: float = _BAR_AFTER) -> None:
        self._due = time.monotonic() + after
        self._rich: RichProgress | None = None
        self._drawn = (-1, -1, "")

    def update(self, done: int, total: int, what: str) -> None:
        """Draw the bar when it is due and there is news."""
        if self._rich is None and time.monotonic() >= self._due:
            self._rich = _rich_progress()
            self._rich.add_task(what, total=total)
            self._rich.start()
        if self._rich is not None and self._drawn != (done, total, what):
            self._drawn = (done, total, what)
            task = self._rich.task_ids[0]
            self._rich.update(task, completed=done, total=total, description=what, refresh=True)

    def close(self) -> None:
        """Erase the bar and show the cursor again."""
        if self._rich is not None:
            self._rich.stop()
            self._rich = None


def _rich_progress() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(
        *columns, console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
    )
