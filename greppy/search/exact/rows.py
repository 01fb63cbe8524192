"""Lines found and printed in one step, where a question asks for texts alone: no engine, and no Python a line. HOT.

In: a `Question`, and the style in which lines are printed. Out: a `Rows`, which gives the printed lines of a file, or
says that somebody else has to look (None). What it prints is what `greppy.output.grep` prints of the same file: tests
compare the two.
"""

from __future__ import annotations

from greppy import kernels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.kernels.reference.rows import Chains, Style
    from greppy.search.exact.snapshot import Source

LINES, COUNTS, NAMES, NAMES_WITHOUT = range(4)
"""What is printed of a file; the last one, the names of files without a match, never in one step."""

AS_GIT, AS_TEXT, LEAVE_OUT = range(3)
"""What is printed of a binary file."""


class Rows:
    """`style` is what `greppy.kernels.reference.rows` says. `names` gives printed names: of ordinary paths, the paths
    without `prefix`."""

    __slots__ = ("_chains", "_names", "_prefix", "_style")

    def __init__(self, chains: Chains, style: Style, prefix: bytes, names: Callable[[Source], bytes]) -> None:
        self._chains = chains
        self._style = style
        self._prefix = prefix
        self._names = names

    @property
    def asks_for_binaries(self) -> bool:
        """Whether it matters if git's attributes call a file binary."""
        mode, binaries, *_ = self._style
        return binaries == LEAVE_OUT or (binaries == AS_GIT and mode == LINES)

    def of_text(self, source: Source, text: bytes) -> bytes | None:
        """What is printed of a file that counts as text, b"" for nothing; None where that cannot be said here."""
        mode, _, paths, numbers, null = self._style
        return kernels.print_text(text, self._names(source), self._chains, (mode, AS_TEXT, paths, numbers, null))

    def of_files(
        self, root: bytes, table: bytes | memoryview, starts: memoryview, ordinals: memoryview, limit: int
    ) -> Sequence[bytes | tuple[int, int] | tuple[int, bytes]]:
        """As `kernels.print_files`: what is printed of many, and between that those that were not printed."""
        return kernels.print_files(root, table, starts, ordinals, self._chains, self._style, self._prefix, limit)
