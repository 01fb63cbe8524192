"""What an answer rests on beside the files of a project: where the project lies, its configuration, HEAD. Cold.

In: a folder where somebody asks, the project found there, its manifest. Out: `Premises`, which tell by one look at a
few dozen paths whether any of it may have changed. It is stat data, since file events tell only of the project's own
folders; one call of a kernel instead of some ninety system calls from Python saves a fifth of a search.
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

from greppy import kernels
from greppy.config import config_file
from greppy.git.files import is_racy
from greppy.git.project import FILE_MARKERS, OWN_MARKER, read_small

if TYPE_CHECKING:
    from collections.abc import Iterable

    from greppy.git.project import Project
    from greppy.index.manifest import Manifest

_MOST_LINKS = 40
_NESTED = (b".git", b"HEAD", OWN_MARKER.encode(), *(name.encode() for name in FILE_MARKERS))
"""What makes a folder a project of its own, or may come to do so by its content."""


class Premises:
    """Stat data of `places`, of which only sort and inode count (what happens in them is others' affair), and of
    `files`, of which all counts; paths are absolute."""

    __slots__ = ("_count", "_inodes", "_modes", "_places", "_signatures", "_table")

    def __init__(self, places: Iterable[bytes], files: Iterable[bytes]) -> None:
        first, second = list(dict.fromkeys(places)), list(dict.fromkeys(files))
        self._table = b"".join([path + b"\0" for path in (*first, *second)])
        self._places = len(first)
        self._count = len(first) + len(second)
        self._modes, self._inodes, self._signatures = self._look()

    def _look(self) -> tuple[bytes, bytes, bytes]:
        modes, stats = kernels.stats_now(b"/", self._table, self._count)
        end = 32 * self._places
        return bytes(modes), bytes(memoryview(stats)[:end].cast("q")[3::4]), stats[end:]

    @property
    def hold(self) -> bool:
        """Whether all is as it was."""
        return self._look() == (self._modes, self._inodes, self._signatures)

    @property
    def identity(self) -> bytes:
        """What tells these from any that do not hold, as far as answers go."""
        return self._signatures

    @property
    def settled(self) -> bool:
        """Whether `hold` can be relied upon: no place is a link, which would hide what changes behind it, and no file
        was touched so lately that it might change again without showing it."""
        moment = time.time_ns()
        numbers = memoryview(self._signatures).cast("q")
        signatures = [tuple(numbers[at : at + 4]) for at in range(0, len(numbers), 4)]
        racy = any(is_racy((size, mtime, ctime, inode), moment) for size, mtime, ctime, inode in signatures)
        return not racy and not any(map(stat.S_ISLNK, memoryview(self._modes).cast("I")[: self._places]))


def premises_of(start: bytes, home: bytes, project: Project, manifest: Manifest) -> Premises | None:
    """What it rests on that somebody at `start` is answered from this manifest; None where it is more than can be told
    so: the working tree begins elsewhere than the project, or there are projects within it on the way."""
    git_dir, common_dir, root = project.git_dir, project.common_dir, project.root
    if git_dir is None or common_dir is None or root != project.work_tree:
        return None
    folders = _folders_between(start, root)
    if folders is None or any(os.path.lexists(folder + b"/" + name) for folder in folders for name in _NESTED):
        return None
    dot_git = root + b"/.git"
    places = [start, dot_git, git_dir, common_dir + b"/objects", common_dir + b"/refs"]
    files = [*folders, git_dir + b"/commondir", common_dir + b"/commondir", common_dir + b"/config"]
    files += [*head_files(project), common_dir + b"/refs/replace", config_file(home), *manifest.inputs]
    if os.path.isfile(dot_git):
        files.append(dot_git)
    return Premises(
        [folder for place in places for folder in _above(place)],
        [each for file in files for each in _with_targets(file)],
    )


def head_files(project: Project) -> list[bytes]:
    """What changes when HEAD comes to name another commit."""
    if project.git_dir is None or project.common_dir is None:
        return []
    head = os.path.join(project.git_dir, b"HEAD")
    names = [head, os.path.join(project.common_dir, b"packed-refs")]
    names += [os.path.join(folder, b"reftable/tables.list") for folder in (project.git_dir, project.common_dir)]
    target = read_small(head)
    if target.startswith(b"ref:"):
        names.append(os.path.join(project.common_dir, target[4:].strip()))
    return names


def _above(path: bytes) -> list[bytes]:
    """A path and each folder that leads to it."""
    return [path, *(_above(os.path.dirname(path)) if os.path.dirname(path) != path else ())]


def _folders_between(start: bytes, root: bytes) -> list[bytes] | None:
    """`start` and the folders above it up to the root, which does not count; None where it does not lie there."""
    if start != root and not start.startswith(root.rstrip(b"/") + b"/"):
        return None
    return _above(start)[: len(_above(start)) - len(_above(root))]


def _with_targets(path: bytes) -> list[bytes]:
    """A path and, of a link, those that it leads to."""
    found = [path]
    while os.path.islink(found[-1]) and len(found) < _MOST_LINKS:
        found.append(os.path.join(os.path.dirname(found[-1]), os.readlink(found[-1])))
    return found
