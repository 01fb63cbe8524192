"""Which files without an analysis may hold some text: those that are binary or too large have trigrams in a file of
their own. Hot path.

In: a view, ordinals of its files that have no analysis, and a formula of trigrams. Out: the ordinals of those that may
satisfy it, and those of which nothing is known, and which every search therefore reads.

The file is `<directory of the index>/unanalysed-<name of the manifest>`, a container with KNOWN, the stat data by which
the manifest knows the files that were read; GIVEN_UP, that of others, which may hold anything; and the three sections
of `greppy.index.trigrams`, a blob for each file of KNOWN. `greppy.index.learning` writes it. Trigrams are of printable
ASCII alone: on Django, where most binary files are translations, this takes it from 3.0 MB to 0.4, and what people look
for in binary files is ASCII.
"""

from __future__ import annotations

import os

from greppy import kernels
from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex
from greppy.index import format as layout
from greppy.index.store import map_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.store import Store
    from greppy.index.view import View
    from greppy.kernels.reference.candidates import Formula


PRINTABLE = bytes(range(0x20, 0x7F))


KNOWN, GIVEN_UP = layout.STATS, layout.INPUT_STATS
KEY = 32
"""Bytes of one file's stat data."""


_NAME = b"unanalysed-"


def path_of(store: Store) -> bytes:
    """Where the trigrams of a worktree's files without an analysis are."""
    return store.directory + b"/" + _NAME + store.manifest.rpartition(b"/")[2]


def learnt(directory: bytes) -> list[bytes]:
    """The paths of such files of all worktrees."""
    names = [name for name in os.listdir(directory) if name.startswith(_NAME)]
    return [directory + b"/" + name for name in sorted(names)]


def keys_of(view: View, ordinals: Sequence[int]) -> list[bytes]:
    """By what the file knows files of a view."""
    stats = view.manifest.container.section(layout.STATS)
    return [bytes(stats[KEY * at : KEY * (at + 1)]) for at in ordinals]


def possible(view: View, formula: Formula, ordinals: Sequence[int]) -> tuple[list[int], list[int]]:
    """(those of `ordinals` that may satisfy `formula`, those of which nothing is known). Damage says nothing."""
    try:
        known, hopeful = _known(view.store, formula)
    except DamagedIndex:
        known, hopeful = frozenset(), frozenset()
    keys = list(zip(ordinals, keys_of(view, ordinals), strict=True))
    unknown = [at for at, key in keys if key not in known]
    return [at for at, key in keys if key in hopeful or key not in known], unknown


def _printable(formula: Formula) -> Formula:
    """What a formula says of trigrams of printable ASCII; of others nothing is known."""
    if isinstance(formula, bytes):
        return ("and",) if formula.translate(None, PRINTABLE) else formula
    kind, *parts = formula
    known = [_printable(part) for part in parts]
    return ("and",) if kind == "or" and ("and",) in known else (kind, *known)


def _known(store: Store, formula: Formula) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """The files that are not unknown, and those of them that may satisfy the formula."""
    container = open_unanalysed(store)
    if container is None:
        return frozenset(), frozenset()
    keys, others = (_split(container.section(section)) for section in (KNOWN, GIVEN_UP))

    def fetch(start: int, end: int) -> memoryview:
        return container.section(layout.TRIGRAMS, start, end)

    groups = kernels.trigram_candidates(container.section(layout.TRIGRAM_BLOCKS), fetch, _printable(formula))
    found = kernels.members(groups, container.section(layout.GROUP_FIRST).cast("I"))
    return frozenset(keys + others), frozenset([*others, *(keys[at] for at in found)])


def _split(section: memoryview) -> list[bytes]:
    data = bytes(section)
    return [data[at : at + KEY] for at in range(0, len(data), KEY)]


def open_unanalysed(store: Store) -> layout.Container | None:
    """None where there is no such file of this version. Raises DamagedIndex."""
    return container_at(path_of(store))


def container_at(path: bytes) -> layout.Container | None:
    """The same by the file's path."""
    buffer = map_file(path)
    try:
        return None if buffer is None else layout.Container(buffer, layout.SHARD_MAGIC, ANALYZER, os.fsdecode(path))
    except layout.OtherVersion:
        return None
