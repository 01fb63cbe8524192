"""A file's bytes → the lines that answer a question. HOT.

In: a `Question` and the bytes. Out: hits in order, each (line number from 1, offset of the line's first byte, offset
behind its last, column of its first match from 0 or -1). A line ends at its line feed, which is no part of it; a
carriage return is.
"""

from __future__ import annotations

from itertools import repeat

from greppy import kernels
from greppy.search.exact.pattern import Texts, word_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from greppy.search.exact.pattern import Pattern
    from greppy.search.exact.question import Question

    Hit = tuple[int, int, int, int]


def find_hits(question: Question, data: bytes) -> Iterator[Hit]:
    """The lines of `data` that are to be shown."""
    if question.passages is not None:
        from greppy.search.exact.multiline import touched_lines

        return touched_lines(question.passages, data, question.invert)
    if question.invert or question.finder is None:
        return _tried(question, data)
    finder = question.finder
    if not isinstance(finder, Texts) or not all(finder.texts):
        return _located(question, finder, data)
    if finder.holds_foreign(data):
        return _located(question, finder.in_engine(), data)
    numbers, starts, ends = kernels.matching_lines(data, finder.texts, finder.fold)
    hits = zip(numbers, starts, ends, repeat(-1))
    return _checked(question, data, hits) if question.word or question.columns else hits


def _checked(question: Question, data: bytes, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Those of `hits` in which a match is a word where that is asked for, with their columns."""
    for number, start, end, _ in hits:
        column = first_column(question, data[start:end])
        if column >= 0:
            yield number, start, end, column


def _located(question: Question, finder: Pattern, data: bytes) -> Iterator[Hit]:
    """From match to match, without looking at what lies between."""
    size = len(data)
    start = counted = 0
    number = 1
    hit = True
    certain = not question.word and not question.columns and len(question.patterns) == 1
    while start < size:
        at = finder.locate(data, start)
        if at < 0:
            return
        if at == size and data.endswith(b"\n"):
            yield from _behind_the_end(question, data)
            return
        first = data.rfind(b"\n", start, at) + 1 or start
        end = data.find(b"\n", at)
        if end < 0:
            end = size
        line = data[first:end]
        sure = certain and finder.is_certain(line)
        column = -1 if sure else first_column(question, line)
        hit = sure or column >= 0
        if hit:
            number += data.count(b"\n", counted, first)
            counted = first
            yield number, first, end, column
        start = end + 1
    if size and not hit and data.endswith(b"\n"):
        yield from _behind_the_end(question, data)


def _behind_the_end(question: Question, data: bytes) -> Iterator[Hit]:
    """The empty line behind the last line feed, which is none, but which git grep reports (`look_ahead` in its grep.c)
    where the pattern matches an empty line and not the last one."""
    if not question.perl and first_column(question, b"") >= 0:
        yield data.count(b"\n") + 1, len(data), len(data), 0


def _tried(question: Question, data: bytes) -> Iterator[Hit]:
    """Line by line."""
    start = 0
    number = 0
    while start < len(data):
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        number += 1
        hit, column = judge(question, data[start:end])
        if hit:
            yield number, start, end, column
        start = end + 1
    if number and not hit and data.endswith(b"\n") and not question.invert and question.expression is None:
        yield from _behind_the_end(question, data)


def judge(question: Question, line: bytes) -> tuple[bool, int]:
    """Whether a line is to be shown, and the column of what shows it (-1: the whole line does)."""
    if question.expression is None:
        column = first_column(question, line)
        return (column >= 0) != question.invert, column
    from greppy.search.exact.expression import Columns

    columns = Columns()
    holds = question.expression.holds(line, columns, question.columns)
    return holds != question.invert, columns.inverted if question.invert else columns.plain


def first_column(question: Question, line: bytes) -> int:
    """Where the earliest match of any pattern begins in a line; -1 where there is none. Where columns are not wanted
    it is that of the first pattern that matches."""
    earliest = -1
    for pattern in question.patterns:
        found = word_span(pattern, line, 0, question.word)
        if found is not None and (earliest < 0 or found[0] < earliest):
            earliest = found[0]
            if not question.columns:
                break
    return earliest


def spans_of_lines(question: Question, data: bytes) -> Callable[[int, bytes], Iterable[tuple[int, int]]]:
    """What gives the matches within a line of `data`, asked by its number and its bytes."""
    if question.passages is None:
        return lambda _number, line: spans(question, line)
    from greppy.search.exact.multiline import spans_by_line

    found = spans_by_line(question.passages, data)
    return lambda number, _line: found.get(number, ())


def spans(question: Question, line: bytes) -> Iterator[tuple[int, int]]:
    """The matches within a line from left to right, none of them empty: what -o prints and a terminal highlights.

    As in git's grep.c: of several that begin at one place the longest, and an empty match ends the line.
    """
    at = 0
    while at < len(line):
        best: tuple[int, int] | None = None
        for pattern in question.patterns:
            found = word_span(pattern, line, at, question.word)
            if found is not None and (best is None or (found[0], -found[1]) < (best[0], -best[1])):
                best = found
        if best is None or best[0] == best[1]:
            return
        yield best
        at = best[1]
