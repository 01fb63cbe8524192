"""One pattern, ready to be looked for: in a file's bytes, and within one line. HOT.

In: what was asked for (`greppy.search.exact.question`). Out: objects with two questions. `locate(data, start)`: where
at or after `start` something begins whose line may hold a match. `span(line, start)`: the leftmost and, as POSIX wants
it, longest match in one line, which is what decides.

A plain text needs `bytes.find` alone, in either case of its letters; RE2 (13 ms to import) comes in for the rest. A line
that is not UTF-8 is matched byte by byte, every other one character by character.
"""

from __future__ import annotations

from greppy.errors import BadArguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from greppy.query.regex.tree import Node

    Span = tuple[int, int]

    class Pattern(Protocol):
        """What `compile_pattern` makes. `wide`: a line that is not UTF-8 is another matter; `tree` is None where
        nothing is known of what it matches."""

        wide: bool
        tree: Node | None

        def locate(self, data: bytes, start: int) -> int: ...
        def span(self, line: bytes, start: int) -> Span | None: ...


SPECIAL = frozenset(b"\\^$.[]|()?*+{}\n")
_WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
# What else folds to k and s: KELVIN SIGN, LATIN SMALL LETTER LONG S.
_FOREIGN = (b"\xe2\x84\xaa", b"\xc5\xbf")


def is_plain(text: bytes) -> bool:
    """Whether a pattern means itself in every dialect."""
    return SPECIAL.isdisjoint(text)


class Plain:
    """A text that means itself."""

    __slots__ = ("text", "tree", "wide")

    def __init__(self, text: bytes, tree: Node | None) -> None:
        self.text = text
        self.tree = tree
        self.wide = False

    def locate(self, data: bytes, start: int) -> int:
        return data.find(self.text, start)

    def span(self, line: bytes, start: int) -> Span | None:
        at = line.find(self.text, start)
        return None if at < 0 else (at, at + len(self.text))


class Folded:
    """An ASCII text in any case. A file with one of the letters beyond ASCII that fold to k or s is left to RE2."""

    __slots__ = ("_data", "_has_foreign", "_lowered", "_regex", "_text", "tree", "wide")

    def __init__(self, text: bytes, tree: Node) -> None:
        self._text = text.lower()
        self.tree = tree
        self.wide = False
        self._data = self._lowered = b""
        self._has_foreign = False
        self._regex: Regex | None = None

    def locate(self, data: bytes, start: int) -> int:
        self._look_at(data)
        return self._regex_for_foreign().locate(data, start) if self._has_foreign else self._find(start)

    def span(self, line: bytes, start: int) -> Span | None:
        self._look_at(line)
        if self._has_foreign:
            return self._regex_for_foreign().span(line, start)
        at = self._find(start)
        return None if at < 0 else (at, at + len(self._text))

    def _find(self, start: int) -> int:
        return self._lowered.find(self._text, start)

    def _look_at(self, data: bytes) -> None:
        if data is not self._data:
            self._data = data
            self._lowered = data.lower()
            self._has_foreign = not data.isascii() and any(letter in data for letter in _FOREIGN)

    def _regex_for_foreign(self) -> Regex:
        if self._regex is None:
            self._regex = Regex(self.tree, None)
        return self._regex


class Regex:
    """A regular expression in RE2: linear time. `bytes_tree` is the pattern's tree when each byte is a character, None
    where that matches the same; without `tree` (a pattern that is not UTF-8) there is nothing else."""

    __slots__ = ("_by_byte", "_finder", "_spanner", "tree", "wide")

    def __init__(self, tree: Node, bytes_tree: Node | None, perl: bool = False) -> None:
        from greppy.search.exact.engines import Compiled

        self.tree = tree
        self.wide = bytes_tree is not None
        self._finder = Compiled(tree)
        self._spanner = self._finder if perl else Compiled(tree, longest=True)
        self._by_byte = None if bytes_tree is None else Compiled(bytes_tree, longest=not perl, single_bytes=True)

    def locate(self, data: bytes, start: int) -> int:
        return self._finder.locate(data, start)

    def span(self, line: bytes, start: int) -> Span | None:
        if self._by_byte is not None and not is_text(line):
            return self._by_byte.span(line, start)
        return self._spanner.span(line, start)


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


def compile_pattern(text: bytes, dialect: str, fold: bool, multiline: bool = False) -> Pattern:
    """`text` in a dialect: "fixed", "extended" or "perl". Raises BadArguments for what cannot be done."""
    if b"\0" in text:
        raise BadArguments("the pattern has a NUL in it", "write \\x00 for it")
    if dialect == "fixed" or is_plain(text):
        plain = _plain(text, fold)
        if plain is not None:
            return plain
    from greppy.search.exact.engines import compile_regex

    return compile_regex(text, dialect, fold, multiline)


def _plain(text: bytes, fold: bool) -> Pattern | None:
    if not fold:
        return Plain(text, None)
    if not text.isascii():
        return None
    from greppy.query.regex.syntax import literal_tree

    return Folded(text, literal_tree(text.decode(), fold=True))
