"""The texts of hits, and the lines in them that matter. Hot path.

In: files' bytes as they were indexed, the hits' lines, the plan. Out: the text of the lines, which of them hold the
plan's terms (best first), and the words of the file that matched.
"""

from __future__ import annotations

from greppy import kernels
from greppy.analysis.tokens import terms_of_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.query.plan import Plan

_MOST_EXAMINED = 400
"""Lines of a hit that are searched for terms; hits are windows of some 40 lines, except for odd files."""

_LONGEST_LINE = 1 << 16
"""Bytes of a line that are searched for terms; in a file of one line they may stand far to the right."""


class Excerpt:
    """The text of a hit."""

    __slots__ = ("content", "matched_lines", "words")

    def __init__(self, content: str, matched_lines: Sequence[int], words: Sequence[str]) -> None:
        self.content = content
        self.matched_lines = matched_lines
        self.words = words


class Matcher:
    """A plan's terms as they are looked for in lines, each with what it is worth there."""

    __slots__ = ("terms", "worths")

    def __init__(self, plan: Plan, idf: Sequence[float]) -> None:
        self.terms = tuple([term.term for term in plan.terms])
        self.worths = tuple([idf[term.bit] * min(term.weight, 1.0) for term in plan.terms])


def cut(places: Sequence[tuple[bytes, int, int]], matcher: Matcher) -> list[Excerpt]:
    """The excerpt of each place: lines start..end (1-based, inclusive) of a file's text."""
    found = kernels.excerpts(places, matcher.terms, matcher.worths, _MOST_EXAMINED, _LONGEST_LINE, terms_of_run)
    return [Excerpt(*parts) for parts in found]
