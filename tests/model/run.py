"""The walk with the oracle after each step: what `python -m tests.model` and the suite share.

In: a repository, a seed and how many steps. Out: how many answers were compared; `Difference` with the steps that led
to it.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .git import Repository
from .oracle import Difference, check_exact, check_ranked, run
from .walk import Walk

RANKED_EVERY, TENDED_EVERY = 4, 15
_TOLD = 12

DIRECT, HOOKS, DAEMON = "direct", "hooks", "daemon"


class Tally(NamedTuple):
    """Answers compared, lines and places in them, and how often each step was made."""

    exact: int
    lines: int
    ranked: int
    places: int
    steps: Counter[str]


def compare(
    repository: Repository, steps: int, seed: int, mode: str = DIRECT, tell: Callable[[int], None] = lambda step: None
) -> Tally:
    """Walk and compare. Raises `Difference`."""
    walk = Walk(repository, seed)
    done: deque[str] = deque(maxlen=_TOLD)
    names: Counter[str] = Counter()
    exact = lines = ranked = places = 0
    with _serving(mode):
        for step in range(steps):
            done.append(walk.step())
            names[done[-1]] += 1
            if step % TENDED_EVERY == 0:
                done.append("greppy gc")
                _tend()
            try:
                for word in (walk.word, walk.old_word()):
                    lines += check_exact(repository, word)
                    exact += 1
                if step % RANKED_EVERY == 0:
                    places += check_ranked(repository, walk.word) + check_ranked(repository, walk.old_word())
                    ranked += 2
            except Difference as error:
                raise Difference(f"seed {seed}, step {step}, {mode}, after {', '.join(done)}: {error}") from None
            tell(step)
    return Tally(exact, lines, ranked, places, names)


def _tend() -> None:
    status, out, err = run("gc")
    if status:
        raise Difference(f"greppy gc: status {status}, {out!r}, {err!r}")


@contextmanager
def _serving(mode: str) -> Iterator[None]:
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
