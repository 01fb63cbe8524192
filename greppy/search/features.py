"""What ranking knows beyond BM25F: names of files, definitions of names, kinds of files. Hot path.

In: a plan and a view. Out: shares and factors by file ordinal, which `greppy.search.rank` adds and multiplies
(`greppy.search.weights`).
"""

from __future__ import annotations

from math import log
from sys import byteorder

from greppy import kernels
from greppy.analysis.classify import DATA, DOCS, EXAMPLE, GENERATED, SATELLITE, SUPERSEDED, TEST, VENDORED
from greppy.analysis.tokens import terms_of_run
from greppy.index.names import WHOLE, stem_of, words_of_name
from greppy.search import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from greppy.index.shard import Shard
    from greppy.index.view import Estimate
    from greppy.query.plan import Plan
    from greppy.search.facts import Facts

IN_NAME = 0x80
"""The bit of a posting's code that says: the term stands in the name of what the chunk defines."""

FLAG_NAMES = (
    (TEST, "test"),
    (GENERATED, "generated"),
    (VENDORED, "vendored"),
    (DOCS, "docs"),
    (EXAMPLE, "example"),
    (DATA, "data"),
    (SUPERSEDED, "superseded"),
)


class Named:
    """What a query has to do with the names of files.

    `files` (u32, ascending) have a word of the query, `shares` (f64 by file) are the shares of the query's words,
    weighted by rarity, that they have in their stem or their folder; `stems` (u32) have a word of the query, or all of
    them together, as their whole stem; `wholly` (a byte a file) says whether the query has every word of the stem: 0
    no, 1 yes, 2 perhaps.
    """

    __slots__ = ("files", "shares", "stems", "wholly")

    def __init__(self, plan: Plan, facts: Facts, whole: Estimate | None) -> None:
        words = tuple(dict.fromkeys(plan.words))
        found = tuple([facts.named(word) for word in words])
        counts = [len(files) for files in found] if whole is None else [whole.named[word] for word in words]
        given, total = _weights_of_words(counts, facts.files if whole is None else whole.files)
        self.files, self.shares = kernels.path_shares(found, given, total or 1.0, facts.files)
        self.stems = _whole_stems(words, facts)
        paths = facts.table, facts.starts[: facts.files]
        self.wholly = kernels.named_wholly(self.files, *paths, words, weights.SHORTEST_PREFIX)

    def candidates(self, most: int) -> bytes:
        """The files that the query names (u32), those that it names best, then by their order, if there are more than
        `most`."""
        others = [file for file in self.stems if not self.shares[file]]
        files: memoryview = self.files
        if len(files) + len(others) > most:
            files = kernels.best_blobs((self.shares,), most, False)[0]
            others = others[: most - len(files)]
        return bytes(files) + b"".join([file.to_bytes(4, byteorder) for file in others])

    def worths(self, best: float) -> memoryview[float]:
        """What `path_worth` is at most, by file, times the score of the best file."""
        rates = best * weights.PATH, best * weights.STEM_NAMED, best * weights.STEM_EQUALS
        return kernels.name_worths(self.files, self.shares, self.wholly, self.stems, rates)


def _whole_stems(words: tuple[bytes, ...], facts: Facts) -> memoryview:
    """The files whose whole stem is a word of the query, or the query's words together."""
    wholes = dict.fromkeys((*words, b"".join(words)))
    files = {file for whole in wholes for file in facts.named_exactly(WHOLE + whole)}
    return memoryview(b"".join([file.to_bytes(4, byteorder) for file in sorted(files)])).cast("I")


def _weights_of_words(counts: Sequence[int], files: int) -> tuple[tuple[float, ...], float]:
    """A word's weight is its idf among paths, ln(1 + files / (1 + files that it names)); and the sum of all, in which a
    word that names none counts less."""
    given = tuple([log(1 + files / (1 + count)) for count in counts])
    total = 0.0
    for count, weight in zip(counts, given, strict=True):
        total += weight if count else weights.PATH_UNNAMED * weight
    return given, total


def shares_of_words(found: Mapping[bytes, set[int]], counts: Mapping[bytes, int], files: int) -> dict[int, float]:
    """The shares for the files that each word names; `counts` of the project's `files` are named by a word."""
    given, total = _weights_of_words([counts[word] for word in found], files)
    sums: dict[int, float] = {}
    for named, weight in zip(found.values(), given, strict=True):
        for file in named:
            sums[file] = sums.get(file, 0.0) + weight
    return {file: value / total for file, value in sums.items()}


def shares_of_terms(plan: Plan, idf: Sequence[float]) -> list[float]:
    """By bit, the share of each term that was asked for in the weight of the whole query."""
    asked = plan.terms[: plan.asked]
    total = sum(idf[term.bit] * term.weight for term in asked) or 1.0
    return [idf[term.bit] * term.weight / total for term in asked]


def covered(mask: int, shares: Sequence[float]) -> float:
    """The share of the query's weight whose terms are in a mask."""
    return sum(share for bit, share in enumerate(shares) if mask >> bit & 1)


def path_worth(plan: Plan, path: bytes, share: float, is_stem: bool, wholly: int = 2) -> float:
    """What a file's path adds, in shares of the best score; `share` is its own of `Named`, `is_stem` whether its whole
    stem is a word of the query, `wholly` whether the query has every word of it (2: not known)."""
    worth = weights.PATH * share + (weights.STEM_EQUALS if is_stem else 0.0)
    named = share and (_is_stem_named(plan, path) if wholly == 2 else wholly)
    return worth + weights.STEM_NAMED * share if named else worth


def _is_stem_named(plan: Plan, path: bytes) -> bool:
    """Whether the query has every word of a file's stem, or begins it, or is begun by it."""
    stem = words_of_name(stem_of(path.rpartition(b"/")[2]))
    return bool(stem) and all(any(_is_kin(word, asked) for asked in plan.words) for word in stem)


def _is_kin(one: bytes, other: bytes) -> bool:
    if min(len(one), len(other)) < weights.SHORTEST_PREFIX:
        return one == other
    return one.startswith(other) or other.startswith(one)


def definitions(plan: Plan, facts: Facts) -> Iterator[tuple[int, int, float]]:
    """(place of the shard, chunk, weight) of the chunks that define a name that the query is or contains."""
    for name, weight in names_asked_for(plan):
        terms = terms_of_run(name.rpartition(".")[2].encode())
        for place, shard in enumerate(facts.shards if terms else ()):
            postings = shard.postings(terms[0])
            if postings is not None:
                for chunk, agreement in _defining(name, shard, postings):
                    yield place, chunk, weight * agreement


def _defining(name: str, shard: Shard, postings: memoryview) -> Iterator[tuple[int, float]]:
    """(chunk, agreement) of those with a name's first term in the name of what they define."""
    docs, codes = kernels.decode_postings(postings)
    before = (-2, "")
    for doc, code in zip(docs, codes, strict=True):
        if code & IN_NAME:
            symbol = shard.symbol(doc)
            agreement = _agreement(symbol, name)
            # A long definition has several chunks; its first one holds the head.
            if agreement and before != (doc - 1, symbol):
                yield doc, agreement
            before = (doc, symbol)


def names_asked_for(plan: Plan) -> Iterator[tuple[str, float]]:
    """The names that a query is or contains, and what a definition of each weighs."""
    if plan.qualified:
        plain = plan.qualified.isalpha() and plan.qualified.islower()
        yield plan.qualified, weights.DEFINITION_PLAIN if plain else weights.DEFINITION
        return
    for run in plan.identifiers:
        yield run.decode("utf-8", "replace"), weights.DEFINITION_CONTAINED


def _agreement(symbol: str, name: str) -> float:
    """1 when a symbol ends in a name at a dot, less when only the case differs, else 0. Sigils ($, @) do not count."""
    symbol = symbol.replace("$", "").replace("@", "")
    if symbol == name or symbol.endswith("." + name):
        return 1.0
    symbol, name = symbol.lower(), name.lower()
    return weights.DEFINITION_OTHER_CASE if symbol == name or symbol.endswith("." + name) else 0.0


def factor(flags: int, plan: Plan, domain: str = "") -> float:
    """What a file's score is multiplied by for being a test, documentation, data, generated, or beside the point of the
    project. In a file of the `domain` that is asked for, being documentation or data is no fault."""
    aligned = bool(domain) and domain == plan.domain
    result = 1.0
    if flags & GENERATED:
        result *= weights.GENERATED
    if flags & TEST:
        result *= weights.TEST_WANTED if "test" in plan.speaks_of else weights.TEST
    if flags & (DOCS | EXAMPLE | VENDORED) and not aligned and not _asked_for(flags, plan):
        result *= weights.SIDE
    if flags & DATA and not aligned:
        result *= weights.DATA
    if flags & SATELLITE:
        result *= weights.SATELLITE
    if flags & SUPERSEDED:
        result *= weights.SUPERSEDED
    return result


def _asked_for(flags: int, plan: Plan) -> bool:
    return bool((flags & DOCS and "docs" in plan.speaks_of) or (flags & EXAMPLE and "example" in plan.speaks_of))


def names_of(flags: int) -> list[str]:
    """The flags as words, for output."""
    return [name for bit, name in FLAG_NAMES if flags & bit]
