"""What ranking knows beyond BM25F: names of files, definitions of names, kinds of files. Hot path.

In: a plan and a view. Out: shares and factors by file ordinal, which `greppy.search.rank` adds and multiplies
(`greppy.search.weights`).
"""

from __future__ import annotations

from greppy import kernels
from greppy.analysis.classify import DATA, DOCS, EXAMPLE, GENERATED, TEST, VENDORED
from greppy.analysis.tokens import terms_of_run
from greppy.index import format as layout
from greppy.index.names import WHOLE, Names
from greppy.search import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard
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
)


def path_shares(plan: Plan, names: Names) -> dict[int, float]:
    """For each file that the query names, the share of the query's words that its stem or its folder has."""
    counts: dict[int, int] = {}
    for word in plan.words:
        for file in set(_files_named(word, names)):
            counts[file] = counts.get(file, 0) + 1
    return {file: count / len(plan.words) for file, count in counts.items()}


def _files_named(word: bytes, names: Names) -> Iterator[int]:
    """Files with a word equal to this one, or beginning it, or begun by it."""
    if len(word) < weights.SHORTEST_PREFIX:
        yield from names.files(word)
        return
    yield from names.files_with_beginning(word)
    for end in range(weights.SHORTEST_PREFIX, len(word)):
        yield from names.files(word[:end])


def whole_stems(plan: Plan, names: Names) -> set[int]:
    """The files whose whole stem is a word of the query, or the query's words together."""
    wholes = {*plan.words, b"".join(plan.words)}
    return {file for whole in wholes for file in names.files(WHOLE + whole)}


def definitions(plan: Plan, shard: Shard) -> Iterator[tuple[int, float]]:
    """(chunk, weight) of the chunks of a shard that define a name that the query is or contains."""
    if plan.qualified:
        for chunk, symbol in _defining(plan.qualified.rpartition(".")[2].encode(), shard):
            weight = _agreement(symbol, plan.qualified)
            if weight:
                yield chunk, weights.DEFINITION * weight
        return
    for run in plan.identifiers:
        for chunk, symbol in _defining(run, shard):
            weight = _agreement(symbol, run.decode("utf-8", "replace"))
            if weight:
                yield chunk, weights.DEFINITION_CONTAINED * weight


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
    """1 when a symbol ends in a name at a dot, less when only the case differs, else 0."""
    if symbol == name or symbol.endswith("." + name):
        return 1.0
    symbol, name = symbol.lower(), name.lower()
    return weights.DEFINITION_OTHER_CASE if symbol == name or symbol.endswith("." + name) else 0.0


def file_flags(manifest: Manifest, shard: Shard, file: int, blob: int) -> int:
    """Flags of a file: of its path and attributes, and of its content unless the attributes say otherwise."""
    flags: int = manifest.column(layout.FILE_FLAGS, "I")[file]
    return flags | (shard.column(layout.BLOB_FLAGS)[blob] & ~(flags >> 16))


def factor(flags: int, plan: Plan) -> float:
    """What a file's score is multiplied by for being a test, documentation, data or generated."""
    result = 1.0
    if flags & GENERATED:
        result *= weights.GENERATED
    if flags & TEST and "test" not in plan.speaks_of:
        result *= weights.TEST
    if flags & (DOCS | EXAMPLE | VENDORED) and not _asked_for(flags, plan):
        result *= weights.SIDE
    if flags & DATA:
        result *= weights.DATA
    return result


def _asked_for(flags: int, plan: Plan) -> bool:
    return bool((flags & DOCS and "docs" in plan.speaks_of) or (flags & EXAMPLE and "example" in plan.speaks_of))


def names_of(flags: int) -> list[str]:
    """The flags as words, for output."""
    return [name for bit, name in FLAG_NAMES if flags & bit]
