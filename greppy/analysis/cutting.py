"""Source code into ranges of lines: an outline goes in, the ranges that become chunks come out.

Each line belongs to the innermost definition that owns a chunk; what no definition owns is imports, constants and other
code. Line numbers count from 0 here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

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

SPACE = 32
"""The highest byte of white space."""

_CLOSERS = b"{}()[];, \t\r\n"
_CLOSING_WORDS = frozenset((b"end", b"fi", b"done", b"esac", b"endif", b"endfunction", b"endclass"))


class _Owner:
    """A definition with a chunk of its own, or the whole file. `last` grows with what joins it.

    `head` is the line where the definition itself begins, below its comments and attributes; `end` is the byte where
    it ends. `in_function`: it is a function, or inside one.
    """

    __slots__ = ("end", "first", "head", "in_function", "kind", "last", "symbol")

    def __init__(self, first: int, head: int, last: int, end: int, kind: str, symbol: str, in_function: bool) -> None:
        self.first = first
        self.head = head
        self.last = last
        self.end = end
        self.kind = kind
        self.symbol = symbol
        self.in_function = in_function


_Placed = tuple[int, int, int, Definition]
"""(first line, comments and attributes above included, line where it begins below them, last line, definition)."""

_Segment = tuple[int, int, _Owner]
"""(first line, last line, owner) of consecutive lines with the same owner."""


def cut(outline: Outline, lines: Lines) -> list[Range]:
    """Ranges that cover every line once, in order."""
    placed = _placed(outline, lines)
    loose = LooseCode(
        [(first, last, one.kind, one.symbol) for first, _, last, one in placed if _is_outer_minor(one)],
        [lines.of(start, end) for start, end in outline.imports],
        lines,
    )
    ranges: list[Range] = []
    starts = lines.starts
    for first, last, owner in _joined(_segments(placed, lines), lines):
        if owner.kind in SCOPES:
            ranges += loose.cut(first, last, owner.kind, owner.symbol)
        elif last - first < LONG_FUNCTION and starts[last + 1] - starts[first] <= 2 * MOST_BYTES:
            ranges.append((first, last, owner.kind, owner.symbol))
        else:
            ranges += [(a, b, owner.kind, owner.symbol) for a, b in windows(lines, first, last, CODE_WINDOW)]
    return ranges


def _is_outer_minor(one: Definition) -> bool:
    """Whether it is a constant or the like, and not a part of one (a field of a Haskell type) that has a name."""
    around = one.parent
    is_part = around is not None and around.kind in MINOR_KINDS and around.name_end > around.name_start
    return one.kind in MINOR_KINDS and not is_part


def _placed(outline: Outline, lines: Lines) -> list[_Placed]:
    above = sorted(outline.comments + outline.attributes) if outline.attributes else outline.comments
    beginnings = [start for start, _ in above]
    text, starts = lines.text, lines.starts
    placed: list[_Placed] = []
    size, count, head = len(text), lines.count, 0
    for one in outline.definitions:
        start, end = one.start, one.end
        if end > size or text[end - 1] <= SPACE:
            end = start + len(text[start:end].rstrip())
        if start >= starts[head + 1]:
            head = bisect_right(starts, start, head, count) - 1
        last = head if end <= starts[head + 1] else bisect_right(starts, end - 1, head, count) - 1
        has_blank_above = not head or text[starts[head - 1] : starts[head]].isspace()
        first = head if has_blank_above else _with_comments(head, lines, above, beginnings)
        placed.append((first, head, last, one))
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
    whole = top = _Owner(0, -1, lines.count - 1, len(lines.text), FILE, "", False)
    stack = [whole]
    segments: list[_Segment] = []
    at = 0
    for first, head, last, one in placed:
        kind = one.kind
        if kind in MINOR_KINDS:
            continue
        while top.last < head:
            close = top.last if top.last < first else first - 1
            if close >= at:
                segments.append((at, close, top))
                at = close + 1
            stack.pop()
            top = stack[-1]
        if one.start >= top.end or head <= top.head:
            _extend(stack, last)
        elif not (top.in_function and _stays_inside(head, last, top)):
            least = top.first if top is whole else top.first + 1
            first = max(first, least, at)
            if first > at:
                segments.append((at, first - 1, top))
                at = first
            top = _Owner(first, head, last, one.end, kind, one.symbol, top.in_function or kind in FUNCTION_KINDS)
            stack.append(top)
    for owner in reversed(stack):
        if owner.last >= at:
            segments.append((at, owner.last, owner))
            at = owner.last + 1
    return segments


def _extend(stack: list[_Owner], last: int) -> None:
    """Give the lines up to `last` to the open definitions: another one begins on a line that is theirs."""
    for owner in stack:
        owner.last = max(owner.last, last)


def _stays_inside(head: int, last: int, top: _Owner) -> bool:
    """Whether a definition in a function has no chunk of its own: it is small, or would leave but a stump of it."""
    if head - top.head < TINY_GAP and top.kind in FUNCTION_KINDS and top.last - top.first < LONG_FUNCTION:
        return True
    return last - head + 1 < SMALL_NESTED


def _joined(segments: list[_Segment], lines: Lines) -> list[_Segment]:
    """The segments, those without content of their own joined to the one before (at the top of a file, after)."""
    while len(segments) > 1 and not lines.content(*segments[0][:2]).strip():
        segments.pop(0)
    _, last, owner = segments[0]
    first = 0
    joined: list[_Segment] = []
    for segment in segments[1:]:
        begin, end, following = segment
        if begin == following.first:
            if following.symbol == owner.symbol and _continues(first, owner, segment, lines):
                last, owner = end, following
                continue
        elif _joins(segment, lines):
            last = end
            continue
        else:
            while lines.is_blank(begin):
                begin += 1
        joined.append((first, begin - 1, owner))
        first, last, owner = begin, end, following
    joined.append((first, last, owner))
    return joined


def _continues(first: int, owner: _Owner, segment: _Segment, lines: Lines) -> bool:
    """Whether a definition is another clause or overload of the one whose lines end directly above it."""
    begin, end, other = segment
    return (
        owner.symbol == other.symbol
        and owner.kind == other.kind
        and owner is not other
        and end - first < LONG_FUNCTION
        and not lines.is_blank(begin - 1)
    )


def _joins(segment: _Segment, lines: Lines) -> bool:
    first, last, owner = segment
    content = lines.content(first, last).strip(_CLOSERS)
    if not content or _CLOSING_WORDS.issuperset(content.split()):
        return True
    return owner.kind not in SCOPES and content.count(b"\n") + 1 < TINY_GAP
