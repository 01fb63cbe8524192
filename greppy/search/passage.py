"""The lines of a result that answer best, for a reader with little room. Hot path.

In: a `Result` with its text. Out: a `Passage`: consecutive lines, where they lie in the file, and their text with very
long lines cut around what matched.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.search.result import Result

USUAL = 12
"""Lines of a passage where nothing else is asked for: with its head a function, or the half of a screen."""

LONGEST_LINE = 300
CUT_TO = 240
"""Bytes from which on a line is cut, and how many are kept around what matched."""

ELLIPSIS = "…"
_BOM = b"\xef\xbb\xbf"


class Passage:
    """Lines from 1, inclusive; `start..end` are bytes of the file without the last line's end.

    `cuts` are (line, column) of lines that do not begin at their beginning; columns count bytes from 1.
    """

    __slots__ = ("cuts", "end", "end_line", "snippet", "start", "start_line")

    def __init__(
        self, start_line: int, end_line: int, start: int, end: int, snippet: str, cuts: Sequence[tuple[int, int]]
    ) -> None:
        self.start_line = start_line
        self.end_line = end_line
        self.start = start
        self.end = end
        self.snippet = snippet
        self.cuts = cuts


def choose_passage(result: Result, most: int = USUAL, context: int | None = None, whole: bool = False) -> Passage:
    """The best `most` lines of a result; with `context` its best line with so many around it; with `whole` all of it,
    and `context` lines around that."""
    lines = result.text.lines if result.text else []
    if whole:
        first, last = result.start_line - (context or 0), result.end_line + (context or 0)
    elif context is not None:
        best = result.matched_lines[0] if result.matched_lines else result.start_line
        first, last = best - context, best + context
    else:
        first, last = _window(result, most)
    first, last = max(first, 1), max(min(last, len(lines)), 1)
    while last > first and not lines[last - 1].strip():
        last -= 1
    return _passage(result, lines, first, last)


def _window(result: Result, most: int) -> tuple[int, int]:
    """The `most` consecutive lines of a result with most of what matched, the best line among them."""
    start, end = result.start_line, result.end_line
    if end - start < most:
        return start, end
    matched = result.matched_lines or (start,)
    worth = {line: 1 / rank for rank, line in enumerate(matched, 1)}
    lowest, highest = max(start, matched[0] - most + 1), min(matched[0], end - most + 1)
    first = max(
        range(lowest, max(lowest, highest) + 1),
        key=lambda at: (sum(worth.get(line, 0.0) for line in range(at, at + most)), -abs(at + most // 3 - matched[0])),
    )
    return first, first + most - 1


def _passage(result: Result, lines: Sequence[bytes], first: int, last: int) -> Passage:
    start, end = _bytes_of(result, first, last)
    shown: list[str] = []
    cuts: list[tuple[int, int]] = []
    for number in range(first, min(last, len(lines)) + 1):
        begin, text = _cut(lines[number - 1].removesuffix(b"\r"), result.terms)
        if begin:
            cuts.append((number, begin + 1))
        shown.append(text)
    return Passage(first, last, start, end, "\n".join(shown), cuts)


def _bytes_of(result: Result, first: int, last: int) -> tuple[int, int]:
    """Where the lines lie in the file's bytes; of UTF-16, in its text as UTF-8."""
    if result.text is None:
        return 0, 0
    data = result.text.data
    raw = data.split(b"\n")
    if len(raw) != len(result.text.lines) or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raw = list(result.text.lines)
    start = sum(map(len, raw[: first - 1])) + first - 1
    if first == 1 and raw[0].startswith(_BOM):
        start = len(_BOM)
    end = sum(map(len, raw[:last])) + last - 1
    return start, max(start, end - raw[last - 1].endswith(b"\r"))


def _cut(line: bytes, terms: Sequence[str]) -> tuple[int, str]:
    """(bytes left out before, text) of a line, cut around the first word that matched."""
    if len(line) <= LONGEST_LINE:
        return 0, line.decode("utf-8", "replace")
    lowered = line.lower()
    found = [at for at in (lowered.find(term.lower().encode()) for term in terms) if at >= 0]
    begin = max(0, min(min(found, default=0) - CUT_TO // 3, len(line) - CUT_TO))
    while begin > 0 and line[begin] & 0xC0 == 0x80:
        begin -= 1
    end = begin + CUT_TO
    while end < len(line) and line[end] & 0xC0 == 0x80:
        end -= 1
    text = line[begin:end].decode("utf-8", "replace")
    return begin, (ELLIPSIS if begin else "") + text + (ELLIPSIS if end < len(line) else "")
