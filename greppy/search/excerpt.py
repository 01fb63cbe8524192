"""A hit's text, and the lines in it that matter. Hot path.

In: a file's bytes as they were indexed, a hit's lines, the plan. Out: the text of the lines, which of them hold the
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

_LONGEST_LINE = 4096
"""Bytes of a line that are searched for terms; a minified file has its terms everywhere."""


class Excerpt:
    """The text of a hit."""

    __slots__ = ("content", "matched_lines", "words")

    def __init__(self, content: str, matched_lines: Sequence[int], words: Sequence[str]) -> None:
        self.content = content
        self.matched_lines = matched_lines
        self.words = words


class Matcher:
    """Finds a plan's terms in lines. Keeps what it learnt about words, since neighbouring lines repeat them."""

    def __init__(self, plan: Plan, idf: Sequence[float]) -> None:
        self._weights = {term.term: idf[term.bit] for term in plan.terms}
        # Porter changes at most a word's last letters, so a line without the beginning of a stem cannot have the term.
        self._beginnings = [_beginning(term) for term in self._weights]
        self._known: dict[bytes, list[bytes]] = {}

    def weigh(self, line: bytes) -> tuple[float, list[bytes]]:
        """What a line is worth (each term once), and its words that matched."""
        if not self._may_have(line[:_LONGEST_LINE].lower()):
            return 0.0, []
        found: dict[bytes, float] = {}
        words: list[bytes] = []
        for run in kernels.runs(line, 0, min(len(line), _LONGEST_LINE)):
            matched = self._known.get(run)
            if matched is None:
                terms = terms_of_run(run) if self._may_have(run.lower()) else ()
                matched = self._known[run] = [term for term in terms if term in self._weights]
            if matched:
                words.append(run)
                found.update((term, self._weights[term]) for term in matched)
        return sum(found.values()), words

    def _may_have(self, lowered: bytes) -> bool:
        """Whether text may have a term; underscores part what one term (`username`) joins, and other scripts fold."""
        if not lowered.isascii():
            return True
        joined = lowered.replace(b"_", b"")
        return any(beginning in joined for beginning in self._beginnings)


def _beginning(term: bytes) -> bytes:
    return term[: max(1, min(len(term) - 1, 6))] if term.isascii() else term


def cut(lines: Sequence[bytes], start: int, end: int, matcher: Matcher) -> Excerpt:
    """The excerpt of lines start..end (1-based, inclusive) of a file."""
    chosen = lines[start - 1 : end]
    weights: list[tuple[float, int]] = []
    words: dict[bytes, None] = {}
    for number, line in enumerate(chosen[:_MOST_EXAMINED], start):
        weight, matched = matcher.weigh(line)
        if weight > 0:
            weights.append((-weight, number))
            words.update(dict.fromkeys(matched))
    content = b"\n".join(chosen).decode("utf-8", "replace")
    return Excerpt(
        content, [number for _, number in sorted(weights)], [word.decode("utf-8", "replace") for word in words]
    )
