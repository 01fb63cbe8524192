"""The one way to reach git: its errors, its environment, its limits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greppy.errors import IndexFailure, IoFailure
from greppy.git.calling import LOCAL_VARIABLES, git_environment
from greppy.git.plumbing import IgnoreOracle, failure, run

if TYPE_CHECKING:
    from tests.git.conftest import Repository


def test_every_variable_that_names_a_repository_is_dropped(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = repository.git("rev-parse", "--local-env-vars").decode().split()
    assert set(local) <= set(LOCAL_VARIABLES)
    for name in [*LOCAL_VARIABLES, "GIT_TRACE", "GIT_CONFIG_KEY_0", "GIT_OPTIONAL_LOCKS", "LC_ALL"]:
        monkeypatch.setenv(name, "decoy")
    environment = git_environment(b"/w")
    assert b"decoy" not in environment.values()
    assert environment[b"GIT_WORK_TREE"] == b"/w"
    assert environment[b"HOME"] == os.environb[b"HOME"]


def test_output_is_bytes_and_input_is_passed_on(repository: Repository) -> None:
    assert run(repository.root, ["hash-object", "--stdin"], b"").strip() == b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_gits_message_becomes_the_error(repository: Repository) -> None:
    with pytest.raises(IndexFailure, match="cat-file: Not a valid object name nowhere"):
        run(repository.root, ["cat-file", "-t", "--end-of-options", "nowhere"])


def test_other_exit_statuses_can_be_answers(repository: Repository) -> None:
    assert run(repository.root, ["check-ignore", "a"], accept=(0, 1)) == b""
    with pytest.raises(IndexFailure, match="no message"):
        run(repository.root, ["check-ignore", "a"])


def test_the_remedy_for_a_foreign_owner_is_the_hint(repository: Repository) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to give a folder away")
    os.chown(repository.path, 12345, 12345)
    os.chown(repository.path / ".git", 12345, 12345)
    with pytest.raises(IndexFailure, match="dubious ownership") as raised:
        run(repository.root, ["ls-files", "-z"])
    assert f"git config --global --add safe.directory {repository.path}" in raised.value.hint


def test_no_git_on_the_path_says_so(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository.path))
    with pytest.raises(IoFailure, match="no 'git' on PATH"):
        run(repository.root, ["ls-files"])
    repository.write("git", "not executable")
    with pytest.raises(IoFailure, match="cannot be run"):
        run(repository.root, ["ls-files"])


def test_a_command_that_takes_too_long_is_ended(repository: Repository) -> None:
    with pytest.raises(IndexFailure, match=r"took more than 0\.2 s"):
        run(repository.root, ["-c", "alias.wait=!sleep 2", "wait"], timeout=0.2)


def test_a_message_of_any_bytes_stays_text() -> None:
    error = failure(["ls-files"], b"warning: x\nfatal: bad \xff\n")
    assert error.message == "git ls-files: bad \\xff"


def test_an_oracle_asked_nothing_starts_nothing(tmp_path: Path) -> None:
    with IgnoreOracle(os.fsencode(tmp_path / "nowhere")) as oracle:
        assert oracle.excluded([]) == set()


def test_a_question_that_git_refuses_is_an_error(repository: Repository) -> None:
    (repository.path / "link").symlink_to("/etc")
    with IgnoreOracle(repository.root) as oracle, pytest.raises(IndexFailure, match="check-ignore"):
        oracle.excluded([b"link/passwd"])
