"""Keeping shards few: small ones are merged when there are many of a size, and what nobody needs is dropped. Cold path.

In: a ledger whose rows name shards. Out: the same ledger over fewer shards, and these shards in order.

A refresh after an edit adds a shard of one blob. Shards of a tier (chunks within a factor of `FACTOR`) are merged when
`FACTOR` of them have gathered, as in a log-structured merge tree (O'Neil et al. 1996): each blob is copied a
logarithmic number of times, and a query opens at most `FACTOR` - 1 small shards a tier. Analyses of blobs that are gone
stay, so that going back to another branch analyses nothing, until they outweigh what is alive; then shards without a
live blob are dropped, and those with few are written anew without the rest.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING

from greppy.index.merge import merge

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from greppy.index.ledger import Ledger, Row
    from greppy.index.shard import Shard
    from greppy.index.shelf import Shelf

FACTOR = 8
LARGEST_MERGED = 1 << 17
"""Chunks from which on a shard is left alone. Merging takes 6 microseconds a chunk on Django, so some six seconds for
eight shards just below this size. The shards of a large first build (32 MB of text, 60,000 to 80,000 chunks) are below
it: eight and more of them share one dictionary then, and a query looks into one shard instead of eight."""
LARGEST_GROUP = FACTOR * LARGEST_MERGED
"""Chunks that are merged at once, where more than `FACTOR` shards have gathered: it bounds time and memory."""

Placement = dict[tuple[str, int], tuple[str, int]]
"""(shard, blob) → where that blob is now."""


def is_settled(shards: Sequence[Shard], live: int) -> bool:
    """Whether nothing is to be done for shards of which `live` blobs are alive."""
    blobs = sum(shard.blobs for shard in shards)
    return not _mostly_dead(blobs, live) and not _overfull({shard.name: shard.chunks for shard in shards})


def merge_tiers(ledger: Ledger, shelf: Shelf, new: Sequence[str]) -> tuple[Ledger, list[Shard]]:
    """Merge what should be merged; the ledger's rows then point to the merged shards."""
    live = _live_blobs(ledger.rows)
    names = list(dict.fromkeys([*shelf.ours, *sorted(live.keys() - {*shelf.ours, *new}), *new]))
    blobs = sum(shelf[name].blobs for name in names)
    keep_dead = not _mostly_dead(blobs, sum(map(len, live.values())))
    group: list[str] = []
    if not keep_dead:
        names = [name for name in names if name in live]
        group = [name for name in names if _mostly_dead(shelf[name].blobs, len(live[name]))]
    while group := group or _overfull({name: shelf[name].chunks for name in names}):
        moved, merged = _merge(shelf, group, live, keep_dead)
        kept = [name for name in names if name not in group]
        names = list(dict.fromkeys([*kept, merged] if merged else kept))
        ledger = ledger._replace(rows=[_moved(row, moved) for row in ledger.rows])
        live = _live_blobs(ledger.rows)
        group = []
    return ledger, [shelf[name] for name in names]


def _live_blobs(rows: Iterable[Row]) -> dict[str, set[int]]:
    live: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        if not row.reason:
            live[row.shard].add(row.blob)
    return live


def _mostly_dead(blobs: int, live: int) -> bool:
    return blobs > 2 * live + FACTOR


def _overfull(sizes: dict[str, int]) -> list[str]:
    """Shards of the lowest tier that has gathered `FACTOR` of them; none when all is well. Sizes in chunks."""
    tiers: dict[int, list[str]] = defaultdict(list)
    for name, chunks in sizes.items():
        if chunks < LARGEST_MERGED:
            tiers[_tier(chunks)].append(name)
    names = next((tiers[tier] for tier in sorted(tiers) if len(tiers[tier]) >= FACTOR), [])
    sums = accumulate(sizes[name] for name in names)
    return [
        name
        for at, (name, chunks) in enumerate(zip(names, sums, strict=True))
        if at < FACTOR or chunks <= LARGEST_GROUP
    ]


def _tier(chunks: int) -> int:
    tier = 0
    while chunks >= FACTOR:
        chunks //= FACTOR
        tier += 1
    return tier


def _merge(shelf: Shelf, names: Collection[str], live: dict[str, set[int]], keep_dead: bool) -> tuple[Placement, str]:
    """Merge shards; where each of their blobs went, and the name of the new shard ("" when nothing was left)."""
    shards = [shelf[name] for name in names]
    keep = [
        list(range(shard.blobs)) if keep_dead else sorted(live[name]) for name, shard in zip(names, shards, strict=True)
    ]
    if not any(keep):
        return {}, ""
    merged = shelf.write(merge(shards, keep))
    places = ((name, blob) for name, blobs in zip(names, keep, strict=True) for blob in blobs)
    return {place: (merged, ordinal) for ordinal, place in enumerate(places)}, merged


def _moved(row: Row, moved: Placement) -> Row:
    if row.reason or (row.shard, row.blob) not in moved:
        return row
    shard, blob = moved[row.shard, row.blob]
    return row._replace(shard=shard, blob=blob)
