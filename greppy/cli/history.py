"""`greppy history`: the commits in which lines that match came and went. Cold.

In: a `Parsed`. Out: commits newest first, as soon as each is known; 0 when there was one, else 1. Blobs that are not
here (a partial clone) are told on stderr.
"""

from __future__ import annotations

import os
from contextlib import closing
from itertools import islice

from greppy import log
from greppy.cli.environment import Environment, config_at, current_folder, existing_folder
from greppy.cli.parse import Parsed
from greppy.errors import BadArguments, NoProject
from greppy.git.history import Range
from greppy.git.project import Project, find_project
from greppy.index.view import store_of
from greppy.output.history import HumanForm, JsonForm
from greppy.output.stream import look_at_screen, write_out
from greppy.search.exact.question import Question, Reading, make_question
from greppy.search.history.engine import Receipt, Request, search


def run(parsed: Parsed, environment: Environment) -> int:
    """Search, print, and say by the exit status whether anything was found."""
    pattern, *revisions = map(os.fsencode, parsed.words or _behind_dashes(parsed))
    question = _question(pattern, parsed, environment)
    folder = parsed.text("project")
    cwd = os.path.realpath(current_folder() if folder is None else existing_folder(folder))
    project = _project(cwd)
    config = config_at(cwd, environment)
    store = store_of(project, environment.home)
    request = Request(_whole(project), _range(parsed, cwd, project, revisions), question, parsed.flag("occurrences"))
    screen = look_at_screen(config.color, environment.plain)
    form = JsonForm() if parsed.flag("json") else HumanForm(screen)
    receipt, shown = Receipt(), 0
    with closing(search(request, store, receipt)) as found:
        for each in islice(found, parsed.number("max_count", 0) or None):
            write_out(form.render(each))
            shown += 1
    write_out(form.end(receipt))
    if receipt.missing:
        log.notice(f"{len(receipt.missing)} objects are not here, and nothing is fetched: what they hold was left out")
    return 0 if shown else 1


def _behind_dashes(parsed: Parsed) -> list[str]:
    """The pattern of `history -- -x`, which begins with a dash."""
    if not parsed.rest:
        raise BadArguments("no pattern given", "write 'greppy history PATTERN'")
    return [parsed.rest.pop(0)]


def _question(pattern: bytes, parsed: Parsed, environment: Environment) -> Question:
    if not pattern:
        raise BadArguments("the pattern is empty", "give some text to look for")
    last = (parsed.texts("dialect") or ["--extended-regexp"])[-1]
    dialect = "fixed" if last == "--fixed-strings" else "extended"
    reading = Reading(
        dialect,
        fold=parsed.flag("ignore_case"),
        word=parsed.flag("word_regexp"),
        single_bytes=environment.single_bytes,
    )
    return make_question([pattern], reading)


def _project(cwd: bytes) -> Project:
    project = find_project(cwd, bare=True)
    if project.git_dir is None:
        raise NoProject(f"{os.fsdecode(project.root)} has no history: it is no git repository", "run it in one")
    return project


def _whole(project: Project) -> Project:
    """The working tree that a project is part of: history's paths are from its top."""
    if project.work_tree is None or project.work_tree == project.root:
        return project
    return Project(project.work_tree, project.marker, project.git_dir, project.common_dir, project.work_tree)


def _range(parsed: Parsed, cwd: bytes, project: Project, revisions: list[bytes]) -> Range:
    """Which commits, and of what. A project that is part of a working tree has the history of that part."""
    options = [
        b"--%s=%s" % (name.encode(), os.fsencode(text)) for name in ("since", "until") for text in _text(parsed, name)
    ]
    if parsed.flag("all"):
        options.append(b"--all")
    specs = [os.fsencode(spec) for spec in parsed.rest or ()]
    if not specs and project.work_tree is not None and project.root != project.work_tree:
        return Range(project.root, revisions, options, [b"."])
    return Range(cwd, revisions, options, specs)


def _text(parsed: Parsed, name: str) -> list[str]:
    value = parsed.text(name)
    return [] if value is None else [value]
