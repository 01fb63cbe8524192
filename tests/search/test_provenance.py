"""What a result says of the bytes that it shows: their hash, whether they are committed, whether they were ranked."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from greppy.search.result import Result
    from tests.projects import Searched


def git(project: Searched, *args: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    command = ["git", "-C", str(project.path), *identity, *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def one(project: Searched, **fields: object) -> Result:
    (result,) = project.search("validate session", provenance=True, **fields).results
    return result


@pytest.fixture
def repository(project: Searched) -> Searched:
    git(project, "init", "--quiet")
    project.write({"a/session.py": "def validate_session():\n    return True\n"})
    return project


def commit(project: Searched) -> None:
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "m")


def test_before_the_first_commit_every_file_is_dirty(repository: Searched) -> None:
    result = one(repository)
    assert (result.dirty, result.stale) == (True, False)
    assert result.oid == git(repository, "hash-object", "a/session.py")


def test_a_committed_file_is_clean_until_it_is_edited_and_clean_again_when_that_is_committed(
    repository: Searched,
) -> None:
    commit(repository)
    assert one(repository).dirty is False
    repository.write({"a/session.py": "def validate_session():\n    return False\n"})
    assert one(repository).dirty is True
    git(repository, "add", "--all")
    assert one(repository).dirty is True
    commit(repository)
    assert one(repository).dirty is False
    assert one(repository).oid == git(repository, "rev-parse", "HEAD:a/session.py")


def test_a_reset_that_leaves_the_files_alone_makes_them_dirty(repository: Searched) -> None:
    commit(repository)
    repository.write({"a/session.py": "def validate_session():\n    return False\n"})
    commit(repository)
    assert one(repository).dirty is False
    git(repository, "reset", "--soft", "HEAD~1")
    assert one(repository).dirty is True


def test_ends_of_lines_that_git_converts_do_not_make_a_file_dirty(repository: Searched) -> None:
    repository.write(
        {".gitattributes": "* text eol=crlf\n", "a/session.py": b"def validate_session():\r\n    pass\r\n"}
    )
    commit(repository)
    result = one(repository)
    assert result.dirty is False
    assert result.oid != git(repository, "rev-parse", "HEAD:a/session.py")


def test_an_encoding_that_git_converts_does_not_make_a_file_dirty(repository: Searched) -> None:
    repository.write(
        {
            ".gitattributes": "*.py working-tree-encoding=UTF-16\n",
            "a/session.py": "def validate_session():\n    pass\n".encode("utf-16"),
        }
    )
    commit(repository)
    assert one(repository).dirty is False


def test_a_name_that_git_could_take_for_a_pattern_or_an_option_is_a_name(repository: Searched) -> None:
    repository.write(
        {"-n/*.py": "def validate_session():\n    return 1\n", ":(top)x.py": "def validate_session(): 2\n"}
    )
    commit(repository)
    found = repository.search("validate session", provenance=True).results
    assert [result.dirty for result in found] == [False] * 3


def test_without_git_nothing_is_dirty_or_clean(project: Searched) -> None:
    project.write({"pyproject.toml": "", "session.py": "def validate_session(): pass\n"})
    assert one(project).dirty is None
    assert one(project).oid


def test_only_a_search_without_refresh_is_stale(repository: Searched) -> None:
    before = time.time_ns()
    indexed_at = repository.search("validate session").indexed_at
    assert before <= indexed_at <= time.time_ns()
    repository.write({"a/session.py": "def validate_session():\n    return 'something else'\n"})
    stale = one(repository, refresh=False)
    assert stale.stale
    assert "something else" in stale.content
    assert not one(repository).stale
    (repository.path / "a/session.py").unlink()
    gone = one(repository, refresh=False)
    assert (gone.stale, gone.content) == (True, "")
