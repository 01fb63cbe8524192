"""Checks of every index: all sums of all its files, what they name, and what nobody names (cold).

An index is looked at under its lock, so that nobody changes it meanwhile; one that is being changed is not looked at.
What is damaged is repaired by taking it away and analysing again what it held, for each project that is still there;
what only lies about is removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from greppy.config import Config
from greppy.errors import DamagedIndex, GreppyError
from greppy.git.project import Project, find_project
from greppy.index.doctor.finding import FAIL, OK, WARN, Finding, Place
from greppy.index.maintenance import update
from greppy.index.store import (
    SHARDS,
    Vanished,
    directories,
    garbage,
    manifests,
    open_manifest,
    open_shard,
    remove,
    revisions,
)
from greppy.index.tend import BUSY, holding, remove_index
from greppy.index.unanalysed import container_at, learnt
from greppy.index.view import store_of
from greppy.log import printable


class _State:
    """What is wrong with one index. `bad` are paths of files, each with what is wrong; `roots` are its worktrees."""

    def __init__(self, directory: bytes) -> None:
        self.directory = directory
        self.bad: dict[bytes, str] = {}
        self.roots: list[bytes] = []
        self.shards: set[str] = set()

    @property
    def name(self) -> str:
        return printable(os.fsdecode(self.roots[0] if self.roots else self.directory))


def check_indexes(place: Place) -> Iterator[Finding]:
    """Every index below the home."""
    found = directories(place.home)
    if not found:
        yield Finding("index", OK, "none yet")
    for directory in found:
        with holding(directory) as held:
            findings = list(_check(directory, place)) if held else []
        if not held:
            yield Finding("index", OK, f"{printable(os.fsdecode(directory))}: not looked at: {BUSY}")
        yield from findings


def _check(directory: bytes, place: Place) -> Iterator[Finding]:
    state = _examined(directory)
    if state.bad:
        yield _damage(state, place)
    gone = [root for root in state.roots if not os.path.isdir(root)]
    for root in gone:
        message = f"{printable(os.fsdecode(root))}: its folder is gone"
        repair = partial(_forgotten, state) if len(gone) == len(state.roots) else None
        yield Finding("index", WARN, message, "'greppy gc' removes the index", repair)
    waste = garbage(directory)
    if waste and not state.bad:
        message = f"{state.name}: {len(waste)} files that nothing needs"
        yield Finding("index", WARN, message, "'greppy gc' removes them", partial(_removed, directory))
    if not state.bad and not gone:
        yield Finding("index", OK, f"{state.name}: every sum is right (shards: {len(state.shards)})")


def _examined(directory: bytes) -> _State:
    state = _State(directory)
    for path in [*manifests(directory), *revisions(directory)]:
        try:
            manifest = open_manifest(path)
        except DamagedIndex as error:
            state.bad[path] = error.message
            continue
        if manifest is None:
            continue  # of another version: among what nobody needs
        if manifest.meta.root not in state.roots:
            state.roots.append(manifest.meta.root)
        state.shards.update(manifest.shards)
    for name in sorted(state.shards):
        _examine_shard(state, name)
    for path in learnt(directory):
        _examine_unanalysed(state, path)
    return state


def _examine_shard(state: _State, name: str) -> None:
    path = state.directory + SHARDS + b"/" + name.encode()
    try:
        open_shard(state.directory, name).container.verify()
    except DamagedIndex as error:
        state.bad[path] = error.message
    except Vanished:
        state.bad[path] = f"{os.fsdecode(path)} is missing"


def _examine_unanalysed(state: _State, path: bytes) -> None:
    try:
        container = container_at(path)
        if container is not None:
            container.verify()
    except DamagedIndex as error:
        state.bad[path] = error.message


def _damage(state: _State, place: Place) -> Finding:
    first = next(iter(state.bad.values()))
    message = f"{state.name}: {printable(first)}" + (f", and {len(state.bad) - 1} more" if len(state.bad) > 1 else "")
    advice = "the next search repairs it, or 'greppy doctor --fix' now"
    return Finding("index", FAIL, message, advice, partial(_repaired, state, place))


def _repaired(state: _State, place: Place) -> str:
    """Take away what is damaged, and analyse it again in the projects that are still there."""
    projects = _projects(state, place)
    with holding(state.directory) as held:
        if not held:
            return "left to the process that is changing it"
        for path in state.bad:
            remove(path)
    for project in projects:
        _updated(project, place.home, place.config.for_project(project.root))
    left = _examined(state.directory).bad if os.path.isdir(state.directory) else {}
    if left:
        raise DamagedIndex(os.fsdecode(next(iter(left))), "after the repair too; is the disk sound?")
    names = ", ".join(printable(os.fsdecode(project.root)) for project in projects)
    return f"analysed again what it held for {names}" if names else "removed; the next search builds it anew"


def _projects(state: _State, place: Place) -> list[Project]:
    """The projects of an index that can be found: by what its manifests say, and the current one if it is its."""
    found: dict[bytes, Project] = {}
    for root in state.roots:
        try:
            project = find_project(root)
        except GreppyError:
            continue
        if project.root == root:
            found[root] = project
    here = place.project
    if here is not None and store_of(here, place.home).manifest in state.bad:
        found[here.root] = here
    return list(found.values())


def _updated(project: Project, home: bytes, config: Config) -> None:
    store = store_of(project, home)
    with store.lock():
        update(project, store, config, _unseen)


def _unseen(done: int, total: int, what: str) -> None:
    """Nobody watches."""


def _forgotten(state: _State) -> str:
    return "removed" if remove_index(state.directory) else "left to the process that is changing it"


def _removed(directory: bytes) -> str:
    with holding(directory) as held:
        for path in garbage(directory) if held else ():
            remove(path)
    return "removed"
