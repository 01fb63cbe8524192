"""Retrieval: the plan's terms → BM25F scores of chunks, and of files' blobs. Hot path.

In: a plan and a view. Out: for each shard its `Scores`. The formula is BM25F (Robertson & Zaragoza 2009, section 3.5)
in its simple form::

    x(t, c)  = Σ_field weight(field) · tf(t, field, c) / (1 - b(field) + b(field) · length(field, c) / average(field))
    score(c) = rate(kind of c) · Σ_t idf(t) · weight(t) · x / (k1 + x)
    idf(t)   = ln(1 + (N - df + ½) / (df + ½))

N, df and the averages are of the live chunks of the snapshot, so that the history of an index never shows in its
answers. An expansion is never rarer than the term that it stands for: its idf is capped by that term's.
"""

from __future__ import annotations

from math import log

from greppy import kernels
from greppy.index import format as layout
from greppy.search import weights
from greppy.search.facts import facts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.shard import Shard
    from greppy.index.view import View
    from greppy.query.plan import Plan
    from greppy.search.facts import Columns


class Scores:
    """One shard's scores: by chunk and by blob, with a bit in the masks for each term of the plan that was found.

    `matching` chunks score; `best` is the best blob's score, 0 for none. `columns` can be used again by who needs no
    scores any more (`Facts.give_back`).
    """

    __slots__ = ("best", "blob_masks", "blobs", "chunks", "columns", "masks", "matching", "shard")

    def __init__(self, shard: Shard, columns: Columns, matching: int, best: float) -> None:
        self.shard = shard
        self.columns = columns
        self.chunks, self.masks, self.blobs, self.blob_masks, _ = columns
        self.matching = matching
        self.best = best

    def gather(self) -> None:
        """Make the blobs' scores of their chunks' again, which have changed."""
        first = self.shard.column(layout.FIRST_CHUNK, "I")
        kernels.blob_scores(self.chunks, self.masks, first, weights.FOLLOW, self.blobs, self.blob_masks)


class Frequencies:
    """How many live chunks have each term of the plan, by bit, and its idf."""

    __slots__ = ("df", "idf")

    def __init__(self, df: Sequence[int], chunks: int) -> None:
        self.df = df
        self.idf = [log(1 + (chunks - count + 0.5) / (count + 0.5)) for count in df]

    def temper(self, plan: Plan) -> None:
        """Cap the idf of expansions of words that the project has."""
        for term in plan.terms[plan.asked :]:
            if self.df[term.parent]:
                self.idf[term.bit] = min(self.idf[term.bit], self.idf[term.parent])

    def ideal(self, plan: Plan) -> float:
        """What a chunk would score that is full of every term that was asked for and is there; never 0."""
        worth = [self.idf[term.bit] * term.weight for term in plan.terms[: plan.asked] if self.df[term.bit]]
        return sum(worth) or sum(self.idf[term.bit] * term.weight for term in plan.terms[plan.asked :]) or 1.0


def score_chunks(plan: Plan, view: View, allowed: Sequence[bytearray | None]) -> tuple[list[Scores], Frequencies]:
    """Scores of every chunk of every shard. `allowed[i]` has a byte for each chunk of shard i, zero for those filtered
    out; None: all.

    Raises `DamagedIndex`.
    """
    facts = facts_of(view)
    found = facts.found([term.term for term in plan.terms])
    whole = view.estimate
    if whole is None:
        frequencies = Frequencies([count for _, count in found], view.manifest.meta.chunks)
    else:
        # A scan counts what was asked for and leaves out expansions.
        frequencies = Frequencies([*whole.df, *[0] * (len(plan.terms) - len(whole.df))], whole.chunks)
    frequencies.temper(plan)
    worths = tuple([frequencies.idf[term.bit] * term.weight for term in plan.terms])
    scores = []
    for place, shard in enumerate(view.shards):
        lists = tuple([lists[place] for lists, _ in found])
        first, columns = shard.column(layout.FIRST_CHUNK, "I"), facts.borrow(place)
        kinds, rates = shard.column(layout.CHUNK_KIND), facts.rates(place)
        scored = kernels.score_lists(
            lists, worths, allowed[place], weights.K1, first, weights.FOLLOW, kinds, rates, columns
        )
        scores.append(Scores(shard, *scored))
    return scores, frequencies
