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
from greppy.query.regex.formula import all_of, any_of, of_literal, trigram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from greppy.query.regex.formula import Formula
    from greppy.query.regex.tree import Node

    Span = tuple[int, int]

    class Pattern(Protocol):
        """What `compile_pattern` makes. `formula` is what a file with a match must hold, `node` the pattern's tree
        where RE2 has it, one of bytes with `single_bytes`. `is_certain`: a line in which `locate` found something
        matches without being judged. `backtracks`: a match may take time without end."""

        single_bytes: bool
        backtracks: bool

        def locate(self, data: bytes, start: int) -> int: ...
        def is_certain(self, line: bytes) -> bool: ...
        def span(self, line: bytes, start: int) -> Span | None: ...
        def formula(self) -> Formula: ...
        def node(self) -> Node | None: ...


MOST = 32
"""Texts of a choice that are looked for one by one."""

_GIT_SPECIAL = frozenset(b"\\^$.[|()?*+{")
SPECIAL = frozenset(b"\\^$.[]|()?*+{}\n")
_WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
# What else folds to k, s and i: KELVIN SIGN, LATIN SMALL LETTER LONG S; for the C library LATIN SMALL LETTER DOTLESS I.
_FOREIGN = {b"k": b"\xe2\x84\xaa", b"s": b"\xc5\xbf"}
_FOREIGN_TO_POSIX = {b"s": b"\xc5\xbf", b"i": b"\xc4\xb1"}


def is_plain(text: bytes) -> bool:
    """Whether a pattern means itself in every dialect."""
    return SPECIAL.isdisjoint(text)


def is_fixed(text: bytes) -> bool:
    """Whether git takes a pattern for a text, which it leaves to PCRE: `is_fixed` in its grep.c."""
    return _GIT_SPECIAL.isdisjoint(text)


def _foreign_to(
    texts: tuple[bytes, ...], fold: bool, single_bytes: bool, posix: bool
) -> tuple[tuple[bytes, bytes], ...]:
    """The letters beyond ASCII that may match in any of some texts too, each with the one that it matches as."""
    if not fold or single_bytes:
        return ()
    table = _FOREIGN_TO_POSIX if posix else _FOREIGN
    return tuple((other, letter) for letter, other in table.items() if any(letter in text for text in texts))


def _formula_of(text: bytes, fold: bool, single_bytes: bool) -> Formula:
    """A file that may hold `text`, with `fold` in any case. Of three characters, of which some may be longer than a
    byte, their first three bytes stand in every file that has them."""
    if not fold:
        return of_literal(text)
    cases = [_cases(text[at : at + 1], single_bytes) for at in range(len(text))]
    return all_of(
        any_of([trigram((a + b + c)[:3]) for a in cases[at] for b in cases[at + 1] for c in cases[at + 2]])
        for at in range(len(text) - 2)
    )


def _cases(letter: bytes, single_bytes: bool) -> tuple[bytes, ...]:
    """What a lower-case letter of a folded text stands for."""
    if letter.upper() == letter:
        return (letter,)
    foreign = () if single_bytes else [table[letter] for table in (_FOREIGN, _FOREIGN_TO_POSIX) if letter in table]
    return letter, letter.upper(), *foreign


class Texts:
    """Any of some texts that mean themselves. With `fold` they are ASCII and lower case, and count in any case; what
    holds one of the letters beyond ASCII that have those cases too (`foreign`) is then left to an engine, and `locate`
    is not for them. `pattern`: what they were written as, if not as themselves."""

    __slots__ = ("_regex", "fold", "foreign", "pattern", "single_bytes", "texts")
    backtracks = False

    def __init__(
        self, texts: tuple[bytes, ...], fold: bool = False, single_bytes: bool = False, pattern: bytes = b""
    ) -> None:
        self.pattern = pattern
        self.texts = texts
        self.fold = fold
        self.single_bytes = single_bytes
        self.foreign = _foreign_to(texts, fold, single_bytes, bool(pattern))
        self._regex: Pattern | None = None

    def chains(self) -> tuple[tuple[bytes, ...], ...]:
        """As `greppy.kernels.reference.rows` has them."""
        return tuple((text,) for text in self.texts)

    def locate(self, data: bytes, start: int) -> int:
        places = [at for text in self.texts if (at := data.find(text, start)) >= 0]
        return min(places, default=-1)

    def is_certain(self, line: bytes) -> bool:
        return True

    def span(self, line: bytes, start: int) -> Span | None:
        if self.holds_foreign(line):
            return self.in_engine().span(line, start)
        searched = line.lower() if self.fold else line
        found = [(at, -len(text)) for text in self.texts if (at := searched.find(text, start)) >= 0]
        if not found:
            return None
        at, length = min(found)
        return at, at - length

    def formula(self) -> Formula:
        return any_of([_formula_of(text, self.fold, self.single_bytes) for text in self.texts])

    def node(self) -> Node | None:
        return self._tree() if self.single_bytes or all(map(is_text, self.texts)) else None

    def _tree(self) -> Node:
        from greppy.query.regex.syntax import literal_tree
        from greppy.query.regex.tree import Alternate

        encoding = "latin-1" if self.single_bytes else "utf-8"
        return Alternate([literal_tree(text.decode(encoding), self.fold) for text in self.texts])

    def holds_foreign(self, data: bytes) -> bool:
        """Whether more than ASCII's letters may match in `data`."""
        return bool(self.foreign) and not data.isascii() and any(letter in data for letter, _ in self.foreign)

    def in_engine(self) -> Pattern:
        """The same for an engine."""
        if self._regex is None and self.pattern:
            from greppy.search.exact.engines import compile_regex

            self._regex = compile_regex(self.pattern, "extended", self.fold, False, self.single_bytes)
        elif self._regex is None:
            self._regex = Regex(self._tree(), self.single_bytes)
        return self._regex


class Chain:
    """Texts that stand one behind the other in a line, with anything between: `one.*other`. RE2 comes in only where it
    is asked where a match begins and ends, or what a `.` matches. With `fold` the texts are ASCII and lower case."""

    __slots__ = ("_regex", "_text", "fold", "foreign", "single_bytes", "texts")
    backtracks = False

    def __init__(self, text: bytes, texts: tuple[bytes, ...], fold: bool, single_bytes: bool) -> None:
        self.texts = texts
        self.fold = fold
        self.single_bytes = single_bytes
        self.foreign = _foreign_to(texts, fold, single_bytes, posix=True)
        self._text = text
        self._regex: Pattern | None = None

    def chains(self) -> tuple[tuple[bytes, ...], ...]:
        """As `greppy.kernels.reference.rows` has them."""
        return (self.texts,)

    def locate(self, data: bytes, start: int) -> int:
        return self._in_engine().locate(data, start)

    def is_certain(self, line: bytes) -> bool:
        return self._in_engine().is_certain(line)

    def span(self, line: bytes, start: int) -> Span | None:
        return self._in_engine().span(line, start)

    def formula(self) -> Formula:
        return all_of([_formula_of(text, self.fold, self.single_bytes) for text in self.texts])

    def node(self) -> Node | None:
        return self._in_engine().node()

    def _in_engine(self) -> Pattern:
        if self._regex is None:
            from greppy.search.exact.engines import compile_regex

            self._regex = compile_regex(self._text, "extended", self.fold, False, self.single_bytes)
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

    def is_certain(self, line: bytes) -> bool:
        return True

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
    if dialect == "extended" and not multiline:
        simple = _chain(text, fold, single_bytes) or _choice(text, fold, single_bytes)
        if simple is not None:
            return simple
    from greppy.search.exact.engines import compile_regex

    return compile_regex(text, dialect, fold, multiline, single_bytes)


def _chain(text: bytes, fold: bool, single_bytes: bool) -> Chain | None:
    """A pattern such as `one.*other`."""
    parts = text.split(b".*")
    texts = tuple(part.lower() if fold else part for part in parts if part)
    if len(parts) < 2 or not texts or not all(map(is_plain, texts)) or not is_text(text):
        return None
    return None if fold and not text.isascii() else Chain(text, texts, fold, single_bytes)


def _choice(text: bytes, fold: bool, single_bytes: bool) -> Texts | None:
    """A pattern such as `red|green|blue`, which needs no engine."""
    parts = text.split(b"|")
    if len(parts) <= MOST and all(map(is_plain, parts)) and all(parts) and is_text(text) and not fold:
        return Texts(tuple(dict.fromkeys(parts)), single_bytes=single_bytes)
    from greppy.query.regex.needles import texts_of
    from greppy.query.regex.syntax import parse

    if not is_text(text):
        return None
    found = texts_of(parse(text.decode(), fold))
    return (
        None
        if found is None
        else Texts(found.texts, found.fold, single_bytes, text if fold and not is_fixed(text) else b"")
    )
