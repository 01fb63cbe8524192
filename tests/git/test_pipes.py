"""Named pipes where git or we look for files: nobody ever writes into them, and nobody waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from greppy.errors import IndexFailure
from greppy.git.listing import list_project
from greppy.git.project import find_project

from .conftest import Repository

PATIENCE = 60.0


def put_pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)


@pytest.fixture
def filled(repository: Repository) -> Repository:
    repository.write(".gitignore", "*.log\n")
    repository.write("a.txt")
    repository.write("d/b.txt")
    repository.commit()
    repository.write("d/new.txt")
    repository.write("d/new.log")
    return repository


def files(repository: Repository) -> list[bytes]:
    return [file.path for file in list_project(find_project(repository.root)).files]


def outcome(repository: Repository) -> str:
    """What is listed, or why nothing is."""
    try:
        return " ".join(map(os.fsdecode, files(repository)))
    except IndexFailure as error:
        return f"{error.message}: {error.hint}"


def test_a_pipe_called_gitignore_is_no_rules_and_the_others_count(filled: Repository) -> None:
    put_pipe(filled.path / "d" / ".gitignore")
    assert files(filled) == [b".gitignore", b"a.txt", b"d/b.txt", b"d/new.txt"]
    assert (b"d/.gitignore", "special file") in list_project(find_project(filled.root)).skipped


def test_a_pipe_called_gitignore_at_the_top_is_no_rules(filled: Repository) -> None:
    put_pipe(filled.path / ".gitignore")
    assert files(filled) == [b"a.txt", b"d/b.txt", b"d/new.log", b"d/new.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process waits for")
@pytest.mark.parametrize("name", ["config", "info/exclude", "index", "packed-refs", "info/attributes"])
def test_a_pipe_in_the_place_of_a_file_of_gits_ends_in_an_error_or_an_answer(filled: Repository, name: str) -> None:
    put_pipe(filled.path / ".git" / name)
    told = outcome(filled)
    assert "a.txt" in told or ("named pipe" in told and "find . -type p" in told)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process waits for")
@pytest.mark.parametrize(
    "verb", [("search", "zebraquartz"), ("grep", "--rev", "HEAD", "z"), ("history", "z"), ("status",)]
)
@pytest.mark.parametrize("name", [".gitattributes", "d/.gitattributes", ".git/config", ".git/shallow", ".git/index"])
def test_no_verb_waits_for_a_pipe(filled: Repository, verb: tuple[str, ...], name: str, tmp_path: Path) -> None:
    put_pipe(filled.path / name)
    environment = {**os.environ, "GREPPY_HOME": str(tmp_path / "greppy"), "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-m", "greppy", *verb], cwd=filled.path, env=environment, capture_output=True, timeout=PATIENCE
    )
    assert ran.returncode == 0 or (ran.returncode == 3 and b"named pipe" in ran.stderr), ran
