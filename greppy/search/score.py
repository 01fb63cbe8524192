"""Retrieval: the plan's terms → BM25F scores of chunks, and of files' blobs. Hot path.

In: a plan and a view. Out: for each shard its `Scores`. The formula is BM25F (Robertson & Zaragoza 2009, section 3.5)
in its simple form::

    x(t, c)  = Σ_field weight(field) · tf(t, field, c) / (1 - b(field) + b(field) · length(field, c) / average(field))
    score(c) = Σ_t idf(t) · weight(t) · x / (k1 + x)
    idf(t)   = ln(1 + (N - df + ½) / (df + ½))

N, df and the averages are of the live chunks of the snapshot, so that the history of an index never shows in its
answers. An expansion is never rarer than the term that it stands for: its idf is capped by that term's.
"""

from __future__ import annotations

from math import log

from greppy import kernels
from greppy.index import format as layout
from greppy.search import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.manifest import Manifest, Meta
    from greppy.index.shard import Shard
    from greppy.index.view import Estimate, View
    from greppy.query.plan import Plan, Term


class Scores:
    """One shard's scores: by chunk and by blob, with a bit in the masks for each term of the plan that was found."""

    __slots__ = ("blob_masks", "blobs", "chunks", "masks", "matching", "shard")

    def __init__(self, shard: Shard) -> None:
        self.shard = shard
        self.matching = 0
        # Memory views, because importing `array` costs as much as scoring: it drags `collections` in.
        self.chunks = memoryview(bytearray(8 * shard.chunks)).cast("d")
        self.masks = memoryview(bytearray(8 * shard.chunks)).cast("Q")
        self.blobs = memoryview(bytearray(8 * shard.blobs)).cast("d")
        self.blob_masks = memoryview(bytearray(8 * shard.blobs)).cast("Q")

    def gather(self) -> None:
        """Make the blobs' scores of their chunks', and count the chunks that match."""
        first = self.shard.column(layout.FIRST_CHUNK, "I")
        self.matching = kernels.blob_scores(self.chunks, self.masks, first, weights.FOLLOW, self.blobs, self.blob_masks)


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
    live = live_chunks(view.manifest, view.shards)
    lists = [[shard.postings(term.term) for term in plan.terms] for shard in view.shards]
    whole = view.estimate
    if whole is None:
        frequencies = Frequencies(_document_frequencies(plan.terms, lists, live), view.manifest.meta.chunks)
    else:
        # A scan counts what was asked for and leaves out expansions.
        frequencies = Frequencies([*whole.df, *[0] * (len(plan.terms) - len(whole.df))], whole.chunks)
    frequencies.temper(plan)
    codes, norms = code_tables(), norm_tables(whole or view.manifest.meta)
    scores = []
    for place, shard in enumerate(view.shards):
        scored = Scores(shard)
        mask = _both(live[place], allowed[place])
        lengths = shard.column(layout.CHUNK_LENGTHS)
        for term, postings in zip(plan.terms, lists[place], strict=True):
            if postings is not None:
                weight = frequencies.idf[term.bit] * term.weight
                kernels.accumulate(
                    postings, mask, codes, lengths, norms, weights.K1, weight, term.bit, scored.chunks, scored.masks
                )
        scores.append(scored)
    return scores, frequencies


def live_chunks(manifest: Manifest, shards: Sequence[Shard]) -> list[bytearray | None]:
    """For each shard a byte a chunk, zero for the chunks of blobs that are gone; None where all are alive."""
    live: list[bytearray | None] = [None] * len(shards)
    for place, blob in manifest.dead():
        mask = live[place]
        if mask is None:
            mask = live[place] = bytearray(b"\1") * shards[place].chunks
        start, end = shards[place].chunk_range(blob)
        mask[start:end] = bytes(end - start)
    return live


def _both(live: bytearray | None, allowed: bytearray | None) -> bytearray | None:
    if live is None or allowed is None:
        return live or allowed
    return bytearray(a & b for a, b in zip(live, allowed, strict=True))


def _document_frequencies(
    terms: Sequence[Term], lists: Sequence[Sequence[memoryview | None]], live: Sequence[bytearray | None]
) -> list[int]:
    counts = [0] * len(terms)
    for place, postings in enumerate(lists):
        for bit, buffer in enumerate(postings):
            if buffer is not None:
                counts[bit] += kernels.count_postings(buffer, live[place])
    return counts


def code_tables() -> memoryview[float]:
    """What a posting's code contributes: its fixed part (name, signature), its comment tf, its body tf; 256 of each,
    weighted."""
    tables = memoryview(bytearray(8 * 3 * 256)).cast("d")
    for code in range(256):
        tables[code] = weights.NAME * (code >> 7) + weights.SIGNATURE * (code >> 6 & 1)
        tables[256 + code] = weights.COMMENT * kernels.COMMENT_LEVELS[code >> 4 & 3]
        tables[512 + code] = weights.BODY * kernels.LEVELS[code & 15]
    return tables


def norm_tables(meta: Meta | Estimate) -> memoryview[float]:
    """1 / (1 - b + b · length / average) by length code: 256 for bodies, then 256 for comments."""
    tables = memoryview(bytearray(8 * 2 * 256)).cast("d")
    for field, (b, total) in enumerate(((weights.B_BODY, meta.body), (weights.B_COMMENT, meta.comment))):
        average = max(total / max(meta.chunks, 1), 1.0)
        for code, length in enumerate(kernels.LENGTHS):
            tables[256 * field + code] = 1 / (1 - b + b * length / average)
    return tables
