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

_MANY = 100
"""Symbols beyond which those that cannot agree are passed over before they are read."""

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
        found = {clue: facts.named(word, beginning) for word in words for clue, beginning in clues_of(word)}
        counts = {clue: len(files) for clue, files in found.items()} if whole is None else whole.named
        given, total = _weights_of_clues(words, counts, facts.files if whole is None else whole.files)
        lists = tuple([found[clue] for clue in given])
        self.files, self.shares = kernels.path_shares(lists, tuple(given.values()), total or 1.0, facts.files)
        self.stems = _whole_stems(words, facts)
        paths = facts.table, facts.starts[: facts.files]
        self.wholly = kernels.named_wholly(self.files, *paths, _with_stems(words), weights.SHORTEST_PREFIX)

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


def clues_of(word: bytes) -> list[tuple[bytes, bytes]]:
    """(clue, beginning): by which files are counted that a word of the query names, and how further words in their
    names may begin: first the word itself, without such, then its stem, if that is another."""
    stem = _stem(word)
    return [(word, b""), (b"\1" + stem, stem)] if stem else [(word, b"")]


def _stem(word: bytes) -> bytes:
    """The stem of a word, if it is long enough to say something and not the word itself; else nothing."""
    stem = next(iter(terms_of_run(word)), word)
    return stem if stem != word and len(stem) >= weights.SHORTEST_STEM else b""


def _with_stems(words: Sequence[bytes]) -> tuple[bytes, ...]:
    return (*words, *[stem for stem in map(_stem, words) if stem])


def _weights_of_clues(
    words: Sequence[bytes], counts: Mapping[bytes, int], files: int
) -> tuple[dict[bytes, float], float]:
    """By clue what a file has from it, and the sum over all words; `counts` of the project's `files` have a clue.

    A word's weight is its idf among paths, ln(1 + files / (1 + files that it names)). One that names none counts less
    in the sum.
    """
    given: dict[bytes, float] = {}
    total = 0.0
    for word in words:
        (_, _), *kin = clues_of(word)
        akin = counts[kin[0][0]] if kin else 0
        weight = log(1 + files / (1 + (counts[word] or akin)))
        total += weight * (1.0 if counts[word] else weights.PATH_KIN if akin else weights.PATH_UNNAMED)
        given[word] = weight * (1 - weights.PATH_KIN) if kin else weight
        for clue, _ in kin:
            given[clue] = given.get(clue, 0.0) + weight * weights.PATH_KIN
    return given, total


def shares_of_words(
    words: Sequence[bytes], found: Mapping[bytes, set[int]], counts: Mapping[bytes, int], files: int
) -> dict[int, float]:
    """The shares for the files that have each clue; `counts` of the project's `files` have it."""
    given, total = _weights_of_clues(words, counts, files)
    sums: dict[int, float] = {}
    for clue, weight in given.items():
        for file in found[clue]:
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
    asked = _with_stems(plan.words)
    return bool(stem) and all(any(_is_kin(word, one) for one in asked) for word in stem)


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
                for chunk, agreement in _defining(name, terms[0], len(terms) == 1, shard, postings):
                    yield place, chunk, weight * agreement


def _defining(name: str, term: bytes, is_word: bool, shard: Shard, postings: memoryview) -> Iterator[tuple[int, float]]:
    """(chunk, agreement) of those with a name's first term in a name that they define."""
    chunks = [doc for doc, code in zip(*kernels.decode_postings(postings), strict=True) if code & IN_NAME]
    lowered = name.lower()
    if is_word and lowered.isascii() and len(chunks) > _MANY:
        chunks = shard.symbols.ending(chunks, lowered.encode())  # most of the others only have it inside
    before = (-2, "")
    for chunk, symbol in zip(chunks, shard.symbols_of(chunks), strict=True):
        folded = symbol.lower()
        if folded.rstrip("$@").endswith(lowered) and (agreement := _agreement(symbol, name)):
            if before == (chunk - 1, symbol) and shard.blob_of(chunk) == shard.blob_of(chunk - 1):
                agreement = 0.0  # a long definition has several chunks; its first one holds the head
            elif shard.kind(chunk) in weights.EXTENSIONS:
                agreement *= weights.DEFINITION_EXTENDED
        elif is_word and lowered in folded:
            agreement = 0.0  # by far the most of them, with a common word
        else:
            agreement = _agreement_inside(symbol, term, is_word, shard.kind(chunk))
        if agreement:
            yield chunk, agreement
        before = (chunk, symbol)


def _agreement_inside(symbol: str, term: bytes, is_word: bool, kind: str) -> float:
    """The agreement of a chunk whose symbol does not have the name as it is written: it defines it inside, unless it is
    prose, or the symbol has the name in another style or form (`from_request` for `FromRequest`), or a part of it."""
    if kind == "section":
        return 0.0
    own = terms_of_run(symbol.rpartition(".")[2].encode())
    if term in own:
        return weights.DEFINITION_OTHER_CASE if own[0] == term else 0.0
    return weights.DEFINITION_INSIDE_WORD if is_word else weights.DEFINITION_INSIDE


def is_name(plan: Plan) -> bool:
    """Whether a query is one name, and long enough to be more than a throwaway."""
    return len(plan.qualified) >= weights.SHORTEST_PREFIX


def names_asked_for(plan: Plan) -> Iterator[tuple[str, float]]:
    """The names that a query is or contains, and what a definition of each weighs."""
    if plan.qualified:
        yield plan.qualified, weights.DEFINITION
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


def factor(flags: int, plan: Plan, domain: str = "", is_name: bool = False) -> float:
    """What a file's score is multiplied by for being a test, documentation, data, generated, or beside the point of the
    project. In a file of the `domain` that is asked for, being documentation or data is no fault. `is_name`: the query
    is a name that the project defines."""
    aligned = bool(domain) and domain == plan.domain
    result = 1.0
    if flags & GENERATED:
        result *= weights.GENERATED
    if flags & TEST:
        result *= weights.TEST_WANTED if is_name or "test" in plan.speaks_of else weights.TEST
    if flags & (DOCS | EXAMPLE | VENDORED) and not aligned and not _asked_for(flags, plan):
        result *= weights.SIDE_NAMED if is_name else weights.SIDE
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
