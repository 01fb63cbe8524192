"""Counted windows → the files that are worth analysing, and what holds for the whole project. Cold path.

In: a plan, the paths of the project, what was counted. Out: ordinals of files, best first, and an `Estimate`. The
formula is that of `greppy.search.score` and `greppy.search.rank`, over windows in place of chunks.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels
from greppy.analysis.classify import path_flags
from greppy.index.names import stem_of, words_of_name
from greppy.index.view import Estimate
from greppy.search import features, weights
from greppy.search.scan.tally import BYTES_PER_RUN
from greppy.search.score import Frequencies, code_tables, norm_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from greppy.git.listing import File
    from greppy.query.plan import Plan
    from greppy.search.scan.tally import Counted

_COMMENT_SHARE = 0.17
"""Of the runs of a chunk, those in comments; measured on 27 public repositories."""

_MOST_JUDGED = 2000
"""Files of one process's count that are looked at for more than their text."""


class Named(NamedTuple):
    """What a query's words name: by file ordinal the share of `features.path_shares`, by word the number of files, and
    the files whose whole stem is a word of the query."""

    shares: dict[int, float]
    counts: dict[bytes, int]
    stems: set[int]


class Chosen(NamedTuple):
    """Files by ordinal, best first; and the estimate, in which the chosen files' part is as good as any other's."""

    files: list[int]
    estimate: Estimate


def choose(plan: Plan, files: Sequence[File], parts: Sequence[Counted], allowed: Callable[[bytes], bool]) -> Chosen:
    """The files that may be answered with, best first."""
    named = named_files(plan, [file.path for file in files])
    estimate = _estimate(plan, parts, len(files), named)
    frequencies = Frequencies(estimate.df, estimate.chunks)
    scored = [_Part(plan, part, frequencies, estimate) for part in parts]
    best = max((part.best() for part in scored), default=0.0) or 1.0
    shares = features.shares_of_terms(plan, frequencies.idf)
    scores: dict[int, float] = {}
    for part in scored:
        for at in kernels.top_k(part.texts, _MOST_JUDGED):
            covered = weights.COVERAGE * features.covered(part.text_masks[at], shares)
            defines = part.counted.defines.get(part.counted.files[at], 0.0)
            scores[part.counted.files[at]] = part.texts[at] + best * (covered + defines)
    for file, share in named.shares.items():
        if file in scores or share >= 1:
            stem = weights.STEM_EQUALS if file in named.stems else 0.0
            scores[file] = scores.get(file, 0.0) + best * (weights.PATH * share + stem)
    judged = [
        (-score * features.factor(path_flags(files[file].path) | files[file].attributes, plan), file)
        for file, score in scores.items()
        if file < len(files) and allowed(files[file].path)
    ]
    return Chosen([file for _, file in sorted(judged)], estimate)


def _estimate(plan: Plan, parts: Sequence[Counted], files: int, named: Named) -> Estimate:
    """Frequencies and lengths for the whole project, a window counting as a chunk."""
    df = [0] * len(plan.terms)
    bits = {term.term: term.bit for term in plan.terms}
    for part in parts:
        for term, postings in _lists(part):
            df[bits[term]] += kernels.count_postings(postings, None)
    text = sum(part.text_bytes for part in parts)
    windows, size = sum(part.windows for part in parts), sum(part.window_bytes for part in parts)
    chunks = max(round(text * windows / size) if size else 0, *df, 1)
    runs = text // BYTES_PER_RUN
    comment = round(runs * _COMMENT_SHARE)
    return Estimate(chunks, runs - comment, comment, df, files, named.counts)


def _lists(part: Counted) -> Iterable[tuple[bytes, memoryview]]:
    data = memoryview(part.lists)
    return zip(part.terms, (data[start:end] for start, end in pairwise([0, *part.ends])), strict=True)


class _Part:
    """One process's count with the BM25F scores of its windows' files, and masks of the terms that each has."""

    __slots__ = ("counted", "text_masks", "texts")

    def __init__(self, plan: Plan, part: Counted, frequencies: Frequencies, estimate: Estimate) -> None:
        self.counted = part
        windows, files = len(part.lengths) // 2, len(part.files)
        scores = memoryview(bytearray(8 * windows)).cast("d")
        masks = memoryview(bytearray(8 * windows)).cast("Q")
        self.texts = memoryview(bytearray(8 * files)).cast("d")
        self.text_masks = memoryview(bytearray(8 * files)).cast("Q")
        codes, norms = code_tables(), norm_tables(estimate)
        terms = {term.term: term for term in plan.terms}
        for found, postings in _lists(part):
            term = terms[found]
            weight = frequencies.idf[term.bit] * term.weight
            kernels.accumulate(postings, None, codes, part.lengths, norms, weights.K1, weight, term.bit, scores, masks)
        kernels.blob_scores(scores, masks, part.first, weights.FOLLOW, self.texts, self.text_masks)

    def best(self) -> float:
        return max((self.texts[at] for at in kernels.top_k(self.texts, 1)), default=0.0)


def named_files(plan: Plan, paths: Sequence[bytes]) -> Named:
    """Which files the words of a query name, as `features.path_shares` would find in an index of these paths."""
    words = list(dict.fromkeys(plan.words))
    wholes = {*words, b"".join(words)}
    found: dict[bytes, set[int]] = {word: set() for word in words}
    stems: set[int] = set()
    meant: dict[bytes, list[bytes]] = {}
    folders: dict[bytes, set[bytes]] = {}
    for file, path in enumerate(paths):
        folder, _, name = path.rpartition(b"/")
        if folder not in folders:
            folders[folder] = set(words_of_name(folder.rpartition(b"/")[2]))
        stem = words_of_name(stem_of(name))
        if b"".join(stem) in wholes:
            stems.add(file)
        for part in folders[folder].union(stem):
            if part not in meant:
                meant[part] = [word for word in words if _names(part, word)]
            for word in meant[part]:
                found[word].add(file)
    counts = {word: len(files) for word, files in found.items()}
    return Named(features.shares_of_words(found, counts, len(paths)), counts, stems)


def _names(part: bytes, word: bytes) -> bool:
    """Whether a path's word equals a query's, or begins it, or is begun by it."""
    if len(word) < weights.SHORTEST_PREFIX:
        return part == word
    return part.startswith(word) or (len(part) >= weights.SHORTEST_PREFIX and word.startswith(part))
