"""The first answer about a large project that has no index: list → count → choose → analyse → view. Cold path.

In: a request, its plan and its project. Out: a `View` of the few files that the answer can come from, with an estimate
of the rest, so that ranking, filters and excerpts are the same code as over an index. Meanwhile another process builds
the index (`greppy.index.background`); a project that is indexed in about two seconds is left to `open_view`.
"""

from __future__ import annotations

import marshal
import os
import time
from typing import TYPE_CHECKING

from greppy import log
from greppy.analysis.classify import file_flags
from greppy.analysis.version import ANALYZER
from greppy.git.listing import list_project
from greppy.git.project import object_format
from greppy.index.background import Background
from greppy.index.blobs import Scope, Task, current_signature
from greppy.index.examine import Job, Part, cores, examine
from greppy.index.freshness import rules_digest
from greppy.index.known import Known
from greppy.index.ledger import Ledger, Origin, Row, pack_manifest
from greppy.index.manifest import Manifest
from greppy.index.processes import in_processes
from greppy.index.shelf import Shelf
from greppy.index.store import Unwritable, manifests
from greppy.index.view import View, store_of
from greppy.search.features import names_asked_for
from greppy.search.filters import languages_of, path_filter
from greppy.search.scan.choose import choose
from greppy.search.scan.sieve import Sieve
from greppy.search.scan.survey import Question, Survey, read_survey, survey
from greppy.search.scan.tally import Name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.config import Config
    from greppy.git.listing import File
    from greppy.git.project import Project
    from greppy.index.store import Store
    from greppy.query.plan import Plan
    from greppy.search.result import Request
    from greppy.search.scan.choose import Chosen

PATIENCE_SECONDS = 2.0
"""What a first search may take for building the index before it answers by a scan instead."""

BUILD_BYTES_A_SECOND = 2_500_000
"""Of files, by one core, for the whole way to an index; measured on 27 public repositories (311 MB)."""

ANALYSED_FILES = 10
ANALYSED_BYTES = 1 << 20
"""Analysed are so many files and one for each result asked for, unless they have more bytes than this; a core analyses
3 MB a second."""

_STRIPE = 128
"""Neighbouring files that go to the same process; then come as many for the next one."""


def first_view(request: Request, plan: Plan, project: Project, home: bytes, config: Config) -> View | None:
    """A view that can answer this request now; None when the index is to be built first.

    Raises what `list_project` raises, and `BadArguments` for filters.
    """
    store = store_of(project, home)
    if not hasattr(os, "fork") or not (store.refusal or (request.background and config.background)):
        return None
    if manifests(store.directory):
        return None  # another worktree has analysed most of it
    takes = path_filter(request, project.root, plan.filters)
    files = list_project(project, config.ignore_patterns).files[: config.max_files]
    if not _is_large(project.root, files, config):
        return None
    with _building(project, store, config, len(files)) as building:
        return None if building.done else scan(request, plan, project, store, config, files, takes)


def _is_large(root: bytes, files: Sequence[File], config: Config) -> bool:
    """Whether building the index would take longer than a user should wait."""
    left = PATIENCE_SECONDS * BUILD_BYTES_A_SECOND * (config.workers or cores())
    for file in files:
        try:
            size = os.lstat(root + b"/" + file.path).st_size
        except OSError:
            continue
        left -= size if size <= config.max_file_size else 0
        if left < 0:
            return True
    return False


def _building(project: Project, store: Store, config: Config, files: int) -> Background:
    """The build that goes on as soon as this context is left; says what will become of it."""
    try:
        building = Background(project, store, config)
    except Unwritable as error:
        log.notice(f"{error.message}; this answer comes from a scan")
        return Background()
    if not building.done:
        log.notice(f"indexing {files} files in the background; this answer comes from a scan")
    return building


def scan(
    request: Request,
    plan: Plan,
    project: Project,
    store: Store,
    config: Config,
    files: Sequence[File],
    takes: Callable[[bytes], bool],
) -> View:
    """A view of those of `files` that `takes` allows and that answer best."""
    scope = Scope(project.root, object_format(project), config.max_file_size, time.time_ns())
    question = Question(
        plan,
        Sieve(plan),
        _names(plan),
        scope.root,
        files,
        takes,
        languages_of(request, plan.filters),
        scope.max_file_size,
    )
    chosen = choose(plan, files, _survey(question, config.workers or cores()), takes)
    tasks = _tasks(scope, files, chosen, ANALYSED_FILES + request.limit)
    shelf = Shelf(store, in_memory=True)
    rows = _analyse(scope, tasks, shelf, config)
    shards = shelf.shards()
    origin = Origin(project.root, scope.algorithm, rules_digest(project, config), scope.observed_ns)
    manifest = pack_manifest(Ledger(rows, (), ()), shards, origin)
    return View(project, store, Manifest(memoryview(manifest), ANALYZER, "scan"), shards, "scan", chosen.estimate)


def _names(plan: Plan) -> list[Name]:
    found = []
    for name, weight in names_asked_for(plan):
        last = name.rpartition(".")[2]
        found.append(Name(last.encode(), last.lower().encode(), weight))
    return found


def _survey(question: Question, workers: int) -> list[Survey]:
    """Survey all files, in several processes."""
    count = len(question.files)

    def work(number: int) -> bytes:
        stripes = range(number * _STRIPE, count, workers * _STRIPE)
        return survey(question, [at for start in stripes for at in range(start, min(start + _STRIPE, count))])

    answers = in_processes(workers, work)
    return [read_survey(work(number) if answer is None else answer) for number, answer in enumerate(answers)]


def _tasks(scope: Scope, files: Sequence[File], chosen: Chosen, most: int) -> list[Task]:
    """The best files, as many as may be analysed."""
    tasks: list[Task] = []
    left = ANALYSED_BYTES
    for file in chosen.files[:most]:
        path, _, attributes = files[file]
        size = current_signature(scope.root, path)[0]
        left -= size
        if left < 0 and tasks:
            break
        tasks.append(Task(path, size, file_flags(path, attributes)))
    return tasks


def _analyse(scope: Scope, tasks: Sequence[Task], shelf: Shelf, config: Config) -> list[Row]:
    """Analyse the files, in several processes; where one dies, its part again in a way that spares the rest."""
    workers = min(config.workers or cores(), len(tasks))
    jobs = [Job(part, scope, Known(), shelf.write, config.shard_bytes, False) for part in _divided(tasks, workers)]
    answers = in_processes(len(jobs), lambda number: _analysed(jobs[number]))
    rows: list[Row] = []
    for job, answer in zip(jobs, answers, strict=True):
        if answer is None:
            rows += examine(job, 2, _unseen)[0]
        else:
            content, found = marshal.loads(answer)
            name = shelf.write(content) if content else ""
            rows += [row if row.reason else row._replace(shard=name) for row in (Row(*each) for each in found)]
    return rows


def _divided(tasks: Sequence[Task], workers: int) -> list[list[Task]]:
    """Tasks in as many parts of about the same size, files of one kind together: each grammar is to be loaded once."""
    parts: list[list[Task]] = [[] for _ in range(workers)]
    share = sum(task.size for task in tasks) / max(workers, 1)
    done = 0
    for task in sorted(tasks, key=lambda task: (task.path.rpartition(b".")[2], task.path)):
        parts[min(int(done / share), workers - 1) if share else 0].append(task)
        done += task.size
    return [sorted(part) for part in parts if part]


def _analysed(job: Job) -> bytes:
    """What one process makes of its files: a shard and their rows."""
    content: list[bytes] = [b""]

    def keep(shard: bytes) -> str:
        content[0] = shard
        return "new"

    part = Part(job._replace(sink=keep))
    for task in job.tasks:
        part.look_at(task)
    rows = [tuple(row) for row in part.flush().rows]
    return marshal.dumps((content[0], rows))


def _unseen(done: int, total: int, what: str) -> None:
    """The analysis of a few files needs no progress."""
