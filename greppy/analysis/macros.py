"""C and C++ before their preprocessor: what a parser cannot know to be a macro becomes blanks.

A text goes in; one of the same length comes out, or the same one when nothing in it is in the way.
"""

from __future__ import annotations

import re

LANGUAGES = frozenset(("c", "cpp", "objc"))

_CAPITALS = rb"[A-Z][A-Z0-9_]*_[A-Z0-9_]*"
"""A name that is a macro by custom; it has an underscore, since short ones (`NULL`, `A`) end many expressions."""

_LINE = re.compile(
    rb"^[ \t]*(" + _CAPITALS + rb"(?:\([^\n;{}]*\))?)[ \t]*(?://[^\n]*)?\r?\n(?=[ \t]*(?:[A-Za-z_#/~\[}]|\r?\n))",
    re.MULTILINE,
)
"""Such a name alone on a line (`Q_OBJECT`, `SUPPRESS_WARNING("…")`), above a line that can begin a declaration or end
the block: a parser takes it for the beginning of the declaration below it, and loses that."""

_OF_TYPE = re.compile(
    rb"\b(?:class|struct|union|enum|namespace)[ \t]+(" + _CAPITALS + rb"(?:\([^()\n]*\))?)[ \t]+(?=[A-Za-z_])"
)
"""Such a name before the name of a type (`class MY_EXPORT Window`)."""

_DEFINITION = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\r?\n)+[^\n]*", re.MULTILINE)
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
"""A macro of several lines, and what stands in one: the grammars end a macro at a comment."""

_WHOLE = re.compile(_CAPITALS + rb"(?:\(.*\))?")
_FARTHEST_ABOVE = 300
"""Bytes in which the last line above is looked for."""

_CONDITIONAL = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[^\n]*?(?:\\\r?\n[^\n]*?)*\r?$", re.MULTILINE
)
_OPENING = (b"if", b"ifdef", b"ifndef")
_NOT_LINE_END = re.compile(rb"[^\r\n]")


def without_macros(text: bytes) -> bytes:
    """The text with spaces for each macro that stands where a declaration or the name of a type may begin, and for the
    comments in definitions of macros."""
    spans = [match.span(1) for match in _LINE.finditer(text) if _is_between_declarations(text, match.start())]
    spans += [match.span(1) for match in _OF_TYPE.finditer(text)]
    for match in _DEFINITION.finditer(text):
        spans += [comment.span() for comment in _COMMENT.finditer(text, *match.span())]
    return _blanked(text, spans) if spans else text


def _is_between_declarations(text: bytes, start: int) -> bool:
    """Whether what stands above a line is over: a statement, a block, a comment, a directive or another macro."""
    last = text[max(0, start - _FARTHEST_ABOVE) : start].rstrip().rpartition(b"\n")[2].strip()
    return not last or last.startswith((b"#", b"//")) or last.endswith((b";", b"{", b"}", b"*/")) or _is_macro(last)


def _is_macro(line: bytes) -> bool:
    return _WHOLE.fullmatch(line) is not None


def first_branches(text: bytes) -> bytes:
    """The text with only the first branch of each conditional, which leaves one brace where each branch has its own."""
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    for match in _CONDITIONAL.finditer(text):
        start, end = match.span()
        spans.append((start, end))
        if match[1] in _OPENING:
            opened.append(-1)
        elif opened and match[1] != b"endif":
            opened[-1] = start if opened[-1] < 0 else opened[-1]
        elif opened and (begun := opened.pop()) >= 0:
            spans.append((begun, start))
    return _blanked(text, spans) if spans else text


def _blanked(text: bytes, spans: list[tuple[int, int]]) -> bytes:
    """The text with spaces at these ranges of bytes, which may overlap; ends of lines stay."""
    result = bytearray(text)
    for start, end in spans:
        result[start:end] = _NOT_LINE_END.sub(b" ", text[start:end])
    return bytes(result)
