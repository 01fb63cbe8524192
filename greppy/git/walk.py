"""Walk a project's folders, top down, one level at a time (cold).

In: a root, what is tracked in it, and somebody who judges names (git, or our own rules). Out: which files are on disk,
which folders must be watched, what was passed over and why. Levels instead of recursion: a tree may be deeper than any
stack, and a whole level's names are judged at once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from greppy import kernels
from greppy.git.project import git_dirs
from greppy.git.rules import Rules

Judge = Callable[[Sequence["Entry"]], set[bytes]]
RULE_FILES = (b".gitignore", b".gitattributes", b".ignore")
GITLINK = b"160000"
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "symlink"}


class Entry(NamedTuple):
    """A name on disk. `kind` is what is there, without following a link: file, folder, symlink or special."""

    path: bytes
    kind: str


class Tracked:
    """What the staging area names below the root: files, submodules, and the folders that hold them."""

    __slots__ = ("files", "folders", "submodules")

    def __init__(self, listed: Iterable[tuple[bytes, bytes]]) -> None:
        """`listed`: (mode, path) of each entry; the stages of an unmerged path fall together."""
        self.files: set[bytes] = set()
        self.submodules: set[bytes] = set()
        self.folders: set[bytes] = set()
        for mode, path in listed:
            (self.submodules if mode == GITLINK else self.files).add(path)
            folder = path[: max(path.rfind(b"/"), 0)]
            while folder and folder not in self.folders:
                self.folders.add(folder)
                folder = folder[: max(folder.rfind(b"/"), 0)]


class Walked:
    """What one walk found; paths are relative to the root. `unlisted` are folders that could not be read."""

    __slots__ = ("files", "folders", "rule_files", "skipped", "unlisted")

    def __init__(self) -> None:
        self.files: list[bytes] = []
        self.folders: list[bytes] = []
        self.rule_files: list[bytes] = []
        self.skipped: list[tuple[bytes, str]] = []
        self.unlisted: list[bytes] = []


def walk(root: bytes, tracked: Tracked, judge: Judge, extra: Rules | None = None) -> Walked:
    """Everything below `root` that is tracked or that `judge` does not exclude.

    `judge` is asked about untracked entries only, never about one in an excluded folder unless that folder holds
    tracked files too. `extra` excludes tracked ones as well. `.git` is never an entry; nested repositories are not
    entered.
    """
    walked = Walked()
    _walk_levels(root, [b""], tracked, judge, extra, walked)
    return walked


def walk_tracked(root: bytes, tracked: Tracked, judge: Judge) -> Walked | None:
    """The same without `extra`, a few times as fast where most of what is there is tracked; None where something
    tracked is no longer what it was, so that `walk` has to look at each folder."""
    folders = [*tracked.folders]
    table = _table([b".", *folders])
    strange = kernels.strange_names(root, table, _table([*tracked.files, *tracked.submodules]) + table)
    walked = Walked()
    if strange is None or not _take_known(root, tracked, walked):
        return None
    walked.folders += [b"", *folders]
    entries = [Entry(path, kind_of(root, path)) for path in strange if path.rpartition(b"/")[2] != b".git"]
    walked.rule_files += [path for path, _ in entries if path.rpartition(b"/")[2] in RULE_FILES]
    excluded = judge(entries) if entries else set()
    below: list[bytes] = []
    for entry in entries:
        if entry.kind and entry.path not in excluded:
            _take_untracked(root, entry, walked, below)
    _walk_levels(root, below, tracked, judge, None, walked)
    return walked


def _take_known(root: bytes, tracked: Tracked, walked: Walked) -> bool:
    """Take what is tracked and on disk; false where a file has become a folder, or a folder cannot be entered."""
    names = [*tracked.files, *tracked.submodules]
    modes, _ = kernels.stats_now(root, _table(names), len(names))
    above = {path.rpartition(b"/")[0] for path, mode in zip(names, modes, strict=True) if not mode}
    if not all(_may_be_entered(os.path.join(root, folder)) for folder in above):
        return False
    for path, mode in zip(names, modes, strict=True):
        if stat.S_ISREG(mode):
            walked.files.append(path)
            if path.endswith(RULE_FILES) and path.rpartition(b"/")[2] in RULE_FILES:
                walked.rule_files.append(path)
        elif stat.S_ISDIR(mode):
            if path not in tracked.submodules:
                return False
            walked.skipped.append((path, "submodule"))
        elif mode:
            walked.skipped.append((path, "symlink" if stat.S_ISLNK(mode) else "special file"))
            if path.rpartition(b"/")[2] in RULE_FILES:
                walked.rule_files.append(path)
    return True


def _may_be_entered(folder: bytes) -> bool:
    """Also where there is none."""
    try:
        os.lstat(os.path.join(folder, b"."))
    except PermissionError:
        return False
    except OSError:
        return True
    return True


def _table(paths: Iterable[bytes]) -> bytes:
    return b"".join([path + b"\0" for path in paths])


def kind_of(root: bytes, path: bytes) -> str:
    """What is at `path`, as `Entry.kind`, "" for nothing."""
    try:
        mode = os.lstat(os.path.join(root, path)).st_mode
    except (OSError, ValueError):
        return ""
    return _KINDS.get(stat.S_IFMT(mode), "special")


def _walk_levels(
    root: bytes, level: list[bytes], tracked: Tracked, judge: Judge, extra: Rules | None, walked: Walked
) -> None:
    """Walk these folders and all that is to be entered below them."""
    while level:
        below: list[bytes] = []
        unknown: list[Entry] = []
        for folder in level:
            walked.folders.append(folder)
            for entry in _entries(root, folder, walked):
                if extra is not None and extra.decide(entry.path, entry.kind == "folder"):
                    continue
                if not _take_tracked(entry, tracked, walked, below):
                    unknown.append(entry)
        excluded = judge(unknown) if unknown else set()
        for entry in unknown:
            if entry.path not in excluded:
                _take_untracked(root, entry, walked, below)
        level = below


def _entries(root: bytes, folder: bytes, walked: Walked) -> list[Entry]:
    prefix = folder + b"/" if folder else b""
    found = []
    place = os.path.join(root, folder)
    try:
        os.lstat(os.path.join(place, b"."))  # names that can be listed but not looked at are of no use
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.name in RULE_FILES:
                    walked.rule_files.append(prefix + entry.name)
                if entry.name != b".git":
                    found.append(Entry(prefix + entry.name, _kind(entry)))
    except FileNotFoundError:
        walked.folders.remove(folder)
    except OSError:
        walked.skipped.append((folder, "unreadable folder"))
        walked.unlisted.append(folder)
    return found


def _kind(entry: os.DirEntry[bytes]) -> str:
    if entry.is_symlink():
        return "symlink"
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "folder" if entry.is_dir(follow_symlinks=False) else "special"


def _take_tracked(entry: Entry, tracked: Tracked, walked: Walked, below: list[bytes]) -> bool:
    path, kind = entry
    if kind == "folder":
        if path in tracked.submodules:
            walked.skipped.append((path, "submodule"))
            return True
        if path in tracked.folders:
            below.append(path)
            return True
        return False
    if path not in tracked.files and path not in tracked.submodules:
        return False
    _take_leaf(entry, walked)
    return True


def _take_untracked(root: bytes, entry: Entry, walked: Walked, below: list[bytes]) -> None:
    if entry.kind != "folder":
        _take_leaf(entry, walked)
    elif git_dirs(os.path.join(root, entry.path)) is not None:
        walked.skipped.append((entry.path, "nested repository"))
        walked.folders.append(entry.path)
    else:
        below.append(entry.path)


def _take_leaf(entry: Entry, walked: Walked) -> None:
    if entry.kind == "file":
        walked.files.append(entry.path)
    else:
        walked.skipped.append((entry.path, "symlink" if entry.kind == "symlink" else "special file"))
