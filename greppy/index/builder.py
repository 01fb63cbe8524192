"""Building: snapshot → blobs → analysis → shards → manifest. Cold path; one function, `build`, reads in that order.

In: a project, the shards at hand, the manifest so far and what differs from it. Out: the bytes of a new manifest that is
true. The first build and the smallest refresh are the same function: they differ in how many files are looked at.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from greppy.git.project import object_format
from greppy.index.blobs import Scope
from greppy.index.edit import patched
from greppy.index.examine import Job, examine
from greppy.index.freshness import Changes, rules_digest
from greppy.index.known import Known
from greppy.index.ledger import EMPTY, Ledger, Origin, Row, Watched, pack_manifest, read_ledger
from greppy.index.snapshot import Edits, Listed, find_edits, list_anew
from greppy.index.tiers import is_settled, merge_tiers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.examine import Progress
    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard
    from greppy.index.shelf import Shelf

EVERYTHING = Changes((), (), True)
"""Nothing is known: list the project anew."""


class Outcome(NamedTuple):
    """A finished build: the manifest's bytes, its shards in order, and what had to be done for it, counted in files;
    `analysed` counts blobs."""

    manifest: bytes
    shards: list[Shard]
    looked_at: int
    analysed: int
    removed: int


def build(
    project: Project, shelf: Shelf, config: Config, manifest: Manifest | None, changes: Changes, progress: Progress
) -> Outcome:
    """Make the snapshot true, analyse what is new, and give the manifest of it all.

    `manifest` is what was true before (None for nothing) and `changes` what differs from it; `shelf` holds the shards
    and takes new ones. Raises `GreppyError`s; `DamagedIndex` for a shard that must be thrown away first.
    """
    scope = Scope(project.root, object_format(project), config.max_file_size, time.time_ns())
    known = Known(shelf.shards(), manifest)
    edits = None
    if manifest is not None and not changes.inputs and not shelf.lost:
        edits = find_edits(manifest, project, config, changes, scope)
    old = EMPTY
    listed = None
    if edits is None:
        old = _sound(manifest, shelf)
        listed = list_anew(project, config, old, scope)
    tasks = edits.tasks if edits is not None else listed.tasks if listed is not None else []
    job = Job(tasks, scope, known, shelf.write, config.shard_bytes)
    rows, new = examine(job, shelf.workers(config.workers), progress)
    rows = _unified(rows, new, shelf)
    analysed = len({(row.shard, row.blob) for row in rows if row.shard in new})
    ...
