"""Which files the words of a query name: what `greppy.search.features.path_shares` finds in an index, without one. Cold
path.

In: a plan and paths. Out: ordinals of paths by word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from greppy.index.names import stem_of, words_of_name
from greppy.search import weights
from greppy.search.features import clues_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from greppy.query.plan import Plan


class Named(NamedTuple):
    """By clue of the query (`greppy.search.features.clues_of`) the files that have it; and the files whose whole stem
    is a word of the query."""

    files: dict[bytes, set[int]]
    stems: set[int]


def named_files(plan: Plan, paths: Iterable[tuple[int, bytes]]) -> Named:
    """The files that a query names; `paths` with the ordinals that they are to be known by."""
    words = list(dict.fromkeys(plan.words))
    wholes = {*words, b"".join(words)}
    clues = [(clue, word, beginning) for word in words for clue, beginning in clues_of(word)]
    found: dict[bytes, set[int]] = {clue: set() for clue, _, _ in clues}
    stems: set[int] = set()
    meant: dict[bytes, list[bytes]] = {}
    folders: dict[bytes, list[bytes]] = {}
    for file, path in paths:
        folder, _, name = path.rpartition(b"/")
        if folder not in folders:
            folders[folder] = words_of_name(folder.rpartition(b"/")[2])
        stem = words_of_name(stem_of(name))
        if b"".join(stem) in wholes:
            stems.add(file)
        for part in folders[folder] + stem:
            if part not in meant:
                meant[part] = [clue for clue, word, begins in clues if _names(part, word, begins)]
            for clue in meant[part]:
                found[clue].add(file)
    return Named(found, stems)


def _names(part: bytes, word: bytes, beginning: bytes) -> bool:
    """Whether a path's word equals a query's, or begins it, or is begun by it, or by `beginning`."""
    if beginning and part.startswith(beginning):
        return True
    if len(word) < weights.SHORTEST_PREFIX:
        return part == word
    return part.startswith(word) or (len(part) >= weights.SHORTEST_PREFIX and word.startswith(part))
