"""Matches that go over the ends of lines (`-U`). Cold.

In: patterns that may match line feeds, and a file's bytes. Out: the lines that their matches touch, as
`lines.find_hits` gives hits, or, inverted, the others. As in ripgrep, of several matches at one place the pattern's
own preference decides, not the length.
"""

from __future__ import annotations

from greppy.errors import BadArguments
from greppy.query.regex.tree import Alternate
from greppy.search.exact.engines import Compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.search.exact.lines import Hit
    from greppy.search.exact.pattern import Pattern, Span


class Passages:
    """Finds the matches of any of the patterns in a whole file."""

    __slots__ = ("_engine",)

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        nodes = [node for pattern in patterns if (node := pattern.node()) is not None]
        kinds = {pattern.single_bytes for pattern in patterns}
        if len(nodes) < len(patterns) or len(kinds) > 1:
            raise BadArguments("--multiline goes with no such mixture of patterns", "leave out -P, or all but one -e")
        self._engine = Compiled(Alternate(nodes), single_bytes=kinds == {True})

    def spans(self, data: bytes) -> Iterator[Span]:
        """All matches from left to right, without overlap; an empty one takes the byte after it along."""
        at = 0
        while at < len(data):
            found = self._engine.match(data, at)
            if found is None or found[0] >= len(data):
                return
            yield found
            at = max(found[1], found[0] + 1)


def touched_lines(passages: Passages, data: bytes, invert: bool) -> Iterator[Hit]:
    """Hits; a line that several matches touch is given once, with the first one's column."""
    matches = passages.spans(data)
    current = next(matches, None)
    start = number = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        while current is not None and current[0] < start and current[1] <= start:
            current = next(matches, None)
        touched = current is not None and current[0] <= end
        if touched != invert:
            yield number, start, end, max(current[0] - start, 0) if current is not None and touched else -1
        start = end + 1


def spans_by_line(passages: Passages, data: bytes) -> dict[int, list[Span]]:
    """Line number → the parts of matches that lie in that line, relative to its start."""
    found: dict[int, list[Span]] = {}
    number, first = 1, 0
    for low, high in passages.spans(data):
        number += data.count(b"\n", first, low)
        first = data.rfind(b"\n", 0, low) + 1
        line, at = number, first
        while at < max(high, low + 1):
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            if min(high, end) > max(low, at):
                found.setdefault(line, []).append((max(low, at) - at, min(high, end) - at))
            line, at = line + 1, end + 1
    return found
