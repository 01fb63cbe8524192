"""The progress callable that the engine is given. HOT: it costs nothing until the engine first calls it.

In: `show(done, total, what)` from a builder. Out: whatever `greppy.output.progress` makes of it, taken away again when
the `with` block ends, by Ctrl-C too.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.output.progress import Progress


class Meter:
    """Shows progress on stderr once there is any."""

    __slots__ = ("_progress",)

    def __init__(self) -> None:
        self._progress: Progress | None = None

    def show(self, done: int, total: int, what: str) -> None:
        """`done` of `total` files are through; `what` is being done to them."""
        if self._progress is None:
            from greppy.output.progress import start

            self._progress = start()
        self._progress.update(done, total, what)

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._progress is not None:
            self._progress.close()
