"""The walk with the oracle after each step: what `python -m tests.model` and the suite share.

In: a repository, a seed and how many steps. Out: how many answers were compared; `Difference` with the steps that led
to it.
"""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .git import Repository
from .oracle import Difference, check_exact, check_history, check_ranked, check_revision, files, run
from .walk import Walk

TENDED_EVERY, REVISION_EVERY, HISTORY_EVERY = 15, 10, 100
_TOLD = 12
_PATIENCE = 30.0

DIRECT, HOOKS, DAEMON = "direct", "hooks", "daemon"


class Tally(NamedTuple):
    """Answers compared (and lines and places in them), how often each step was made, what became of git's commands, and
    how many refreshes hooks made."""

    answers: Counter[str]
    refreshes: int
    steps: Counter[str]
    outcomes: Counter[str]


def compare(
    repository: Repository, steps: int, seed: int, mode: str = DIRECT, tell: Callable[[int], None] = lambda step: None
) -> Tally:
    """Walk and compare. Raises `Difference`."""
    walk = Walk(repository, seed)
    done: deque[str] = deque(maxlen=_TOLD)
    steps_made: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    with _serving(repository, mode):
        for step in range(steps):
            done.append(walk.step())
            steps_made[done[-1]] += 1
            if step % TENDED_EVERY == 0:
                done.append("greppy gc")
                _tend()
            try:
                _compare_now(repository, walk, step, counts)
            except Difference as error:
                raise Difference(f"seed {seed}, step {step}, {mode}, after {', '.join(done)}: {error}") from None
            tell(step)
    return Tally(counts, _refreshes(repository, mode), steps_made, walk.outcomes)


def _compare_now(repository: Repository, walk: Walk, step: int, counts: Counter[str]) -> None:
    contents = files(repository)
    for word in (walk.word, walk.old_word()):
        counts["lines"] += check_exact(repository, word, contents)
        counts["places"] += check_ranked(repository, word, contents)
        counts["exact"] += 1
        counts["ranked"] += 1
    if step % REVISION_EVERY == 0:
        for revision in ("HEAD", *([] if repository.git("ls-files", "-u") else [":0"])):
            check_revision(repository, revision, walk.old_word())
            counts["revisions"] += 1
    if step % HISTORY_EVERY == HISTORY_EVERY - 1:
        check_history(repository, walk.old_word())
        counts["histories"] += 1


def _refreshes(repository: Repository, mode: str) -> int:
    log = repository.home / "hooks" / "log"
    end = time.monotonic() + _PATIENCE
    while mode == HOOKS and not log.is_file() and time.monotonic() < end:
        time.sleep(0.05)
    return len(log.read_bytes().splitlines()) if log.is_file() else 0


def _tend() -> None:
    status, out, err = run("gc")
    if status:
        raise Difference(f"greppy gc: status {status}, {out!r}, {err!r}")


@contextmanager
def _serving(repository: Repository, mode: str) -> Iterator[None]:
    if mode == HOOKS:  # they would start nothing
        for environment in (repository.environment, os.environ):
            environment.pop("GREPPY_NO_BACKGROUND", None)
    command = {HOOKS: ("hooks", "install"), DAEMON: ("daemon", "start")}.get(mode)
    if command and run(*command)[0]:
        raise RuntimeError(f"greppy {' '.join(command)} fails")
    try:
        yield
    finally:
        if mode == DAEMON:
            run("daemon", "stop")


@contextmanager
def inside(repository: Repository) -> Iterator[None]:
    """The repository is the current folder, and its environment this process's."""
    before, folder = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update(repository.environment)
    os.chdir(repository.root)
    try:
        yield
    finally:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(before)
