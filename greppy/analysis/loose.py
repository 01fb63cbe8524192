"""The code between definitions into ranges: import runs, constants that stand alone, and windows of the rest.

Constants, variables and type aliases are too small to be ranked one by one, save where they are long or set apart by
blank lines, as documented settings are. Line numbers count from 0.
"""

from __future__ import annotations

from bisect import bisect_left

from greppy.analysis.lines import CODE_WINDOW, Lines, Range, windows

LONG_MINOR = 4
"""Lines from which on a constant has a chunk of its own wherever it stands."""


class LooseCode:
    """The constants and the imports of a file, by line, and the cutting of what lies between definitions."""

    def __init__(self, minors: list[Range], imports: list[tuple[int, int]], lines: Lines) -> None:
        self._lines = lines
        self._minors = minors
        self._minor_firsts = [minor[0] for minor in minors]
        self._runs = _runs(imports, lines)
        self._run_firsts = [first for first, _ in self._runs]

    def cut(self, first: int, last: int, kind: str, symbol: str) -> list[Range]:
        """Ranges that cover the lines `first..last`; what has no kind of its own gets this `kind` and `symbol`."""
        runs = self._runs[bisect_left(self._run_firsts, first) : bisect_left(self._run_firsts, last + 1)]
        minors = self._minors_in(first, last)
        if not runs and not minors:
            return [(a, b, kind, symbol) for a, b in windows(self._lines, first, last, CODE_WINDOW)]
        ranges: list[Range] = []
        for piece_first, piece_last, is_import in self._pieces(first, last, runs, minors):
            for a, b in windows(self._lines, piece_first, piece_last, CODE_WINDOW):
                ranges.append((a, b, "import", "") if is_import else self._named(a, b) or (a, b, kind, symbol))
        return ranges

    def _pieces(
        self, first: int, last: int, runs: list[tuple[int, int]], minors: list[Range]
    ) -> list[tuple[int, int, bool]]:
        """The lines `first..last` cut where imports or a constant of its own begin or end."""
        cuts: dict[int, bool] = {first: False}
        for a, b in runs:
            cuts.update({a: True, self._past_blank(min(b, last) + 1): False})
        for minor_first, minor_last, _, _ in minors:
            if self._stands_alone(minor_first, minor_last):
                cuts.setdefault(minor_first, False)
                cuts.setdefault(self._past_blank(minor_last + 1), False)
        beginnings = sorted(line for line in cuts if line <= last)
        ends = [beginning - 1 for beginning in beginnings[1:]] + [last]
        return [(a, b, cuts[a]) for a, b in zip(beginnings, ends, strict=True)]

    def _past_blank(self, line: int) -> int:
        while line < self._lines.count and self._lines.is_blank(line):
            line += 1
        return line

    def _minors_in(self, first: int, last: int) -> list[Range]:
        firsts = self._minor_firsts
        return [m for m in self._minors[bisect_left(firsts, first) : bisect_left(firsts, last + 1)] if m[1] <= last]

    def _stands_alone(self, first: int, last: int) -> bool:
        if last - first + 1 >= LONG_MINOR:
            return True
        return last > first and self._is_edge(first - 1) and self._is_edge(last + 1)

    def _is_edge(self, line: int) -> bool:
        return line < 0 or line >= self._lines.count or self._lines.is_blank(line)

    def _named(self, first: int, last: int) -> Range | None:
        """A window of constants alone, with their kind, and the name if it is only one; None if there is other code."""
        minors = self._minors_in(first, last)
        if not minors:
            return None
        at = first
        for minor_first, minor_last, _, _ in minors:
            if minor_first > at and self._lines.content(at, minor_first - 1).strip():
                break
            at = max(at, minor_last + 1)
        else:
            if at > last or not self._lines.content(at, last).strip():
                return first, last, minors[0][2], minors[0][3] if len(minors) == 1 else ""
        return None


def _runs(imports: list[tuple[int, int]], lines: Lines) -> list[tuple[int, int]]:
    """Imports with only blank lines between them, as ranges of lines."""
    runs: list[tuple[int, int]] = []
    for first, last in imports:
        if runs and (first <= runs[-1][1] + 1 or not lines.content(runs[-1][1] + 1, first - 1).strip()):
            runs[-1] = (runs[-1][0], max(last, runs[-1][1]))
        else:
            runs.append((first, last))
    return runs
