"""What an exact search looked at and what it did not: the account behind `--coverage`. HOT.

In: calls from whoever reads files. Out: a `Receipt`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.search.exact.snapshot import Source

BY_DESIGN = ("missing", "symlink", "special file")
"""Failures to read that only say that there is no longer a file to search."""


class Receipt:
    """`searched` counts files. `skipped` are (path, reason) of what is no file of the snapshot, such as links and
    submodules; `failed` of files that should have been searched and could not. `unknown` are
    files without an analysis that were read because nothing was known of them."""

    __slots__ = ("failed", "searched", "skipped", "unknown")

    def __init__(self) -> None:
        self.searched = 0
        self.unknown: Sequence[int] = ()
        self.skipped: list[tuple[bytes, str]] = []
        self.failed: list[tuple[bytes, str]] = []

    def skip(self, path: bytes, reason: str) -> None:
        """`path` is passed over; a folder that cannot be read is a failure."""
        (self.failed if reason == "unreadable folder" else self.skipped).append((path, reason))

    def fail(self, source: Source, reason: str) -> None:
        """A file could not be read."""
        (self.skipped if reason in BY_DESIGN else self.failed).append((source.label + source.path, reason))
