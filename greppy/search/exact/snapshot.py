"""The files of a snapshot and their bytes: the working tree through the index. HOT.

In: a project, and what is wanted of it. Out: `Source`s in git's order, and their bytes, of those only that may hold a
match. `greppy.search.exact.stored` has the same for commits, for the staging area and for folders outside every
project.
"""

from __future__ import annotations

import errno
from struct import pack

from greppy import kernels
from greppy.index import format as layout
from greppy.index.manifest import REASONS
from greppy.search.exact.candidates import candidates
from greppy.search.exact.sieve import sieved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from greppy.index.view import View
    from greppy.query.regex.needles import Needles
    from greppy.search.exact.question import Question
    from greppy.search.exact.receipt import Receipt
    from greppy.search.exact.selection import Selection

    Contents = Iterator[tuple["Source", bytes]]
    """Files and their bytes."""

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


def read_tree(
    view: View, ordinals: Sequence[int], question: Question, needles: Needles, every: bool, receipt: Receipt
) -> Contents:
    """Files of the working tree as they are now: with `every` all, else those that may have a match."""
    sizes = view.manifest.column(layout.STATS, "q")
    paths = Paths(view.manifest.container.section(layout.PATHS))
    for batch in _batches(ordinals, sizes):
        found = paths.read(view.project.root, batch, needles)
        yield from outcomes(found if every or needles.texts else sieved(question, found), paths, receipt)


def files_to_read(view: View, selection: Selection, question: Question, every: bool, receipt: Receipt) -> Sequence[int]:
    """The ordinals of the files that are wanted and may have a match, with `every` of all that are wanted.

    Raises DamagedIndex, and has told `receipt` nothing then.
    """
    indexed = None if every else candidates(view, question.formula())
    manifest = view.manifest
    reasons = bytes(manifest.column(layout.FILE_REASON, "B"))
    outside = {REASONS.index(reason) for reason in NEVER_SEARCHED}
    ordinals: Sequence[int] = range(manifest.meta.files)
    if not selection.takes_all:
        paths = manifest.paths
        ordinals = [ordinal for ordinal in ordinals if selection.takes(paths[ordinal])]
    if not outside.isdisjoint(reasons):
        for ordinal in ordinals:
            if reasons[ordinal] in outside:
                receipt.skip(manifest.paths[ordinal], REASONS[reasons[ordinal]])
        ordinals = [ordinal for ordinal in ordinals if reasons[ordinal] not in outside]
    if indexed is None:
        return ordinals
    possible = set(indexed)
    wanted = [ordinal for ordinal in ordinals if reasons[ordinal] or ordinal in possible]
    receipt.searched += len(ordinals) - len(wanted)
    return wanted


def outcomes(found: Iterable[tuple[int, bytes | int | None]], paths: Paths, receipt: Receipt) -> Contents:
    """What came of reading files: bytes, None where no needle stands, or the errno for which one was not read."""
    for ordinal, content in found:
        if isinstance(content, int):
            receipt.fail(Source(paths[ordinal]), _ERRORS.get(content, "io error"))
            continue
        receipt.searched += 1
        if content is not None:
            yield Source(paths[ordinal], b"", ordinal), content


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


class Paths:
    """A table of paths, each ended by a NUL, by ordinal."""

    __slots__ = ("_starts", "_table")

    def __init__(self, table: bytes | memoryview) -> None:
        self._table = table
        self._starts = kernels.path_starts(table)

    def __getitem__(self, ordinal: int) -> bytes:
        start = self._starts[ordinal]
        end = self._starts[ordinal + 1] if ordinal + 1 < len(self._starts) else len(self._table)
        return bytes(self._table[start : end - 1])

    def read(self, root: bytes, ordinals: Sequence[int], needles: Needles) -> Iterator[tuple[int, bytes | int | None]]:
        """The bytes of files below `root`; None for one in which no needle stands, an errno for one not read."""
        wanted = memoryview(pack(f"{len(ordinals)}I", *ordinals)).cast("I")
        found = kernels.read_matching(root, self._table, self._starts, wanted, needles.texts, needles.fold, LARGEST)
        return zip(ordinals, found, strict=True)
