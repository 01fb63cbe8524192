"""The one way to reach git: its errors, its environment, its limits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greppy.errors import IndexFailure, IoFailure
from greppy.git.calling import LOCAL_VARIABLES, ask, git_environment
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
    foreign(repository)
    with pytest.raises(IndexFailure, match="dubious ownership") as raised:
        run(repository.root, ["ls-files", "-z"])
    assert f"git config --global --add safe.directory {repository.path}" in raised.value.hint


def test_no_git_on_the_path_says_so(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository.path))
    with pytest.raises(IoFailure, match="no 'git' on PATH"):
        run(repository.root, ["ls-files"])
    repository.write("git", "not executable")
    with pytest.raises(IoFailure, match="no 'git' on PATH"):
        run(repository.root, ["ls-files"])
    (repository.path / "git").chmod(0o755)
    with pytest.raises(IoFailure, match="cannot be run"):
        run(repository.root, ["ls-files"])


@pytest.mark.parametrize("first", ["", ".", "bin", "./bin", "../r"])
def test_no_program_of_the_project_is_taken_for_git(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, first: str
) -> None:
    for name in ("git", "bin/git"):
        repository.write(name, f"#!/bin/sh\ntouch {tmp_path}/ran\n").chmod(0o755)
    monkeypatch.setenv("PATH", f"{first}:{os.environ['PATH']}")
    monkeypatch.chdir(repository.path)
    assert run(repository.root, ["rev-parse", "--git-dir"]) == b".git\n"
    assert ask(repository.root, ["rev-parse", "--git-dir"]) == (0, b".git\n")
    monkeypatch.setenv("PATH", first)
    with pytest.raises(IoFailure, match="no 'git' on PATH") as raised:
        run(repository.root, ["rev-parse"])
    assert "absolute" in raised.value.hint
    assert ask(repository.root, ["rev-parse"]) == (-1, b"")
    assert not (tmp_path / "ran").exists()


def foreign(repository: Repository) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to give a folder away")
    os.chown(repository.path, 12345, 12345)
    os.chown(repository.path / ".git", 12345, 12345)


def in_the_environment(settings: list[tuple[str, str]]) -> dict[str, str]:
    pairs = [
        (f"GIT_CONFIG_{kind}_{at}", word)
        for at, pair in enumerate(settings)
        for kind, word in zip(("KEY", "VALUE"), pair, strict=True)
    ]
    return {"GIT_CONFIG_COUNT": str(len(settings)), **dict(pairs)}


@pytest.mark.parametrize(
    "written",
    [
        in_the_environment([("Safe.Directory", "*")]),
        {"GIT_CONFIG_PARAMETERS": "'safe.directory'='*'"},
        {"GIT_CONFIG_PARAMETERS": "'a.b=c' 'safe.directory=*'"},
        in_the_environment([("a.b", "it's"), ("safe.directory", ""), ("safe.directory", "*")]),
    ],
)
def test_the_environment_may_say_that_a_folder_is_safe(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, written: dict[str, str]
) -> None:
    foreign(repository)
    for name, value in written.items():
        monkeypatch.setenv(name, value)
    repository.git("ls-files")
    assert run(repository.root, ["ls-files"]) == b""


@pytest.mark.parametrize(
    "written",
    [
        in_the_environment([("safe.directory", "*"), ("safe.directory", "")]),
        {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "safe.directory"},
        {"GIT_CONFIG_COUNT": "x"},
        {"GIT_CONFIG_PARAMETERS": "'safe.directory"},
        {"GIT_CONFIG_PARAMETERS": "'safe.directory=/else where'"},
        {"GIT_CONFIG_PARAMETERS": "'safe.directory'"},
    ],
)
def test_it_may_also_say_that_none_is_or_nonsense(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, written: dict[str, str]
) -> None:
    foreign(repository)
    for name, value in written.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(IndexFailure, match="dubious ownership"):
        run(repository.root, ["ls-files", "-z"])


def test_of_the_settings_in_the_environment_nothing_else_reaches_git(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    dangerous = [("alias.x", "!false"), ("core.pager", "p"), ("core.fsmonitor", "/f"), ("safe.bareRepository", "x")]
    for name, value in in_the_environment([*dangerous, ("safe.directory", "/it's\nhere")]).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.sshCommand'='s' 'diff.x.textconv=t' 'safe.directory=b'")
    settings = run(repository.root, ["config", "--list", "--null", "--show-origin"])
    listed = settings.split(b"\0")
    given = [setting for origin, setting in zip(listed[::2], listed[1::2], strict=False) if origin == b"command line:"]
    assert given == [
        b"core.fsmonitor\nfalse",
        b"core.hookspath\n/dev/null",
        b"safe.directory\n/it's\nhere",
        b"safe.directory\nb",
    ]


def test_what_git_lists_below_its_message_is_part_of_it(repository: Repository) -> None:
    repository.git("config", "core.repositoryFormatVersion", "1")
    for name in ("unheardOf", "strange"):
        repository.git("config", "--file", ".git/config", f"extensions.{name}", "true")
    with pytest.raises(IndexFailure, match=r"extensions? found: unheardof, strange"):
        run(repository.root, ["ls-files"])


def test_the_message_names_the_command_not_its_options() -> None:
    assert failure(["-c", "a.b=c", "--no-replace-objects", "cat-file"], b"fatal: x").message == "git cat-file: x"


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
