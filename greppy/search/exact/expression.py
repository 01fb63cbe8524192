"""Patterns joined by --and, --or, --not and parentheses, as git grep joins them for each line. HOT.

In: the words of the command line in their order. Out: `Pattern`s and, where they are joined by more than "or", an
expression over them. Two expressions side by side are joined by "or", which binds least; --and binds more, --not most.
"""

from __future__ import annotations

from greppy.errors import BadArguments
from greppy.query.regex.formula import ANY, all_of, any_of
from greppy.search.exact.pattern import word_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from greppy.query.regex.formula import Formula
    from greppy.search.exact.pattern import Pattern

    Expression: TypeAlias = "Atom | Not | Both | Either"

AND, NOT, OPEN, CLOSE = "--and", "--not", "(", ")"


class Columns:
    """Where the first match of what is wanted begins in a line, and of what is not; -1: nowhere."""

    __slots__ = ("inverted", "plain")

    def __init__(self) -> None:
        self.plain = -1
        self.inverted = -1


class Atom:
    """A pattern."""

    __slots__ = ("pattern", "word")

    def __init__(self, pattern: Pattern, word: bool) -> None:
        self.pattern = pattern
        self.word = word

    def holds(self, line: bytes, columns: Columns, every: bool, inverted: bool = False) -> bool:
        found = word_span(self.pattern, line, 0, self.word)
        if found is None:
            return False
        before = columns.inverted if inverted else columns.plain
        if before < 0 or found[0] < before:
            if inverted:
                columns.inverted = found[0]
            else:
                columns.plain = found[0]
        return True


class Not:
    """What `part` does not hold for."""

    __slots__ = ("part",)

    def __init__(self, part: Expression) -> None:
        self.part = part

    def holds(self, line: bytes, columns: Columns, every: bool, inverted: bool = False) -> bool:
        return not self.part.holds(line, columns, every, not inverted)


class Both:
    """What both parts hold for. With `every`, both are looked at in any case, for the column's sake."""

    __slots__ = ("left", "right")

    def __init__(self, left: Expression, right: Expression) -> None:
        self.left = left
        self.right = right

    def holds(self, line: bytes, columns: Columns, every: bool, inverted: bool = False) -> bool:
        left = self.left.holds(line, columns, every, inverted)
        if not left and not every:
            return False
        return self.right.holds(line, columns, every, inverted) and left


class Either:
    """What one of the parts holds for."""

    __slots__ = ("left", "right")

    def __init__(self, left: Expression, right: Expression) -> None:
        self.left = left
        self.right = right

    def holds(self, line: bytes, columns: Columns, every: bool, inverted: bool = False) -> bool:
        left = self.left.holds(line, columns, every, inverted)
        if left and not every:
            return True
        return self.right.holds(line, columns, every, inverted) or left


def required(expression: Expression, of_pattern: Callable[[Pattern], Formula]) -> Formula:
    """What a file must hold to have a line that `expression` holds for."""
    if isinstance(expression, Atom):
        return of_pattern(expression.pattern)
    if isinstance(expression, Not):
        return ANY
    parts = (required(expression.left, of_pattern), required(expression.right, of_pattern))
    return all_of(parts) if isinstance(expression, Both) else any_of(parts)


def parse_expression(tokens: Sequence[str | Pattern], word: bool) -> Expression:
    """The expression of `tokens`: patterns, and the strings AND, NOT, OPEN and CLOSE. Raises BadArguments."""
    reader = _Reader(tokens, word)
    found = reader.either()
    if reader.at < len(tokens) or found is None:
        raise _misplaced(reader.peek())
    return found


class _Reader:
    """One token ahead, as grep.c reads them."""

    def __init__(self, tokens: Sequence[str | Pattern], word: bool) -> None:
        self.tokens = tokens
        self.word = word
        self.at = 0

    def peek(self) -> str | Pattern | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def either(self) -> Expression | None:
        parts = [self.both()]
        while parts[-1] is not None and self.peek() is not None and self.peek() != CLOSE:
            parts.append(self.both())
            if parts[-1] is None:
                raise _misplaced(self.peek())
        return _folded(parts)

    def both(self) -> Expression | None:
        left = self.negation()
        if self.peek() != AND:
            return left
        self.at += 1
        right = self.both() if left is not None else None
        if left is None or right is None:
            raise _misplaced(AND)
        return Both(left, right)

    def negation(self) -> Expression | None:
        token = self.peek()
        if token == NOT:
            self.at += 1
            part = self.negation()
            if part is None:
                raise _misplaced(NOT)
            return Not(part)
        if token == OPEN:
            self.at += 1
            inside = self.either()
            if self.peek() != CLOSE:
                raise BadArguments('"(" is not closed by ")"', "close the group, quoting it from the shell: \\)")
            self.at += 1
            return inside
        if token is None or isinstance(token, str):
            return None
        self.at += 1
        return Atom(token, self.word)


def _folded(parts: list[Expression | None]) -> Expression | None:
    found = parts[-1]
    for part in reversed(parts[:-1]):
        if part is not None and found is not None:
            found = Either(part, found)
    return found


def _misplaced(token: str | Pattern | None) -> BadArguments:
    what = f"{token} stands" if isinstance(token, str) else "an operator stands"
    return BadArguments(f"{what} where a pattern belongs", "write -e PATTERN on both sides of --and, and after --not")
