"""Counting a plan's terms in windows of lines: texts in, posting lists out. Cold path.

A window of `WINDOW` lines stands for the chunk that analysis would make; only windows with a term are kept, and only
lines that may hold one are taken apart into words. A line that looks like the head of a definition counts as name and
signature, everything else as body. So the formula of `greppy.search.score` can tell which files are worth analysing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels
from greppy.analysis.tokens import terms_of_run
from greppy.query.intent import OPENINGS
from greppy.search import weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from greppy.query.plan import Plan
    from greppy.search.scan.sieve import Sieve

WINDOW = 14
"""Lines of a window: what a chunk has on average in 27 public repositories (4.9 million lines)."""

BYTES_PER_RUN = 10
"""Bytes of text for each run in it; measured on the same repositories."""

_OPEN_ENDED = (b"(", b"{", b",", b")")

_Span = tuple[int, int, int]


class Name(NamedTuple):
    """A name that is asked for: as it is written, in lower case, and what a definition of it weighs."""

    written: bytes
    folded: bytes
    weight: float


class Windows(NamedTuple):
    """The windows of some files, as plain values that travel between processes.

    `first` are (u32) the ordinals of the files' first windows, with one more for the end; `lengths` two length codes a
    window; `terms` sorted, `lists` their posting lists over windows, `ends` (u64) where each ends. `defines` are by
    file what its best definition of a name weighs.
    """

    first: bytes
    lengths: bytes
    terms: list[bytes]
    lists: bytes
    ends: bytes
    defines: list[float]

    def postings(self) -> Iterator[tuple[bytes, memoryview]]:
        """Every term with its posting list."""
        data = memoryview(self.lists)
        bounds = pairwise([0, *memoryview(self.ends).cast("Q")])
        return zip(self.terms, (data[start:end] for start, end in bounds), strict=True)


class Tally:
    """What has been counted so far."""

    def __init__(self, plan: Plan, sieve: Sieve, names: Sequence[Name]) -> None:
        self._terms = {term.term for term in plan.terms}
        self._sieve = sieve
        self._names = names
        self._inverter = kernels.Inverter(terms_of_run)
        self._first = array("I", [0])
        self._lengths = bytearray()
        self._defines: list[float] = []

    def add(self, text: bytes) -> int:
        """Count in one more file; how many windows it has, with a term or without."""
        self._defines.append(0.0)
        bounds = [*kernels.line_starts(text), len(text)]
        count = len(bounds) - 1
        window = -1
        spans: list[_Span] = []
        for line in self._lines(text, count):
            if (line - 1) // WINDOW != window:
                self._end_window(text, spans)
                window = (line - 1) // WINDOW
                spans = []
                begin = window * WINDOW
                self._lengths += _length(bounds[min(begin + WINDOW, count)] - bounds[begin])
            spans += self._fields(text, bounds[line - 1], bounds[line])
        self._end_window(text, spans)
        self._first.append(len(self._lengths) // 2)
        return (count + WINDOW - 1) // WINDOW

    def _lines(self, text: bytes, count: int) -> Iterable[int]:
        lines = self._sieve.lines(text)
        return range(1, count + 1) if lines is None else lines

    def _end_window(self, text: bytes, spans: Sequence[_Span]) -> None:
        if spans:
            self._inverter.add(len(self._lengths) // 2 - 1, text, spans)

    def _fields(self, text: bytes, start: int, end: int) -> list[_Span]:
        """A line's fields: of the head of a definition, the name and the signature."""
        line = text[start:end]
        bare = line.lstrip()
        if not bare.startswith(OPENINGS) and not _is_head(line):
            return [(kernels.BODY, start, end)]
        self._note_definitions(bare)
        cut = line.find(b"(")
        if cut < 0:
            return [(kernels.NAME, start, end), (kernels.BODY, start, end)]
        return [(kernels.NAME, start, start + cut), (kernels.SIGNATURE, start, end), (kernels.BODY, start + cut, end)]

    def _note_definitions(self, line: bytes) -> None:
        for name in self._names:
            weight = name.weight if name.written in line else name.weight * weights.DEFINITION_OTHER_CASE
            if weight > self._defines[-1] and name.folded in line.lower():
                self._defines[-1] = weight

    def finish(self) -> Windows:
        """What was counted of the plan's terms; the tally is used up."""
        terms, lists, ends, _, _ = self._inverter.finish()
        found = {
            term: lists[start:end]
            for term, (start, end) in zip(terms, pairwise([0, *ends]), strict=True)
            if term in self._terms
        }
        kept = array("Q", accumulate(map(len, found.values())))
        return Windows(
            self._first.tobytes(),
            bytes(self._lengths),
            list(found),
            b"".join(found.values()),
            kept.tobytes(),
            self._defines,
        )


def _is_head(line: bytes) -> bool:
    """Whether a line looks like the head of a function as C and its kin have it."""
    return line[:1].isalpha() and b"(" in line and line.rstrip().endswith(_OPEN_ENDED)


def _length(size: int) -> bytes:
    """The length codes of a window with so many bytes: all of it is body."""
    return bytes((bisect_right(kernels.LENGTHS, max(1, size // BYTES_PER_RUN)) - 1, 0))
