"""The check that `doctor` makes of what is kept of histories: every segment, and whose they are (cold).

In: a `Place`. Out: a `Finding` for each index that keeps a history, or one for each thing that is wrong there. A
segment is named for the hash of its content, so that its name proves every byte of it. `root` has no sum: it is right
when the project that it names is kept in this very index. Segments are never changed, so nothing is locked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial

from xxhash import xxh3_128_hexdigest

from greppy.errors import DamagedIndex, GreppyError
from greppy.git.project import find_project
from greppy.index.doctor.finding import FAIL, OK, WARN, Finding, Place
from greppy.index.store import HISTORY, directories, history_root, manifests, map_file, open_manifest, publish, remove
from greppy.index.view import store_of
from greppy.log import printable
from greppy.search.history.table import SUFFIX, segment_names


def check_histories(place: Place) -> Iterator[Finding]:
    """Every history below the home."""
    for directory in directories(place.home):
        folder = directory + HISTORY
        names = segment_names(folder)
        if names or os.path.lexists(folder + b"/root"):
            findings = [*_damaged(folder, names), *_misnamed(directory, place)]
            yield from findings or [_fine(directory, len(names))]


def _fine(directory: bytes, segments: int) -> Finding:
    return Finding("history", OK, f"{_shown(history_root(directory))}: every sum is right (segments: {segments})")


def _shown(path: bytes) -> str:
    return printable(os.fsdecode(path))


def _damaged(folder: bytes, names: Sequence[bytes]) -> Iterator[Finding]:
    bad = {path: why for path in (folder + b"/" + name for name in names) if (why := _trouble(path))}
    if bad:
        more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
        message = printable(next(iter(bad.values()))) + more
        advice = "'greppy doctor --fix' removes it; the next 'greppy history' reads again what it held"
        yield Finding("history", FAIL, message, advice, partial(_removed, list(bad)))


def _trouble(path: bytes) -> str:
    """What is wrong with a segment; nothing where it is gone by now, merged with others."""
    try:
        content = map_file(path)
    except GreppyError as error:
        return error.message
    if content is None or path.endswith(b"/" + xxh3_128_hexdigest(content).encode() + SUFFIX):
        return ""
    return DamagedIndex(os.fsdecode(path), "its content is not what it was named for").message


def _removed(paths: Sequence[bytes]) -> str:
    for path in paths:
        remove(path)
    return "removed; the next 'greppy history' reads again what it held"


def _misnamed(directory: bytes, place: Place) -> Iterator[Finding]:
    root = history_root(directory)
    if _is_of(root, directory, place):
        return
    path = directory + HISTORY + b"/root"
    right = _right_root(directory, place)
    if right or not _may_be_folder(root):
        message = f"{_shown(path)} does not name the project whose history this is"
        advice = "'greppy doctor --fix' " + ("corrects it" if right else "removes it")
        yield Finding("history", FAIL, message, advice, partial(_named, path, right))
    elif os.path.isdir(root):
        message = f"{_shown(root)}: no project is there whose history this is"
        yield Finding("history", WARN, message, "'greppy doctor --fix' in the right one corrects it")
    else:
        yield Finding("history", WARN, f"{_shown(root)}: its folder is gone", "'greppy gc' removes its history")


def _may_be_folder(root: bytes) -> bool:
    return root.startswith(b"/") and b"\0" not in root


def _is_of(root: bytes, directory: bytes, place: Place) -> bool:
    """Whether the project at `root` is kept in an index's directory."""
    if not _may_be_folder(root) or not os.path.isdir(root):
        return False
    try:
        return store_of(find_project(root, bare=True), place.home).directory == directory
    except GreppyError:
        return False


def _right_root(directory: bytes, place: Place) -> bytes:
    """What `root` should name: a worktree of the index, or the current project if it is kept there; else nothing."""
    roots = [*_roots(directory), *([place.project.root] if place.project else [])]
    return next((root for root in roots if _is_of(root, directory, place)), b"")


def _roots(directory: bytes) -> Iterator[bytes]:
    for path in manifests(directory):
        try:
            manifest = open_manifest(path)
        except DamagedIndex:
            continue
        if manifest:
            yield manifest.meta.root


def _named(path: bytes, root: bytes) -> str:
    remove(path)
    if root:
        publish(path, root)
    return f"names {_shown(root)} now" if root else "removed"
