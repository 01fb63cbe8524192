"""Scores of chunks → ranked hits: file-level evidence, named features, and one file not crowding out others. Hot path.

In: a plan, a view, BM25F scores. Out: `Hit`s, best first, ties by path, then line. A hit's breakdown adds up to its
score::

    file = (bm25f + path + stem) · factor           bm25f: best chunk, plus shares of the next three
    hit  = file · chunk / best chunk / rank of the chunk in its file
"""

from __future__ import annotations

from greppy import kernels
from greppy.index import format as layout
from greppy.index.names import Names
from greppy.search import features, weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.index.view import View
    from greppy.query.plan import Plan
    from greppy.search.score import Scores


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
    """A candidate file with the parts of its score."""

    __slots__ = ("base", "blob", "factor", "file", "flags", "path", "place", "score", "stem")

    def __init__(self, file: int, place: int, blob: int, base: float, path: float, stem: float) -> None:
        self.file = file
        self.place = place
        self.blob = blob
        self.base = base
        self.path = path
        self.stem = stem
        self.flags = 0
        self.factor = 1.0
        self.score = 0.0


def rank(plan: Plan, view: View, scores: Sequence[Scores], allowed: bytearray | None, limit: int) -> list[Hit]:
    """The best `limit` hits. `allowed` has a byte a file, zero for those filtered out; None allows all."""
    _add_definitions(plan, scores)
    for scored in scores:
        scored.gather()
    best = max((max(scored.blobs, default=0.0) for scored in scores), default=0.0) or 1.0
    files = _score_files(plan, view, scores, allowed, best, limit)
    files.sort(key=lambda file: (-file.score, file.file))
    hits = [hit for file in files[: 2 * limit] for hit in _hits(view, scores[file.place], file, limit)]
    hits.sort(key=lambda hit: (-hit.score, hit.path, hit.start_line))
    return hits[:limit]


def _add_definitions(plan: Plan, scores: Sequence[Scores]) -> None:
    """What defines the name that was asked for gains a share of the best chunk's score."""
    best = max((max(scored.chunks, default=0.0) for scored in scores), default=0.0)
    for scored in scores:
        gains: dict[int, float] = {}
        for chunk, weight in features.definitions(plan, scored.shard):
            gains[chunk] = max(gains.get(chunk, 0.0), weight)
        for chunk, weight in gains.items():
            if scored.chunks[chunk]:
                scored.chunks[chunk] += best * weight


def _score_files(
    plan: Plan, view: View, scores: Sequence[Scores], allowed: bytearray | None, best: float, limit: int
) -> list[_File]:
    names = Names(view.manifest)
    shares = features.path_shares(plan, names)
    stems = features.whole_stems(plan, names)
    files = []
    for file in _candidates(view, scores, shares, limit):
        if allowed is None or allowed[file]:
            files.append(_scored(file, plan, view, scores, best, shares.get(file, 0.0), file in stems))
    return [file for file in files if file.score > 0]


def _candidates(view: View, scores: Sequence[Scores], shares: dict[int, float], limit: int) -> list[int]:
    """The files that can be among the best `limit`: the best by text alone, and all that the query names."""
    found: dict[int, None] = {}
    for place, scored in enumerate(scores):
        for blob in kernels.top_k(scored.blobs, 4 * limit + 100):
            found.update(dict.fromkeys(view.manifest.files_of(place, blob)))
    best_named = sorted(shares, key=lambda file: (-shares[file], file))[: 20 * limit + 400]
    found.update(dict.fromkeys(best_named))
    return list(found)


def _scored(
    file: int, plan: Plan, view: View, scores: Sequence[Scores], best: float, share: float, stem: bool
) -> _File:
    manifest = view.manifest
    place = manifest.column(layout.FILE_SHARD, "I")[file]
    blob = manifest.column(layout.FILE_BLOB, "I")[file]
    result = _File(
        file,
        place,
        blob,
        scores[place].blobs[blob],
        best * weights.PATH * share,
        best * weights.STEM_EQUALS if stem else 0.0,
    )
    if result.base > 0 or share == 1.0:
        result.flags = features.file_flags(manifest, scores[place].shard, file, blob)
        result.factor = features.factor(result.flags, plan)
        result.score = (result.base + result.path + result.stem) * result.factor
    return result


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
        hit.breakdown = {
            "bm25f": file.base * share * file.factor,
            "path": file.path * share * file.factor,
            "stem": file.stem * share * file.factor,
        }
        yield hit
