"""Checks of the project of the current folder, of its hooks, and of what hooks have asked for (cold)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial

from greppy.errors import GreppyError
from greppy.git import hooks
from greppy.git.hooks.slots import INSTALLED, OUTDATED
from greppy.git.plumbing import run
from greppy.git.project import Project
from greppy.index.calls import Lease
from greppy.index.doctor.finding import FAIL, OK, WARN, Finding, Place
from greppy.log import printable

WAITING_SECONDS = 60.0
_LOG_TAIL = 4096


def check_project(place: Place) -> Iterator[Finding]:
    """Whether git takes the repository here, and its hooks are whole."""
    project = place.project
    if project is None:
        yield Finding("project", OK, "none here")
        return
    name = printable(os.fsdecode(project.root))
    if project.git_dir is None:
        yield Finding("project", OK, f"{name}, without git")
        return
    try:
        run(project.root, ["rev-parse", "--git-dir"], work_tree=project.work_tree)
    except GreppyError as error:
        yield Finding("project", FAIL, f"{name}: {error.message}", error.hint)
        return
    yield Finding("project", OK, name)
    yield from _check_hooks(project, place.home)


def _check_hooks(project: Project, home: bytes) -> Iterator[Finding]:
    report = hooks.status(project)
    outdated = [slot.name for slot in report.slots if slot.state == OUTDATED]
    installed = [slot.name for slot in report.slots if slot.state == INSTALLED]
    repair = partial(_installed, project, home)
    if outdated:
        advice = "'greppy hooks install' renews them"
        yield Finding("hooks", WARN, f"{', '.join(outdated)}: from another greppy", advice, repair)
    elif installed and not report.complete:
        advice = report.refusal or report.advice or "'greppy hooks install' adds the others"
        missing = [slot.name for slot in report.slots if slot.name not in installed]
        yield Finding("hooks", WARN, f"{', '.join(missing)}: not installed, others are", advice, repair)
    elif report.complete:
        yield Finding("hooks", OK, "installed")
    else:
        yield Finding("hooks", OK, "not installed; searches look for changes by themselves")


def _installed(project: Project, home: bytes) -> str:
    hooks.install(project, home)
    return "installed"


def check_hook_calls(place: Place) -> Iterator[Finding]:
    """Whether calls of hooks wait that nobody answers, and what the last refresh met."""
    folder = place.home + b"/hooks"
    waiting = [name for name in (b"queue", b"taken") if _age(folder + b"/" + name) > WAITING_SECONDS]
    if waiting and _nobody_refreshes(folder):
        message = "calls of hooks wait, and no process answers them"
        advice = "can the hooks run the program? searches take in what changed all the same"
        yield Finding("hook calls", WARN, message, advice, partial(_dropped, folder, waiting))
    last = _last_line(folder + b"/log")
    if " ERROR " in last:
        yield Finding("hook calls", WARN, f"the last refresh failed: {printable(last)}", "see hooks/log in the home")
    elif not waiting:
        yield Finding("hook calls", OK, "none waits")


def _age(path: bytes) -> float:
    try:
        return time.time() - os.stat(path).st_mtime
    except OSError:
        return 0.0


def _nobody_refreshes(folder: bytes) -> bool:
    with Lease(folder) as lease:
        return lease


def _dropped(folder: bytes, names: list[bytes]) -> str:
    for name in names:
        os.unlink(folder + b"/" + name)
    return "dropped; the next search takes in what they were about"


def _last_line(path: bytes) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(file.tell() - _LOG_TAIL, 0))
            lines = file.read(_LOG_TAIL).splitlines()
    except OSError:
        return ""
    return lines[-1].decode("utf-8", "replace") if lines else ""
