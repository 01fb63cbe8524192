"""The files of a snapshot and their bytes: the working tree through the index. HOT.

In: a project, and what is wanted of it. Out: `Source`s in git's order, and their bytes, of those only that may hold a
match. `greppy.search.exact.stored` has the same for commits, for the staging area and for folders outside every
project.
"""

from __future__ import annotations

import errno

from greppy import kernels
from greppy.index import format as layout
from greppy.index.manifest import REASONS
from greppy.search.exact.candidates import candidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.index.view import View
    from greppy.query.regex.formula import Formula
    from greppy.query.regex.needles import Needles
    from greppy.search.exact.receipt import Receipt
    from greppy.search.exact.selection import Selection

    Contents = Iterator[tuple["Source", bytes | None]]
    """A file and its bytes, or None where it was seen to have no match."""

LARGEST = 1 << 40
BATCH_BYTES = 1 << 24
FIRST_BATCH = 32
MOST_BATCH = 2048

NEVER_SEARCHED = ("symlink", "submodule", "nested repository", "special file", "unreadable folder")
"""Reasons for which something in the tree is no file to search; every other one is about the index alone."""

_ERRORS = {
    errno.ENOENT: "missing",
    errno.ENOTDIR: "missing",
    errno.EISDIR: "missing",
    errno.ELOOP: "symlink",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENXIO: "special file",
    errno.ENODEV: "special file",
    errno.EFBIG: "too large",
}


class Source:
    """A file: its path relative to the root, what stands before the path where it is printed (`HEAD:`), its ordinal in
    the manifest (-1 for none)."""

    __slots__ = ("label", "ordinal", "path")

    def __init__(self, path: bytes, label: bytes = b"", ordinal: int = -1) -> None:
        self.path = path
        self.label = label
        self.ordinal = ordinal


def read_tree(view: View, selection: Selection, formula: Formula, needles: Needles, receipt: Receipt) -> Contents:
    """The files of the working tree as they are now."""
    manifest = view.manifest
    reasons = manifest.column(layout.FILE_REASON, "B")
    paths = manifest.paths
    outside = {REASONS.index(reason) for reason in NEVER_SEARCHED}
    wanted = []
    possible = candidates(view, formula)
    for ordinal in range(manifest.meta.files):
        if not selection.takes(paths[ordinal]):
            continue
        if reasons[ordinal] in outside:
            receipt.skip(paths[ordinal], REASONS[reasons[ordinal]])
        elif possible is None or possible[ordinal]:
            wanted.append(ordinal)
        else:
            receipt.searched += 1
    sizes = manifest.column(layout.STATS, "q")
    table = manifest.container.section(layout.PATHS)
    for batch in _batches(wanted, sizes):
        found = read_batch(view.project.root, table, batch, needles)
        for ordinal, content in zip(batch, found, strict=True):
            yield from outcome(Source(paths[ordinal], b"", ordinal), content, receipt)


def outcome(source: Source, content: bytes | int | None, receipt: Receipt) -> Contents:
    """What came of reading a file: its bytes, none because it has no match, or the errno for which it was not read."""
    if isinstance(content, int):
        receipt.fail(source, _ERRORS.get(content, "io error"))
    else:
        receipt.searched += 1
        yield source, content


def _batches(ordinals: Sequence[int], stats: memoryview) -> Iterator[Sequence[int]]:
    """Runs of files to read at once: few at first, so that the first match is there soon."""
    start, count = 0, FIRST_BATCH
    while start < len(ordinals):
        end, size = start, 0
        while end < len(ordinals) and end - start < count and (size < BATCH_BYTES or end == start):
            size += max(stats[4 * ordinals[end]], 0)
            end += 1
        yield ordinals[start:end]
        start, count = end, min(2 * count, MOST_BATCH)


def read_batch(
    root: bytes, table: memoryview | bytes, batch: Sequence[int], needles: Needles
) -> list[bytes | int | None]:
    """Files by their ordinals in a table of paths."""
    from array import array

    starts = kernels.path_starts(table)
    return kernels.read_matching(root, table, starts, array("I", batch), needles.texts, needles.fold, LARGEST)
