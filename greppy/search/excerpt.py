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
    """Finds a plan's terms in lines. Keeps what it learnt about words, since neighbouring lines repeat them."""

    def __init__(self, plan: Plan, idf: Sequence[float]) -> None:
        self._weights = {term.term: idf[term.bit] * min(term.weight, 1.0) for term in plan.terms}
        # Porter changes at most a word's last letters, so a line without the beginning of a stem cannot have the term.
        self._beginnings = tuple({_beginning(term) for term in self._weights if term.isascii()})
        self._known: dict[bytes, list[bytes]] = {}

    def candidates(self, text: bytes) -> list[int]:
        """The numbers, from 1, of the lines of a text that may have a term; underscores part what one term (`username`)
        joins, and other scripts fold."""
        joined = text.translate(None, b"_") if b"_" in text else text
        found = list(kernels.matching_lines(joined, self._beginnings, True)[0]) if self._beginnings else []
        if text.isascii():
            return found
        others = (number for number, line in enumerate(text.split(b"\n"), 1) if not line.isascii())
        return sorted({*found, *others})

    def weigh(self, line: bytes) -> tuple[float, list[bytes]]:
        """What a line is worth (each term once), and its words that matched."""
        found: dict[bytes, float] = {}
        words: list[bytes] = []
        for run in kernels.runs(line, 0, min(len(line), _LONGEST_LINE)):
            matched = self._known.get(run)
            if matched is None:
                matched = self._known[run] = [term for term in terms_of_run(run) if term in self._weights]
            if matched:
                words.append(run)
                found.update((term, self._weights[term]) for term in matched)
        return sum(found.values()), words


def _beginning(term: bytes) -> bytes:
    return term[: max(1, min(len(term) - 1, 6))]


def cut(lines: Sequence[bytes], start: int, end: int, matcher: Matcher) -> Excerpt:
    """The excerpt of lines start..end (1-based, inclusive) of a file."""
    chosen = lines[start - 1 : end]
    weights: list[tuple[float, int]] = []
    words: dict[bytes, None] = {}
    for number in matcher.candidates(b"\n".join(chosen[:_MOST_EXAMINED])):
        weight, matched = matcher.weigh(chosen[number - 1])
        if weight > 0:
            weights.append((-weight, start + number - 1))
            words.update(dict.fromkeys(matched))
    content = b"\n".join(chosen).decode("utf-8", "replace")
    return Excerpt(
        content, [number for _, number in sorted(weights)], [word.decode("utf-8", "replace") for word in words]
    )
