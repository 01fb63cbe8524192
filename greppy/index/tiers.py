"""Keeping shards few: small ones are merged when there are many of a size, and what nobody needs is dropped. Cold path.

In: a ledger whose rows name shards. Out: the same ledger over fewer shards, and these shards in order.

A refresh after an edit adds a shard of one blob. Shards of a tier (chunks within a factor of `FACTOR`) are merged when
`FACTOR` of them have gathered, as in a log-structured merge tree (O'Neil et al. 1996): each blob is copied a
logarithmic number of times, and a query opens at most `FACTOR` - 1 shards a tier. Analyses of blobs that are gone
stay, so that going back to another branch analyses nothing, until they outweigh what is alive.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from greppy.index.merge import merge

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from greppy.index.ledger import Ledger, Row
    from greppy.index.shard import Shard
    from greppy.index.shelf import Shelf

FACTOR = 8
LARGEST_MERGED = 1 << 18
"""Chunks from which on a shard is left alone: merging it would cost seconds (measured: 4 microseconds a posting)."""

Placement = dict[tuple[str, int], tuple[str, int]]
"""(shard, blob) → where that blob is now."""


def merge_tiers(ledger: Ledger, shelf: Shelf, new: Sequence[str]) -> tuple[Ledger, list[Shard]]:
    """Merge what should be merged; the ledger's rows then point to the merged shards."""
    used = {row.shard for row in ledger.rows if not row.reason}
    names = list(dict.fromkeys([*shelf.ours, *sorted(used - set(shelf.ours) - set(new)), *new]))
    live = _live_blobs(ledger)
    if _mostly_dead(shelf, names, live):
        names = [name for name in names if name in used]
        keep_dead = False
    else:
        keep_dead = True
    while group := _overfull(shelf, names):
        moved, merged = _merge(shelf, group, live, keep_dead)
        names = [name for name in names if name not in group] + ([merged] if merged else [])
        ledger = ledger._replace(rows=[_moved(row, moved) for row in ledger.rows])
        live = _live_blobs(ledger)
    return ledger, [shelf[name] for name in names]


def _live_blobs(ledger: Ledger) -> dict[str, set[int]]:
    live: dict[str, set[int]] = defaultdict(set)
    for row in ledger.rows:
        if not row.reason:
            live[row.shard].add(row.blob)
    return live


def _mostly_dead(shelf: Shelf, names: Sequence[str], live: dict[str, set[int]]) -> bool:
    total = sum(shelf[name].blobs for name in names)
    return total > 2 * sum(len(live[name]) for name in names) + FACTOR


def _overfull(shelf: Shelf, names: Sequence[str]) -> list[str]:
    """The shards of the lowest tier that has gathered `FACTOR` of them; none when all is well."""
    tiers: dict[int, list[str]] = defaultdict(list)
    for name in names:
        if shelf[name].chunks < LARGEST_MERGED:
            tiers[_tier(shelf[name].chunks)].append(name)
    return next((tiers[tier] for tier in sorted(tiers) if len(tiers[tier]) >= FACTOR), [])


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
