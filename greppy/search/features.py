"""What ranking knows beyond BM25F: names of files, definitions of names, kinds of files. Hot path.

In: a plan and a view. Out: shares and factors by file ordinal, which `greppy.search.rank` adds and multiplies
(`greppy.search.weights`).
"""

from __future__ import annotations

from math import log

from greppy import kernels
from greppy.analysis.classify import DATA, DOCS, EXAMPLE, GENERATED, SATELLITE, SUPERSEDED, TEST, VENDORED
from greppy.analysis.tokens import terms_of_run
from greppy.domains import domain_of
from greppy.index import format as layout
from greppy.index.names import WHOLE, Names, stem_of, words_of_name
from greppy.search import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard
    from greppy.index.view import Estimate
    from greppy.query.plan import Plan

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


def path_shares(plan: Plan, names: Names, files: int, whole: Estimate | None = None) -> dict[int, float]:
    """For each file that the query names, the share of the query's words, weighted by rarity, in its stem or its
    folder.

    `files` is how many there are; `whole` says it where `names` knows but a part of the project's paths.
    """
    found = {word: set(_files_named(word, names)) for word in plan.words}
    if whole is not None:
        return shares_of_words(found, whole.named, whole.files)
    return shares_of_words(found, {word: len(named) for word, named in found.items()}, files)


def shares_of_words(found: Mapping[bytes, set[int]], counts: Mapping[bytes, int], files: int) -> dict[int, float]:
    """The shares for the files that each word names; `counts` of the project's `files` are named by a word.

    A word's weight is its idf among paths, ln(1 + files / (1 + files that it names)).
    """
    sums: dict[int, float] = {}
    total = 0.0
    for word, named in found.items():
        weight = log(1 + files / (1 + counts[word]))
        total += weight if counts[word] else weights.PATH_UNNAMED * weight
        for file in named:
            sums[file] = sums.get(file, 0.0) + weight
    return {file: value / total for file, value in sums.items()}


def _files_named(word: bytes, names: Names) -> Iterator[int]:
    """Files with a word equal to this one, or beginning it, or begun by it."""
    if len(word) < weights.SHORTEST_PREFIX:
        yield from names.files(word)
        return
    yield from names.files_with_beginning(word)
    for end in range(weights.SHORTEST_PREFIX, len(word)):
        yield from names.files(word[:end])


def shares_of_terms(plan: Plan, idf: Sequence[float]) -> list[float]:
    """By bit, the share of each term that was asked for in the weight of the whole query."""
    asked = plan.terms[: plan.asked]
    total = sum(idf[term.bit] * term.weight for term in asked) or 1.0
    return [idf[term.bit] * term.weight / total for term in asked]


def covered(mask: int, shares: Sequence[float]) -> float:
    """The share of the query's weight whose terms are in a mask."""
    return sum(share for bit, share in enumerate(shares) if mask >> bit & 1)


def path_worth(plan: Plan, path: bytes, share: float, is_stem: bool) -> float:
    """What a file's path adds, in shares of the best score; `share` is its own of `path_shares`, `is_stem` whether its
    whole stem is a word of the query."""
    worth = weights.PATH * share + (weights.STEM_EQUALS if is_stem else 0.0)
    return worth + weights.STEM_NAMED * share if share and _is_stem_named(plan, path) else worth


def _is_stem_named(plan: Plan, path: bytes) -> bool:
    """Whether the query has every word of a file's stem, or begins it, or is begun by it."""
    stem = words_of_name(stem_of(path.rpartition(b"/")[2]))
    return bool(stem) and all(any(_is_kin(word, asked) for asked in plan.words) for word in stem)


def _is_kin(one: bytes, other: bytes) -> bool:
    if min(len(one), len(other)) < weights.SHORTEST_PREFIX:
        return one == other
    return one.startswith(other) or other.startswith(one)


def whole_stems(plan: Plan, names: Names) -> set[int]:
    """The files whose whole stem is a word of the query, or the query's words together."""
    wholes = {*plan.words, b"".join(plan.words)}
    return {file for whole in wholes for file in names.files(WHOLE + whole)}


def definitions(plan: Plan, shard: Shard) -> Iterator[tuple[int, float]]:
    """(chunk, weight) of the chunks of a shard that define a name that the query is or contains."""
    for name, weight in names_asked_for(plan):
        before = (-2, "")
        for chunk, symbol in _defining(name.rpartition(".")[2].encode(), shard):
            agreement = _agreement(symbol, name)
            # A long definition has several chunks; its first one holds the head.
            if agreement and before != (chunk - 1, symbol):
                yield chunk, weight * agreement
            before = (chunk, symbol)


def names_asked_for(plan: Plan) -> Iterator[tuple[str, float]]:
    """The names that a query is or contains, and what a definition of each weighs."""
    if plan.qualified:
        plain = plan.qualified.isalpha() and plan.qualified.islower()
        yield plan.qualified, weights.DEFINITION_PLAIN if plain else weights.DEFINITION
        return
    for run in plan.identifiers:
        yield run.decode("utf-8", "replace"), weights.DEFINITION_CONTAINED


def _defining(run: bytes, shard: Shard) -> Iterator[tuple[int, str]]:
    """The chunks with the run's first term in the name of what they define, each with its symbol."""
    terms = terms_of_run(run)
    postings = shard.postings(terms[0]) if terms else None
    if postings is None:
        return
    docs, codes = kernels.decode_postings(postings)
    for doc, code in zip(docs, codes, strict=True):
        if code & IN_NAME:
            yield doc, shard.symbol(doc)


def _agreement(symbol: str, name: str) -> float:
    """1 when a symbol ends in a name at a dot, less when only the case differs, else 0. Sigils ($, @) do not count."""
    symbol = symbol.replace("$", "").replace("@", "")
    if symbol == name or symbol.endswith("." + name):
        return 1.0
    symbol, name = symbol.lower(), name.lower()
    return weights.DEFINITION_OTHER_CASE if symbol == name or symbol.endswith("." + name) else 0.0


def file_flags(manifest: Manifest, shard: Shard, file: int, blob: int) -> int:
    """Flags of a file: of its path and attributes, and of its content unless the attributes say otherwise."""
    flags: int = manifest.column(layout.FILE_FLAGS, "I")[file]
    return flags | (shard.column(layout.BLOB_FLAGS)[blob] & ~(flags >> 16))


def domain_of_blob(path: bytes, shard: Shard, blob: int) -> str:
    """The domain of a file with this blob."""
    start, end = shard.chunk_range(blob)
    names = bytes(shard.column(layout.KINDS)).decode().split("\n")
    kinds = {names[ordinal] for ordinal in set(bytes(shard.column(layout.CHUNK_KIND)[start:end]))}
    return domain_of(path, shard.language(blob), kinds)


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
