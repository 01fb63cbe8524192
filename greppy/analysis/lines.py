"""Where the lines of a text begin, and its cutting into windows of lines.

In: UTF-8 text; only b"\\n" ends a line. Out: offsets, and ranges of lines that are about as long as asked, cut at blank
lines where there are any, for all text that has no better structure. Line numbers here count from 0.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import sub
from typing import NamedTuple

from greppy.kernels import line_starts

MOST_BYTES = 4096
"""A window ends before it exceeds this, however few its lines: it is what fits on a screen or two."""

LONG_LINE = 1000
"""Bytes. People do not write longer lines, programs do."""

Range = tuple[int, int, str, str]
"""(first line, last line, kind, symbol) of what becomes one chunk; lines inclusive, from 0."""


class Window(NamedTuple):
    """How long windows are, in lines: no cut before `least`, none after `most`, without a blank line at `usual`."""

    least: int
    usual: int
    most: int


TEXT_WINDOW = Window(15, 25, 30)
CODE_WINDOW = Window(25, 40, 40)


class Lines:
    """A text that is not empty, and the offset at which each of its `count` lines begins, with one more for the end.

    `mostly_long`: more than half of its bytes are in lines that are longer than people write.
    """

    __slots__ = ("_found", "count", "starts", "text")

    starts: list[int]

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._found = line_starts(text)
        self.count = len(self._found)

    def __getattr__(self, name: str) -> list[int]:
        """`starts`, when first asked for: compiled kernels find the lines by themselves."""
        if name != "starts":
            raise AttributeError(name)
        self.starts = [*self._found.tolist(), len(self.text)]
        return self.starts

    @property
    def mostly_long(self) -> bool:
        return _has_long_line(self.text) and 2 * sum(_long_lines(self.starts)) > len(self.text)

    def at(self, offset: int) -> int:
        """The line of the byte at `offset`; the last line for what lies beyond the text."""
        return bisect_right(self.starts, offset, 0, self.count) - 1

    def of(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last line of the bytes `start..end`, which may be none."""
        starts, count = self.starts, self.count
        first = bisect_right(starts, start, 0, count) - 1
        return first, first if end <= starts[first + 1] else bisect_right(starts, end - 1, first, count) - 1

    def content(self, first: int, last: int | None = None) -> bytes:
        """The bytes of a line, or of the lines `first..last`."""
        return self.text[self.starts[first] : self.starts[(first if last is None else last) + 1]]

    def is_blank(self, line: int) -> bool:
        """Whether only white space is in it."""
        return self.text[self.starts[line] : self.starts[line + 1]].isspace()


def _has_long_line(text: bytes) -> bool:
    at = 0
    while at + LONG_LINE < len(text):
        at = text.rfind(b"\n", at, at + LONG_LINE) + 1
        if not at:
            return True
    return False


def _long_lines(starts: list[int]) -> list[int]:
    return [length for length in map(sub, starts[1:], starts) if length > LONG_LINE]


def windows(lines: Lines, first: int, last: int, window: Window) -> list[tuple[int, int]]:
    """The lines `first..last` as consecutive pieces of at most `window.most` lines and, lines permitting, 4 KB."""
    if last - first < window.most and lines.starts[last + 1] - lines.starts[first] <= MOST_BYTES:
        return [(first, last)] if first <= last else []
    pieces = []
    while first <= last:
        end = _window_end(lines, first, last, window)
        pieces.append((first, end))
        first = end + 1
    return pieces


def _window_end(lines: Lines, first: int, last: int, window: Window) -> int:
    """The last line of the window that begins at `first`: a blank one, if one is where a cut may be."""
    text, starts = lines.text, lines.starts
    by_size = max(first, bisect_right(starts, starts[first] + MOST_BYTES) - 2)
    end = min(last, first + window.most - 1, by_size)
    if end == last:
        return last
    for line in range(end, min(end, first + window.least - 2), -1):
        if text[starts[line] : starts[line + 1]].isspace():
            return line
    return min(end, first + window.usual - 1)
