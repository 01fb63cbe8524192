"""Scores of chunks → ranked hits: file-level evidence, named features, and one file not crowding out others. Hot path.

In: a plan, a view, BM25F scores. Out: `Hit`s, best first, ties by path, then line. A hit's breakdown adds up to its
score::

    file = (bm25f + structure + coverage + proximity + path + domain) · factor
    hit  = file · chunk / best chunk / rank of the chunk in its file

where bm25f is the best chunk's plus shares of the next three, and structure what definitions of names asked for add to
it. `greppy.search.weights` says what each of the others is.
"""

from __future__ import annotations

from greppy import kernels
from greppy.domains.code import CODE
from greppy.index import format as layout
from greppy.index.names import Names
from greppy.search import features, weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from greppy.index.view import View
    from greppy.query.plan import Plan
    from greppy.search.score import Frequencies, Scores


_ALL = 1 << 62
_LOOKS = 16
"""Candidates after which it is looked whether enough is known."""

MOST_FOLDED = 6
"""Chunks of a folded file that are told of: the best, and where else to look."""


class Hit:
    """One ranked chunk: file ordinal, place of its shard, blob, chunk, lines, score, flags, and the parts of the
    score. `also` are further places of a folded file."""

    __slots__ = (
        "also",
        "blob",
        "breakdown",
        "chunk",
        "end_line",
        "file",
        "flags",
        "path",
        "place",
        "score",
        "start_line",
    )

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
        self.also: Sequence[tuple[int, int, str]] = ()


class _File:
    """A candidate file with its flags and the parts of its score, before and after its factor."""

    __slots__ = ("blob", "domain", "factor", "file", "flags", "parts", "place", "score")

    def __init__(
        self, file: int, place: int, blob: int, flags: int, factor: float, parts: dict[str, float], domain: str = ""
    ) -> None:
        self.file = file
        self.place = place
        self.blob = blob
        self.flags = flags
        self.factor = factor
        self.parts = parts
        self.domain = domain
        self.score = sum(parts.values()) * factor


def rank(
    plan: Plan,
    view: View,
    scores: Sequence[Scores],
    frequencies: Frequencies,
    allowed: bytearray | None,
    limit: int,
    by_name: bool = True,
    fold: bool = False,
) -> list[Hit]:
    """The best `limit` hits. `allowed` has a byte a file, zero for those filtered out; None allows all. `by_name`
    allows files that match by their name alone, `fold` gives each file once."""
    for scored in scores:
        scored.gather()
    best = _largest(scored.blobs for scored in scores) or 1.0
    defined = _add_definitions(plan, scores, best)
    judge = _Judge(plan, view, scores, frequencies, best, defined)
    # Of one domain only the files that are of it count, which is known when all have been looked at.
    wanted = _ALL if plan.fixed else (limit if fold else 2 * limit)
    files = _of_domain(plan, _best_files(judge, view, scores, allowed, by_name, limit, wanted))
    if fold:
        return _folded(view, scores, files, limit)
    return _best_hits(view, scores, files[: 2 * limit], limit)


def _best_files(
    judge: _Judge,
    view: View,
    scores: Sequence[Scores],
    allowed: bytearray | None,
    by_name: bool,
    limit: int,
    wanted: int,
) -> list[_File]:
    """The best `wanted` files that score at all, best first, ties by their order; more come along.

    They are judged in the order of what they can have at most, until no other can be among the best.
    """
    files: dict[int, _File] = {}
    found: list[_File] = []
    for number, (bound, place, item) in enumerate(_candidates(judge, scores, limit)):
        if number % _LOOKS == 0 and len(found) >= wanted:
            found.sort(key=_by_score)
            if found[wanted - 1].score > bound:
                break
        for file in (item,) if place < 0 else view.manifest.files_of(place, item):
            if file not in files and (allowed is None or allowed[file]):
                judged = files[file] = judge.file(file, by_name)
                if judged.score > 0:
                    found.append(judged)
    found.sort(key=_by_score)
    return found


def _by_score(file: _File) -> tuple[float, int]:
    return -file.score, file.file


def _candidates(judge: _Judge, scores: Sequence[Scores], limit: int) -> list[tuple[float, int, int]]:
    """What can be among the best `limit`: the best by text alone, as (bound, place of the shard, blob), and what the
    query names or defines, as (bound, -1, file); by what they can score at most."""
    found = [(judge.bound_of_file(file), -1, file) for file in judge.named(20 * limit + 400)]
    for place, blob in _best_blobs(scores, 4 * limit + 100):
        found.append((judge.bound_of_blob(place, blob), place, blob))
    found.sort(key=lambda candidate: -candidate[0])
    return found


def _best_blobs(scores: Sequence[Scores], count: int) -> list[tuple[int, int]]:
    """(place, blob) of the best `count` by text, and of all that score as much as the last of these: how blobs are
    divided among shards must not show."""
    tops = [kernels.top_k(scored.blobs, count + 1) for scored in scores]
    values = [scored.blobs[blob] for scored, top in zip(scores, tops, strict=True) for blob in top]
    values.sort(reverse=True)
    least = values[count - 1] if len(values) > count else 0.0
    if len(values) > count and values[count] == least:
        tops = [kernels.top_k(scored.blobs, len(scored.blobs)) for scored in scores]
    return [
        (place, blob)
        for place, (scored, top) in enumerate(zip(scores, tops, strict=True))
        for blob in top
        if scored.blobs[blob] >= least
    ]


def _largest(columns: Iterable[memoryview[float]]) -> float:
    """The largest positive number of all columns, or 0."""
    return max((column[at] for column in columns for at in kernels.top_k(column, 1)), default=0.0)


def _folded(view: View, scores: Sequence[Scores], files: Sequence[_File], limit: int) -> list[Hit]:
    """The best hit of each of the best files, with the places of its others in the order of their lines."""
    found: list[Hit] = []
    for file in files:
        scored = scores[file.place]
        hits = [_hit(view, scored, file, chunk, score) for score, chunk in _chunks(scored, file, MOST_FOLDED)]
        if hits:  # an empty file has none
            hits[0].also = sorted((hit.start_line, hit.end_line, scored.shard.symbol(hit.chunk)) for hit in hits[1:])
            found.append(hits[0])
        if len(found) == limit:
            break
    return found


def _of_domain(plan: Plan, files: list[_File]) -> list[_File]:
    """Of files of all domains those of the one that was asked for, if there are any."""
    return [file for file in files if plan.fixed and file.domain == plan.domain] or files


class _Defined:
    """What definitions of names that were asked for add in one shard: to chunks; and the blobs' scores without."""

    __slots__ = ("_gains", "_plain")

    def __init__(self, gains: dict[int, float], plain: memoryview[float]) -> None:
        self._gains = gains
        self._plain = plain

    def of_blob(self, scored: Scores, blob: int) -> tuple[float, float]:
        """(score by text alone, gain) of a blob: several definitions of a name in one file count as one."""
        if not self._gains:
            return scored.blobs[blob], 0.0
        start, end = scored.shard.chunk_range(blob)
        gain = max((gain for chunk, gain in self._gains.items() if start <= chunk < end), default=0.0)
        return self._plain[blob], gain


def _add_definitions(plan: Plan, scores: Sequence[Scores], best: float) -> list[_Defined]:
    """What defines a name that was asked for gains a share of what the best file has by its text alone."""
    defined: list[_Defined] = []
    for scored in scores:
        gains: dict[int, float] = {}
        for chunk, weight in features.definitions(plan, scored.shard):
            if scored.chunks[chunk]:
                gains[chunk] = max(gains.get(chunk, 0.0), best * weight)
        defined.append(_Defined(gains, memoryview(bytearray(scored.blobs)).cast("d") if gains else scored.blobs))
        for chunk, gain in gains.items():
            scored.chunks[chunk] += gain
        if gains:
            scored.gather()
    return defined


class _Judge:
    """Scores files: what all of them share is looked up once."""

    __slots__ = (
        "_best",
        "_blobs",
        "_covered",
        "_defined",
        "_extra",
        "_places",
        "_plan",
        "_scores",
        "_shares",
        "_stems",
        "_view",
        "_weights",
        "_with_domain",
    )

    def __init__(
        self,
        plan: Plan,
        view: View,
        scores: Sequence[Scores],
        frequencies: Frequencies,
        best: float,
        defined: Sequence[_Defined],
    ) -> None:
        names = Names(view.manifest)
        self._plan = plan
        self._view = view
        self._scores = scores
        self._best = best
        self._defined = defined
        self._places = view.manifest.column(layout.FILE_SHARD, "I")
        self._blobs = view.manifest.column(layout.FILE_BLOB, "I")
        self._stems = features.whole_stems(plan, names)
        self._weights = features.shares_of_terms(plan, frequencies.idf)
        self._covered: dict[int, float] = {}
        self._with_domain = plan.fixed or plan.domain != CODE.name
        self._extra = weights.PROXIMITY + (weights.DOMAIN if plan.domain != CODE.name else 0.0)
        self._shares = features.path_shares(plan, names, view.manifest.meta.files, view.estimate)

    def named(self, most: int) -> list[int]:
        """The files that the query names, those that it names best if there are more than `most`."""
        files = [*self._shares, *(file for file in self._stems if file not in self._shares)]
        if len(files) <= most:
            return files
        return sorted(files, key=lambda file: (-self._shares.get(file, 0.0), file))[:most]

    def bound_of_file(self, file: int) -> float:
        """What a file can score at most; no factor is above 1."""
        share = self._shares.get(file, 0.0)
        path = weights.PATH * share + weights.STEM_EQUALS + weights.STEM_NAMED * share
        return self.bound_of_blob(self._places[file], self._blobs[file]) + self._best * path

    def bound_of_blob(self, place: int, blob: int) -> float:
        """What a file with a blob can score at most, if the query does not name it."""
        scored = self._scores[place]
        text = sum(self._defined[place].of_blob(scored, blob))
        return text + self._best * (weights.COVERAGE * self._coverage(scored.blob_masks[blob]) + self._extra)

    def _coverage(self, mask: int) -> float:
        share = self._covered.get(mask)
        if share is None:
            share = self._covered[mask] = features.covered(mask, self._weights)
        return share

    def file(self, file: int, by_name: bool) -> _File:
        """A file with its score; 0 when neither its text nor, with `by_name`, all of its name matches."""
        place, blob = self._places[file], self._blobs[file]
        scored, share = self._scores[place], self._shares.get(file, 0.0)
        text = scored.blobs[blob]
        if text <= 0 and (share < 1 or not by_name):
            return _File(file, place, blob, 0, 0.0, {})
        manifest = self._view.manifest
        flags = features.file_flags(manifest, scored.shard, file, blob)
        domain = features.domain_of_blob(manifest.paths[file], scored.shard, blob) if self._with_domain else ""
        bm25f, gain = self._defined[place].of_blob(scored, blob)
        aligned = domain == self._plan.domain != CODE.name
        parts = {
            "bm25f": bm25f,
            "structure": gain,
            "coverage": self._best * weights.COVERAGE * self._coverage(scored.blob_masks[blob]),
            "proximity": self._best * weights.PROXIMITY * self._together(scored, blob) if weights.PROXIMITY else 0.0,
            "path": self._best * features.path_worth(self._plan, manifest.paths[file], share, file in self._stems),
            "domain": self._best * weights.DOMAIN if aligned else 0.0,
        }
        return _File(file, place, blob, flags, features.factor(flags, self._plan, domain), parts, domain)

    def _together(self, scored: Scores, blob: int) -> float:
        """The largest share of the query's weight that one chunk of a blob has."""
        start, end = scored.shard.chunk_range(blob)
        masks = set(scored.masks[start:end])
        return max((features.covered(mask, self._weights) for mask in masks), default=0.0)


def _best_hits(view: View, scores: Sequence[Scores], files: Sequence[_File], limit: int) -> list[Hit]:
    """The best hits of these files. Most chunks are out of the question by their score, and cost no more than that."""
    ranked = [(score, file, chunk) for file in files for score, chunk in _chunks(scores[file.place], file, limit)]
    if len(ranked) > limit:
        least = sorted((-score for score, *_ in ranked))[limit - 1]
        ranked = [one for one in ranked if -one[0] <= least]
    hits = [_hit(view, scores[file.place], file, chunk, score) for score, file, chunk in ranked]
    hits.sort(key=lambda hit: (-hit.score, hit.path, hit.start_line))
    return hits[:limit]


def _chunks(scored: Scores, file: _File, most: int) -> Iterator[tuple[float, int]]:
    """(score, chunk) of the matching chunks of a file, best first, each worth less than the one before."""
    start, end = scored.shard.chunk_range(file.blob)
    column = scored.chunks[start:end]
    best = kernels.top_k(column, most)
    if not best and start < end:
        yield file.score, start  # found by its name alone
        return
    for number, at in enumerate(best, 1):
        yield file.score * column[at] / column[best[0]] / number, start + at


def _hit(view: View, scored: Scores, file: _File, chunk: int, score: float) -> Hit:
    hit = Hit(view.manifest.paths[file.file], file.file, file.place, file.blob, chunk, file.flags)
    hit.start_line, hit.end_line = scored.shard.lines(file.blob, chunk)
    hit.score = score
    share = score / file.score
    hit.breakdown = {name: part * file.factor * share for name, part in file.parts.items()}
    return hit
