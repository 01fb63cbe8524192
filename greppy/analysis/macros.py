"""C and C++ before their preprocessor: what a parser cannot know to be a macro becomes blanks.

A text goes in; one of the same length comes out, or the same one when nothing in it is in the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LANGUAGES = frozenset(("c", "cpp", "objc"))

_CAPITALS = rb"[A-Z][A-Z0-9]{0,80}_[A-Z0-9_]{0,80}"
"""A name that is a macro by custom; it has an underscore, since short ones (`NULL`, `A`) end many expressions."""

_LINE = re.compile(
    rb"^[ \t]*(" + _CAPITALS + rb"(?:\([^\n;{}]*\))?)[ \t]*(?://[^\n]*)?\r?\n(?=[ \t]*(?:[A-Za-z_#/~\[}]|\r?\n))",
    re.MULTILINE,
)
"""Such a name alone on a line (`Q_OBJECT`, `SUPPRESS_WARNING("…")`), above a line that can begin a declaration or end
the block: a parser takes it for the beginning of the declaration below it, and loses that."""

_CALLED = _CAPITALS + rb"(?:\([^()\n]*\))?"
_OF_TYPE = re.compile(rb"\b(?:class|struct|union|enum|namespace)[ \t]+((?:" + _CALLED + rb"[ \t]+)+)(?=[A-Za-z_])")
_OF_FUNCTION = re.compile(
    rb"(?:\)|\bconst|\bnoexcept|\boverride)\s+(" + _CALLED + rb"(?:\s+" + _CALLED + rb")*)\s*(?=\{)"
)
"""Such names before the name of a type (`class MY_EXPORT Window`), and before the body of a function."""

_DEFINITION = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\r?\n)+[^\n]*", re.MULTILINE)
"""A macro of several lines."""

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
    spans += [match.span(1) for pattern in (_OF_TYPE, _OF_FUNCTION) for match in pattern.finditer(text)]
    for match in _DEFINITION.finditer(text):
        spans += _comments(text, *match.span())  # the grammars end a macro at a comment
    return _blanked(text, spans) if spans else text


def _comments(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = text.find(b"/*", start, end)
    while at >= 0 and (close := text.find(b"*/", at + 2, end)) >= 0:
        yield at, close + 2
        at = text.find(b"/*", close + 2, end)


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
