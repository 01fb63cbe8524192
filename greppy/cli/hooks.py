"""`greppy hooks`: install, remove or show the hooks that keep indexes fresh. Cold.

In: a `Parsed`. Out: a line for each hook, or one JSON document. `status` gives 1 where a hook does not call this
program, `uninstall` where one still does.
"""

from __future__ import annotations

from greppy import log
from greppy.cli.environment import Environment, current_folder, existing_folder
from greppy.cli.parse import Parsed
from greppy.errors import BadArguments, IoFailure
from greppy.git import hooks
from greppy.git.hooks import Report, everywhere
from greppy.git.hooks.slots import ABSENT, BY_HAND, INSTALLED, MODIFIED, OUTDATED, Slot
from greppy.git.project import Project, find_project
from greppy.output.json_text import to_json
from greppy.output.quote import quote_path
from greppy.output.stream import write_text

ACTIONS = ("install", "uninstall", "status")
_INCOMPLETE = 1
_LEFT = (MODIFIED, BY_HAND)
"""Hooks that are the user's own work, also where they call this program."""


def run(parsed: Parsed, environment: Environment) -> int:
    """Do what the word says."""
    action = parsed.words[0]
    if action not in ACTIONS:
        raise BadArguments(f'greppy hooks: "{action}" is not understood', f"use one of {', '.join(ACTIONS)}")
    report = _everywhere(action, environment) if parsed.flag("global") else _here(action, _project(parsed), environment)
    if parsed.flag("json"):
        write_text(to_json(_values(report)) + "\n")
    else:
        write_text(_lines(action, report))
        _advise(report)
    return _status(action, report)


def _project(parsed: Parsed) -> Project:
    name = parsed.text("project")
    return find_project(current_folder() if name is None else existing_folder(name))


def _here(action: str, project: Project, environment: Environment) -> Report:
    if action == "install":
        return hooks.install(project, environment.home)
    return hooks.uninstall(project) if action == "uninstall" else hooks.status(project)


def _everywhere(action: str, environment: Environment) -> Report:
    if action == "install":
        return everywhere.install(environment.home)
    return everywhere.uninstall() if action == "uninstall" else everywhere.status()


def _status(action: str, report: Report) -> int:
    if action == "uninstall":
        return _INCOMPLETE if _left(report) else 0
    if action == "status":
        return 0 if report.complete and not report.refusal else _INCOMPLETE
    if action == "install" and not report.works:
        raise IoFailure(f"no hook could be installed in {quote_path(report.path)}", "see 'greppy hooks status'")
    return 0


def _left(report: Report) -> bool:
    """Whether a hook still calls this program."""
    return any(slot.state in _LEFT for slot in report.slots)


def _advise(report: Report) -> None:
    for text in (report.refusal, report.advice):
        if text:
            log.notice(text)


def _lines(action: str, report: Report) -> str:
    where = quote_path(report.path) if report.path else "git's configuration"
    done = {"install": "Installed in", "uninstall": "Removed from", "status": "Hooks in"}[action]
    if not report.changed and action != "status":
        done = "Nothing removed from" if action == "uninstall" and _left(report) else "Nothing to do in"
    return f"{done} {where}\n" + "".join(f"  {slot.name:<16}{_about(slot, action)}\n" for slot in report.slots)


def _about(slot: Slot, action: str) -> str:
    if action == "uninstall" and slot.state in _LEFT:
        return f"left in place: {slot.detail}"
    if slot.state == INSTALLED:
        return "installed" + ("; runs the hook that was there first" if slot.kept else "")
    if slot.state == OUTDATED:
        return "not up to date: another greppy put it there; 'greppy hooks install' renews it"
    if slot.state == ABSENT:
        return "not installed" + ("; there is another hook, which installing keeps" if slot.kept else "")
    return f"not installed: {slot.detail}" if slot.detail else slot.state


def _values(report: Report) -> dict[str, object]:
    return {
        "path": report.path or None,
        "complete": report.complete and not report.refusal,
        "changed": report.changed,
        "hooks": [
            {"name": slot.name, "state": slot.state, "keeps_another": slot.kept, "detail": slot.detail}
            for slot in report.slots
        ],
        "refusal": report.refusal,
        "advice": report.advice,
    }
