"""Which analyses there are already: (oid, language) → where its analysis lies. Cold path.

In: open shards, and the manifest so far. Out: look-ups. Several shards may hold the same analysis (two processes may
have met twins of one file); the place that the manifest's files have goes first, so that all files with one content
share one place and no chunk counts twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from greppy.index import format as layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard

MANY = 64
"""Look-ups from which on a table of all keys is cheaper than looking into each shard: half a millisecond against 20."""

Key = tuple[bytes, str]
Place = tuple[str, int]
"""A shard's name, and the ordinal of a blob in it."""


class Known:
    """Where the analyses that exist lie. Each look-up raises `DamagedIndex` for a shard that cannot be read."""

    def __init__(self, shards: Sequence[Shard] = (), manifest: Manifest | None = None) -> None:
        self._shards = shards
        self._dead = _dead_places(manifest)
        self._oids: dict[str, bytes] = {}
        self._table: dict[Key, Place] | None = None
        self._asked = 0

    def find(self, key: Key) -> Place | None:
        self._asked += 1
        if self._table is None and self._asked > MANY:
            self._table = self._all()
        if self._table is not None:
            return self._table.get(key)
        places = list(self._places(key))
        return next((place for place in places if place not in self._dead), places[0] if places else None)

    def _places(self, key: Key) -> Iterator[Place]:
        oid, language = key
        for shard in self._shards:
            if shard.name not in self._oids:
                self._oids[shard.name] = bytes(shard.column(layout.OIDS))
            oids = self._oids[shard.name]
            at = oids.find(oid)
            while at >= 0:
                blob, rest = divmod(at, len(oid))
                if not rest and shard.language(blob) == language:
                    yield shard.file, blob
                at = oids.find(oid, at + 1)

    def _all(self) -> dict[Key, Place]:
        """Every key with its first place, a living one if there is one."""
        places = [(key, (shard.file, blob)) for shard in self._shards for blob, key in enumerate(shard.blob_keys())]
        table = {key: place for key, place in reversed(places) if place in self._dead}
        table.update((key, place) for key, place in reversed(places) if place not in self._dead)
        return table

    def __reduce__(self) -> tuple[Callable[[dict[Key, Place]], Known], tuple[dict[Key, Place]]]:
        """Open shards do not travel to another process; what they hold does."""
        return _known_from, (self._table if self._table is not None else self._all(),)


def _known_from(table: dict[Key, Place]) -> Known:
    known = Known()
    known._table = table
    return known


def _dead_places(manifest: Manifest | None) -> frozenset[Place]:
    if manifest is None:
        return frozenset()
    return frozenset((manifest.shards[shard], blob) for shard, blob in manifest.dead())
