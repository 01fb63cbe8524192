"""Python without what defines nothing: most of a program, and most of the time that a parser takes.

A text goes in; one of the same length comes out, in which long names stand in the place of

- runs of simple statements of one block, and at the margin of those that assign nothing,
- what is in the outermost brackets of other statements: parameters, bases, arguments, the elements of literals,
- what stands between the first word of a header (`if`, `for`, `with`, …) and its colon.

Every definition, import, comment, assignment outside of blocks, string that a statement begins with and lambda outside
of brackets stays at its offset, so a query for these finds in the tree of the new text what it finds in that of the
old one (`tests/analysis/test_thinned_programs.py`). Where the scan does not understand something, or a parser may see
it otherwise (brackets that do not match, a lone carriage return, quotes inside of a formatted string), the text is
returned as it is. What is left out is not checked: a syntax error there is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

DEEPEST = 64
LEAST = 4
LEAST_HEADER = 8
"""Nested brackets beyond which nothing is thinned; bytes from which on a name, or one in a header, is worth it."""

_CONDITIONS = frozenset((b"if", b"elif", b"while", b"with", b"except"))
_OTHERS = frozenset(
    (b"async", b"case", b"class", b"def", b"else", b"finally", b"for", b"from", b"import", b"lambda", b"match")
) | {b"try", b"type"}
_NEVER = frozenset((b"class", b"def", b"import", b"return"))
"""Words that do not stand in brackets."""

_INDENT = re.compile(rb"[ \t]*")
_TOKEN = re.compile(
    rb"(?P<blank>[ \t\r]+|\\\r?\n)|(?P<line>\n)|(?P<comment>#[^\n]*)|(?P<word>[A-Za-z0-9_\x80-\xff]+)"
    rb"|(?P<string>[\"'])|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<strange>[\x00-\x1f\x7f$?`\\])|(?P<operator>:=|.)"
)
_PREFIX = re.compile(rb"[rbuftRBUFT]{1,2}")
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_STRING = re.compile(
    rb"(\"{3}|'{3})((?:[^\\]|\\.)*?)\1|\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'",
    re.DOTALL,
)
_CLOSING = {b"(": b")", b"[": b"]", b"{": b"}"}


class _Strange(Exception):
    """Something that is not understood."""


class _Token(NamedTuple):
    """`depth`: the brackets around it."""

    kind: str
    start: int
    end: int
    text: bytes
    depth: int


class _Statement(NamedTuple):
    """A logical line: its indentation, where it begins behind that, its tokens, whether a comment ends it, and whether
    it is in a block: below a line at the margin that ends with a colon."""

    indent: bytes
    start: int
    tokens: list[_Token]
    before_comment: bool
    in_block: bool


def thin_python(text: bytes) -> bytes:
    """The text with names for what defines nothing; the same object when something in it is not understood."""
    if b"\0" in text or text.count(b"\r") != text.count(b"\r\n"):
        return text
    thin = bytearray(text)
    try:
        _thin_all(thin, text)
    except _Strange:
        return text
    return bytes(thin)


def _thin_all(thin: bytearray, text: bytes) -> None:
    run: list[_Statement] = []
    for statement in _statements(text):
        if run and (not _is_plain(statement) or statement.indent != run[0].indent):
            _fill(thin, run[0].start, run[-1].tokens[-1].end)
            run = []
        if not _is_plain(statement):
            _thin_brackets(thin, statement)
            _thin_header(thin, statement)
        elif statement.before_comment:
            _fill(thin, (run or [statement])[0].start, statement.tokens[-1].end)
            run = []
        else:
            run.append(statement)
    if run:
        _fill(thin, run[0].start, run[-1].tokens[-1].end)


def _statements(text: bytes) -> Iterator[_Statement]:
    """The logical lines, without blank ones; a line with nothing but a comment has no tokens."""
    at, in_block = 0, False
    while at < len(text):
        indent = _INDENT.match(text, at)
        assert indent is not None
        start = indent.end()
        tokens: list[_Token] = []
        at, comment = len(text), False
        for token in _tokens(text, start):
            if token.depth == 0 and token.kind in ("line", "comment"):
                comment = token.kind == "comment"
                at = token.end + comment
                break
            tokens.append(token)
        if tokens or comment or text[start:at].strip():
            if tokens and not indent[0]:
                in_block = tokens[-1].text == b":" and tokens[-1].depth == 0
            yield _Statement(indent[0], start, tokens, comment, in_block and bool(indent[0]))


def _tokens(text: bytes, at: int) -> Iterator[_Token]:
    """What stands from `at` on, without blanks. Raises `_Strange` for brackets that do not match."""
    closing: list[bytes] = []
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None
        kind, start, at = found.lastgroup or "", found.start(), found.end()
        if kind == "word" and text[at : at + 1] in (b"'", b'"') and _PREFIX.fullmatch(found[0]):
            kind = "string"
            at = _behind_string(text, at, bool(set(found[0]) & set(b"fFtT")))
        elif kind == "string":
            at = _behind_string(text, start, False)
        elif (kind == "close" and (not closing or closing.pop() != found[0])) or (
            kind == "word" and closing and found[0] in _NEVER
        ):
            raise _Strange
        if kind != "blank":
            yield _Token(kind, start, at, found[0], len(closing))
        if kind == "open":
            closing.append(_CLOSING[found[0]])
        if len(closing) > DEEPEST:
            raise _Strange
    if closing:
        raise _Strange


def _behind_string(text: bytes, at: int, formatted: bool) -> int:
    """Where the string at `at` ends. Raises `_Strange` when it does not, or seems to do so within a place for an
    expression, which may have quotes of its own."""
    found = _STRING.match(text, at)
    if found is None:
        raise _Strange
    content = _ESCAPE.sub(b"", found[2] or found[3] or found[4] or b"")
    depth = 0
    for byte in content if formatted else b"":
        depth += (byte == ord("{")) - (byte == ord("}"))
        if depth < 0:
            raise _Strange
    if depth:
        raise _Strange
    return found.end()


def _is_odd(tokens: list[_Token]) -> bool:
    return any(
        token.kind in ("strange", "comment") or (token.kind == "word" and not token.text.isascii()) for token in tokens
    )


def _first_word(statement: _Statement) -> bytes:
    tokens = statement.tokens
    return tokens[0].text if tokens and tokens[0].kind == "word" and tokens[0].start == statement.start else b""


def _outside(statement: _Statement) -> list[_Token]:
    return [token for token in statement.tokens if token.depth == 0]


def _colons(statement: _Statement) -> list[_Token]:
    return [token for token in _outside(statement) if token.text == b":"]


def _is_whole(statement: _Statement) -> bool:
    """Whether there is one statement in it, understood, without a lambda that may be a definition."""
    return not _is_odd(statement.tokens) and not any(token.text in (b";", b"lambda") for token in _outside(statement))


def _is_plain(statement: _Statement) -> bool:
    """Whether nothing in it is looked for; of what is assigned outside of blocks, the name is."""
    first = _first_word(statement)
    if not first or first[:1].isdigit() or first in _CONDITIONS | _OTHERS or not _is_whole(statement):
        return False
    colons = _colons(statement)
    if colons and colons[-1] == statement.tokens[-1]:
        return False
    return statement.in_block or not (colons or any(token.text in (b"=", b":=") for token in _outside(statement)))


def _thin_brackets(thin: bytearray, statement: _Statement) -> None:
    tokens = statement.tokens
    edges = [at for at, token in enumerate(tokens) if token.depth == 0 and token.kind in ("open", "close")]
    for opening, closing in zip(edges[::2], edges[1::2], strict=True):
        if _first_word(statement) != b"case" and not _is_odd(tokens[opening:closing]):
            _fill(thin, tokens[opening].end, tokens[closing].start)


def _thin_header(thin: bytearray, statement: _Statement) -> None:
    colons, first = _colons(statement), _first_word(statement)
    if not _is_whole(statement) or len(colons) != 1 or colons[0] != statement.tokens[-1]:
        return
    start, end = statement.start + len(first), colons[0].start
    into = next((token for token in _outside(statement) if token.text == b"in"), None)
    if first == b"for" and into is not None:
        _fill_between(thin, start, into.start)
        _fill_between(thin, into.end, end)
    elif first in _CONDITIONS and statement.tokens[1].text != b"*":
        _fill_between(thin, start, end)


def _fill(thin: bytearray, start: int, end: int) -> None:
    if end - start >= LEAST:
        thin[start:end] = b"x" * (end - start)


def _fill_between(thin: bytearray, start: int, end: int) -> None:
    """A name between blanks."""
    if end - start >= LEAST_HEADER:
        thin[start:end] = b" " + b"x" * (end - start - 2) + b" "
