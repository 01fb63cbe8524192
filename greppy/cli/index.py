"""`greppy index`: build or update indexes ahead of the first search, and keep them fresh with `--watch`. Cold.

In: a `Parsed`. Out: a line on stdout for each project; 0, or the status of the first project that failed.
"""

from __future__ import annotations

import os
import time

from greppy import log
from greppy.cli.environment import Environment, config_at, current_folder, existing_folder
from greppy.cli.meter import Meter
from greppy.cli.parse import Parsed
from greppy.config import Config
from greppy.errors import GreppyError, NoProject
from greppy.index import admin
from greppy.index.report import BuildReport
from greppy.output.quote import quote_path
from greppy.output.report import build_line
from greppy.output.stream import write_text

_POLL_SECONDS = 1.0


def run(parsed: Parsed, environment: Environment) -> int:
    """Build, and watch when asked to, until Ctrl-C."""
    start = existing_folder(parsed.words[0]) if parsed.words else current_folder()
    if not parsed.flag("recursive"):
        roots = [start]
        status = _build(start, environment, parsed.flag("force"))
    else:
        roots = _projects_below(start)
        status = _build_all(roots, environment, parsed.flag("force"))
    if parsed.flag("watch"):
        _watch(roots, environment)
    return status


def _projects_below(top: bytes) -> list[bytes]:
    from greppy.git.discovery import find_projects

    roots = [project.root for project in find_projects(top)]
    if not roots:
        raise NoProject(f"no project at {quote_path(top)} or below it", "name another folder")
    return roots


def _build_all(roots: list[bytes], environment: Environment, force: bool) -> int:
    """Build each; one that fails is reported and does not keep the others from theirs."""
    first = 0
    for root in roots:
        try:
            _build(root, environment, force)
        except GreppyError as error:
            log.notice(f"{quote_path(root)}: {error.message}; {error.hint}".rstrip("; "))
            first = first or error.exit_status
    return first


def _build(start: bytes, environment: Environment, force: bool) -> int:
    write_text(build_line(_update(start, environment, config_at(start, environment), force)))
    return 0


def _update(start: bytes, environment: Environment, config: Config, force: bool) -> BuildReport:
    with Meter() as meter:
        report = admin.build(start, environment.home, config, force, meter.show)
    took = round(report.seconds * 1000, 1)
    log.event("info", "greppy.index", project=report.root, files=report.files, analysed=report.analysed, took_ms=took)
    return report


def _watch(roots: list[bytes], environment: Environment) -> None:
    """Poll until Ctrl-C. The configuration is that of the start: a change of it needs a new start."""
    configs = {root: config_at(root, environment) for root in roots}
    log.notice(f"watching {', '.join(map(quote_path, roots))}; Ctrl-C ends it")
    while True:
        time.sleep(_POLL_SECONDS)
        for root in roots:
            _refresh(root, environment, configs[root])


def _refresh(root: bytes, environment: Environment, config: Config) -> None:
    if not os.path.isdir(root):
        raise NoProject(f"{os.fsdecode(root)} is gone", "nothing is left to watch there")
    report = _update(root, environment, config, False)
    if report.changed:
        write_text(build_line(report))
