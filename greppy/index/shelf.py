"""The shards at hand while an index is changed: those on disk, or, where nothing may be written, those in memory. Cold
path.

In: a store and the names of shards. Out: open shards, old and new ones alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from greppy import log
from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex
from greppy.index.shard import Shard
from greppy.index.store import Store, Vanished, manifests, open_manifest, revisions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable


class Shelf:
    """Open shards by name. `ours` are the names that the manifest at hand has, in its order; `lost` those of them that
    are gone, damaged, or among `bad`; `missing` those that are gone for no known reason."""

    def __init__(
        self, store: Store, names: Iterable[str] = (), in_memory: bool = False, bad: Collection[str] = ()
    ) -> None:
        self._store = store
        self._open: dict[str, Shard] = {}
        self._bad = set(bad)
        self.in_memory = in_memory
        names = list(names)
        self.ours = [name for name in names if self._take(name)]
        self.lost = [name for name in names if name not in self._open]
        self.missing = [name for name in self.lost if name not in self._bad]

    def adopt_others(self) -> None:
        """Open the shards of the other worktrees and of revisions too, so that nothing is analysed twice."""
        directory = self._store.directory
        for path in [*manifests(directory), *revisions(directory)]:
            try:
                manifest = open_manifest(path)
            except DamagedIndex:
                continue
            for name in manifest.shards if manifest else ():
                self._take(name)

    def _take(self, name: str) -> bool:
        """Open a shard; a damaged one is left out, and what it held is analysed again."""
        if name in self._open:
            return True
        if name in self._bad:
            return False
        try:
            self._open[name] = self._store.open_shard(name)
        except DamagedIndex as error:
            log.notice(f"{error.message}; analysing again what it held")
            self._bad.add(name)
            return False
        except Vanished:
            return False
        return True

    def shards(self) -> list[Shard]:
        """All open shards, ours first."""
        return list(self._open.values())

    def __getitem__(self, name: str) -> Shard:
        if name not in self._open:
            self._open[name] = self._store.open_shard(name)
        return self._open[name]

    @property
    def write(self) -> Callable[[bytes], str]:
        """What publishes a shard's bytes and gives its name; on disk a method that another process can be given."""
        return self._remember if self.in_memory else self._store.write_shard

    def _remember(self, content: bytes) -> str:
        name = f"memory-{len(self._open)}"
        self._open[name] = Shard(memoryview(content), ANALYZER, name)
        return name
