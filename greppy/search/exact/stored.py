"""The files of snapshots that are not the indexed working tree (cold): commits, trees, the staging area, a project that
has no index yet, a folder outside every project.

In: what is wanted. Out: `Source`s in git's order and their bytes, as `greppy.search.exact.snapshot` gives them.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING

from greppy.git.blobs import NOT_HERE, Blobs, missing_blobs
from greppy.git.project import Project
from greppy.git.revisions import STAGED_FILES, Entry, Resolved, staged_entries, tree_entries
from greppy.search.exact.receipt import Receipt
from greppy.search.exact.selection import Selection
from greppy.search.exact.snapshot import FIRST_BATCH, Paths, Source, outcomes

if TYPE_CHECKING:
    from greppy.config import Config
    from greppy.query.regex.needles import Needles
    from greppy.search.exact.snapshot import Contents

KEPT_BYTES = 1 << 26
"""Of blobs that several revisions may have in common."""

MOST_BATCH = 256
"""Files read at once where their sizes are not known."""


def read_revision(
    project: Project,
    blobs: Blobs,
    revision: Resolved,
    selection: Selection,
    receipt: Receipt,
    ruled_out: Container[bytes],
) -> Contents:
    """The files of a commit, a tree or the staging area, or the one file that a blob is; each is labelled by the name
    it was asked by.

    Blobs that are `ruled_out` (by their hashes in hexadecimal) count as searched without being read.
    """
    if revision.kind == "blob":
        label, colon, path = revision.name.rpartition(b":")
        label, path = (label + colon, path) if colon else (path, b"")
        yield from _read_blobs(blobs, [Entry(revision.oid, path)], label, receipt, ())
        return
    if revision.kind == STAGED_FILES:
        entries = [entry for entry in staged_entries(project) if selection.takes(entry.path)]
        yield from _read_blobs(blobs, entries, revision.name + b":", receipt, ruled_out)
        return
    missing = missing_blobs(project, revision.oid)
    entries = []
    for entry in tree_entries(project, revision.oid):
        if entry.oid in missing and selection.takes(entry.path):
            receipt.fail(Source(entry.path, revision.name + b":"), NOT_HERE)
        elif selection.takes(entry.path):
            entries.append(entry)
    yield from _read_blobs(blobs, entries, revision.name + b":", receipt, ruled_out)


def read_staged(project: Project, selection: Selection, receipt: Receipt, ruled_out: Container[bytes]) -> Contents:
    """The files of the staging area; `ruled_out` as above."""
    entries = [entry for entry in staged_entries(project) if selection.takes(entry.path)]
    with Blobs(project) as blobs:
        yield from _read_blobs(blobs, entries, b"", receipt, ruled_out)


def _read_blobs(
    blobs: Blobs, entries: Sequence[Entry], label: bytes, receipt: Receipt, ruled_out: Container[bytes]
) -> Contents:
    everything = len(entries)
    entries = [entry for entry in entries if entry.oid not in ruled_out]
    receipt.searched += everything - len(entries)
    contents = blobs.read([entry.oid for entry in entries])
    for entry, content in zip(entries, contents, strict=True):
        source = Source(entry.path, label)
        if content is None:
            receipt.fail(source, NOT_HERE)
        else:
            receipt.searched += 1
            yield source, content


def read_unindexed(
    project: Project, config: Config, selection: Selection, needles: Needles, receipt: Receipt
) -> Contents:
    """The files of the working tree of a project that has no index."""
    from greppy.git.listing import list_project

    listing = list_project(project, config.ignore_patterns)
    for path, reason in listing.skipped:
        if selection.takes(path):
            receipt.skip(path, reason)
    yield from _read_paths(project.root, [f.path for f in listing.files if selection.takes(f.path)], needles, receipt)


def read_folder(root: bytes, selection: Selection, needles: Needles, receipt: Receipt) -> Contents:
    """Every file below a folder whatever git thinks of it (`--no-index`); what is named `.git` is not looked into."""
    paths = [path for path in sorted(_walk(root, receipt)) if selection.takes(path)]
    yield from _read_paths(root, paths, needles, receipt)


def _walk(root: bytes, receipt: Receipt) -> Iterator[bytes]:
    level = [b""]
    while level:
        folder = level.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                for entry in entries:
                    path = folder + b"/" + entry.name if folder else entry.name
                    if entry.name == b".git":
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        level.append(path)
                    elif entry.is_file(follow_symlinks=False):
                        yield path
                    else:
                        receipt.skip(path, "symlink" if entry.is_symlink() else "special file")
        except FileNotFoundError:
            continue
        except OSError:
            receipt.skip(folder, "unreadable folder")


def _read_paths(root: bytes, names: Sequence[bytes], needles: Needles, receipt: Receipt) -> Contents:
    paths = Paths(b"".join(name + b"\0" for name in names))
    start, count = 0, FIRST_BATCH
    while start < len(names):
        found = paths.read(root, range(start, min(start + count, len(names))), needles)
        yield from outcomes(found, paths, receipt)
        start, count = start + count, min(2 * count, MOST_BATCH)
