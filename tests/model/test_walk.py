"""Whatever is done to a repository, every answer is what the files say (`python -m tests.model` walks longer)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .__main__ import begin
from .git import Repository
from .oracle import Difference, check_exact, check_ranked
from .run import DAEMON, DIRECT, HOOKS, compare, inside


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    top = Path(os.path.realpath(tmp_path))
    made = Repository(top / "r", top / "home")
    begin(made)
    return made


@pytest.mark.parametrize(("mode", "steps", "seed"), [(DIRECT, 60, 1), (DIRECT, 60, 2), (HOOKS, 30, 3), (DAEMON, 30, 4)])
def test_every_answer_of_a_random_walk_is_what_the_files_say(
    repository: Repository, mode: str, steps: int, seed: int
) -> None:
    with inside(repository):
        tally = compare(repository, steps, seed, mode)
    assert tally.answers["lines"] > steps / 4 and tally.answers["places"] > steps / 4
    assert bool(tally.refreshes) == (mode == HOOKS)


def test_the_oracle_sees_what_an_answer_lacks(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.model.oracle.run", lambda *argv: (1, b'{"type":"summary"}\n', b""))
    with inside(repository):
        with pytest.raises(Difference, match="still3"):
            check_exact(repository, "still3")
        monkeypatch.setattr("tests.model.oracle.run", lambda *argv: (1, b'{"results":[],"notes":[]}\n', b""))
        with pytest.raises(Difference, match="still3"):
            check_ranked(repository, "still3")
