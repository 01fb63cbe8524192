"""Ranges of lines and marks of fields in, chunks with their spans out.

A mark says in which field a range of bytes stands; what no mark covers is body. White space gets no span of its own.
"""

from __future__ import annotations

from greppy.analysis.lines import Lines, Range
from greppy.analysis.model import BODY, COMMENT, NAME, SIGNATURE, Chunk, Span
from greppy.analysis.structure import Outline

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
    text, starts = lines.text, lines.starts
    chunks: list[Chunk] = []
    index, count = 0, len(marks)
    for first, last, kind, symbol in ranges:
        at, stop = starts[first], starts[last + 1]
        spans: list[Span] = []
        while index < count:
            start, end, field = marks[index]
            if start >= stop:
                break
            if start > at:
                _add(spans, BODY, at, start, text)
            _add(spans, field, max(start, at), min(end, stop), text)
            at = min(end, stop)
            if end > stop:
                break
            index += 1
        _add(spans, BODY, at, stop, text)
        chunks.append(Chunk(first + 1, last + 1, kind, symbol, spans))
    return chunks


def _add(spans: list[Span], field: int, start: int, end: int, text: bytes) -> None:
    """Append a span, unless it is white space; one that only continues the last is joined to it."""
    piece = text[start:end]
    if not piece or piece.isspace():
        return
    if spans and spans[-1][0] == field and (spans[-1][2] == start or text[spans[-1][2] : start].isspace()):
        spans[-1] = (field, spans[-1][1], end)
    else:
        spans.append((field, start, end))
