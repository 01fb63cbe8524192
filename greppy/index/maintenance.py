"""Changing an index under its lock: refresh, full build, repair. Cold path.

In: a project and its store. Out: the index is true again, on disk when it may be written, else in memory for this one
process.
"""

from __future__ import annotations

import gc
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from greppy import log
from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex, IndexFailure
from greppy.git.project import object_format
from greppy.index.builder import EVERYTHING, Outcome, build
from greppy.index.freshness import Changes, find_changes
from greppy.index.manifest import Manifest
from greppy.index.shelf import Shelf
from greppy.index.store import Unwritable, Vanished, collect
from greppy.index.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.adopt import Adopted
    from greppy.index.shard import Shard
    from greppy.index.store import Store
    from greppy.index.view import Progress

QUICK = 200
"""Files that differ up to which a search beside a running build rather makes its own snapshot in memory than waits."""

_TRIES = 100
"""Shards that may turn out damaged in one build, one after the other."""

_REOPENINGS = 8
"""Each time that a manifest is opened another process may merge its shards away before they are opened too."""


class Seen(NamedTuple):
    """A manifest that somebody has compared with the working tree already, and what differed."""

    manifest: Manifest
    changes: Changes


class Update(NamedTuple):
    """An index that is true. `outcome` is what had to be done for it, None for nothing."""

    outcome: Outcome | None
    manifest: Manifest
    shards: Sequence[Shard]


def mend(project: Project, store: Store, config: Config, progress: Progress, seen: Seen | None = None) -> View:
    """A view that is true as of some moment after `seen`; the index on disk is as true, if it can be written."""
    try:
        with store.lock(wait=False) as held:
            if held:
                return _view(project, store, update(project, store, config, progress, seen=seen))
        if _few_changes(project, store, config):
            return _view(project, store, _in_memory(project, store, config, progress), "memory")
        log.notice(f"another process is indexing {os.fsdecode(project.root)}; waiting for it")
        with store.lock():
            return _view(project, store, update(project, store, config, progress))
    except Unwritable as error:
        log.notice(f"{error.message}; searching without it")
        return _view(project, store, _in_memory(project, store, config, progress), "memory")


def _view(project: Project, store: Store, made: Update, mode: str = "full") -> View:
    return View(project, store, made.manifest, made.shards, mode)


def _few_changes(project: Project, store: Store, config: Config) -> bool:
    try:
        manifest = store.open_manifest()
    except DamagedIndex:
        return False
    return manifest is not None and len(find_changes(manifest, project, config)) <= QUICK


def update(
    project: Project,
    store: Store,
    config: Config,
    progress: Progress,
    force: bool = False,
    seen: Seen | None = None,
) -> Update:
    """Bring the index on disk up to date; the caller holds the lock. With `force` nothing analysed before is used.

    Raises `GreppyError`s, among them `Unwritable`.
    """
    started = time.monotonic()
    collects = gc.isenabled()
    gc.disable()  # rows are many and make no circles: looking for such takes a tenth of the time
    try:
        made = _without_damage(store, lambda bad: _update(project, store, config, progress, force, bad, seen))
    finally:
        if collects:
            gc.enable()
    if made.outcome is not None:
        log.event(
            "info",
            "greppy.index",
            project=project.root,
            files=made.outcome.looked_at,
            analysed=made.outcome.analysed,
            took_ms=round((time.monotonic() - started) * 1000, 1),
        )
    return made


def _without_damage(store: Store, attempt: Callable[[set[str]], Update]) -> Update:
    """Try, each time without the shards that turned out damaged before: a merge reads pages that nobody has read."""
    bad: set[str] = set()
    for _ in range(_TRIES):
        try:
            return attempt(bad)
        except DamagedIndex as error:
            log.notice(f"{error.message}; analysing again what it held")
            bad.add(error.path.rpartition("/")[2])
    raise IndexFailure(f"the index in {os.fsdecode(store.directory)} is damaged all over", "run 'greppy forget'")


def _update(
    project: Project,
    store: Store,
    config: Config,
    progress: Progress,
    force: bool,
    bad: set[str],
    seen: Seen | None,
) -> Update:
    for name in bad:
        store.discard_shard(name)
    manifest = None if force else _manifest_to_build_on(project, store)
    adopted = None if manifest is not None or force else _adopted(project, store, config)
    manifest = adopted.manifest if adopted else manifest
    shelf = Shelf(store, manifest.shards if manifest else (), bad=bad)
    if adopted is not None:
        changes = adopted.changes
    elif manifest is None:
        changes = EVERYTHING
    elif seen is not None and seen.manifest.container.same_as(manifest.container):
        manifest, changes = seen.manifest, seen.changes
    else:
        changes = find_changes(manifest, project, config)
    if manifest is not None and not changes and not shelf.lost:
        outcome = Outcome(adopted.content, shelf.shards(), 0, 0, 0) if adopted else None
        if adopted is not None:
            store.write_manifest(adopted.content)
        return Update(outcome, manifest, shelf.shards())
    if shelf.missing:
        log.notice(f"{len(shelf.missing)} shards of the index are gone; analysing again what they held")
    if not force:
        shelf.adopt_others()
    outcome = build(project, shelf, config, manifest, changes, progress)
    outcome = outcome._replace(removed=0) if adopted else outcome
    store.write_manifest(outcome.manifest)
    collect(store.directory)
    made = _finished(outcome, os.fsdecode(store.manifest))
    if manifest is not None:
        made.manifest.share_paths(manifest)
    return made


def _adopted(project: Project, store: Store, config: Config) -> Adopted | None:
    # Here, because an edit can do without.
    from greppy.index.adopt import adopt

    return adopt(project, store, config)


def _in_memory(project: Project, store: Store, config: Config, progress: Progress) -> Update:
    """An index that is true now and is written nowhere."""
    return _without_damage(store, lambda bad: _in_memory_without(project, store, config, progress, bad))


def _in_memory_without(project: Project, store: Store, config: Config, progress: Progress, bad: set[str]) -> Update:
    for _ in range(_REOPENINGS):
        manifest = _manifest_to_build_on(project, store)
        shelf = Shelf(store, manifest.shards if manifest else (), in_memory=True, bad=bad)
        if not shelf.missing:
            break
    changes = EVERYTHING if manifest is None else find_changes(manifest, project, config)
    if manifest is not None and not changes and not shelf.lost:
        return Update(None, manifest, shelf.shards())
    return _finished(build(project, shelf, config, manifest, changes, progress), "memory")


def _finished(outcome: Outcome, name: str) -> Update:
    return Update(outcome, Manifest(memoryview(outcome.manifest), ANALYZER, name), outcome.shards)


def _manifest_to_build_on(project: Project, store: Store) -> Manifest | None:
    """The manifest, or None when there is none, or one that is of no use (which is said)."""
    try:
        manifest = store.open_manifest()
    except DamagedIndex as error:
        log.notice(f"{error.message}; rebuilding it")
        return None
    if manifest is None and not store.refusal and os.path.lexists(store.manifest):
        log.notice(f"the index of {os.fsdecode(project.root)} is of another version; rebuilding it")
    if manifest is not None and manifest.meta.algorithm != object_format(project):
        return None  # the repository was made anew; no blob has the hash that it had
    return manifest


def repair(store: Store, error: DamagedIndex) -> None:
    """Take a damaged shard away; the next `mend` says so and analyses anew what it held."""
    name = error.path.rpartition("/")[2]
    log.event("warn", "greppy.index", damaged=error.path, message=error.message)
    try:
        with store.lock():
            if _is_damaged(store, name):
                store.discard_shard(name)
    except Unwritable:
        return


def _is_damaged(store: Store, name: str) -> bool:
    """Not so when another process has put the same shard there anew."""
    try:
        store.open_shard(name).container.verify()
    except DamagedIndex:
        return True
    except Vanished:
        return False
    return False
