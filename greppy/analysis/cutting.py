"""Source code into ranges of lines: an outline goes in, the ranges that become chunks come out.

Each line belongs to the innermost definition that owns a chunk; what no definition owns is imports, constants and other
code. Line numbers count from 0 here.
"""

from __future__ import annotations

from bisect import bisect_left

from greppy.analysis.lines import CODE_WINDOW, MOST_BYTES, Lines, Range, windows
from greppy.analysis.loose import LooseCode
from greppy.analysis.pairing import FUNCTION_KINDS, MINOR_KINDS, ByteRange, Definition
from greppy.analysis.structure import Outline

LONG_FUNCTION = 60
"""Lines from which on a definition is cut into windows."""

SMALL_NESTED = 8
"""Lines below which a definition inside a function has no chunk of its own."""

TINY_GAP = 3
"""Lines of content below which code after a nested definition joins that definition's chunk."""

FILE = "code"
"""Kind of the lines that no definition owns."""

SCOPES = frozenset((FILE, "namespace", "module"))
"""Kinds of owners that are not about anything themselves: their lines are cut as the loose lines of a file are."""

_CLOSERS = b"{}()[];, \t\r\n"
_CLOSING_WORDS = frozenset((b"end", b"fi", b"done", b"esac", b"endif", b"endfunction", b"endclass"))


class _Owner:
    """A definition with a chunk of its own, or the whole file. `last` grows with what joins it.

    `head` is the line where the definition itself begins, below its comments and attributes; `end` is the byte where
    it ends.
    """

    __slots__ = ("end", "first", "head", "kind", "last", "symbol")

    def __init__(self, first: int, head: int, last: int, end: int, kind: str, symbol: str) -> None:
        self.first = first
        self.head = head
        self.last = last
        self.end = end
        self.kind = kind
        self.symbol = symbol


class _Segment:
    """Consecutive lines with the same owner. `opens`: they begin with the owner's first line."""

    __slots__ = ("first", "last", "opens", "owner")

    def __init__(self, first: int, last: int, owner: _Owner, opens: bool) -> None:
        self.first = first
        self.last = last
        self.owner = owner
        self.opens = opens


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
    for segment in _joined(_segments(placed, lines), lines):
        if segment.owner.kind in SCOPES:
            ranges += loose.cut(segment.first, segment.last, segment.owner.kind, segment.owner.symbol)
        else:
            ranges += _windowed(segment.first, segment.last, segment.owner, lines)
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
        end = min(one.end, len(lines.text))
        if lines.text[end - 1] <= 32:
            end = one.start + len(lines.text[one.start : end].rstrip())
        first = _with_comments(lines.at(one.start), lines, above, beginnings)
        placed.append((first, lines.at(max(one.start, end - 1)), one))
    return placed


def _with_comments(first: int, lines: Lines, above: list[ByteRange], beginnings: list[int]) -> int:
    """The first line of the comments that stand directly above the line `first`, without a blank line between."""
    while first > 0 and not lines.is_blank(first - 1):
        edge = lines.starts[first]
        nearest = bisect_left(beginnings, edge) - 1
        if nearest < 0:
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
        elif not _stays_inside(head, last, stack):
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


def _stays_inside(head: int, last: int, stack: list[_Owner]) -> bool:
    """Whether a definition has no chunk of its own: it is small, or would leave but a stump of a short function."""
    top = stack[-1]
    if top.kind in FUNCTION_KINDS and head - top.head < TINY_GAP and top.last - top.first < LONG_FUNCTION:
        return True
    return last - head + 1 < SMALL_NESTED and any(owner.kind in FUNCTION_KINDS for owner in stack)


def _joined(segments: list[_Segment], lines: Lines) -> list[_Segment]:
    """The segments, those without content of their own joined to the one before (at the top of a file, after)."""
    joined: list[_Segment] = []
    for segment in segments:
        before = joined[-1] if joined else None
        if before is None:
            if segment is segments[-1] or not _is_blank(segment, lines):
                segment.first = 0
                joined.append(segment)
        elif segment.opens:
            if _continues(before, segment, lines):
                before.last, before.owner = segment.last, segment.owner
            else:
                joined.append(segment)
        elif _joins(segment, lines):
            before.last = segment.last
        else:
            segment.first = _past_blank(segment.first, lines)
            before.last = segment.first - 1
            joined.append(segment)
    return joined


def _continues(before: _Segment, segment: _Segment, lines: Lines) -> bool:
    """Whether a definition is another clause or overload of the one whose lines end directly above it."""
    one, other = before.owner, segment.owner
    return (
        one.symbol == other.symbol
        and one.kind == other.kind
        and one is not other
        and segment.last - before.first < LONG_FUNCTION
        and not lines.is_blank(segment.first - 1)
    )


def _past_blank(line: int, lines: Lines) -> int:
    while lines.is_blank(line):
        line += 1
    return line


def _is_blank(segment: _Segment, lines: Lines) -> bool:
    return not lines.content(segment.first, segment.last).strip()


def _joins(segment: _Segment, lines: Lines) -> bool:
    content = lines.content(segment.first, segment.last).strip(_CLOSERS)
    if not content or _CLOSING_WORDS.issuperset(content.split()):
        return True
    return segment.owner.kind not in SCOPES and content.count(b"\n") + 1 < TINY_GAP
