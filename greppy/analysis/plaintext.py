"""Plain text by the structure that it has: entries of a log, clauses of a contract, numbered sections; else windows.

In: lines. Out: ranges that cover every line, and marks of what counts as a name. The text alone decides, since an
analysis knows no path.
"""

from __future__ import annotations

from collections.abc import Sequence

from greppy.analysis import legal, logs
from greppy.analysis.lines import TEXT_WINDOW, Lines, Range, windows

Mark = tuple[int, int, int]


def cut(lines: Lines) -> tuple[Sequence[Range], Sequence[Mark]]:
    """The ranges and marks of a plain text."""
    return logs.cut(lines) or legal.cut(lines) or _windowed(lines)


def kind_of(text: bytes) -> str:
    """The kind that most ranges of a plain text would have, without cutting it: entries, clause or text."""
    if not text:
        return "text"
    return logs.KIND if logs.is_log(Lines(text)) else legal.CLAUSE if legal.is_legal(text) else "text"


def _windowed(lines: Lines) -> tuple[list[Range], list[Mark]]:
    return [(first, last, "text", "") for first, last in windows(lines, 0, lines.count - 1, TEXT_WINDOW)], []
