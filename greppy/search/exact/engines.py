"""The two engines behind patterns: RE2, and Python's `re` for what only a backtracking engine can do (`-P`).

In: a pattern. Out: compiled objects. A backtracking match may take time without end: it gets `SECONDS` a file, by the
interval timer of the process, and `TooSlow` ends it.
"""

from __future__ import annotations

import re2

from greppy.errors import BadArguments
from greppy.query.regex.emit import emit
from greppy.query.regex.formula import ANY
from greppy.query.regex.syntax import Unsupported, literal_tree, parse, read
from greppy.search.exact.pattern import Regex, is_fixed, is_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from greppy.query.regex.formula import Formula
    from greppy.query.regex.tree import Node
    from greppy.search.exact.pattern import Pattern, Span

SECONDS = 2.0
MOST_SLOW = 5
"""Files that may take too long before the search is given up."""

MEMORY = 1 << 26
"""Bytes that RE2 may use for one pattern; its default of 8 MiB makes long alternations fall back to a slow engine."""


class TooSlow(Exception):
    """A backtracking match was ended."""


class Compiled:
    """A tree compiled by RE2."""

    __slots__ = ("_search",)

    def __init__(self, tree: Node, longest: bool = False, single_bytes: bool = False) -> None:
        options = re2.Options()
        options.log_errors = False
        options.longest_match = longest
        options.never_capture = True
        options.max_mem = MEMORY
        if single_bytes:
            options.encoding = re2.Options.Encoding.LATIN1
        try:
            self._search = re2.compile(emit(tree, single_bytes), options).search
        except re2.error as error:
            raise BadArguments(f"RE2 does not take the pattern: {_message(error)}", "write it otherwise") from None

    def locate(self, data: bytes, start: int) -> int:
        found = self._search(data, start)
        return -1 if found is None else found.start()

    def match(self, data: bytes, start: int) -> Span | None:
        """The next match at or after `start`, which may go over the ends of lines."""
        found = self._search(data, start)
        return None if found is None else found.span()

    def span(self, line: bytes, start: int) -> Span | None:
        """As `Pattern.span`. From `start` on the line is taken as a text of its own that is no line's beginning."""
        if not start:
            found = self._search(line)
            return None if found is None else found.span()
        found = self._search(b"\0" + line[start:], 1)
        return None if found is None else (found.start() + start - 1, found.end() + start - 1)


def _message(error: Exception) -> str:
    text = error.args[0] if error.args else ""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def compile_regex(text: bytes, dialect: str, fold: bool, multiline: bool, single_bytes: bool) -> Pattern:
    """A pattern that needs an engine. "perl" goes to RE2 too wherever RE2 has what it asks for. `single_bytes`: the
    locale's characters are bytes; those of a pattern that is no UTF-8 are so too."""
    if dialect == "extended" and not (multiline or single_bytes or is_fixed(text)):
        found = _as_posix(text, fold)
        if found is not None:
            return found
    by_bytes = single_bytes or not is_text(text)
    try:
        tree = _tree(text.decode("latin-1" if by_bytes else "utf-8"), dialect, fold, multiline, not by_bytes)
    except Unsupported:
        if dialect != "perl" or multiline:
            raise
        return Backtracking(text, fold)
    return Regex(tree, by_bytes, perl=dialect == "perl")


def _as_posix(text: bytes, fold: bool) -> Pattern | None:
    """The pattern as the C library has it; None where that makes no difference, or where it does not have it."""
    from greppy.query.regex.wide import Widened

    tree, posix = read(text.decode("utf-8", "surrogateescape"), fold)
    widened = Widened(tree)
    if not posix or not (widened.open or not is_text(text)):
        return Regex(tree) if is_text(text) else None
    from greppy.search.exact.posix import PosixRegex

    return PosixRegex(text, tree, widened, fold)


def _tree(text: str, dialect: str, fold: bool, multiline: bool, unicode: bool) -> Node:
    if dialect == "fixed":
        return literal_tree(text, fold)
    return parse(text, fold, multiline, unicode, dot_nul=dialect == "perl" or multiline)


class Backtracking:
    """A pattern for Python's `re`, tried line by line on text; bytes that are no UTF-8 match `.` and negated sets."""

    __slots__ = ("_search", "single_bytes")
    backtracks = True

    def __init__(self, text: bytes, fold: bool) -> None:
        import re

        try:
            self._search = re.compile(text.decode("utf-8", "surrogateescape"), re.IGNORECASE if fold else 0).search
        except (re.error, OverflowError, RecursionError) as error:
            raise BadArguments(f"-P: {error}", "Python's re says what it has; not all of Perl is there") from None
        self.single_bytes = False

    def locate(self, data: bytes, start: int) -> int:
        """Every line has to be tried."""
        return start if start < len(data) else -1

    def is_certain(self, line: bytes) -> bool:
        return False

    def span(self, line: bytes, start: int) -> Span | None:
        lead = "\0" if start else ""
        text = lead + line[start:].decode("utf-8", "surrogateescape")
        found = self._search(text, len(lead))
        if found is None:
            return None
        low = len(text[len(lead) : found.start()].encode("utf-8", "surrogateescape"))
        return start + low, start + low + len(found.group().encode("utf-8", "surrogateescape"))

    def formula(self) -> Formula:
        return ANY

    def node(self) -> Node | None:
        return None


class TimeLimit:
    """A context manager in which a backtracking match may not run on: it raises `TooSlow` there after `SECONDS`."""

    def __enter__(self) -> TimeLimit:
        import signal

        def end(_number: int, _frame: object) -> None:
            raise TooSlow

        self._before = signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import signal

        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
