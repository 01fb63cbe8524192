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
from greppy.index.unanalysed import possible
from greppy.query.regex.formula import ANY
from greppy.search.exact.candidates import candidates, for_kernels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from greppy.index.view import View
    from greppy.query.regex.needles import Needles
    from greppy.search.exact.question import Question
    from greppy.search.exact.receipt import Receipt
    from greppy.search.exact.rows import Rows
    from greppy.search.exact.selection import Selection

    Unprinted = tuple["Source", bytes]
    Contents = Iterator[Unprinted]
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
    view: View,
    paths: Paths,
    ordinals: Sequence[int],
    question: Question,
    needles: Needles,
    every: bool,
    receipt: Receipt,
) -> Contents:
    """Files of the working tree as they are now: with `every` all, else those that may have a match."""
    sizes = view.manifest.column(layout.STATS, "q")
    for batch in _batches(ordinals, sizes):
        found = paths.read(view.project.root, batch, needles)
        if not every and not needles.texts:
            from greppy.search.exact.sieve import sieved

            found = sieved(question, found)
        yield from outcomes(found, paths, receipt)


def files_to_read(
    view: View, paths: Paths, selection: Selection, question: Question, every: bool, receipt: Receipt
) -> Sequence[int]:
    """The ordinals of the files that are wanted and may have a match, with `every` of all that are wanted.

    Raises DamagedIndex, and has told `receipt` nothing then.
    """
    formula = ANY if every else question.formula()
    indexed = candidates(view, formula)
    manifest = view.manifest
    reasons = bytes(manifest.column(layout.FILE_REASON, "B"))
    outside = set(_places(reasons, [REASONS.index(reason) for reason in NEVER_SEARCHED]))
    takes = None if selection.takes_all else selection.takes
    for at in sorted(outside):
        path = paths[at]
        if takes is None or takes(path):
            receipt.skip(path, REASONS[reasons[at]])
    if indexed is None:
        return _taken(range(manifest.meta.files), paths, outside, takes)
    others = [at for at in _places(reasons, range(1, len(REASONS))) if at not in outside]
    others, receipt.unknown = possible(view, for_kernels(formula), others)
    found = sorted([*indexed, *others])
    if takes is None:
        receipt.searched += manifest.meta.files - len(outside) - len(found)
        return found
    taken = _taken(range(manifest.meta.files), paths, outside, takes)
    found = sorted(set(found).intersection(taken))
    receipt.searched += len(taken) - len(found)
    return found


def _taken(
    ordinals: Sequence[int], paths: Paths, outside: set[int], takes: Callable[[bytes], bool] | None
) -> Sequence[int]:
    if takes is not None:
        ordinals = [at for at in ordinals if takes(paths[at])]
    return [at for at in ordinals if at not in outside] if outside else ordinals


def _places(reasons: bytes, wanted: Iterable[int]) -> list[int]:
    """The ordinals of the files with one of the reasons; nearly all have none."""
    found: list[int] = []
    for reason in wanted:
        at = reasons.find(reason)
        while at >= 0:
            found.append(at)
            at = reasons.find(reason, at + 1)
    return sorted(found)


def print_tree(
    view: View, paths: Paths, ordinals: Sequence[int], rows: Rows, receipt: Receipt
) -> Iterator[bytes | Unprinted]:
    """What is printed of files of the working tree as they are now, and the files that the caller has to look at."""
    for batch in _batches(ordinals, view.manifest.column(layout.STATS, "q")):
        receipt.searched += len(batch)
        for piece in paths.print(view.project.root, batch, rows):
            if isinstance(piece, bytes):
                yield piece
                continue
            at, content = piece
            if isinstance(content, int):
                receipt.searched -= 1
                receipt.fail(Source(paths[batch[at]]), _ERRORS.get(content, "io error"))
            else:
                yield Source(paths[batch[at]], b"", batch[at]), content


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
        batch = ordinals[start : start + count]
        while len(batch) > 1 and sum([stats[4 * ordinal] for ordinal in batch]) > BATCH_BYTES:
            batch = batch[: len(batch) // 2]
        yield batch
        start, count = start + len(batch), min(2 * count, MOST_BATCH)


def paths_of(view: View) -> Paths:
    """The paths of a view's files."""
    return Paths(view.manifest.container.section(layout.PATHS))


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
        wanted = _packed(ordinals)
        found = kernels.read_matching(root, self._table, self._starts, wanted, needles.texts, needles.fold, LARGEST)
        return zip(ordinals, found, strict=True)

    def print(
        self, root: bytes, ordinals: Sequence[int], rows: Rows
    ) -> Sequence[bytes | tuple[int, int] | tuple[int, bytes]]:
        """As `Rows.of_files`; positions are those in `ordinals`."""
        return rows.of_files(root, self._table, self._starts, _packed(ordinals), LARGEST)


def _packed(ordinals: Sequence[int]) -> memoryview:
    return memoryview(pack(f"{len(ordinals)}I", *ordinals)).cast("I")
