"""One process's share of the files → what is in them: roughly for all, in windows for the most promising. Cold path.

In: paths. Out: a `Survey`. Every file is read once. How many lines hold each term is counted in C, and says which files
can be among the best; these, and a sample of the rest, are counted in windows (`greppy.search.scan.tally`), the sample
so that it can be said how many windows the lines of the others make.
"""

from __future__ import annotations

import heapq
import marshal
from array import array
from math import log
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels
from greppy.analysis.classify import path_flags
from greppy.analysis.encoding import BINARY_PROBE, to_text
from greppy.analysis.languages import HEAD_BYTES, detect
from greppy.search import features, weights
from greppy.search.scan.named import Named, named_files
from greppy.search.scan.sieve import UTF16
from greppy.search.scan.tally import Tally, Windows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from greppy.git.listing import File
    from greppy.query.plan import Plan
    from greppy.search.scan.sieve import Sieve
    from greppy.search.scan.tally import Name

PROMISING = 120
STRONGEST = 20
"""Files of one process that are counted in windows, and how many more for their text alone, whatever they are for; the
answer needs a fifth of them. (250 and 120 agree with an index equally well, 60 a hundredth less.)"""

SAMPLE = 40
"""Of the other files with a term, one in so many is counted in windows too."""

_BATCH = 128
"""Files that are read at once: some 2 MB as a rule, and few enough for the worst one."""


class Question(NamedTuple):
    """What is looked for, and where: the same for all processes. `languages`: none for any."""

    plan: Plan
    sieve: Sieve
    names: Sequence[Name]
    root: bytes
    files: Sequence[File]
    takes: Callable[[bytes], bool]
    languages: Collection[str]
    limit: int


class Survey(NamedTuple):
    """What one process found, as plain values.

    `promising` are the files of `windows`, in order; -1 stands for one that may not be answered with. `lines` are by
    bit the lines with a term that are not in `windows`; `sampled_lines` and `sampled_windows` tell how many windows
    such lines make. `text_bytes` are those of all text files, `window_bytes` of those with `window_count` windows.
    """

    promising: list[int]
    windows: Windows
    lines: list[int]
    sampled_lines: list[int]
    sampled_windows: list[int]
    text_bytes: int
    window_bytes: int
    window_count: int
    named: Named


def survey(question: Question, ordinals: Sequence[int]) -> bytes:
    """Survey the files with these ordinals, for `read_survey`."""
    found = _Surveyor(question, ordinals).survey()
    # marshal knows no named tuples; pickle's import costs more than what it would have to do.
    return marshal.dumps(tuple(found._replace(windows=tuple(found.windows), named=tuple(found.named))))  # type: ignore[arg-type]


def read_survey(answer: bytes) -> Survey:
    """What `survey` gave."""
    found = Survey(*marshal.loads(answer))
    return found._replace(windows=Windows(*found.windows), named=Named(*found.named))


class _Surveyor:
    """One process's work."""

    def __init__(self, question: Question, ordinals: Sequence[int]) -> None:
        self._question = question
        self._table = b"".join([question.files[at].path + b"\0" for at in ordinals])
        self._starts = kernels.path_starts(self._table)
        self._ordinals = ordinals
        self._counts: dict[int, list[int]] = {}
        self._text_bytes = self._window_bytes = self._window_count = 0

    def survey(self) -> Survey:
        for at, data in self._read(range(len(self._ordinals))):
            self._count(at, data)
        named = named_files(self._question.plan, ((at, self._path(at)) for at in range(len(self._ordinals))))
        promising = self._promising(named)
        others = [at for at in self._counts if at not in set(promising)]
        sample = others[::SAMPLE]
        windows = self._windows(promising)
        return Survey(
            [self._answerable(at) for at in promising],
            windows,
            self._lines(others),
            self._lines(sample),
            self._windows_with(self._windows(sample)),
            self._text_bytes,
            self._window_bytes,
            self._window_count,
            Named(
                {word: {self._ordinals[at] for at in files} for word, files in named.files.items()},
                {self._ordinals[at] for at in named.stems},
            ),
        )

    def _path(self, at: int) -> bytes:
        return self._question.files[self._ordinals[at]].path

    def _read(self, wanted: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """The files with these places in the table that can be read."""
        question = self._question
        for begin in range(0, len(wanted), _BATCH):
            batch = array("I", wanted[begin : begin + _BATCH])
            found = kernels.read_matching(question.root, self._table, self._starts, batch, (), False, question.limit)
            for at, data in zip(batch, found, strict=True):
                if isinstance(data, bytes):
                    yield at, data

    def _count(self, at: int, data: bytes) -> None:
        if data.startswith(UTF16):
            data = (to_text(data) or (b"\0", ""))[0]
        if data.find(b"\0", 0, BINARY_PROBE) >= 0:
            return
        self._text_bytes += len(data)
        if self._question.sieve.takes(data):
            self._counts[at] = self._question.sieve.counts(data)

    def _promising(self, named: Named) -> list[int]:
        """The files that can be among the best, by a formula that knows of neither chunks nor fields."""
        plan, total = self._question.plan, len(self._ordinals)
        having = [sum(1 for counts in self._counts.values() if counts[term.bit]) for term in plan.terms]
        worth = [log(1 + total / (1 + having[term.bit])) * term.weight for term in plan.terms]
        counts = {clue: len(files) for clue, files in named.files.items()}
        shares = features.shares_of_words(list(dict.fromkeys(plan.words)), named.files, counts, total)
        best = sum(worth)

        def text(at: int) -> float:
            return sum(
                value * lines / (lines + weights.K1) for value, lines in zip(worth, self._counts[at], strict=True)
            )

        def score(at: int) -> float:
            file = self._question.files[self._ordinals[at]]
            factor = features.factor(path_flags(file.path) | file.attributes, plan)
            return (text(at) + best * weights.PATH * shares.get(at, 0.0)) * factor

        allowed = [at for at in self._counts if self._question.takes(self._path(at))]
        strongest = heapq.nlargest(STRONGEST, allowed, key=text)
        return sorted({*strongest, *heapq.nlargest(PROMISING, allowed, key=score)})

    def _windows(self, places: Sequence[int]) -> Windows:
        """These files in windows."""
        tally = Tally(self._question.plan, self._question.sieve, self._question.names)
        texts = dict(self._texts(places))
        for at in places:
            text = texts.get(at, b"")
            self._window_count += tally.add(text)
            self._window_bytes += len(text)
        return tally.finish()

    def _texts(self, places: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        for at, data in self._read(places):
            decoded = to_text(data)
            if decoded is not None:
                yield at, decoded[0]

    def _lines(self, places: Sequence[int]) -> list[int]:
        """By bit, the lines of these files with a term."""
        return [sum(self._counts[at][term.bit] for at in places) for term in self._question.plan.terms]

    def _windows_with(self, windows: Windows) -> list[int]:
        """By bit, the windows with a term."""
        found = dict(windows.postings())
        lists = [found.get(term.term) for term in self._question.plan.terms]
        return [0 if postings is None else kernels.count_postings(postings, None) for postings in lists]

    def _answerable(self, at: int) -> int:
        """The file's ordinal; -1 when it is in a language that was not asked for."""
        if self._question.languages:
            head = next((data[:HEAD_BYTES] for _, data in self._read([at])), b"")
            if detect(self._path(at), head) not in self._question.languages:
                return -1
        return self._ordinals[at]
