"""Ranges of lines and marks of fields in, chunks with their spans out.

A mark says in which field a range of bytes stands; what no mark covers is body. White space gets no span of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from greppy.analysis.lines import Lines, Range
from greppy.analysis.model import BODY, COMMENT, NAME, SIGNATURE, Chunk, Span
from greppy.analysis.structure import Outline

_new = tuple.__new__
"""What makes a named tuple, without the function around it."""

Mark = tuple[int, int, int]
"""(start byte, end byte, field)."""


def marks_of(outline: Outline) -> list[Mark]:
    """The marks of an outline, in order."""
    marks: list[Mark] = [(start, end, COMMENT) for start, end in outline.comments]
    marks += [(start, end, COMMENT) for start, end in outline.docstrings]
    for one in outline.definitions:
        name_start, name_end = one.name_start, one.name_end
        marks.append((name_start, name_end, NAME))
        marks.append((one.head, name_start, SIGNATURE))
        marks.append((name_end, one.body, SIGNATURE))
    marks.sort()
    return marks


def _tiles(marks: Sequence[Mark], size: int) -> list[tuple[int, int]]:
    """(end byte, field) of pieces that cover `size` bytes; where marks overlap, what begins first wins."""
    tiles: list[tuple[int, int]] = []
    at = 0
    for start, end, field in marks:
        if end > at and end > start:
            if start > at:
                tiles.append((start, BODY))
            tiles.append((end, field))
            at = end
    tiles.append((size, BODY))
    return tiles


def chunks_of(lines: Lines, ranges: Sequence[Range], marks: Sequence[Mark]) -> list[Chunk]:
    """A chunk for each range; `marks` are in order. Pieces of one field with white space between them are one span."""
    text, starts = lines.text, lines.starts
    tiles = iter(_tiles(marks, len(text)))
    at = end = 0
    chunks: list[Chunk] = []
    for first, last, kind, symbol in ranges:
        stop = starts[last + 1]
        spans: list[Span] = []
        before = -1
        while at < stop:
            if end <= at:
                end, field = next(tiles)
            upto = end if end < stop else stop
            if not text[at:upto].isspace():
                if field == before:
                    spans[-1] = (field, spans[-1][1], upto)
                else:
                    spans.append((field, at, upto))
                    before = field
            at = upto
        chunks.append(_new(Chunk, (first + 1, last + 1, kind, symbol, spans)))
    return chunks
