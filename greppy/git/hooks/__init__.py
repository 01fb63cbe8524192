"""Hooks that keep the index fresh behind git's back: installing them, taking them away, saying how they are. Cold.

In: a project. Out: a `Report`. The shims are in `githooks/`; correctness never depends on them, since every search
looks for changes by itself. `folder` finds where git runs hooks, `slots` changes one of them, `managers` knows the
programs that want to be asked, `everywhere` serves all repositories of a user at once.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from greppy.errors import IoFailure
from greppy.git.hooks.folder import hooks_folder
from greppy.git.hooks.managers import LINE, Manager, manager_of_tree
from greppy.git.hooks.shim import render
from greppy.git.hooks.slots import BY_HAND, INSTALLED, MANAGED, Slot, examine, put, take_back, write_program
from greppy.git.project import Project, printable

HOOKS = ("post-commit", "post-checkout", "post-merge", "post-rewrite", "post-applypatch")


class Report(NamedTuple):
    """The hooks of the folder `path` as they are now. `changed` says whether something was done, `refusal` why nothing
    may be put there, `advice` what the user can do himself."""

    path: bytes
    slots: tuple[Slot, ...]
    changed: bool = False
    refusal: str = ""
    advice: str = ""

    @property
    def complete(self) -> bool:
        """Whether every hook calls this program."""
        return all(slot.state in (INSTALLED, BY_HAND) for slot in self.slots)

    @property
    def works(self) -> bool:
        """Whether any hook calls this program, or will when `advice` is followed."""
        return any(slot.state in (INSTALLED, BY_HAND, MANAGED) for slot in self.slots)


def install(project: Project, home: bytes) -> Report:
    """Put a shim in place of each of `HOOKS`, before what is there. A second time it changes nothing.

    Raises NoProject without git, IoFailure where nothing may or can be put.
    """
    path, refusal, remedy = hooks_folder(project)
    manager = manager_of_tree(project.work_tree or project.root)
    if remedy:
        raise IoFailure(refusal, remedy)
    if refusal:
        found = status_of(path)
        write_refresh(home)
        if found.complete:
            return found
        raise IoFailure(refusal, _by_hand(manager, HOOKS))
    return install_into(path, home, manager)


def install_into(path: bytes, home: bytes, manager: Manager | None = None) -> Report:
    """The same for a folder that is known. Raises IoFailure."""
    text = render()
    with changing(path):
        before = _examine_all(path, text)
        for slot in before:
            put(slot, text)
        after = _examine_all(path, text)
    managed = [slot for slot in after if slot.state == MANAGED]
    advice = ""
    if managed or manager:
        write_refresh(home)
        who = managed[0].manager if managed else manager
        advice = _by_hand(who, [slot.name for slot in managed or after], free=not managed)
    return Report(path, after, before != after, advice=advice)


def _by_hand(manager: Manager | None, names: Iterable[str], free: bool = False) -> str:
    """What the user can do for these hooks; `free` where the manager has not taken them yet."""
    condition = f"should {manager.name} take hooks over, " if manager and free else ""
    where = manager.where if manager else "the hook there"
    return f"{condition}for each of {', '.join(names)} add this line to {where}: {LINE}"


def uninstall(project: Project) -> Report:
    """Take the shims away and put back what was there before. Raises NoProject without git, IoFailure."""
    path, refusal, _ = hooks_folder(project)
    # What was installed before core.hooksPath was set lies in the git folder.
    own = os.path.join(project.common_dir or b"", b"hooks")
    report = uninstall_from(own) if refusal else uninstall_from(path)
    return report if not refusal else report._replace(refusal=refusal)


def uninstall_from(path: bytes) -> Report:
    """The same for a folder that is known. Raises IoFailure."""
    text = render()
    if not os.path.isdir(path):
        return Report(path, _examine_all(path, text))
    with changing(path):
        changed = [take_back(slot) for slot in _examine_all(path, text)]
        return Report(path, _examine_all(path, text), any(changed))


def status(project: Project) -> Report:
    """How the hooks that git runs for `project` are. Raises NoProject without git."""
    path, refusal, _ = hooks_folder(project)
    found = status_of(path)
    return found._replace(refusal="" if found.complete else refusal)


def status_of(path: bytes) -> Report:
    """How the hooks of a folder are."""
    slots = _examine_all(path, render())
    managed = [slot for slot in slots if slot.manager]
    advice = _by_hand(managed[0].manager, [slot.name for slot in managed]) if managed else ""
    return Report(path, slots, advice=advice)


def _examine_all(path: bytes, text: bytes) -> tuple[Slot, ...]:
    return tuple(examine(path, name, text) for name in HOOKS)


@contextmanager
def changing(path: bytes) -> Iterator[None]:
    """Hold a lock on a folder of hooks, which is made where there is none. Raises IoFailure for whatever fails."""
    try:
        os.makedirs(path, exist_ok=True)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)
    except OSError as error:
        raise IoFailure(f"cannot change {printable(path)}: {error.strerror}", "check its permissions") from None


def write_refresh(home: bytes) -> None:
    """Keep a shim in `home` as `hooks/refresh`, for hooks that call it by hand. Raises IoFailure."""
    text, folder = render(), os.path.join(home, b"hooks")
    path = os.path.join(folder, b"refresh")
    fresh = path + b".greppy-%d" % os.getpid()
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        write_program(fresh, text)
        os.rename(fresh, path)
    except OSError as error:
        raise IoFailure(f"cannot write {printable(path)}: {error.strerror}", "check its permissions") from None
