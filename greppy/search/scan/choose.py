"""Surveys → the files that are worth analysing, and what holds for the whole project. Cold path.

In: a plan and what the processes found. Out: ordinals of files, best first, and an `Estimate`. The formula is that of
`greppy.search.score` and `greppy.search.rank`, over windows in place of chunks.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels
from greppy.analysis.classify import path_flags
from greppy.index.view import Estimate
from greppy.search import features, weights
from greppy.search.facts import code_tables, norm_tables
from greppy.search.scan.tally import BYTES_PER_RUN
from greppy.search.score import Frequencies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.git.listing import File
    from greppy.query.plan import Plan
    from greppy.search.scan.survey import Survey

_COMMENT_SHARE = 0.17
"""Of the runs of a chunk, those in comments; measured on 27 public repositories."""


_STRONGEST = 3
"""Files that are taken for their text alone: the best of them is what ranking measures every other feature by, even
where it is itself a test or a page of documentation far down in the answer."""


class Chosen(NamedTuple):
    """Files by ordinal, best first (but for the few whose text is strongest, which come before), and what holds for the
    whole project."""

    files: list[int]
    estimate: Estimate


def choose(plan: Plan, files: Sequence[File], surveys: Sequence[Survey], takes: Callable[[bytes], bool]) -> Chosen:
    """The files that may be answered with, best first."""
    words = list(dict.fromkeys(plan.words))
    clues = [clue for word in words for clue, _ in features.clues_of(word)]
    counts = {clue: sum(len(survey.named.files[clue]) for survey in surveys) for clue in clues}
    estimate = _estimate(plan, surveys, len(files), counts)
    frequencies = Frequencies(estimate.df, estimate.chunks)
    scored = [_Scored(plan, survey, frequencies, estimate) for survey in surveys]
    best = max((part.best() for part in scored), default=0.0) or 1.0
    scores: dict[int, float] = {}
    texts: list[tuple[float, int]] = []
    for part in scored:
        scores.update(part.scores(best, features.shares_of_terms(plan, frequencies.idf)))
        texts += part.texts()
    for survey in surveys:
        shares = features.shares_of_words(words, survey.named.files, counts, len(files))
        for file, share in shares.items():
            if file in scores or share >= 1:
                worth = features.path_worth(plan, files[file].path, share, file in survey.named.stems)
                scores[file] = scores.get(file, 0.0) + best * worth
    judged = [
        (-score * features.factor(path_flags(files[file].path) | files[file].attributes, plan), file)
        for file, score in scores.items()
        if file >= 0 and takes(files[file].path)
    ]
    ranked = [file for _, file in sorted(judged)]
    strongest = [file for _, file in heapq.nlargest(_STRONGEST, texts)]
    return Chosen(list(dict.fromkeys([*strongest, *ranked])), estimate)


def _estimate(plan: Plan, surveys: Sequence[Survey], files: int, named: dict[bytes, int]) -> Estimate:
    """Frequencies and lengths for the whole project, a window counting as a chunk."""
    counted = [0] * len(plan.terms)
    bits = {term.term: term.bit for term in plan.terms}
    for survey in surveys:
        for term, postings in survey.windows.postings():
            counted[bits[term]] += kernels.count_postings(postings, None)
    df = [counted[bit] + _windows_of_others(surveys, bit) for bit in range(len(counted))]
    text = sum(survey.text_bytes for survey in surveys)
    windows, size = sum(survey.window_count for survey in surveys), sum(survey.window_bytes for survey in surveys)
    chunks = max(round(text * windows / size) if size else 0, *df, 1)
    runs = text // BYTES_PER_RUN
    comment = round(runs * _COMMENT_SHARE)
    return Estimate(chunks, runs - comment, comment, df, files, named)


def _windows_of_others(surveys: Sequence[Survey], bit: int) -> int:
    """The windows with a term that nobody has counted: as many for a line as in the sample."""
    lines = sum(survey.lines[bit] for survey in surveys)
    sampled = sum(survey.sampled_lines[bit] for survey in surveys)
    windows = sum(survey.sampled_windows[bit] for survey in surveys)
    return round(lines * windows / sampled) if sampled else lines


class _Scored:
    """One process's promising files with BM25F scores, and masks of the terms that each has."""

    __slots__ = ("_masks", "_survey", "_texts")

    def __init__(self, plan: Plan, survey: Survey, frequencies: Frequencies, estimate: Estimate) -> None:
        self._survey = survey
        found, files = survey.windows, len(survey.promising)
        scores = memoryview(bytearray(4 * len(found.lengths))).cast("d")
        masks = memoryview(bytearray(4 * len(found.lengths))).cast("Q")
        self._texts = memoryview(bytearray(8 * files)).cast("d")
        self._masks = memoryview(bytearray(8 * files)).cast("Q")
        codes, norms = code_tables(), norm_tables(estimate)
        terms = {term.term: term for term in plan.terms}
        for text, postings in found.postings():
            term = terms[text]
            weight = frequencies.idf[term.bit] * term.weight
            kernels.accumulate(postings, None, codes, found.lengths, norms, weights.K1, weight, term.bit, scores, masks)
        first = memoryview(found.first).cast("I")
        kernels.blob_scores(scores, masks, first, weights.FOLLOW, self._texts, self._masks)

    def best(self) -> float:
        return max(self._texts, default=0.0)

    def texts(self) -> list[tuple[float, int]]:
        """The files that may be answered with, each with the score of its text alone."""
        pairs = zip(self._texts, self._survey.promising, strict=True)
        return [(score, file) for score, file in pairs if score > 0 and file >= 0]

    def scores(self, best: float, shares: Sequence[float]) -> dict[int, float]:
        """By file's ordinal its score for what is in it; `shares` are those of `features.shares_of_terms`."""
        found = {}
        for at, file in enumerate(self._survey.promising):
            covered = weights.COVERAGE * features.covered(self._masks[at], shares)
            if self._texts[at] > 0:
                found[file] = self._texts[at] + best * (covered + self._survey.windows.defines[at])
        return found
