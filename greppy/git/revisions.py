"""Files as git has them: of a commit or tree, of the staging area; and paths by git's own pathspecs (cold).

In: a project and names that the user gave. Out: (oid, path) of regular files, with paths relative to the project's
root, and their blobs. All by plumbing that reads objects and writes nothing; a promised object that is missing is not
fetched.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import NamedTuple

from greppy.errors import BadArguments, IndexFailure
from greppy.git.plumbing import run, started
from greppy.git.project import Project
from greppy.git.stuck import await_answer

REGULAR = (b"100644", b"100755", b"100664")
"""Modes of regular files; git wrote the last one long ago."""


class Entry(NamedTuple):
    """A regular file in a tree or in the staging area. `oid` is hexadecimal."""

    oid: bytes
    path: bytes


STAGED_FILES = "staged"
"""The kind of what `:0` stands for, which is no object."""


class Resolved(NamedTuple):
    """What a name stands for: `kind` is commit, tree, blob or tag, or "" where it names no object that is here; then
    `said` is what git said of it, if anything."""

    name: bytes
    oid: bytes
    kind: str
    said: str = ""


def resolve(project: Project, names: Sequence[bytes]) -> list[Resolved]:
    """What each name (a branch, `HEAD~2`, `HEAD:file`, …) stands for. Raises IndexFailure where git refuses the
    repository."""
    asked = [name for name in names if b"\n" not in name and not name.startswith(b"-")]
    try:
        found = _looked_up(project, asked)
    except IndexFailure:
        _looked_up(project, [])  # fails too where no name is to blame
        found = [_looked_up_alone(project, name) for name in asked]
    by_name = {one.name: one for one in found}
    return [by_name.get(name, Resolved(name, b"", "")) for name in names]


def _looked_up(project: Project, names: Sequence[bytes]) -> list[Resolved]:
    out = run(
        project.root,
        ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
        b"".join(name + b"\n" for name in names),
        work_tree=project.work_tree,
    )
    return [_resolved(name, line) for name, line in zip(names, out.split(b"\n"), strict=False)]


def _resolved(name: bytes, line: bytes) -> Resolved:
    oid, _, kind = line.rpartition(b" ")
    known = kind in (b"commit", b"tree", b"blob", b"tag") and _is_hash(oid)
    return Resolved(name, oid, kind.decode()) if known else Resolved(name, b"", "")


def _looked_up_alone(project: Project, name: bytes) -> Resolved:
    """git ends at some names, such as `@{u}` of a branch without an upstream."""
    try:
        return _looked_up(project, [name])[0]
    except IndexFailure as error:
        return Resolved(name, b"", "", error.message.removeprefix("git cat-file: "))


def _is_hash(oid: bytes) -> bool:
    return bool(oid) and not oid.strip(b"0123456789abcdef")


def absent(project: Project, name: bytes) -> bytes:
    """The object, in hexadecimal, for which a name stands, or from which it starts (`HEAD` in `HEAD~2`), though it is
    not here; b"" where there is none such."""
    for start in dict.fromkeys((name, re.split(rb"[~^:]", name)[0])):
        if not start or start.startswith(b"-") or b"\0" in start:
            continue
        args = [b"rev-parse", b"--verify", b"--quiet", start]
        oid = run(project.root, args, work_tree=project.work_tree, accept=(0, 1, 128)).strip()
        if _is_hash(oid) and not resolve(project, [oid])[0].kind:
            return oid
    return b""


def not_here(name: str, oid: bytes) -> BadArguments:
    """The error for a name whose object is `absent`."""
    return BadArguments(
        f'the object of "{name}", {oid.decode()}, is not here',
        "fetch it; where objects are borrowed (objects/info/alternates), see that they still are there",
    )


def peeled(project: Project, revision: Resolved) -> Resolved:
    """What a tag is of; anything else as it is. Raises BadArguments where the object is not there."""
    if revision.kind != "tag":
        return revision
    inner = resolve(project, [revision.oid + b"^{}"])[0]
    if not inner.kind:
        raise BadArguments(f"{os.fsdecode(revision.name)} is a tag of nothing that is here", "fetch what it names")
    return inner._replace(name=revision.name)


def tree_entries(project: Project, oid: bytes) -> list[Entry]:
    """The regular files of a commit or tree, in git's order (bytewise by path, a folder's files together)."""
    out = run(project.root, ["ls-tree", "-r", "-z", oid], work_tree=project.work_tree)
    entries = []
    for record in out.split(b"\0")[:-1]:
        head, _, path = record.partition(b"\t")
        mode, _, name = head.split(b" ")
        if mode in REGULAR:
            entries.append(Entry(name, path))
    return entries


def staged_entries(project: Project) -> list[Entry]:
    """The regular files of the staging area, without those that a merge left unmerged."""
    out = run(project.root, ["ls-files", "-s", "-z"], work_tree=project.work_tree)
    entries = []
    for record in out.split(b"\0")[:-1]:
        head, _, path = record.partition(b"\t")
        mode, oid, stage = head.split(b" ")
        if stage == b"0" and mode in REGULAR:
            entries.append(Entry(oid, path))
    return entries


def matching_paths(
    project: Project, cwd: bytes, specs: Sequence[bytes], tree: bytes = b"", recurse: bool = False
) -> set[bytes]:
    """The paths (relative to the root) that git's pathspecs, as seen from `cwd`, match: of tracked files and of those
    untracked that are not ignored, or, with `tree`, of tracked files and those of that commit or tree, or, with
    `recurse`, of tracked files, also those of submodules.

    Raises BadArguments with git's message for a pathspec that is none.
    """
    which = [b"--with-tree=" + tree] if tree else [b"--cached", b"--others", b"--exclude-standard"]
    if recurse:
        which = [b"--cached", b"--recurse-submodules"]
    args = [b"ls-files", b"-z", b"--full-name", *which, b"--", *specs]
    try:
        out = run(cwd, args, work_tree=project.work_tree)
    except IndexFailure as error:
        raise BadArguments(error.message.removeprefix("git ls-files: "), "see 'git help glossary', pathspec") from None
    above = os.path.relpath(project.root, project.work_tree or project.root) + b"/"
    prefix = b"" if above == b"./" else above
    return {path[len(prefix) :] for path in out.split(b"\0")[:-1] if path.startswith(prefix)}


class DiffAttributes:
    """What `.gitattributes` say of `diff`, by which git takes a file for text or for binary whatever it holds.

    A context manager around one `check-attr`, which is started at the first question.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._exit = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> DiffAttributes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit.close()

    def binary(self, path: bytes) -> bool | None:
        """Whether the file counts as binary; None where its bytes decide. Raises IndexFailure when git ends."""
        if self._process is None:
            args = ["check-attr", "-z", "--stdin", "diff"]
            starting = started(self._project.root, args, work_tree=self._project.work_tree, stderr=subprocess.DEVNULL)
            self._process = self._exit.enter_context(starting)
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        answer = b""
        try:
            stdin.write(path + b"\0")
            while answer.count(b"\0") < 3:
                await_answer(self._process)
                part = stdout.read(4096)
                if not part:
                    raise BrokenPipeError
                answer += part
        except BrokenPipeError:
            run(self._project.root, ["rev-parse", "--git-dir"], work_tree=self._project.work_tree)  # git's own words
            raise IndexFailure("git check-attr ended before it answered", "run it yourself") from None
        return {b"set": False, b"unset": True}.get(answer.split(b"\0")[2])
