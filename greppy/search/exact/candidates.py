"""Which indexed files may have a match: the seam between exact search and the trigram index. HOT.

In: a view and what a file must hold. Out: the ordinals of files that may hold it; None where nothing is known. Files
that are not indexed are not spoken of.
"""

from __future__ import annotations

from greppy.index import format as layout
from greppy.index.trigrams import blobs_that_may_hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from greppy.index.view import View
    from greppy.query.regex.formula import Formula

FEW = 64
"""One file in so many, up to which each candidate is looked up by itself."""


def candidates(view: View, formula: Formula) -> list[int] | None:
    """Ordinals in the manifest, ascending. Raises DamagedIndex."""
    if formula.kind == "any":
        return None
    asked = for_kernels(formula)
    blobs = [blobs_that_may_hold(shard, asked) for shard in view.shards]
    if sum(map(len, blobs)) * FEW < view.manifest.meta.files:
        return _looked_up(view, blobs)
    return _filtered(view, blobs)


def _looked_up(view: View, blobs: list[memoryview]) -> list[int]:
    files_of = view.manifest.files_of
    return sorted(file for place, those in enumerate(blobs) for blob in those for file in files_of(place, blob))


def _filtered(view: View, blobs: list[memoryview]) -> list[int]:
    manifest = view.manifest
    masks = [bytearray(shard.blobs) for shard in view.shards]
    for mask, those in zip(masks, blobs, strict=True):
        for blob in those:
            mask[blob] = 1
    shard_of, blob_of = manifest.column(layout.FILE_SHARD, "I"), manifest.column(layout.FILE_BLOB, "I")
    order = manifest.column(layout.BY_BLOB, "I")
    if len(masks) == 1:
        (mask,) = masks
        return sorted([file for file in order if mask[blob_of[file]]])
    return sorted([file for file in order if masks[shard_of[file]][blob_of[file]]])


def for_kernels(formula: Formula) -> bytes | tuple[Any, ...]:
    """A formula as the kernels take it: a trigram, or ("and", …) or ("or", …)."""
    if formula.kind == "trigram":
        return formula.trigram
    kind = "and" if formula.kind in ("and", "any") else "or"
    return kind, *(for_kernels(part) for part in formula.parts)
