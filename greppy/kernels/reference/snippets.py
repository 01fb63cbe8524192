"""The text of a hit in, the few lines of it that are shown out."""

from __future__ import annotations

from greppy.kernels.choice import chosen_lines, lines_without_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TAB = "    "
_CUT = "..."


def plain_snippet(content: str, first: int, matched: Sequence[int], most: int, width: int, bar: str) -> str | None:
    """At most `most` lines of `content`, whose first one has the number `first`, as one text with `bar` before each,
    and `...` for lines left out; tabs are four spaces.

    None where a line is wider than `width`, or anything is not ASCII to be printed. `greppy.kernels.choice` says which
    lines; `matched` are the numbers of those that matter, best first. ValueError where `most` is below 1.
    """
    if most < 1:
        raise ValueError("a snippet has at least one line")
    if not content.isascii():
        return None
    lines = content.replace("\t", _TAB).split("\n")
    last = lines_without_end(lines)
    shown: list[str] = []
    after = 0
    for at in chosen_lines(last, [number - first for number in matched], most):
        if at > after:
            shown.append(_CUT)
        shown.append(lines[at])
        after = at + 1
    if not "".join(shown).isprintable() or max([len(line) for line in shown], default=0) > width:
        return None
    return bar + ("\n" + bar).join([*shown, _CUT] if after < last else shown)
