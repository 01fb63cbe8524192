"""What the analysis of one blob yields: chunks of lines whose bytes are marked with the field that they stand in.

An analysis depends on the bytes and the language alone, never on path or repository, so that it can be kept by blob.
"""

from __future__ import annotations

from typing import NamedTuple

NAME, SIGNATURE, COMMENT, BODY = range(4)
"""Fields of a chunk's text: the defined name, the rest of the definition's head, comments and docstrings, the rest."""

Span = tuple[int, int, int]
"""(field, start byte, end byte) in the text."""

GENERATED = 1
PARSE_ERROR = 2
MINIFIED = 4


class Chunk(NamedTuple):
    """A range of lines that is ranked as one.

    `start_line` and `end_line` count from 1 and are inclusive. `symbol` is the qualified name of the definition that
    the lines belong to ("" if none). Spans are increasing and disjoint, and cover all but white space.
    """

    start_line: int
    end_line: int
    kind: str
    symbol: str
    spans: list[Span]


class Analysis(NamedTuple):
    """The text of a blob (UTF-8), the encoding that it came in, its lines, and its chunks, which cover every line."""

    text: bytes
    encoding: str
    lines: int
    chunks: list[Chunk]
    flags: int
