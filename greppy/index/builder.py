"""Building: snapshot → blobs → analysis → shards → manifest. Cold path.

In: a project, the shards at hand, the manifest so far and what differs from it. Out: the bytes of a new manifest that
is true. The first build and the smallest refresh are the same function, `build`; where only the content of known files
has changed, it costs what these files cost.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from greppy.git.project import object_format
from greppy.index import format as layout
from greppy.index.blobs import Scope
from greppy.index.edit import patched
from greppy.index.examine import Job, cores, examine
from greppy.index.freshness import Changes, rules_digest
from greppy.index.known import Known
from greppy.index.ledger import EMPTY, Ledger, Origin, Row, Watched, pack_manifest, read_ledger
from greppy.index.snapshot import find_edits, list_anew
from greppy.index.tiers import is_settled, merge_tiers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.blobs import Task
    from greppy.index.examine import Progress
    from greppy.index.known import Key, Place
    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard
    from greppy.index.shelf import Shelf
    from greppy.index.snapshot import Edits

EVERYTHING = Changes((), (), True)
"""Nothing is known: list the project anew."""


class Outcome(NamedTuple):
    """A finished build: the manifest's bytes, its shards in order, and what had to be done for it: files looked at and
    removed, blobs analysed."""

    manifest: bytes
    shards: list[Shard]
    looked_at: int
    analysed: int
    removed: int


class _Build(NamedTuple):
    """What holds from the beginning of a build to its end."""

    project: Project
    shelf: Shelf
    config: Config
    scope: Scope
    known: Known
    progress: Progress

    def examined(self, tasks: Sequence[Task]) -> tuple[list[Row], list[str]]:
        """The rows of those files that are there, and the names of the new shards."""
        shelf = self.shelf
        job = Job(tasks, self.scope, self.known, shelf.write, self.config.shard_bytes, not shelf.in_memory)
        rows, new = examine(job, self.config.workers or cores(), self.progress)
        return _unified(rows, new, shelf), new

    def finished(self, ledger: Ledger, new: Sequence[str], looked_at: int, analysed: int, removed: int) -> Outcome:
        ledger, shards = merge_tiers(ledger, self.shelf, new)
        digest = rules_digest(self.project, self.config)
        origin = Origin(self.project.root, self.scope.algorithm, digest, self.scope.observed_ns)
        return Outcome(pack_manifest(ledger, shards, origin), shards, looked_at, analysed, removed)


def build(
    project: Project, shelf: Shelf, config: Config, manifest: Manifest | None, changes: Changes, progress: Progress
) -> Outcome:
    """Make the snapshot true, analyse what is new, and give the manifest of it all.

    `manifest` is what was true before (None for nothing) and `changes` what differs from it; `shelf` holds the shards
    and takes new ones. Raises `GreppyError`s, among them `DamagedIndex` for a shard that must be thrown away first.
    """
    scope = Scope(project.root, object_format(project), config.max_file_size, time.time_ns())
    this = _Build(project, shelf, config, scope, Known(shelf.shards(), manifest), progress)
    if manifest is not None and not shelf.lost:
        edits = find_edits(manifest, project, config, changes, scope)
        if edits is not None:
            return _edited(this, manifest, edits)
    return _listed(this, manifest, changes)


def _edited(this: _Build, manifest: Manifest, edits: Edits) -> Outcome:
    """Only known files have changed, or gone."""
    found, new = this.examined(list(edits.tasks.values()))
    added = dict.fromkeys(row.shard for row in found if not row.reason)
    shards = [this.shelf[name] for name in dict.fromkeys([*manifest.shards, *added])]
    removed = len(edits.gone) + len(edits.tasks) - len(found)
    counts = len(edits.tasks), _count(found, new), removed
    if not removed and _same_kinds(manifest, edits, found) and is_settled(shards, _live_blobs(manifest, this.shelf)):
        rows = dict(zip(edits.tasks, found, strict=True))
        content = patched(manifest, shards, rows, edits.folders, edits.inputs, this.scope.observed_ns)
        return Outcome(content, shards, *counts)
    return this.finished(_replaced(read_ledger(manifest), edits, found), new, *counts)


def _same_kinds(manifest: Manifest, edits: Edits, found: Sequence[Row]) -> bool:
    """Whether of the changed files those are indexed that were it before, so that no path comes or goes."""
    reasons = manifest.column(layout.FILE_REASON, "B")
    return all(bool(row.reason) == bool(reasons[at]) for at, row in zip(edits.tasks, found, strict=True))


def _live_blobs(manifest: Manifest, shelf: Shelf) -> int:
    return sum(shelf[name].blobs for name in manifest.shards) - sum(1 for _ in manifest.dead())


def _replaced(ledger: Ledger, edits: Edits, found: Sequence[Row]) -> Ledger:
    changed = {*edits.tasks, *edits.gone}
    rows = [row for at, row in enumerate(ledger.rows) if at not in changed]
    folders = list(ledger.folders)
    for at, signature in edits.folders.items():
        folders[at] = Watched(folders[at].path, signature)
    inputs = list(ledger.inputs)
    for at, signature in edits.inputs.items():
        inputs[at] = Watched(inputs[at].path, signature)
    return Ledger([*rows, *found], folders, inputs, ledger.tracked)


def _listed(this: _Build, manifest: Manifest | None, changes: Changes) -> Outcome:
    """Names or rules have changed, or nothing is known, or something is lost."""
    old = EMPTY if manifest is None else _sound(read_ledger(manifest), this.shelf)
    known = EVERYTHING if this.shelf.lost else changes
    listed = list_anew(this.project, this.config, old, known, this.scope)
    rows, new = this.examined(listed.tasks)
    rows += listed.rows
    removed = len({row.path for row in old.rows} - {row.path for row in rows})
    return this.finished(
        Ledger(rows, listed.folders, listed.inputs, listed.tracked),
        new,
        len(listed.tasks),
        _count(rows, new),
        removed,
    )


def _sound(ledger: Ledger, shelf: Shelf) -> Ledger:
    """Without the rows whose shard is damaged or gone."""
    held = {*shelf.ours, ""}
    return ledger._replace(rows=[row for row in ledger.rows if row.shard in held])


def _count(rows: Iterable[Row], new: Sequence[str]) -> int:
    """Blobs of new shards that files have."""
    return len({(row.shard, row.blob) for row in rows if row.shard in new})


def _unified(rows: list[Row], new: Sequence[str], shelf: Shelf) -> list[Row]:
    """One place for twins that two processes have analysed, so that their chunks do not count twice."""
    if len(new) < 2:
        return rows
    first: dict[Key, Place] = {}
    moved: dict[Place, Place] = {}
    for name in new:
        for blob, key in enumerate(shelf[name].blob_keys()):
            moved[name, blob] = first.setdefault(key, (name, blob))
    return [_at(row, moved[row.shard, row.blob]) if (row.shard, row.blob) in moved else row for row in rows]


def _at(row: Row, place: Place) -> Row:
    return row if place == (row.shard, row.blob) else row._replace(shard=place[0], blob=place[1])
