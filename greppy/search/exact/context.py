"""Which lines of a file are shown around its hits, and by which sign: `:` a hit, `-` context, `=` a function's head.

In: hits, the context that is wanted, and what says where functions begin. Out: calls of `Display.show_line`, in the
order of git's grep.c (`grep_source_1`, `show_pre_context`, `show_funcname_line`), whose rules these are.
"""

from __future__ import annotations

from greppy import kernels
from greppy.search.exact.lines import judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol

    from greppy.search.exact.lines import Hit
    from greppy.search.exact.question import Context, Question

    class Display(Protocol):
        """What prints lines. `last_shown` is the number of the last one it printed of this file, 0 before the first."""

        last_shown: int

        def show_line(self, sign: bytes, number: int, line: bytes, column: int) -> None: ...


HIT, CONTEXT, FUNCTION = b":", b"-", b"="
_BLANK = b" \t\n\v\f\r"


class Lines:
    """The lines of a file by number, and which of them begin a function.

    `heads`, where given, are the numbers of such lines; else, as git has it without a driver for the language, a line
    that begins with a letter, `_` or `$` is one.
    """

    __slots__ = ("_data", "_heads", "_starts", "count")

    def __init__(self, data: bytes, heads: frozenset[int] | None = None) -> None:
        self._data = data
        self._starts = kernels.line_starts(data)
        self._heads = heads
        self.count = len(self._starts) if data else 0

    def __getitem__(self, number: int) -> bytes:
        if number > self.count:
            return b""
        end = self._starts[number] if number < self.count else len(self._data)
        return self._data[self._starts[number - 1] : end].removesuffix(b"\n")

    def is_head(self, number: int) -> bool:
        """Whether a function begins in this line."""
        if self._heads is not None:
            return number in self._heads
        first = self[number][:1]
        return first.isalpha() or (first != b"" and first in b"_$")

    def is_blank(self, number: int) -> bool:
        """Whether a line holds nothing but white space."""
        return not self[number].strip(_BLANK)


def show(display: Display, question: Question, hits: Iterable[Hit], lines: Lines, context: Context) -> None:
    """Show the hits of one file with their context."""
    _Walk(display, question, hits, lines, context).run()


class _Walk:
    """One pass from line to line, over those only that matter."""

    def __init__(
        self, display: Display, question: Question, hits: Iterable[Hit], lines: Lines, context: Context
    ) -> None:
        self.display = display
        self.question = question
        self.hits: Iterator[Hit] = iter(hits)
        self.lines = lines
        self.context = context
        self.in_function = False
        self.peeked = 0
        self.last_hit = 0
        self.count = 0

    def run(self) -> None:
        hit = next(self.hits, None)
        number = 1
        while number <= self.lines.count + 1:
            if not self._in_window(number):
                if hit is None or self._enough():
                    return
                number = max(number, hit[0])
            elif number > self.lines.count:
                return
            is_hit = hit is not None and hit[0] == number
            if is_hit and hit is not None and not self._enough():
                self._show_hit(number, hit[3])
            else:
                self._show_after(number)
            if is_hit:
                hit = next(self.hits, None)
            number += 1

    def _enough(self) -> bool:
        return 0 <= self.context.limit <= self.count

    def _in_window(self, number: int) -> bool:
        return self.last_hit > 0 and (self.in_function or number <= self.last_hit + self.context.after)

    def _show_hit(self, number: int, column: int) -> None:
        self.count += 1
        if self.context.before or self.context.body:
            self._show_before(number)
        elif self.context.head:
            self._show_head(number)
        self.display.show_line(HIT, number, self.lines[number], max(column, 0))
        self.last_hit = number
        self.in_function = self.context.body

    def _show_after(self, number: int) -> None:
        if self.in_function and self.peeked < number:
            self.peeked = number
            while self.peeked <= self.lines.count and self.lines.is_blank(self.peeked):
                self.peeked += 1
            if self.peeked > self.lines.count or self.lines.is_head(self.peeked):
                self.in_function = False
        if self._in_window(number):
            column = judge(self.question, self.lines[number])[1] if self._wants_columns() else -1
            self.display.show_line(CONTEXT, number, self.lines[number], column)

    def _wants_columns(self) -> bool:
        return self.question.columns and self.question.passages is None

    def _show_head(self, number: int) -> None:
        while number > 1:
            number -= 1
            if number <= self.display.last_shown:
                return
            if self.lines.is_head(number):
                self.display.show_line(FUNCTION, number, self.lines[number], -1)
                return

    def _show_before(self, number: int) -> None:
        context, lines = self.context, self.lines
        first = max(1, number - context.before, self.display.last_shown + 1)
        wanted_first = first
        head_wanted, comment_wanted = context.head, False
        if context.body:
            comment_wanted = lines.is_head(number)
            head_wanted = head_wanted or not comment_wanted
            first = self.display.last_shown + 1
        at, head = number, 0
        while at > max(1, first):
            at -= 1
            if comment_wanted and (lines.is_blank(at) or lines.is_head(at)):
                comment_wanted, first = False, wanted_first
                if at < first:
                    at += 1
                    break
            if head_wanted and lines.is_head(at):
                head, head_wanted = at, False
                if context.body:
                    comment_wanted = True
                else:
                    first = wanted_first
        if context.head and head_wanted:
            self._show_head(at)
        for shown in range(at, number):
            self.display.show_line(FUNCTION if shown == head else CONTEXT, shown, lines[shown], -1)
