"""What `greppy grep` prints, file by file: the mode (lines, names, counts, nothing) and the form. HOT.

In: found files. Out: bytes on stdout, written as soon as the first file with a match is through and then in pieces of
`PIECE`; whether there was a match. `PlainForm` is git grep's own output, byte for byte; `grep_terminal` and `grep_json`
have the other forms.
"""

from __future__ import annotations

from itertools import chain

from greppy.output.stream import write_out
from greppy.search.exact.question import NO_LIMIT
from greppy.search.exact.rows import AS_GIT, COUNTS, LEAVE_OUT, LINES, NAMES, NAMES_WITHOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from greppy.output.grep_names import Names
    from greppy.search.exact.engine import Found
    from greppy.search.exact.lines import Hit
    from greppy.search.exact.question import Context, Question
    from greppy.search.exact.rows import Rows

    Spans = Callable[[int, bytes], Iterable[tuple[int, int]]]

    class Form(Protocol):
        """How things look. `last_shown` and `show_line` are what `greppy.search.exact.context` needs."""

        last_shown: int

        def begin(self, found: Found, spans: Spans, with_context: bool) -> None: ...
        def show_hits(self, content: bytes, hits: Iterable[Hit]) -> None: ...
        def show_line(self, sign: bytes, number: int, line: bytes, column: int) -> None: ...
        def show_binary(self) -> None: ...
        def show_name(self) -> None: ...
        def show_count(self, count: int) -> None: ...


PIECE = 1 << 16


class Sink:
    """Gathers output."""

    __slots__ = ("_parts", "_size", "_wrote")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._wrote = False

    def add(self, data: bytes) -> None:
        """More output; a large file's matches are written before its last one is found."""
        self._parts.append(data)
        self._size += len(data)
        if self._size >= PIECE:
            self.flush()

    def end_file(self) -> None:
        """A file is through: the first output is not kept waiting."""
        if self._parts and not self._wrote:
            self.flush()

    def flush(self) -> None:
        """Write what there is. Raises what `write_out` raises."""
        if self._parts:
            data = b"".join(self._parts)
            self._parts, self._size, self._wrote = [], 0, True
            write_out(data)


class Show:
    """What of each file: `mode` is LINES, NAMES, NAMES_WITHOUT or COUNTS, `binaries` AS_GIT, AS_TEXT or LEAVE_OUT.
    `quiet`: nothing, only whether there is something."""

    __slots__ = ("binaries", "mode", "quiet")

    def __init__(self, mode: int = LINES, binaries: int = AS_GIT, quiet: bool = False) -> None:
        self.mode = mode
        self.binaries = binaries
        self.quiet = quiet


class Printer:
    """Prints found files."""

    def __init__(
        self,
        form: Form,
        sink: Sink,
        question: Question,
        context: Context,
        is_binary: Callable[[Found], bool],
        what: Show,
        rows: Rows | None = None,
    ) -> None:
        self._form = form
        self._sink = sink
        self._question = question
        self._context = context
        self._is_binary = is_binary
        self._what = what
        self._rows = rows

    def print_file(self, found: Found) -> bool:
        """Print what there is to print of a file; whether that counts as a result."""
        content = found.content
        rows = None if self._rows is None else self._rows.of_text(found.source, content)
        if rows is not None:
            return self._print_rows(found, rows)
        return self._print_lines(found, content)

    def _print_lines(self, found: Found, content: bytes) -> bool:
        from greppy.search.exact.lines import find_hits, spans_of_lines

        hits = find_hits(self._question, content)
        first = next(hits, None)
        without = self._what.mode == NAMES_WITHOUT
        if self._what.binaries == LEAVE_OUT and (first is not None or without) and self._is_binary(found):
            return False
        if first is None:
            return self._print_without(found)
        if without or self._what.quiet:
            return not without
        self._form.begin(found, spans_of_lines(self._question, content), self._context.hunks)
        self._print_hits(found, content, first, hits)
        self._sink.end_file()
        return True

    def print_rows(self, rows: bytes) -> bool:
        """Print what `Rows` gave of some files."""
        if not self._what.quiet:
            self._sink.add(rows)
            self._sink.end_file()
        return True

    def _print_rows(self, found: Found, rows: bytes) -> bool:
        binaries = self._what.binaries
        if not rows or (binaries == LEAVE_OUT and self._is_binary(found)):
            return False
        if self._what.quiet or binaries != AS_GIT or self._what.mode != LINES or not self._is_binary(found):
            return self.print_rows(rows)
        self._form.begin(found, lambda _number, _line: (), False)
        self._form.show_binary()
        self._sink.end_file()
        return True

    def _print_without(self, found: Found) -> bool:
        if self._what.mode != NAMES_WITHOUT:
            return False
        if not self._what.quiet:
            self._form.begin(found, lambda _number, _line: (), False)
            self._form.show_name()
            self._sink.end_file()
        return True

    def _print_hits(self, found: Found, content: bytes, first: Hit, rest: Iterable[Hit]) -> None:
        if self._what.mode == NAMES:
            self._form.show_name()
        elif self._what.mode == COUNTS:
            count = 1 + sum(1 for _ in rest)
            limit = self._context.limit
            self._form.show_count(count if limit == NO_LIMIT else min(count, limit))
        elif self._what.binaries == AS_GIT and self._is_binary(found):
            self._form.show_binary()
        elif self._context or self._context.limit != NO_LIMIT:
            from greppy.search.exact.context import Lines, show

            heads = found.function_heads() if self._context.head or self._context.body else None
            show(self._form, self._question, chain((first,), rest), Lines(content, heads), self._context)
        else:
            self._form.show_hits(content, chain((first,), rest))


class PlainForm:
    """git grep's own form, `path:line:text`."""

    __slots__ = (
        "_columns",
        "_hunks",
        "_name",
        "_names",
        "_null",
        "_numbers",
        "_only",
        "_paths",
        "_sink",
        "_spans",
        "_with_context",
        "last_shown",
    )

    def __init__(
        self,
        sink: Sink,
        names: Names,
        paths: bool = True,
        numbers: bool = True,
        columns: bool = False,
        only_matching: bool = False,
        null: bool = False,
    ) -> None:
        self._sink = sink
        self._names = names
        self._paths = paths
        self._numbers = numbers
        self._columns = columns
        self._only = only_matching
        self._null = null
        self._name = b""
        self._hunks = False
        self._with_context = False
        self._spans: Spans = lambda _number, _line: ()
        self.last_shown = 0

    def begin(self, found: Found, spans: Spans, with_context: bool) -> None:
        """Another file comes."""
        self._hunks = self._hunks or self.last_shown > 0
        self.last_shown = 0
        self._name = self._names(found.source)
        self._spans = spans
        self._with_context = with_context

    def show_hits(self, content: bytes, hits: Iterable[Hit]) -> None:
        """Lines without context."""
        if self._only or self._columns or self._null:
            for number, start, end, column in hits:
                self.show_line(b":", number, content[start:end], max(column, 0))
            return
        name = self._name + b":" if self._paths else b""
        if self._numbers:
            rows = [b"%b%d:%b\n" % (name, number, content[start:end]) for number, start, end, _ in hits]
        else:
            rows = [b"%b%b\n" % (name, content[start:end]) for _, start, end, _ in hits]
        self._sink.add(b"".join(rows))

    def show_line(self, sign: bytes, number: int, line: bytes, column: int) -> None:
        """One line; `column` from 0, -1 where none is to be shown."""
        if self._with_context and (number > self.last_shown + 1 if self.last_shown else self._hunks):
            self._sink.add(b"--\n")
        if not self._only:
            self._sink.add(self._header(sign, number, column) + line + b"\n")
            return
        for start, end in self._spans(number, line):
            self._sink.add(self._header(sign, number, start) + line[start:end] + b"\n")

    def _header(self, sign: bytes, number: int, column: int) -> bytes:
        self.last_shown = number
        separator = b"\0" if self._null else sign
        parts = [self._name] if self._paths else []
        if self._numbers:
            parts.append(b"%d" % number)
        if self._columns and column >= 0:
            parts.append(b"%d" % (column + 1))
        return b"".join(part + separator for part in parts)

    def show_binary(self) -> None:
        """The one line of a binary file."""
        self._sink.add(b"Binary file %b matches\n" % self._name)

    def show_name(self) -> None:
        """The file's name alone."""
        self._sink.add(self._name + (b"\0" if self._null else b"\n"))

    def show_count(self, count: int) -> None:
        """The number of lines."""
        separator = b"\0" if self._null else b":"
        self._sink.add((self._name + separator if self._paths else b"") + b"%d\n" % count)
