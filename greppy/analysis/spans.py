"""Ranges of lines and marks of fields in, chunks with their spans out.

A mark says in which field a range of bytes stands; what no mark covers is body. White space gets no span of its own.
"""

from __future__ import annotations

from greppy.analysis.lines import Lines, Range
from greppy.analysis.model import BODY, COMMENT, NAME, SIGNATURE, Chunk, Span
from greppy.analysis.structure import Outline

LONGEST_BLANK = 200
"""Bytes from which on a piece is not looked at: it is hardly all white space, and a span more does no harm."""

Mark = tuple[int, int, int]
"""(start byte, end byte, field)."""


def marks_of(outline: Outline) -> list[Mark]:
    """The marks of an outline, disjoint and in order; where they overlap, what begins first wins."""
    marks: list[Mark] = [(start, end, COMMENT) for start, end in outline.comments]
    marks += [(start, end, COMMENT) for start, end in outline.docstrings]
    for one in outline.definitions:
        marks.append((one.name_start, one.name_end, NAME))
        marks.append((one.head, one.name_start, SIGNATURE))
        marks.append((one.name_end, one.body, SIGNATURE))
    marks.sort()
    return _disjoint(marks)


def _disjoint(marks: list[Mark]) -> list[Mark]:
    kept: list[Mark] = []
    floor = 0
    for mark in marks:
        start, end, field = mark
        if end > floor and end > start:
            kept.append(mark if start >= floor else (floor, end, field))
            floor = end
    return kept


def chunks_of(lines: Lines, ranges: list[Range], marks: list[Mark]) -> list[Chunk]:
    """A chunk for each range; `marks` are disjoint and in order."""
    starts = lines.starts
    remaining = iter([*marks, (starts[-1], starts[-1], BODY)])
    mark = next(remaining)
    chunks: list[Chunk] = []
    for first, last, kind, symbol in ranges:
        at, stop = starts[first], starts[last + 1]
        pieces: list[Span] = []
        while mark[0] < stop:
            start, end, field = mark
            if start > at:
                pieces.append((BODY, at, start))
            if end > stop:
                pieces.append((field, max(start, at), stop))
                at = stop
                break
            pieces.append((field, max(start, at), end))
            at = end
            mark = next(remaining)
        if at < stop:
            pieces.append((BODY, at, stop))
        chunks.append(Chunk(first + 1, last + 1, kind, symbol, _without_blank(pieces, lines.text)))
    return chunks


def _without_blank(pieces: list[Span], text: bytes) -> list[Span]:
    """The pieces that are not white space, those of one field joined across it."""
    if len(pieces) == 1:
        return pieces if text[pieces[0][1] : pieces[0][2]].strip() else []
    spans: list[Span] = []
    before = -1
    for piece in pieces:
        field, start, end = piece
        if end - start < LONGEST_BLANK and text[start:end].isspace():
            continue
        if field == before:
            spans[-1] = (field, spans[-1][1], end)
        else:
            spans.append(piece)
            before = field
    return spans
