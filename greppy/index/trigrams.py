"""The trigram index of a shard: which of its blobs may hold some bytes.

In: the bytes of blobs as they lie on disk, in the order of the shard. Out: three sections, and the blobs that may
satisfy a formula of trigrams. A list names *groups* of neighbouring blobs with `GROUP_BYTES` of bytes together (a
larger blob is a group of its own), since most lists would else be spent on small files: on Django this takes the
index from 8.4 % of the text to 4.8 %, and makes a search for a rare word read 44 files instead of 9, which nobody
notices. The encoding of the lists is specified in `greppy.kernels.reference.trigrams`. Looking up is importable on
the hot path.
"""

from __future__ import annotations

from greppy import kernels
from greppy.index import format as layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.shard import Shard
    from greppy.kernels.reference.candidates import Formula

GROUP_BYTES = 32 * 1024

GONE = 0xFFFFFFFF


class Groups:
    """Puts blobs, given by their sizes one after the other, into groups."""

    def __init__(self) -> None:
        self.first = bytearray()
        self._blobs = self._size = 0

    def add(self, size: int, blobs: int = 1) -> int:
        """The ordinal of the group of the next `blobs` blobs, which have `size` bytes together."""
        if not self.first or self._size + size > GROUP_BYTES:
            self.first += self._blobs.to_bytes(4, "little")
            self._size = 0
        self._size += size
        self._blobs += blobs
        return self.count - 1

    @property
    def count(self) -> int:
        return len(self.first) // 4

    def section(self) -> bytes:
        """GROUP_FIRST: the first blob of each group, then how many blobs there are."""
        return bytes(self.first) + self._blobs.to_bytes(4, "little")


class TrigramWriter:
    """Gathers the trigrams of blobs until `sections`."""

    def __init__(self) -> None:
        self._groups = Groups()
        self._inverter = kernels.TrigramInverter()

    def add(self, data: bytes) -> None:
        """The next blob."""
        self._inverter.add(self._groups.add(len(data)), data)

    def sections(self) -> list[tuple[int, bytes]]:
        blocks, lists = self._inverter.finish()
        return [
            (layout.GROUP_FIRST, self._groups.section()),
            (layout.TRIGRAM_BLOCKS, blocks),
            (layout.TRIGRAMS, lists),
        ]


def merged(shards: Sequence[Shard], keep: Sequence[Sequence[int]]) -> list[tuple[int, bytes]]:
    """The sections of a shard with the blobs `keep[i]` (ascending) of each `shards[i]`, without their bytes.

    Groups are kept, and small neighbours joined; a group that lost blobs still answers for them, which over-matches.
    """
    groups = Groups()
    parts = []
    for shard, blobs in zip(shards, keep, strict=True):
        first = shard.column(layout.GROUP_FIRST, "I")
        sizes = shard.column(layout.BLOB_BYTES, "I")
        new = [GONE] * (len(first) - 1)
        kept = set(blobs)
        for group in range(len(new)):
            its = [blob for blob in range(first[group], first[group + 1]) if blob in kept]
            if its:
                new[group] = groups.add(sum(sizes[blob] for blob in its), len(its))
        numbers = b"".join(number.to_bytes(4, "little") for number in new)
        parts.append((shard.column(layout.TRIGRAM_BLOCKS), shard.column(layout.TRIGRAMS), numbers))
    blocks, lists = kernels.merge_trigrams(parts, groups.count)
    return [(layout.GROUP_FIRST, groups.section()), (layout.TRIGRAM_BLOCKS, blocks), (layout.TRIGRAMS, lists)]


def blobs_that_may_hold(shard: Shard, formula: Formula) -> memoryview:
    """The ordinals (u32) of the blobs of a shard that may satisfy a formula. Raises `DamagedIndex`."""
    container = shard.container

    def fetch(start: int, end: int) -> memoryview:
        return container.section(layout.TRIGRAMS, start, end)

    groups = kernels.trigram_candidates(shard.column(layout.TRIGRAM_BLOCKS), fetch, formula)
    return kernels.members(groups, shard.column(layout.GROUP_FIRST, "I"))
