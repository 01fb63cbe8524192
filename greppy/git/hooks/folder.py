"""Where git runs a repository's hooks, and whether a program may put some there. Cold.

In: a project. Out: a `Folder`. Git takes hooks from `core.hooksPath`, else from `hooks` in the git folder that linked
worktrees share. Only a folder inside that git folder is the repository's own: one in the working tree is under version
control or made anew by a hook manager, one elsewhere serves other repositories too.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from greppy.errors import IoFailure, NoProject
from greppy.git.plumbing import run
from greppy.git.project import Project, printable

_ABSENT = 1
_NEVER_OURS = b"command line:"
"""The origin of what `plumbing` itself sets on git's command line."""


UNSET = "unset it ('git config --show-origin core.hooksPath' says where it is set) and install again"
"""What to do about a core.hooksPath with which git runs no hooks at all."""


class Folder(NamedTuple):
    """`path` is absolute; `refusal` says why nothing may be put there, "" where it may, and `remedy` what to do where
    no hook could do it by hand."""

    path: bytes
    refusal: str
    remedy: str = ""


def hooks_folder(project: Project) -> Folder:
    """Where git runs the hooks of `project`. Raises NoProject without git, IndexFailure with git's message, of a
    repository above all that git does not trust: it would run none of its hooks."""
    if project.common_dir is None or project.work_tree is None:
        raise NoProject(f"{printable(project.root)} is not a git repository", "git hooks need one: run 'git init'")
    run(project.work_tree, ["rev-parse", "--git-dir"])
    configured = _last(project.work_tree, ["--type=path"])
    if configured is None:
        return _judged(os.path.join(project.common_dir, b"hooks"), project, False)
    if not configured:
        return Folder(b"/", "core.hooksPath is empty, so git runs none of this repository's hooks", UNSET)
    return _judged(os.path.normpath(os.path.join(project.work_tree, configured)), project, True)


def global_folder() -> bytes | None:
    """The folder that the user's own configuration names as core.hooksPath for all repositories, None for none.

    Raises IoFailure for one that is no absolute path: it is another folder in each repository.
    """
    path = _last(b"/", ["--global", "--type=path"])
    if path and not path.startswith(b"/"):
        raise IoFailure(f"your core.hooksPath, {printable(path)}, is not absolute", "give it as an absolute path")
    return os.path.normpath(path) if path else None


def _last(folder: bytes, options: list[str]) -> bytes | None:
    """The value of core.hooksPath that counts, None for none."""
    answer = run(
        folder, ["config", "-z", "--show-origin", *options, "--get-all", "core.hooksPath"], accept=(0, _ABSENT)
    )
    fields = answer.split(b"\0")
    values = [value for origin, value in zip(fields[0::2], fields[1::2], strict=False) if origin != _NEVER_OURS]
    return values[-1] if values else None


def _judged(path: bytes, project: Project, configured: bool) -> Folder:
    assert project.common_dir is not None
    assert project.work_tree is not None
    real = os.path.realpath(path)
    how = "by core.hooksPath" if configured else "since it is a link"
    shown = printable(path)
    if is_below(real, project.common_dir):
        return Folder(path, "")
    if is_no_folder(path):
        refusal = f"git looks for hooks in {shown} ({how}), which is not a folder, so it runs none"
        return Folder(path, refusal, UNSET if configured else "")
    if is_below(real, project.work_tree):
        return Folder(path, f"git runs hooks from {shown} ({how}), which is in the working tree")
    return Folder(path, f"git runs hooks from {shown} ({how}), which is outside of this repository")


def is_no_folder(path: bytes) -> bool:
    """Whether something else is in the place of a folder of hooks."""
    return os.path.lexists(path) and not os.path.isdir(path)


def is_below(path: bytes, top: bytes) -> bool:
    """Whether the real path `path` is inside the folder `top`."""
    return path.startswith(os.path.realpath(top).rstrip(b"/") + b"/")
