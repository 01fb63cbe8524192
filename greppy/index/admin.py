"""What the verbs `index`, `list`, `forget` and `status` do to and ask of indexes. Cold path.

In: folders as the user named them, and the home folder. Out: the values of `greppy.index.report`.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels, log
from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex, IoFailure, NoIndex
from greppy.git.project import find_project
from greppy.index import format as layout
from greppy.index.background import building
from greppy.index.freshness import find_changes
from greppy.index.home import refusal
from greppy.index.lock import Lock
from greppy.index.maintenance import update
from greppy.index.manifest import REASONS, Manifest
from greppy.index.report import HISTORY_ONLY, REVISIONS_ONLY, BuildReport, IndexInfo, Status
from greppy.index.store import (
    HISTORY,
    TEMPORARY,
    Vanished,
    collect,
    directories,
    directory_bytes,
    history_root,
    manifests,
    open_manifest,
    revisions,
)
from greppy.index.view import store_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.store import Store

    Progress = Callable[[int, int, str], None]


def build(start: bytes, home: bytes, config: Config, force: bool, progress: Progress) -> BuildReport:
    """Index the project around `start`. Raises `NoProject`, `IoFailure`, `IndexFailure`."""
    started = time.monotonic()
    project = find_project(start)
    store = store_of(project, home)
    with store.lock():
        outcome, manifest, _ = update(project, store, config, progress, force)
        size = store.bytes_on_disk()
    analysed = outcome.analysed if outcome else 0
    indexed = _indexed(manifest)
    return BuildReport(
        root=project.root,
        files=indexed,
        analysed=analysed,
        reused=indexed - analysed,
        removed=outcome.removed if outcome else 0,
        skipped=manifest.meta.files - indexed,
        chunks=manifest.meta.chunks,
        text_bytes=manifest.meta.text_bytes,
        index_bytes=size,
        seconds=time.monotonic() - started,
        changed=outcome is not None,
    )


def _indexed(manifest: Manifest) -> int:
    return bytes(manifest.column(layout.FILE_REASON, "B")).count(0)


def listing(home: bytes) -> list[IndexInfo]:
    """Every indexed worktree below a home folder, by root, and what was only searched by revisions or by history."""
    infos = []
    for directory in directories(home):
        size = directory_bytes(directory)
        held = manifests(directory)
        opened = [manifest for path in held or revisions(directory)[:1] if (manifest := _opened(path)) is not None]
        infos += [_info(manifest, size, "" if held else REVISIONS_ONLY) for manifest in opened]
        root = history_root(directory)
        if root and not opened:
            infos.append(IndexInfo(root, 0, 0, size, _learnt(directory), not os.path.isdir(root), HISTORY_ONLY))
    return sorted(infos)


def _opened(path: bytes) -> Manifest | None:
    try:
        return open_manifest(path)
    except DamagedIndex:
        return None


def _learnt(directory: bytes) -> float:
    """When something was last added to the history that an index keeps."""
    try:
        return os.stat(directory + HISTORY).st_mtime
    except OSError:
        return 0.0


def _info(manifest: Manifest, size: int, only: str) -> IndexInfo:
    meta = manifest.meta
    is_gone = not os.path.isdir(meta.root)
    return IndexInfo(meta.root, _indexed(manifest), meta.chunks, size, meta.indexed_at / 1e9, is_gone, only)


def forget(path: bytes, home: bytes) -> int:
    """Remove the index of the project at or around `path`, also when its folder is gone; returns the bytes freed.

    Other worktrees of the repository share the index and keep it; only what this worktree alone needs goes. Raises
    `NoIndex`, `NoProject`, `IoFailure`.
    """
    found = index_of(path, home)
    reason = refusal(home)
    if reason:
        raise IoFailure(reason, "nothing was removed")
    try:
        freed = sum(map(_remove, found))
    except OSError as error:
        raise IoFailure(f"cannot remove the index: {error.strerror}", "remove it by hand") from None
    _clear_away(home + b"/indexes")
    return freed


class Kept(NamedTuple):
    """What is kept of a project: its manifest in the directory of an index, or b"" where nothing but revisions or
    history are kept there."""

    directory: bytes
    manifest: bytes


def index_of(path: bytes, home: bytes) -> list[Kept]:
    """What is kept of the project at or around `path`, also when its folder is gone. Raises `NoIndex`, `NoProject`."""
    root = os.path.realpath(path)
    if os.path.isdir(root):
        store = store_of(find_project(path, bare=True), home)
        root = store.root
        found = _kept_there(store)
    else:
        found = [kept for directory in directories(home) for kept in _kept_of(root, directory)]
    if not found:
        raise NoIndex(f"{os.fsdecode(root)} is not indexed", "run 'greppy list' to see what is")
    return found


def _kept_there(store: Store) -> list[Kept]:
    directory = store.directory
    if os.path.lexists(store.manifest):
        return [Kept(directory, store.manifest)]
    is_other = bool(manifests(directory)) or not (revisions(directory) or history_root(directory))
    return [] if is_other else [Kept(directory, b"")]


def _kept_of(root: bytes, directory: bytes) -> list[Kept]:
    """What a directory keeps of a project whose folder is gone."""
    held = manifests(directory)
    if held:
        return [Kept(directory, path) for path in held if _root_of(path) == root]
    roots = [history_root(directory), *map(_root_of, revisions(directory)[:1])]
    return [Kept(directory, b"")] if root in roots else []


def _clear_away(indexes: bytes) -> None:
    """Remove what was put out of the way, also by a `forget` that was killed."""
    import shutil

    for name in os.listdir(indexes):
        if name.startswith(TEMPORARY):
            shutil.rmtree(indexes + b"/" + name, ignore_errors=True)


def _root_of(manifest: bytes) -> bytes | None:
    found = _opened(manifest)
    return found.meta.root if found else None


def _remove(kept: Kept) -> int:
    """Remove a manifest and what is needed by no other; the bytes freed. Raises OSError."""
    import shutil

    directory, manifest = kept
    with Lock(directory):
        before = directory_bytes(directory)
        if any(other != manifest for other in manifests(directory)):
            if manifest:
                os.unlink(manifest)
            collect(directory)
            return before - directory_bytes(directory)
        # Out of the way first: nobody shall find half an index, or put a new one there meanwhile.
        away = os.path.dirname(directory) + b"/" + TEMPORARY + os.path.basename(directory)
        shutil.rmtree(away, ignore_errors=True)
        os.rename(directory, away)
        return before


def status(start: bytes, home: bytes, config: Config) -> Status:
    """The state of the index of the project around `start`; nothing is built or mended. Raises `NoProject`."""
    project = find_project(start)
    store = store_of(project, home)
    manifest = _last_manifest(store)
    if manifest is None:
        return _not_indexed(project, store)
    changes = find_changes(manifest, project, config)
    reasons = Counter(REASONS[reason] for reason in manifest.column(layout.FILE_REASON, "B") if reason)
    return Status(
        root=project.root,
        marker=project.marker,
        indexed=True,
        files=_indexed(manifest),
        chunks=manifest.meta.chunks,
        skipped=dict(sorted(reasons.items())),
        languages=_languages(store, manifest),
        text_bytes=manifest.meta.text_bytes,
        index_bytes=store.bytes_on_disk(),
        shards=len(manifest.shards),
        indexed_at=manifest.meta.indexed_at / 1e9,
        stale=len(changes),
        kernels=_kernels(),
        directory=store.directory,
        analyzer=ANALYZER,
        building=building(store.directory),
    )


def _not_indexed(project: Project, store: Store) -> Status:
    going_on = building(store.directory)
    nothing = Status(project.root, project.marker, False, 0, 0, {}, {}, 0, 0, 0, 0.0, 0, "", store.directory, ANALYZER)
    return nothing._replace(kernels=_kernels(), building=going_on)


def _kernels() -> str:
    return "compiled" if kernels.compiled else f"python ({kernels.why})"


def _languages(store: Store, manifest: Manifest) -> dict[str, int]:
    """How many files there are of each language, most first; of damaged or missing shards nothing is known."""
    counts: Counter[str] = Counter()
    reasons = manifest.column(layout.FILE_REASON, "B")
    shards, blobs = manifest.column(layout.FILE_SHARD, "I"), manifest.column(layout.FILE_BLOB, "I")
    tables = [_languages_of(store, name) for name in manifest.shards]
    for file in range(manifest.meta.files):
        if not reasons[file] and tables[shards[file]]:
            counts[tables[shards[file]][blobs[file]]] += 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _languages_of(store: Store, name: str) -> list[str]:
    try:
        return [language for _, language in store.open_shard(name).blob_keys()]
    except DamagedIndex as error:
        log.notice(f"{error.message}; the next search repairs it")
    except Vanished:
        log.notice(f"{name} is gone from the index; the next search repairs it")
    return []


def _last_manifest(store: Store) -> Manifest | None:
    try:
        return store.open_manifest()
    except DamagedIndex as error:
        log.notice(f"{error.message}; the next search repairs it")
        return None


def skipped(start: bytes, home: bytes, config: Config) -> list[tuple[bytes, str]]:
    """Each path that is not indexed with the reason, by path. Raises `NoProject`, `NoIndex`."""
    project = find_project(start)
    manifest = _last_manifest(store_of(project, home))
    if manifest is None:
        raise NoIndex(f"{os.fsdecode(project.root)} is not indexed", "run 'greppy index'")
    reasons = manifest.column(layout.FILE_REASON, "B")
    return [(path, REASONS[reason]) for path, reason in zip(manifest.paths, reasons, strict=False) if reason]
