"""The look at the working tree that begins while the program is imported."""

from __future__ import annotations

import os
import time

import pytest

from greppy import kernels
from greppy.git.project import find_project
from greppy.index.look import begin_look
from tests.exact.conftest import Repository


@pytest.fixture
def home(repository: Repository) -> bytes:
    """The home folder of an index of a repository with two files."""
    repository.write("a", b"zebra\n")
    repository.write("b", b"zebra\n")
    time.sleep(0.1)
    assert repository.run("index").status == 0
    return os.fsencode(repository.environment["GREPPY_HOME"])


def test_what_differs_is_what_a_search_would_find_itself(repository: Repository, home: bytes) -> None:
    project = find_project(os.fsencode(repository.root))
    ahead = begin_look(project, home)
    assert ahead is not None and ahead.different() == [] and ahead.different() == []
    repository.write("b", b"other\n")
    ahead = begin_look(project, home)
    assert ahead is not None and ahead.different() == [1]


def test_without_an_index_there_is_nothing_to_look_at(repository: Repository) -> None:
    home = os.fsencode(repository.environment["GREPPY_HOME"])
    assert begin_look(find_project(os.fsencode(repository.root)), home) is None


def test_a_look_that_fails_is_had_again(repository: Repository, home: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = kernels.changed_stats, []

    def fails_once(*args):  # type: ignore[no-untyped-def]
        calls.append(args)
        if len(calls) == 1:
            raise MemoryError
        return real(*args)

    monkeypatch.setattr(kernels, "changed_stats", fails_once)
    assert repository.grep("zebra").out == b"a:1:zebra\nb:1:zebra\n"
    assert len(calls) == 2


def test_a_project_is_looked_at_once(repository: Repository, home: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = kernels.changed_stats, []

    def counted(*args):  # type: ignore[no-untyped-def]
        calls.append(args)
        return real(*args)

    monkeypatch.setattr(kernels, "changed_stats", counted)
    assert repository.grep("zebra").status == 0
    assert len(calls) == 1
    assert repository.grep("--no-refresh", "zebra").status == 0
    assert len(calls) == 1
