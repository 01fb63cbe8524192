"""Which files of the index may have a match: the seam between exact search and the trigram index. HOT.

In: a view and what a file must hold. Out: a byte a file, zero where it cannot match; None where nothing is known.
"""

from __future__ import annotations

from greppy.index import format as layout
from greppy.index.trigrams import blobs_that_may_hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from greppy.index.view import View
    from greppy.query.regex.formula import Formula


def candidates(view: View, formula: Formula) -> bytearray | None:
    """A mask over the files of `view`'s manifest. Files that are not indexed are always candidates."""
    if formula.kind == "any":
        return None
    asked = _for_kernels(formula)
    places, blobs = view.manifest.column(layout.FILE_SHARD, "I"), view.manifest.column(layout.FILE_BLOB, "I")
    possible = [bytearray(shard.blobs) for shard in view.shards]
    for shard, mask in zip(view.shards, possible, strict=True):
        for blob in blobs_that_may_hold(shard, asked):
            mask[blob] = 1
    reasons = view.manifest.column(layout.FILE_REASON, "B")
    return bytearray(
        reason != 0 or possible[place][blob] for reason, place, blob in zip(reasons, places, blobs, strict=True)
    )


def _for_kernels(formula: Formula) -> bytes | tuple[Any, ...]:
    """The formula as the kernels take it: a trigram, or ("and", …) or ("or", …)."""
    if formula.kind == "trigram":
        return formula.trigram
    kind = "and" if formula.kind in ("and", "any") else "or"
    return kind, *(_for_kernels(part) for part in formula.parts)
