"""Upkeep of everything below `$GREPPY_HOME`. Cold path.

In: the home folder, the configuration, and one index or none for all. Out: a `Report`.

1. Manifests of worktrees whose folder is gone, and of revisions that nobody asked for in `[gc] keep_days`, go.
2. So do shards that no manifest names, analyses that no file has had for as long, and temporary files of processes that
   were killed; small shards are put together (`greppy.index.tend`, `compact`).
3. With `[gc] max_size`, whole indexes go until the rest fits, first those that were not used for longest.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from typing import TYPE_CHECKING, NamedTuple

from greppy.errors import IoFailure
from greppy.index.home import refusal
from greppy.index.store import TEMPORARY, directories, directory_bytes, remove
from greppy.index.tend import BUSY, TOO_MUCH, Rules, Tended, remove_index, tend

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.config import Config

_DAY = 86_400.0
_LEFTOVER_SECONDS = 3600.0
"""Age from which a temporary file outside of any lock is nobody's."""

_LEFTOVER = re.compile(rb"config\.cache\.\d+|refresh\.greppy-\d+|log\.new")


class Report(NamedTuple):
    """What was done to each index, and the bytes of temporary files beside them that went."""

    indexes: Sequence[Tended]
    beside: int
    dry_run: bool

    @property
    def freed(self) -> int:
        return self.beside + sum(tended.freed for tended in self.indexes)

    @property
    def left(self) -> int:
        return sum(tended.left for tended in self.indexes)


def collect_garbage(home: bytes, config: Config, only: bytes | None = None, dry_run: bool = False) -> Report:
    """Tend every index, or `only` the one in this directory. Raises `IoFailure` where nothing may be changed."""
    reason = refusal(home)
    if reason:
        raise IoFailure(reason, "nothing was removed")

    def keep(roots: Sequence[bytes]) -> float:
        return _DAY * (config.for_project(roots[0]) if roots else config).gc_keep_days

    rules = Rules(keep, time.time(), dry_run)
    if only is not None:
        return Report([tend(only, rules)], 0, dry_run)
    tended = [tend(directory, rules) for directory in directories(home)]
    if config.gc_max_size:
        tended = _fitted(tended, config.gc_max_size, dry_run)
    return Report(tended, sum(sweep(path, dry_run) for path in leftovers(home, rules.now)), dry_run)


def _fitted(tended: Sequence[Tended], most: int, dry_run: bool) -> list[Tended]:
    """Remove indexes until `most` bytes are left."""
    total = sum(each.left for each in tended)
    found = {each.directory: each for each in tended}
    for each in sorted(tended, key=lambda each: each.used):
        if total <= most:
            break
        if not each.left or each.trouble == BUSY or not (dry_run or remove_index(each.directory)):
            continue
        total -= each.left
        freed = each.freed + each.left
        found[each.directory] = Tended(each.directory, each.roots, freed, used=each.used, removed=TOO_MUCH)
    return list(found.values())


def leftovers(home: bytes, now: float) -> Iterator[bytes]:
    """Temporary files and folders outside of the indexes that nobody can still be using."""
    for folder in (home, home + b"/hooks", home + b"/indexes"):
        for name in _names(folder):
            path = folder + b"/" + name
            if name.startswith(TEMPORARY) or (_LEFTOVER.fullmatch(name) and _age(path, now) > _LEFTOVER_SECONDS):
                yield path


def _names(folder: bytes) -> list[bytes]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _age(path: bytes, now: float) -> float:
    try:
        return now - os.lstat(path).st_mtime
    except OSError:
        return 0.0


def sweep(path: bytes, dry_run: bool = False) -> int:
    """Remove what `leftovers` found; the bytes that it has."""
    if os.path.isdir(path) and not os.path.islink(path):
        size = directory_bytes(path)
        if not dry_run:
            shutil.rmtree(path, ignore_errors=True)
        return size
    size = os.lstat(path).st_size if os.path.lexists(path) else 0
    if not dry_run:
        remove(path)
    return size
