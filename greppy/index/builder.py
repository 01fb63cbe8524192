"""Building: snapshot → blobs → analysis → shards → manifest. Cold path; one function, `build`, reads in that order.

In: a project, its store, the manifest so far and what differs from it. Out: a new manifest, published, that is true.
The first build and the smallest refresh are the same function: they differ in how many files have to be looked at.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from greppy.analysis.classify import path_flags
from greppy.git.files import is_racy
from greppy.git.listing import Listing, check_ignored, list_project
from greppy.git.project import object_format
from greppy.index.blobs import Known, Scope, Task, current_signature
from greppy.index.freshness import Changes, input_signature
from greppy.index.ledger import ABSENT, Ledger, Origin, Row, Watched, pack_manifest, unsettled
from greppy.index.tiers import merge_tiers
from greppy.index.workers import Job, examine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.shard import Shard
    from greppy.index.shelf import Shelf
    from greppy.index.workers import Progress

EVERYTHING = Changes((), (), True)
"""Nothing is known: list the project anew."""


class Outcome(NamedTuple):
    """A finished build: the manifest's bytes, its shards in order, and what had to be done for it."""

    manifest: bytes
    shards: list[Shard]
    looked_at: int
    analysed: int
    removed: int


class _Snapshot(NamedTuple):
    """What the working tree consists of: rows that still hold, tasks for the rest, and what is watched."""

    rows: list[Row]
    tasks: list[Task]
    folders: list[Watched]
    inputs: list[Watched]


def build(project: Project, shelf: Shelf, config: Config, old: Ledger, changes: Changes, progress: Progress) -> Outcome:
    """Make the snapshot true, analyse what is new, and give the manifest of it all.

    `old` is what the last manifest said (empty for none), `shelf` holds the shards and takes new ones. Raises
    `GreppyError`s.
    """
    scope = Scope(project.root, object_format(project), config.max_file_size, time.time_ns())
    snapshot = _snapshot(project, config, old, changes, scope)
    job = Job(snapshot.tasks, scope, Known(shelf.shards()), shelf.write, config.shard_bytes, frozenset())
    rows, new = examine(job, shelf.workers(config.workers), progress)
    analysed = sum(1 for row in rows if row.shard in new)
    ledger = Ledger([*snapshot.rows, *rows], snapshot.folders, snapshot.inputs)
    ledger, shards = merge_tiers(ledger, shelf, new)
    origin = Origin(project.root, scope.algorithm, config.digest(), scope.observed_ns)
    removed = len({row.path for row in old.rows} - {row.path for row in ledger.rows})
    return Outcome(pack_manifest(ledger, shards, origin), shards, len(snapshot.tasks), analysed, removed)


def _snapshot(project: Project, config: Config, old: Ledger, changes: Changes, scope: Scope) -> _Snapshot:
    """List the project again only where something but the content of known files may differ."""
    if changes.inputs or _names_differ(project, old, changes.folders):
        return _listed(project, config, old, scope)
    changed = set(changes.files)
    rows = [row for at, row in enumerate(old.rows) if at not in changed]
    tasks = [
        Task(row.path, _size(project.root, row.path), row.flags)
        for at, row in enumerate(old.rows)
        if at in changed and _exists(project.root, row.path)
    ]
    folders = list(old.folders)
    for at in changes.folders:
        folders[at] = _watched_folder(project.root, folders[at].path, scope.observed_ns)
    return _Snapshot(rows, tasks, folders, list(old.inputs))


def _names_differ(project: Project, old: Ledger, folders: Sequence[int]) -> bool:
    """Whether a changed folder has a name that is neither known nor ignored, or has lost a folder."""
    if not folders:
        return False
    known = {row.path for row in old.rows} | {folder.path for folder in old.folders}
    news: list[bytes] = []
    for at in folders:
        folder = old.folders[at].path
        prefix = b"" if folder == b"." else folder + b"/"
        try:
            names = os.listdir(os.path.join(project.root, folder))
        except OSError:
            return True
        news += [prefix + name for name in names if prefix + name not in known and prefix + name != b".git"]
    return bool(set(news) - check_ignored(project, news)) if news else False


def _listed(project: Project, config: Config, old: Ledger, scope: Scope) -> _Snapshot:
    listing = list_project(project, list(config.ignore_patterns))
    known = {row.path: row for row in old.rows}
    rows: list[Row] = []
    tasks: list[Task] = []
    for number, file in enumerate(listing.files):
        flags = _flags(file.path, file.attributes)
        signature = current_signature(scope.root, file.path)
        row = known.get(file.path)
        if number >= config.max_files:
            rows.append(Row(file.path, signature, b"", flags, "beyond the file limit", "", 0))
        elif row is not None and row.signature == signature and not _depends_on_limits(row):
            rows.append(row._replace(flags=flags))
        elif signature != ABSENT:
            tasks.append(Task(file.path, signature[0], flags))
    rows += _left_out(listing, scope)
    folders = [_watched_folder(scope.root, path or b".", scope.observed_ns) for path in listing.directories]
    return _Snapshot(rows, tasks, folders, [_watched_input(path, scope.observed_ns) for path in listing.inputs])


def _depends_on_limits(row: Row) -> bool:
    """Whether the configuration, and not the file, decided; it may be another now."""
    return row.reason in ("too large", "beyond the file limit") or row.signature == ABSENT


def _left_out(listing: Listing, scope: Scope) -> Iterable[Row]:
    for path, reason in listing.skipped:
        folder = reason in ("submodule", "nested repository", "unreadable folder")
        yield Row(path, current_signature(scope.root, path, folder), b"", 0, reason, "", 0)


def _flags(path: bytes, attributes: int) -> int:
    """Flags of a path, as its attributes correct them: bits from 16 on say that a flag is explicitly not so."""
    return (path_flags(path) | attributes) & ~(attributes >> 16)


def _watched_folder(root: bytes, path: bytes, observed_ns: int) -> Watched:
    signature = current_signature(root, path, folder=True)
    # A folder's ctime changes for reasons that matter to nobody; its mtime alone says whether names came or went.
    moment = (signature[0], signature[1], signature[1], signature[3])
    return Watched(path, unsettled(signature) if is_racy(moment, observed_ns) else signature)


def _watched_input(path: bytes, observed_ns: int) -> Watched:
    signature = input_signature(path)
    return Watched(path, unsettled(signature) if is_racy(signature, observed_ns) else signature)


def _size(root: bytes, path: bytes) -> int:
    return current_signature(root, path)[0]


def _exists(root: bytes, path: bytes) -> bool:
    return current_signature(root, path) != ABSENT
