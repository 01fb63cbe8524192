"""The analysis of one blob: its bytes and its language in, its text cut into chunks out.

Source code is cut along its definitions, prose along its headings, everything else into windows of lines. Whatever goes
wrong on the way (no grammar, a parse that takes too long, nesting without end) leads to windows, never to an error.
"""

from __future__ import annotations

from itertools import accumulate

from greppy.analysis import classify, cutting, embedded, grammars, languages, prose
from greppy.analysis.encoding import to_text
from greppy.analysis.lines import CODE_WINDOW, TEXT_WINDOW, Lines, Range, windows
from greppy.analysis.model import (
    BODY,
    COMMENT,
    GENERATED,
    MINIFIED,
    NAME,
    PARSE_ERROR,
    SIGNATURE,
    Analysis,
    Chunk,
    Span,
)
from greppy.analysis.spans import Mark, chunks_of, marks_of
from greppy.analysis.structure import outline

__all__ = [
    "BODY",
    "COMMENT",
    "GENERATED",
    "MINIFIED",
    "NAME",
    "PARSE_ERROR",
    "SIGNATURE",
    "Analysis",
    "Chunk",
    "Span",
    "analyze",
]

DEEPEST = 1000
"""Open brackets at one place beyond which text is not parsed: nobody writes that, and grammars crash or crawl on it."""

_OPENING, _CLOSING = b"([{", b")]}"
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in _OPENING + _CLOSING)
_DEPTH_STEPS = [1 if byte in _OPENING else -1 for byte in range(128)]

_Cut = tuple[list[Range], list[Mark], int]


def analyze(data: bytes, language: str) -> Analysis | None:
    """The analysis of `data` as `language` (a name of `languages.NAMES`); None when it is binary."""
    decoded = to_text(data)
    if decoded is None:
        return None
    text, encoding = decoded
    if not text:
        return Analysis(text, encoding, 0, [], 0)
    lines = Lines(text)
    ranges, marks, flags = _cut(lines, language)
    flags |= classify.content_flags(text[: classify.MARKER_PROBE])
    if lines.mostly_long and languages.kind(language) in ("code", "markup"):
        flags |= MINIFIED
    return Analysis(text, encoding, lines.count, chunks_of(lines, ranges, marks), flags)


def _cut(lines: Lines, language: str) -> _Cut:
    if language in prose.HEADINGS:
        return *prose.cut(lines, language), 0
    if grammars.has_query(language):
        return _cut_code(lines, lines.text, language)
    if language in embedded.LANGUAGES:
        return _cut_code(lines, *embedded.script_of(lines.text))
    window = CODE_WINDOW if languages.kind(language) == "code" else TEXT_WINDOW
    return _windowed(lines, window is CODE_WINDOW), [], 0


def _cut_code(lines: Lines, source: bytes, language: str) -> _Cut:
    """Cut by the structure of `source`, which has the same offsets as the text; windows where there is none."""
    grammar = grammars.load(language)
    if grammar is None:
        return _windowed(lines, True), [], 0
    tree = None if _is_too_deep(source) else grammars.parse(grammar, source)
    found = outline(grammar, tree, source) if tree else None
    if found is None:
        return _windowed(lines, True), [], PARSE_ERROR
    return cutting.cut(found, lines), marks_of(found), PARSE_ERROR if found.has_error else 0


def _windowed(lines: Lines, is_code: bool) -> list[Range]:
    kind, window = ("code", CODE_WINDOW) if is_code else ("text", TEXT_WINDOW)
    return [(first, last, kind, "") for first, last in windows(lines, 0, lines.count - 1, window)]


def _is_too_deep(text: bytes) -> bool:
    brackets = text.translate(None, _NOT_BRACKETS)
    if len(brackets.replace(b"()", b"")) < DEEPEST:
        return False
    return max(accumulate(map(_DEPTH_STEPS.__getitem__, brackets))) > DEEPEST
