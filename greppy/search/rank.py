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
from greppy.search import features, weights
from greppy.search.facts import facts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.view import View
    from greppy.query.plan import Plan
    from greppy.search.facts import ChunkCard, Facts, FileCard
    from greppy.search.score import Frequencies, Scores


_ROUNDING = 1 + 1e-9
"""What a bound, whose parts are added in another order, can be less than the score itself."""

MOST_FOLDED = 6
"""Chunks of a folded file that are told of: the best, and where else to look."""


class Hit:
    """One ranked chunk: file ordinal, place of its shard, blob, chunk, its lines, symbol and kind, score, flags, and
    the parts of the score. `also` are further places of a folded file."""

    __slots__ = (
        "also",
        "blob",
        "breakdown",
        "chunk",
        "end_line",
        "file",
        "flags",
        "kind",
        "path",
        "place",
        "score",
        "start_line",
        "symbol",
    )

    def __init__(self, file: _File, chunk: int, card: ChunkCard, score: float, breakdown: dict[str, float]) -> None:
        self.path = file.path
        self.file = file.file
        self.place = file.place
        self.blob = file.blob
        self.chunk = chunk
        self.flags = file.flags
        self.start_line, self.end_line, self.symbol, self.kind = card
        self.score = score
        self.breakdown = breakdown
        self.also: Sequence[tuple[int, int, str]] = ()


class _File:
    """A candidate file with its flags and the parts of its score, before and after its factor."""

    __slots__ = ("blob", "domain", "end", "factor", "file", "flags", "parts", "path", "place", "score", "start")

    def __init__(self, file: int, card: FileCard, factor: float, parts: dict[str, float], domain: str) -> None:
        self.file = file
        self.place, self.blob, self.start, self.end, self.flags, self.path = card
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
    depth: int = 0,
) -> list[Hit]:
    """The best `limit` hits. `allowed` has a byte a file, zero for those filtered out; None allows all. `by_name`
    allows files that match by their name alone, `fold` gives each file once; `depth`, if it is more than `limit`, is
    how many hits are drawn from the same candidates."""
    best = max([scored.best for scored in scores], default=0.0) or 1.0
    facts = facts_of(view)
    judge = _Judge(plan, view, scores, frequencies, best, _add_definitions(plan, facts, scores, best))
    files = _best_files(judge, judge.candidates(max(limit, depth), allowed, by_name), limit)
    return _folded(facts, scores, files[:limit]) if fold else _best_hits(facts, scores, files, limit)


def _best_files(judge: _Judge, candidates: tuple[memoryview, memoryview], limit: int) -> list[_File]:
    """The best `limit` files that score at all, and those that come as close as rounding, best first, ties by their
    order. Each of them has a hit with its own score, so no other can be among the best hits.

    They are judged in the order of what they can have at most, until no other can be among the best. If one domain is
    asked for, files of others count only where it has none.
    """
    wanted: list[_File] = []
    others: list[_File] = []
    least = 0.0
    for file, bound in zip(*candidates, strict=True):
        if bound * _ROUNDING < least:
            break
        judged = judge.file(file)
        if judged is None:
            continue
        if judge.suits(judged):
            wanted.append(judged)
            if len(wanted) >= limit:
                wanted.sort(key=_by_score)
                least = wanted[limit - 1].score
        else:
            others.append(judged)
    found = wanted or others
    found.sort(key=_by_score)
    return [file for file in found if file.score * _ROUNDING >= least]


def _by_score(file: _File) -> tuple[float, int]:
    return -file.score, file.file


def _folded(facts: Facts, scores: Sequence[Scores], files: Sequence[_File]) -> list[Hit]:
    """The best hit of each of these files, with the places of its others in the order of their lines."""
    found: list[Hit] = []
    for file in files:
        scored = scores[file.place]
        (score, chunk), *others = _chunks(scored, file, MOST_FOLDED)
        hit = _hit(facts, file, chunk, score)
        hit.also = sorted([facts.chunk(file.place, file.blob, other)[:3] for _, other in others])
        found.append(hit)
    return found


class _Defined:
    """What definitions of names that were asked for add in one shard: to chunks; and the blobs' scores without."""

    __slots__ = ("_gains", "_plain")

    def __init__(self, gains: dict[int, float], plain: memoryview[float]) -> None:
        self._gains = gains
        self._plain = plain

    @classmethod
    def of_chunks(cls, scored: Scores, gains: dict[int, float]) -> _Defined:
        """Those of the chunks that gain; of a blob the one that gains most."""
        if not gains:
            return cls({}, scored.blobs)
        by_blob: dict[int, float] = {}
        for chunk, gain in gains.items():
            blob = scored.shard.blob_of(chunk)
            by_blob[blob] = max(gain, by_blob.get(blob, 0.0))
        return cls(by_blob, memoryview(bytearray(scored.blobs)).cast("d"))

    def has_gains(self) -> bool:
        """Whether anything that was asked for is defined here."""
        return bool(self._gains)

    def of_blob(self, scored: Scores, blob: int) -> tuple[float, float]:
        """(score by text alone, gain) of a blob: several definitions of a name in one file count as one."""
        return self._plain[blob], self._gains.get(blob, 0.0)

    def texts(self, scored: Scores) -> memoryview[float]:
        """By blob the sum of both."""
        if not self._gains:
            return scored.blobs
        sums = memoryview(bytearray(self._plain)).cast("d")
        for blob, gain in self._gains.items():
            sums[blob] += gain
        return sums


def _add_definitions(plan: Plan, facts: Facts, scores: Sequence[Scores], best: float) -> list[_Defined]:
    """What defines a name that was asked for gains a share of what the best file has by its text alone."""
    gains: list[dict[int, float]] = [{} for _ in scores]
    for place, chunk, weight in features.definitions(plan, facts):
        if scores[place].chunks[chunk]:
            gains[place][chunk] = max(gains[place].get(chunk, 0.0), best * weight)
    defined = []
    for scored, gained in zip(scores, gains, strict=True):
        defined.append(_Defined.of_chunks(scored, gained))
        for chunk, gain in gained.items():
            scored.chunks[chunk] += gain
        if gained:
            scored.gather()
    return defined


class _Judge:
    """Scores files: what all of them share is looked up once."""

    __slots__ = (
        "_best",
        "_covered",
        "_defined",
        "_facts",
        "_is_name",
        "_named",
        "_plan",
        "_scores",
        "_shares",
        "_stems",
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
        self._plan = plan
        self._facts = facts_of(view)
        self._scores = scores
        self._best = best
        self._defined = defined
        self._named = features.Named(plan, self._facts, view.estimate)
        self._stems = set(self._named.stems)
        self._shares = features.shares_of_terms(plan, frequencies.idf)
        self._covered: dict[int, float] = {}
        self._with_domain = plan.fixed or plan.domain != CODE.name
        self._is_name = features.is_name(plan) and any(map(_Defined.has_gains, defined))

    def candidates(self, limit: int, allowed: bytearray | None, by_name: bool) -> tuple[memoryview, memoryview]:
        """The files that can be among the best `limit`, and what each can score at most, best first: the best by text
        alone, and what the query names or defines. A file whose text does not match counts only if all of the query is
        in its name, and `by_name`."""
        plan, facts, best = self._plan, self._facts, self._best
        blobs = kernels.best_blobs(tuple([scored.blobs for scored in self._scores]), 4 * limit + 100)
        columns = [
            (defined.texts(scored), scored.blob_masks, of_shard)
            for scored, defined, of_shard in zip(self._scores, self._defined, blobs, strict=True)
        ]
        domain = plan.domain if self._with_domain else ""
        factors = facts.factors(
            (plan.speaks_of, plan.domain, self._with_domain, self._is_name),
            lambda flags: max([features.factor(flags, plan, one, self._is_name) for one in ("", domain)]),
        )
        return kernels.best_files(
            tuple(columns),
            self._named.candidates(20 * limit + 400),
            self._named.shares,
            self._named.worths(best),
            tuple([best * weights.COVERAGE * share for share in self._shares]),
            best * (weights.PROXIMITY + (weights.DOMAIN if plan.domain != CODE.name else 0.0)),
            facts.places,
            facts.blobs,
            facts.order,
            facts.classes,
            factors,
            allowed,
            by_name,
        )

    def suits(self, file: _File) -> bool:
        """Whether a file is of the domain that was asked for, if one was."""
        return not self._plan.fixed or file.domain == self._plan.domain

    def file(self, file: int) -> _File | None:
        """A file with its score; None for an empty one, of which there is nothing to show."""
        facts, named, best = self._facts, self._named, self._best
        card = facts.file(file)
        place, blob, start, end, flags, path = card
        if start == end:
            return None
        scored, share = self._scores[place], named.shares[file]
        domain = facts.domain(file) if self._with_domain else ""
        bm25f, gain = self._defined[place].of_blob(scored, blob)
        aligned = domain == self._plan.domain != CODE.name
        worth = features.path_worth(self._plan, path, share, file in self._stems, named.wholly[file])
        parts = {
            "bm25f": bm25f,
            "structure": gain,
            "coverage": best * weights.COVERAGE * self._coverage(scored.blob_masks[blob]),
            "proximity": best * weights.PROXIMITY * self._together(scored, blob) if weights.PROXIMITY else 0.0,
            "path": best * worth,
            "domain": best * weights.DOMAIN if aligned else 0.0,
        }
        return _File(file, card, features.factor(flags, self._plan, domain, self._is_name), parts, domain)

    def _coverage(self, mask: int) -> float:
        share = self._covered.get(mask)
        if share is None:
            share = self._covered[mask] = features.covered(mask, self._shares)
        return share

    def _together(self, scored: Scores, blob: int) -> float:
        """The largest share of the query's weight that one chunk of a blob has."""
        start, end = scored.shard.chunk_range(blob)
        masks = set(scored.masks[start:end])
        return max((features.covered(mask, self._shares) for mask in masks), default=0.0)


def _best_hits(facts: Facts, scores: Sequence[Scores], files: Sequence[_File], limit: int) -> list[Hit]:
    """The best hits of these files. Most chunks are out of the question by their score, and cost no more than that."""
    least = files[limit - 1].score if len(files) >= limit else 0.0
    ranked = [
        (score, file, chunk)
        for file in files
        for score, chunk in _chunks(
            scores[file.place], file, min(limit, int(file.score / least) + 1) if least else limit
        )
        if score * _ROUNDING >= least
    ]
    if len(ranked) > limit:
        least = sorted([-score for score, *_ in ranked])[limit - 1]
        ranked = [one for one in ranked if -one[0] <= least]
    hits = [_hit(facts, file, chunk, score) for score, file, chunk in ranked]
    hits.sort(key=lambda hit: (-hit.score, hit.path, hit.start_line))
    return hits[:limit]


def _chunks(scored: Scores, file: _File, most: int) -> list[tuple[float, int]]:
    """(score, chunk) of the matching chunks of a file, best first, each worth less than the one before."""
    start = file.start
    column = scored.chunks[start : file.end]
    best = kernels.top_k(column, most)
    if not best:
        return [(file.score, start)]  # found by its name alone
    first = column[best[0]]
    return [(file.score * column[at] / first / number, start + at) for number, at in enumerate(best, 1)]


def _hit(facts: Facts, file: _File, chunk: int, score: float) -> Hit:
    factor, share = file.factor, score / file.score
    breakdown = {name: part * factor * share for name, part in file.parts.items()}
    return Hit(file, chunk, facts.chunk(file.place, file.blob, chunk), score, breakdown)
