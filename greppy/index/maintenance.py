"""Changing an index under its lock: refresh, full build, repair. Cold path.

In: a project and its store. Out: the index is true again, on disk when it may be written, else in memory for this one
process.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from greppy import log
from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex, IoFailure
from greppy.index.builder import EVERYTHING, Outcome, build
from greppy.index.freshness import find_changes
from greppy.index.ledger import EMPTY, read_ledger
from greppy.index.manifest import Manifest
from greppy.index.shelf import Shelf
from greppy.index.view import View

if TYPE_CHECKING:
    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.store import Store
    from greppy.index.view import Progress

QUICK = 200
"""Files that differ up to which a search beside a running build rather makes its own snapshot in memory than waits."""


def mend(project: Project, store: Store, config: Config, progress: Progress) -> View | None:
    """Make the index true. None: it is now, on disk; a view: it could not be written, this is what it would say."""
    try:
        store.create()
    except IoFailure as error:
        log.notice(f"{error.message}; searching without it")
        return _in_memory(project, store, config, progress)
    with store.lock(wait=False) as held:
        if held:
            return _refreshed(project, store, config, progress)
    if _few_changes(project, store, config):
        return _in_memory(project, store, config, progress)
    with store.lock():
        return _refreshed(project, store, config, progress)


def _refreshed(project: Project, store: Store, config: Config, progress: Progress) -> View | None:
    try:
        update(project, store, config, progress)
    except IoFailure as error:
        log.notice(f"{error.message}; searching without it")
        return _in_memory(project, store, config, progress)
    return None


def _few_changes(project: Project, store: Store, config: Config) -> bool:
    manifest = trusted_manifest(store)
    if manifest is None:
        return False
    changes = find_changes(manifest, project.root, config.digest())
    return len(changes.files) + len(changes.folders) <= QUICK


def update(
    project: Project, store: Store, config: Config, progress: Progress, force: bool = False
) -> tuple[Outcome | None, Manifest | None]:
    """Bring the index on disk up to date; the caller holds the lock. Gives (what was done, what was there before).

    The outcome is None when nothing differed. With `force` nothing that was analysed before is used.
    """
    started = time.monotonic()
    manifest = None if force else trusted_manifest(store)
    changes = EVERYTHING if manifest is None else find_changes(manifest, project.root, config.digest())
    shelf = Shelf(store, manifest.shards if manifest else ())
    lost = manifest is not None and len(shelf.ours) < len(manifest.shards)
    if not changes and not lost:
        return None, manifest
    if not force:
        shelf.adopt_others()
    outcome = _build(project, shelf, config, manifest, progress)
    store.write_manifest(outcome.manifest)
    store.collect()
    log.event(
        "info",
        "greppy.index",
        project=project.root,
        files=outcome.looked_at,
        analysed=outcome.analysed,
        took_ms=round((time.monotonic() - started) * 1000, 1),
    )
    return outcome, manifest


def _build(project: Project, shelf: Shelf, config: Config, manifest: Manifest | None, progress: Progress) -> Outcome:
    """Build on what the manifest says, but for rows whose shard is damaged or gone."""
    if manifest is None:
        return build(project, shelf, config, EMPTY, EVERYTHING, progress)
    ledger = read_ledger(manifest)
    held = {*shelf.ours, ""}
    sound = [row for row in ledger.rows if row.shard in held]
    if len(sound) < len(ledger.rows):
        return build(project, shelf, config, ledger._replace(rows=sound), EVERYTHING, progress)
    changes = find_changes(manifest, project.root, config.digest())
    return build(project, shelf, config, ledger, changes, progress)


def _in_memory(project: Project, store: Store, config: Config, progress: Progress) -> View:
    """A view that is true now and is written nowhere."""
    manifest = trusted_manifest(store)
    shelf = Shelf(store, manifest.shards if manifest else (), in_memory=True)
    outcome = _build(project, shelf, config, manifest, progress)
    buffer = memoryview(outcome.manifest)
    return View(project, store, Manifest(buffer, ANALYZER, "memory"), outcome.shards, "memory")


def trusted_manifest(store: Store) -> Manifest | None:
    """The manifest, or None when there is none or it is damaged (which is said)."""
    try:
        return store.open_manifest()
    except DamagedIndex as error:
        log.notice(f"{error.message}; rebuilding it")
        return None


def repair(store: Store, error: DamagedIndex) -> None:
    """Take a damaged shard away, so that the next `mend` analyses anew what it held."""
    name = error.path.rpartition("/")[2]
    log.notice(f"{error.message}; rebuilding what it held")
    try:
        with store.lock():
            store.discard_shard(name)
    except IoFailure:
        return
