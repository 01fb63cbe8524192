"""Scores of chunks → ranked hits: file-level evidence, named features, and one file not crowding out others. Hot path.

In: a plan, a view, BM25F scores. Out: `Hit`s, best first, ties by path, then line. A hit's breakdown adds up to its
score::

    file = (bm25f + coverage + path + stem) · factor           bm25f: best chunk, plus shares of the next three
    hit  = file · chunk / best chunk / rank of the chunk in its file
"""

from __future__ import annotations

from greppy import kernels
from greppy.index import format as layout
from greppy.index.names import Names
from greppy.search import features, weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from greppy.index.view import View
    from greppy.query.plan import Plan
    from greppy.search.score import Frequencies, Scores


class Hit:
    """One ranked chunk: file ordinal, place of its shard, blob, chunk, lines, score, flags, and the parts of the
    score."""

    __slots__ = ("blob", "breakdown", "chunk", "end_line", "file", "flags", "path", "place", "score", "start_line")

    def __init__(self, path: bytes, file: int, place: int, blob: int, chunk: int, flags: int) -> None:
        self.path = path
        self.file = file
        self.place = place
        self.blob = blob
        self.chunk = chunk
        self.flags = flags
        self.start_line = self.end_line = 0
        self.score = 0.0
        self.breakdown: dict[str, float] = {}


class _File:
    """A candidate file with its flags and the parts of its score, before and after its factor."""

    __slots__ = ("blob", "factor", "file", "flags", "parts", "place", "score")

    def __init__(self, file: int, place: int, blob: int, flags: int, factor: float, parts: dict[str, float]) -> None:
        self.file = file
        self.place = place
        self.blob = blob
        self.flags = flags
        self.factor = factor
        self.parts = parts
        self.score = sum(parts.values()) * factor


def rank(
    plan: Plan,
    view: View,
    scores: Sequence[Scores],
    frequencies: Frequencies,
    allowed: bytearray | None,
    limit: int,
) -> list[Hit]:
    """The best `limit` hits. `allowed` has a byte a file, zero for those filtered out; None allows all."""
    for scored in scores:
        scored.gather()
    best = _largest(scored.blobs for scored in scores) or 1.0
    _add_definitions(plan, scores, best)
    judge = _Judge(plan, view, scores, frequencies, best)
    files = [
        judge.file(file) for file in _candidates(view, scores, judge.shares, limit) if allowed is None or allowed[file]
    ]
    files = [file for file in files if file.score > 0]
    files.sort(key=lambda file: (-file.score, file.file))
    hits = [hit for file in files[: 2 * limit] for hit in _hits(view, scores[file.place], file, limit)]
    hits.sort(key=lambda hit: (-hit.score, hit.path, hit.start_line))
    return hits[:limit]


def _largest(columns: Iterable[memoryview[float]]) -> float:
    """The largest positive number of all columns, or 0."""
    return max((column[at] for column in columns for at in kernels.top_k(column, 1)), default=0.0)


def _add_definitions(plan: Plan, scores: Sequence[Scores], best: float) -> None:
    """What defines a name that was asked for gains a share of what the best file has by its text alone."""
    for scored in scores:
        gains: dict[int, float] = {}
        for chunk, weight in features.definitions(plan, scored.shard):
            if scored.chunks[chunk]:
                gains[chunk] = max(gains.get(chunk, 0.0), weight)
        for chunk, weight in gains.items():
            scored.chunks[chunk] += best * weight
        if gains:
            scored.gather()


class _Judge:
    """Scores files: what all of them share is looked up once."""

    __slots__ = ("_best", "_blobs", "_places", "_plan", "_scores", "_stems", "_view", "_weights", "shares")

    def __init__(self, plan: Plan, view: View, scores: Sequence[Scores], frequencies: Frequencies, best: float) -> None:
        names = Names(view.manifest)
        self._plan = plan
        self._view = view
        self._scores = scores
        self._best = best
        self._places = view.manifest.column(layout.FILE_SHARD, "I")
        self._blobs = view.manifest.column(layout.FILE_BLOB, "I")
        self._stems = features.whole_stems(plan, names)
        self._weights = features.shares_of_terms(plan, frequencies.idf)
        self.shares = features.path_shares(plan, names, view.manifest.meta.files, view.estimate)

    def file(self, file: int) -> _File:
        """A file with its score; 0 when neither its text nor all of its name matches."""
        place, blob = self._places[file], self._blobs[file]
        scored, share = self._scores[place], self.shares.get(file, 0.0)
        text = scored.blobs[blob]
        if text <= 0 and share < 1:
            return _File(file, place, blob, 0, 0.0, {})
        flags = features.file_flags(self._view.manifest, scored.shard, file, blob)
        parts = {
            "bm25f": text,
            "coverage": self._best * weights.COVERAGE * features.covered(scored.blob_masks[blob], self._weights),
            "path": self._best * weights.PATH * share,
            "stem": self._best * weights.STEM_EQUALS if file in self._stems else 0.0,
        }
        return _File(file, place, blob, flags, features.factor(flags, self._plan), parts)


def _candidates(view: View, scores: Sequence[Scores], shares: dict[int, float], limit: int) -> list[int]:
    """The files that can be among the best `limit`: the best by text alone, and all that the query names."""
    found: dict[int, None] = {}
    for place, scored in enumerate(scores):
        for blob in kernels.top_k(scored.blobs, 4 * limit + 100):
            found.update(dict.fromkeys(view.manifest.files_of(place, blob)))
    best_named = sorted(shares, key=lambda file: (-shares[file], file))[: 20 * limit + 400]
    found.update(dict.fromkeys(best_named))
    return list(found)


def _hits(view: View, scored: Scores, file: _File, limit: int) -> Iterator[Hit]:
    """The matching chunks of a file, best first, each worth less than the one before."""
    start, end = scored.shard.chunk_range(file.blob)
    chunks = sorted((-scored.chunks[chunk], chunk) for chunk in range(start, end) if scored.chunks[chunk] > 0)
    if not chunks and start < end:
        chunks = [(-1.0, start)]  # found by its name alone
    path = view.manifest.paths[file.file]
    for number, (negative, chunk) in enumerate(chunks[:limit], 1):
        share = negative / chunks[0][0] / number
        hit = Hit(path, file.file, file.place, file.blob, chunk, file.flags)
        hit.start_line, hit.end_line = scored.shard.lines(file.blob, chunk)
        hit.score = file.score * share
        hit.breakdown = {name: part * file.factor * share for name, part in file.parts.items()}
        yield hit
