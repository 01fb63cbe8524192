"""`doctor` finds what is wrong, changes nothing unless it is told to, and repairs what can be repaired."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from greppy import kernels
from greppy.analysis import grammars
from greppy.cli.main import main
from greppy.git import hooks
from greppy.git.project import find_project
from greppy.index import doctor
from greppy.index.doctor.finding import FAIL, OK, WARN, Outcome, Place
from greppy.index.lock import Lock
from tests.index.conftest import Work, files_with, snapshot


def examined(work: Work, fix: bool = False, here: bool = True) -> list[Outcome]:
    project = find_project(os.fsencode(work.path)) if here else None
    return list(doctor.examine(Place(os.fsencode(work.home), work.config, project), doctor.CHECKS, fix))


def states(outcomes: list[Outcome], topic: str) -> list[str]:
    return [outcome.finding.state for outcome in outcomes if outcome.finding.topic == topic]


def about(outcomes: list[Outcome], topic: str) -> Outcome:
    """The one finding of a topic that is not fine."""
    (found,) = [each for each in outcomes if each.finding.topic == topic and each.finding.state != OK]
    return found


def indexed(work: Work) -> Work:
    work.write("a.py", "def alpha():\n    pass\n")
    work.settle()
    work.commit()
    work.build()
    return work


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_all_is_well_with_a_fresh_index(work: Work) -> None:
    outcomes = examined(indexed(work))
    assert {outcome.finding.state for outcome in outcomes if outcome.finding.topic not in ("kernels", "disk")} == {OK}
    assert not any(outcome.is_wrong for outcome in outcomes)


def test_a_home_that_does_not_exist_yet_is_fine(work: Work) -> None:
    outcomes = examined(work)
    assert states(outcomes, "home") == [OK]
    assert states(outcomes, "index") == [OK]
    assert not work.home.exists()


def test_a_home_that_others_may_write_to_is_to_be_closed_not_opened(work: Work) -> None:
    (indexed(work).home / "notes.txt").write_text("not of greppy")
    work.home.chmod(0o777)
    finding = about(examined(work), "home").finding
    assert (finding.state, "others may write to it" in finding.message) == (FAIL, True)
    assert f"chmod 700 {work.home}" in finding.advice
    assert "writable" not in finding.advice


def test_a_home_that_is_a_file_is_to_be_moved(work: Work) -> None:
    work.home.write_text("")
    work.write("a.py", "alpha = 1\n")
    assert about(examined(work), "home").finding.advice.startswith(f"move {work.home} away")


def test_looking_changes_nothing(work: Work) -> None:
    indexed(work)
    damage(work.shard_files()[0])
    work.home.chmod(0o755)
    before = contents(work.home)
    examined(work)
    assert contents(work.home) == before
    assert work.home.stat().st_mode & 0o777 == 0o755


def test_a_home_that_others_may_enter_is_closed(work: Work) -> None:
    indexed(work).home.chmod(0o755)
    assert about(examined(work), "home").finding.state == FAIL
    assert about(examined(work, fix=True), "home").fixed
    assert work.home.stat().st_mode & 0o777 == 0o700
    assert states(examined(work), "home") == [OK]


def test_a_damaged_shard_is_analysed_again(work: Work) -> None:
    indexed(work)
    damage(work.shard_files()[0])
    found = about(examined(work), "index")
    assert (found.finding.state, found.is_wrong) == (FAIL, True)
    assert "damaged" in found.finding.message
    assert "analysed again" in about(examined(work, fix=True, here=False), "index").fixed
    assert states(examined(work), "index") == [OK]
    assert files_with(work.view(refresh=False), "alpha") == ["a.py"]


def test_a_missing_shard_is_analysed_again(work: Work) -> None:
    indexed(work).shard_files()[0].unlink()
    assert "missing" in about(examined(work), "index").finding.message
    assert about(examined(work, fix=True), "index").fixed
    assert files_with(work.view(refresh=False), "alpha") == ["a.py"]


def test_a_damaged_manifest_is_made_again_for_the_project_here(work: Work) -> None:
    indexed(work)
    damage(work.manifest_file())
    assert about(examined(work, here=False), "index").finding.state == FAIL
    assert about(examined(work, fix=True), "index").fixed
    assert states(examined(work), "index") == [OK]
    assert snapshot(work.view(refresh=False)) == work.expected()


def test_a_damaged_manifest_of_an_unknown_project_is_taken_away(work: Work) -> None:
    indexed(work)
    damage(work.manifest_file())
    assert "builds it anew" in about(examined(work, fix=True, here=False), "index").fixed
    assert not work.manifest_file().exists()
    assert snapshot(work.view()) == work.expected()


def test_every_worktree_gets_back_what_was_damaged(work: Work) -> None:
    indexed(work)
    other = Work(work.path.with_name("other"), work.home)
    work.git("worktree", "add", "-q", str(other.path), "HEAD", "--detach")
    other.build()
    damage(work.shard_files()[0])
    assert about(examined(work, fix=True, here=False), "index").fixed
    for each in (work, other):
        assert files_with(each.view(refresh=False), "alpha") == ["a.py"]


def test_what_lies_about_is_told_and_removed(make: Callable[..., Work]) -> None:
    work, gone = indexed(make()), indexed(make("gone"))
    shutil.rmtree(gone.path)
    orphan = work.shard_files()[0].with_name("0" * 32)
    orphan.write_bytes(b"x")
    outcomes = examined(work)
    assert sorted(states(outcomes, "index")) == sorted([WARN, WARN, OK])
    assert not any(outcome.is_wrong for outcome in outcomes)
    examined(work, fix=True)
    assert not orphan.exists()
    assert states(examined(work), "index") == [OK]


def test_an_index_that_is_being_changed_is_not_looked_at(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greppy.index.tend._PATIENCE_SECONDS", 0.1)
    indexed(work)
    damage(work.shard_files()[0])
    with Lock(work.store.directory):
        assert states(examined(work), "index") == [OK]


def test_a_repair_that_fails_says_why(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed(work).home.chmod(0o755)

    def refused(path: bytes, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(os, "chmod", refused)
        found = about(examined(work, fix=True), "home")
    assert found.is_wrong and "not permitted" in found.failed


def test_hooks_of_another_greppy_and_missing_ones_are_renewed(work: Work) -> None:
    indexed(work)
    assert states(examined(work), "hooks") == [OK]
    project = find_project(os.fsencode(work.path))
    hooks.install(project, os.fsencode(work.home))
    assert states(examined(work), "hooks") == [OK]
    (work.path / ".git" / "hooks" / "post-merge").unlink()
    assert about(examined(work), "hooks").finding.state == WARN
    assert about(examined(work, fix=True), "hooks").fixed
    assert hooks.status(project).complete


def test_calls_of_hooks_that_nobody_answers_are_dropped(work: Work) -> None:
    indexed(work)
    queue = work.home / "hooks" / "queue"
    queue.parent.mkdir()
    queue.write_bytes(os.fsencode(work.path) + b"\0")
    assert states(examined(work), "hook calls") == [OK]
    moment = time.time() - 3600
    os.utime(queue, (moment, moment))
    assert about(examined(work), "hook calls").finding.state == WARN
    examined(work, fix=True)
    assert not queue.exists()


def test_the_last_refresh_that_failed_is_told(work: Work) -> None:
    indexed(work)
    (work.home / "hooks").mkdir()
    (work.home / "hooks" / "log").write_text("2026-01-01T00:00:00.000Z ERROR greppy.hooks folder=/x failed=why\n")
    assert "failed=why" in about(examined(work), "hook calls").finding.message


def test_kernels_grammars_and_disk_are_looked_at(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "compiled", False)
    monkeypatch.setattr(kernels, "why", "no compiler")
    monkeypatch.setattr(grammars, "load", lambda language: None if language == "python" else object())
    monkeypatch.setitem(grammars.failures(), "python", "ImportError: gone")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(10, 10, 0))
    outcomes = examined(work)
    assert "no compiler" in about(outcomes, "kernels").finding.message
    assert "python does not load" in about(outcomes, "grammars").finding.message
    assert about(outcomes, "disk").is_wrong


def test_no_git_and_a_repository_that_git_refuses_are_told(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    (work.path / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 99\n")
    found = about(examined(work), "project")
    assert found.is_wrong and "99" in found.finding.message
    monkeypatch.setenv("PATH", str(work.home))
    assert about(examined(work), "git").finding.state == FAIL
    assert about(examined(work, here=False), "git").finding.state == WARN


class Ran:
    """The command, run in this process."""

    def __init__(self, work: Work, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setenv("GREPPY_HOME", str(work.home))
        monkeypatch.chdir(work.path)
        self.capfd = capfd

    def __call__(self, *argv: str) -> tuple[int, str]:
        self.capfd.readouterr()
        status = main(["doctor", *argv])
        return status, self.capfd.readouterr().out

    def document(self, *argv: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self("--json", *argv)[1])
        return found


def test_the_command_ends_with_3_only_while_something_is_wrong(
    work: Work, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    doctor_of = Ran(indexed(work), monkeypatch, capfd)
    status, said = doctor_of()
    assert (status, said.splitlines()[-1]) == (0, "Nothing is wrong")
    damage(work.shard_files()[0])
    status, said = doctor_of()
    assert (status, said.splitlines()[-1]) == (3, "1 wrong")
    assert "\nFAIL  index        " in said
    assert not doctor_of.document()["ok"]
    status, said = doctor_of("--fix")
    assert (status, said.splitlines()[-1]) == (0, "1 repaired, nothing is wrong")
    assert doctor_of.document("--project", str(work.path))["ok"]


def test_a_configuration_that_cannot_be_read_does_not_stop_it(
    work: Work, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    doctor_of = Ran(indexed(work), monkeypatch, capfd)
    (work.home / "config.toml").write_text("[general]\nlimmit = 3\n")
    assert "limmit" in doctor_of()[1]
    assert doctor_of()[0] == 0
    (work.home / "config.toml").write_text("[general\n")
    assert doctor_of()[0] == 3
    assert [each["state"] for each in doctor_of.document()["findings"] if each["topic"] == "config"] == ["fail"]


def test_outside_of_a_project_the_rest_is_checked(
    work: Work, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    doctor_of = Ran(indexed(work), monkeypatch, capfd)
    monkeypatch.chdir(work.home)
    assert doctor_of()[0] == 0
