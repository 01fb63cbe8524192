"""Source code into ranges of lines: an outline goes in, the ranges that become chunks come out.

Each line belongs to the innermost definition that owns a chunk; what no definition owns is imports, constants and other
code. Line numbers count from 0 here.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from greppy.analysis.lines import CODE_WINDOW, MOST_BYTES, Lines, Range, windows
from greppy.analysis.loose import LooseCode
from greppy.analysis.structure import FUNCTION_KINDS, MINOR_KINDS, ByteRange, Definition, Outline

LONG_FUNCTION = 60
"""Lines from which on a definition is cut into windows."""

SMALL_NESTED = 8
"""Lines below which a definition inside a function has no chunk of its own."""

TINY_GAP = 3
"""Lines of content below which code after a nested definition joins that definition's chunk."""

FILE = "code"
"""Kind of the lines that no definition owns."""

_CLOSERS = b"{}()[];, \t\r\n"
_CLOSING_WORDS = frozenset((b"end", b"fi", b"done", b"esac", b"endif", b"endfunction", b"endclass"))


class _Owner:
    """A definition with a chunk of its own, or the whole file. `last` grows with what joins it.

    `head` is the line where the definition itself begins, below its comments and attributes; `end` is the byte where
    it ends.
    """

    __slots__ = ("first", "head", "last", "end", "kind", "symbol")

    def __init__(self, first: int, head: int, last: int, end: int, kind: str, symbol: str) -> None:
        self.first = first
        self.head = head
        self.last = last
        self.end = end
        self.kind = kind
        self.symbol = symbol


class _Segment(NamedTuple):
    """Consecutive lines with the same owner. `opens`: they begin with the owner's first line."""

    first: int
    last: int
    owner: _Owner
    opens: bool


_Placed = tuple[int, int, Definition]


def cut(outline: Outline, lines: Lines) -> list[Range]:
    """Ranges that cover every line once, in order."""
    placed = _placed(outline, lines)
    loose = LooseCode(
        [Range(first, last, one.kind, one.symbol) for first, last, one in placed if one.kind in MINOR_KINDS],
        [(lines.at(start), lines.at(max(start, end - 1))) for start, end in outline.imports],
        lines,
    )
    ranges: list[Range] = []
    for first, last, owner, _ in _joined(_segments(placed, lines), lines):
        if owner.kind == FILE:
            ranges += loose.cut(first, last)
        else:
            ranges += _windowed(first, last, owner, lines)
    return ranges


def _windowed(first: int, last: int, owner: _Owner, lines: Lines) -> list[Range]:
    size = lines.starts[last + 1] - lines.starts[first]
    if last - first < LONG_FUNCTION and size <= 2 * MOST_BYTES:
        return [Range(first, last, owner.kind, owner.symbol)]
    return [Range(a, b, owner.kind, owner.symbol) for a, b in windows(lines, first, last, CODE_WINDOW)]


def _placed(outline: Outline, lines: Lines) -> list[_Placed]:
    """(first line, last line, definition), comments and attributes above included."""
    above = sorted(outline.comments + outline.attributes) if outline.attributes else outline.comments
    beginnings = [start for start, _ in above]
    placed: list[_Placed] = []
    for one in outline.definitions:
        end = one.end
        if lines.text[end - 1] <= 32:
            end = one.start + len(lines.text[one.start : end].rstrip())
        first = _with_comments(lines.at(one.start), lines, above, beginnings)
        placed.append((first, lines.at(max(one.start, end - 1)), one))
    return placed


def _with_comments(first: int, lines: Lines, above: list[ByteRange], beginnings: list[int]) -> int:
    """The first line of the comments that stand directly above the line `first`, without a blank line between."""
    while first > 0:
        edge = lines.starts[first]
        nearest = bisect_right(beginnings, edge - 1) - 1
        if nearest < 0 or lines.is_blank(first - 1):
            break
        start, end = above[nearest]
        begins_at = lines.at(start)
        if lines.text[end:edge].strip() or lines.text[lines.starts[begins_at] : start].strip():
            break
        first = begins_at
    return first


def _segments(placed: list[_Placed], lines: Lines) -> list[_Segment]:
    """Runs of lines with the same owner, in order: a definition's lines, less those of definitions inside it."""
    whole = _Owner(0, -1, lines.count - 1, len(lines.text), FILE, "")
    stack = [whole]
    segments: list[_Segment] = []
    at = 0
    for first, last, one in placed:
        if one.kind in MINOR_KINDS:
            continue
        head = lines.at(one.start)
        while stack[-1].last < head:
            closed = stack.pop()
            closed.last = max(at - 1, min(closed.last, first - 1))
            at = _close(closed, at, segments)
        top = stack[-1]
        if one.start >= top.end or head <= top.head:
            _extend(stack, last)
        elif not _stays_inside(first, last, stack):
            first = max(first, at, top.first + 1 if top is not whole else 0)
            if first > at:
                segments.append(_Segment(at, first - 1, top, at == top.first))
            at = first
            stack.append(_Owner(first, head, last, one.end, one.kind, one.symbol))
    while stack:
        at = _close(stack.pop(), at, segments)
    return segments


def _close(owner: _Owner, at: int, segments: list[_Segment]) -> int:
    if owner.last >= at:
        segments.append(_Segment(at, owner.last, owner, at == owner.first))
    return max(at, owner.last + 1)


def _extend(stack: list[_Owner], last: int) -> None:
    """Give the lines up to `last` to the open definitions: another one begins on a line that is theirs."""
    for owner in stack:
        owner.last = max(owner.last, last)


def _stays_inside(first: int, last: int, stack: list[_Owner]) -> bool:
    return last - first + 1 < SMALL_NESTED and any(owner.kind in FUNCTION_KINDS for owner in stack)


def _joined(segments: list[_Segment], lines: Lines) -> list[_Segment]:
    """The segments, those without content of their own joined to the one before (at the top of a file, after)."""
    joined: list[_Segment] = []
    begins = 0
    for segment in segments:
        belongs_before = not segment.opens and _joins(segment, lines)
        if joined and belongs_before:
            joined[-1] = joined[-1]._replace(last=segment.last)
        elif not joined and segment.owner.kind == FILE and segment is not segments[-1] and _is_blank(segment, lines):
            continue
        else:
            joined.append(segment._replace(first=begins) if not joined else segment)
    return joined


def _is_blank(segment: _Segment, lines: Lines) -> bool:
    return not lines.content(segment.first, segment.last).strip()


def _joins(segment: _Segment, lines: Lines) -> bool:
    content = lines.content(segment.first, segment.last).strip(_CLOSERS)
    if not content or _CLOSING_WORDS.issuperset(content.split()):
        return True
    return segment.owner.kind != FILE and content.count(b"\n") + 1 < TINY_GAP
