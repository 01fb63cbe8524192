"""Which lines of a text are shown where there is no room for all. Hot path.

In: how many lines there are, which of them matter. Out: indexes. Exists beside the kernel that does this in passing,
because lines that are cut or coloured are chosen alike.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def lines_without_end(lines: Sequence[str]) -> int:
    """How many lines there are without the blank ones at the end."""
    last = len(lines)
    while last > 1 and not lines[last - 1].strip():
        last -= 1
    return last


def chosen_lines(last: int, matched: Sequence[int], most: int) -> list[int]:
    """The indexes of at most `most` of `last` lines, ascending. `matched` are indexes of lines that matter, best first.

    All lines where they fit. Otherwise up to half of the room goes to the best lines, and the rest to what lies around
    the very best.
    """
    if last <= most:
        return list(range(last))
    best = [at for at in matched if 0 <= at < last] or [0]
    chosen = set(best[: (most + 1) // 2])
    low = high = best[0]
    while len(chosen) < most:
        high, low = high + 1, low - 1
        if high < last:
            chosen.add(high)
        if low >= 0 and len(chosen) < most:
            chosen.add(low)
    return sorted(chosen)
