"""Which lines of a chunk to show, and how much of each. HOT.

In: a `Result` and the room there is. Out: lines ready for a terminal, None standing for lines left out. A snippet shows
the lines that matter most with their surroundings; a long line is cut around its first match.
"""

from __future__ import annotations

from greppy.log import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.output.stream import Screen
    from greppy.search.result import Result

CUT = "..."
_TAB = "    "
_MATCH = "\x1b[1;31m"
_RESET = "\x1b[0m"
# Text further right in a line is not looked at: lines of megabytes exist, and nobody reads them.
_LONGEST_LINE = 100_000


def snippet(result: Result, most: int, screen: Screen, margin: int) -> list[str | None]:
    """At most `most` lines, each no wider than the screen less `margin` columns; None where lines are left out."""
    from greppy.kernels.choice import chosen_lines, lines_without_end

    lines = [line.removesuffix("\r") for line in result.content.split("\n")]
    last = lines_without_end(lines)
    shown: list[str | None] = []
    after = 0
    for at in chosen_lines(last, [number - result.start_line for number in result.matched_lines], most):
        if at > after:
            shown.append(None)
        shown.append(render_line(lines[at], screen, screen.columns - margin, result.terms))
        after = at + 1
    if after < last:
        shown.append(None)
    return shown


def render_line(line: str, screen: Screen, width: int, terms: Sequence[str]) -> str:
    """`line` cut to `width` columns, made harmless, its matched terms coloured where the screen has colours."""
    line = line[:_LONGEST_LINE].replace("\t", _TAB)
    if _taking(line, width, screen.terminal) < len(line):
        line = _cut(line, max(width, 2 * len(CUT) + 1), find_terms(line, terms), screen.terminal)
    if not screen.color:
        return printable(line)
    return _colored(line, find_terms(line, terms))


def _cut(line: str, width: int, spans: Sequence[tuple[int, int]], terminal: bool) -> str:
    start, end = spans[0] if spans else (0, 0)
    head = _taking(line, width - len(CUT), terminal)
    if end <= head:
        return line[:head] + CUT
    tail = width - len(CUT)
    begin = max(0, min(start - width // 3, len(line) - tail))
    if _taking(line[begin:], tail, terminal) == len(line) - begin:
        return CUT + line[begin:]
    return CUT + line[begin : begin + _taking(line[begin:], tail - len(CUT), terminal)] + CUT


def _taking(line: str, width: int, terminal: bool) -> int:
    """How many characters of `line` fit into `width` columns."""
    if not terminal or line.isascii():
        return min(width, len(line))
    used = 0
    for at, char in enumerate(line):
        used += _columns(char)
        if used > width:
            return at
    return len(line)


def _columns(text: str) -> int:
    """Columns that a terminal gives to `text`: two for wide characters, none for combining ones (UAX 11)."""
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)


def _colored(line: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [printable(line[at:start]), _MATCH, printable(line[start:end]), _RESET]
        at = end
    return "".join([*parts, printable(line[at:])])


def find_terms(line: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Where `terms` stand in `line`, as disjoint ascending spans; case does not matter, the edges of words do."""
    lower = line.lower()
    if len(lower) != len(line):  # a few characters, such as U+0130, grow
        lower = line
    found: list[tuple[int, int]] = []
    for term in sorted(set(terms), key=lambda term: (-len(term), term)):
        found += [span for span in _occurrences(line, lower, term.lower()) if not any(_overlap(span, f) for f in found)]
    return sorted(found)


def _occurrences(line: str, lower: str, term: str) -> Iterator[tuple[int, int]]:
    start = lower.find(term) if term else -1
    while start >= 0:
        end = start + len(term)
        if _is_edge(line, start) and _is_edge(line, end):
            yield start, end
        start = lower.find(term, end)


def _is_edge(line: str, at: int) -> bool:
    """Whether a word, or a part of a camelCase one, may begin or end between at-1 and at."""
    if at in (0, len(line)):
        return True
    before, after = line[at - 1], line[at]
    if not (before.isalnum() and after.isalnum()):
        return True
    grows = after.isupper() and not before.isupper()
    acronym = before.isupper() and after.isupper() and line[at + 1 : at + 2].islower()
    return grows or acronym or before.isdigit() != after.isdigit() or not before.isascii()


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
