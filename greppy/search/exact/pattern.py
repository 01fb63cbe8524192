"""One pattern, ready to be looked for: in a file's bytes, and within one line. HOT.

In: what was asked for (`greppy.search.exact.question`). Out: objects with two questions. `locate(data, start)`: where
at or after `start` something begins whose line may hold a match. `span(line, start)`: the leftmost and, as POSIX wants
it, longest match in one line, which is what decides.

A plain text needs `bytes.find` alone, in either case of its letters; RE2 (13 ms to import) comes in for the rest.

As for git grep, the locale says what a character is: of UTF-8, where a byte that is none is matched by no `.` and no
set, or, with `single_bytes`, every byte. A pattern that is not UTF-8 itself is always one of bytes.
"""

from __future__ import annotations

from greppy.errors import BadArguments
from greppy.query.regex.formula import any_of, of_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from greppy.query.regex.formula import Formula
    from greppy.query.regex.tree import Node

    Span = tuple[int, int]

    class Pattern(Protocol):
        """What `compile_pattern` makes. `formula` is what a file with a match must hold, `node` the pattern's tree
        where RE2 has it, one of bytes with `single_bytes`. `backtracks`: a match may take time without end."""

        single_bytes: bool
        backtracks: bool

        def locate(self, data: bytes, start: int) -> int: ...
        def span(self, line: bytes, start: int) -> Span | None: ...
        def formula(self) -> Formula: ...
        def node(self) -> Node | None: ...


SPECIAL = frozenset(b"\\^$.[]|()?*+{}\n")
_WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
# What else folds to k and s: KELVIN SIGN, LATIN SMALL LETTER LONG S.
_FOREIGN = (b"\xe2\x84\xaa", b"\xc5\xbf")


def is_plain(text: bytes) -> bool:
    """Whether a pattern means itself in every dialect."""
    return SPECIAL.isdisjoint(text)


class Texts:
    """Any of some texts that mean themselves. With `fold` they are ASCII and lower case, and count in any case; what
    holds one of the letters beyond ASCII that fold to k or s is then left to RE2, and `locate` is not for them."""

    __slots__ = ("_foreign", "_regex", "fold", "single_bytes", "texts")
    backtracks = False

    def __init__(self, texts: tuple[bytes, ...], fold: bool = False, single_bytes: bool = False) -> None:
        self.texts = texts
        self.fold = fold
        self.single_bytes = single_bytes
        self._foreign = fold and not single_bytes and any(letter in text for text in texts for letter in (b"k", b"s"))
        self._regex: Regex | None = None

    def locate(self, data: bytes, start: int) -> int:
        places = [at for text in self.texts if (at := data.find(text, start)) >= 0]
        return min(places, default=-1)

    def span(self, line: bytes, start: int) -> Span | None:
        if self.holds_foreign(line):
            return self.in_re2().span(line, start)
        searched = line.lower() if self.fold else line
        found = [(at, -len(text)) for text in self.texts if (at := searched.find(text, start)) >= 0]
        if not found:
            return None
        at, length = min(found)
        return at, at - length

    def formula(self) -> Formula:
        if not self.fold:
            return any_of(map(of_literal, self.texts))
        from greppy.query.regex.required import required

        return required(self._tree(), self.single_bytes)

    def node(self) -> Node | None:
        return self._tree() if self.single_bytes or all(map(is_text, self.texts)) else None

    def _tree(self) -> Node:
        from greppy.query.regex.syntax import literal_tree
        from greppy.query.regex.tree import Alternate

        encoding = "latin-1" if self.single_bytes else "utf-8"
        return Alternate([literal_tree(text.decode(encoding), self.fold) for text in self.texts])

    def holds_foreign(self, data: bytes) -> bool:
        """Whether more than ASCII's letters may match in `data`."""
        return self._foreign and not data.isascii() and any(letter in data for letter in _FOREIGN)

    def in_re2(self) -> Regex:
        """The same for RE2."""
        if self._regex is None:
            self._regex = Regex(self._tree(), self.single_bytes)
        return self._regex


class Regex:
    """A regular expression in RE2: linear time. `perl`: of several matches at one place the one that the pattern
    prefers, not the longest."""

    __slots__ = ("_finder", "_spanner", "_tree", "single_bytes")
    backtracks = False

    def __init__(self, tree: Node, single_bytes: bool = False, perl: bool = False) -> None:
        from greppy.search.exact.engines import Compiled

        self._tree = tree
        self.single_bytes = single_bytes
        self._finder = Compiled(tree, single_bytes=single_bytes)
        self._spanner = self._finder if perl else Compiled(tree, longest=True, single_bytes=single_bytes)

    def locate(self, data: bytes, start: int) -> int:
        return self._finder.locate(data, start)

    def span(self, line: bytes, start: int) -> Span | None:
        return self._spanner.span(line, start)

    def formula(self) -> Formula:
        from greppy.query.regex.required import required

        return required(self._tree, self.single_bytes)

    def node(self) -> Node | None:
        return self._tree


def is_text(data: bytes) -> bool:
    """Whether `data` is UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def word_span(pattern: Pattern, line: bytes, start: int, word: bool) -> Span | None:
    """The first match at or after `start`, with `word` the first that is a word, found as git's grep.c finds it: a
    match that is none sends the search on behind the next character that is no word's."""
    first = at = start
    while True:
        found = pattern.span(line, at)
        if found is None or not word:
            return found
        low, high = found
        whole = (low == first or line[low - 1] not in _WORD) and (high == len(line) or line[high] not in _WORD)
        if whole and low < high:
            return found
        if low + 1 >= len(line):
            return None
        at = low + 1
        while at < len(line) and line[at - 1] in _WORD:
            at += 1
        if at >= len(line):
            return None
        first = at


def compile_pattern(
    text: bytes, dialect: str, fold: bool, multiline: bool = False, single_bytes: bool = False
) -> Pattern:
    """`text` in a dialect: "fixed", "extended" or "perl". Raises BadArguments for what cannot be done."""
    if b"\0" in text:
        raise BadArguments("the pattern has a NUL in it", "write \\x00 for it")
    if dialect == "fixed" or is_plain(text):
        if not fold:
            return Texts((text,), single_bytes=single_bytes)
        if text.isascii():
            return Texts((text.lower(),), text.lower() != text.upper(), single_bytes)
    choice = _choice(text, fold, single_bytes) if dialect == "extended" and not multiline else None
    if choice is not None:
        return choice
    from greppy.search.exact.engines import compile_regex

    return compile_regex(text, dialect, fold, multiline, single_bytes or not is_text(text))


def _choice(text: bytes, fold: bool, single_bytes: bool) -> Texts | None:
    """A pattern such as `red|green|blue`, which needs no engine."""
    from greppy.query.regex.needles import texts_of
    from greppy.query.regex.syntax import parse

    if not is_text(text):
        return None
    found = texts_of(parse(text.decode(), fold))
    return None if found is None else Texts(found.texts, found.fold, single_bytes)
