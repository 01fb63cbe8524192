"""C and C++ before their preprocessor: macros that stand alone on a line (`Q_OBJECT`, `G_BEGIN_DECLS`) become blanks.

A parser takes such a line for the beginning of the declaration below it, and loses that. A text goes in; one of the
same length comes out, or the same one when there is no such line.
"""

from __future__ import annotations

import re

LANGUAGES = frozenset(("c", "cpp", "objc"))

_CAPITALS = rb"[A-Z][A-Z0-9_]*_[A-Z0-9_]*"
"""A name that is a macro by custom; it has an underscore, since short ones (`NULL`, `A`) end many expressions."""

_LINE = re.compile(rb"^[ \t]*(" + _CAPITALS + rb")[ \t]*\r?\n(?=[ \t]*(?:[A-Za-z_#/~\[]|\r?\n))", re.MULTILINE)
"""Such a name alone on a line, above a line that can begin a declaration."""

_WHOLE = re.compile(_CAPITALS)
_FARTHEST_ABOVE = 300
"""Bytes in which the last line above is looked for."""


def without_lone_macros(text: bytes) -> bytes:
    """The text with spaces for each macro that stands where a declaration may begin."""
    pieces: list[bytes] = []
    at = 0
    for match in _LINE.finditer(text):
        start, end = match.span(1)
        if _is_between_declarations(text[max(0, match.start() - _FARTHEST_ABOVE) : match.start()]):
            pieces += (text[at:start], b" " * (end - start))
            at = end
    return b"".join((*pieces, text[at:])) if pieces else text


def _is_between_declarations(above: bytes) -> bool:
    """Whether what stands above a line is over: a statement, a block, a comment, a directive or another macro."""
    last = above.rstrip().rpartition(b"\n")[2].strip()
    return not last or last.startswith((b"#", b"//")) or last.endswith((b";", b"{", b"}", b"*/")) or _is_macro(last)


def _is_macro(line: bytes) -> bool:
    return _WHOLE.fullmatch(line) is not None
