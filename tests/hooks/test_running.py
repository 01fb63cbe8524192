"""Hooks refresh the index behind git's back: unheard, unfelt, once for many calls, and with the user's hooks first."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greppy.git.hooks import HOOKS

if TYPE_CHECKING:
    from tests.hooks.conftest import World


def freshened(world: World) -> None:
    """The log has a line for the repository, and nothing has changed since."""
    lines = world.settled()
    assert f"project={world.repository}" in lines[-1] and "failed" not in lines[-1], lines
    assert "none since" in world.ok("status", "-p", world.repository, cwd=world.top)


def test_a_commit_refreshes_the_index(indexed: World) -> None:
    indexed.write("b.py", "def lemonquartz(): pass\n")
    ran = indexed.commit()
    assert (ran.stdout, ran.stderr) == ("", "")
    freshened(indexed)
    assert "analysed=1" in indexed.log()[-1]


def test_every_hook_refreshes_and_says_nothing(indexed: World) -> None:
    indexed.git("checkout", "-q", "-b", "side")
    indexed.write("side.py")
    indexed.commit()
    patch = indexed.git("format-patch", "-1", "--stdout").stdout
    indexed.settled()
    runs = {
        "post-checkout": ["checkout", "-q", "main"],
        "post-merge": ["merge", "-q", "--no-ff", "--no-edit", "side"],
        "post-rewrite": ["commit", "-q", "--amend", "--no-edit"],
    }
    for args in runs.values():
        before = len(indexed.settled())
        ran = indexed.git(*args)
        assert (ran.stdout, ran.stderr) == ("", "")
        assert len(indexed.settled(before + 1)) > before
    before = len(indexed.log())
    (indexed.top / "p.patch").write_text(patch)
    indexed.git("checkout", "-q", "-b", "third", "side~1")
    before = len(indexed.settled(before + 1))
    indexed.git("am", "-q", indexed.top / "p.patch")
    assert len(indexed.settled(before + 1)) > before


def test_hooks_of_the_users_run_first_with_arguments_and_input(world: World) -> None:
    for name in HOOKS:
        world.hook(name)
    world.ok("hooks", "install")
    world.commit()
    world.git("checkout", "-q", "-b", "x")
    world.git("commit", "-q", "--amend", "--allow-empty", "-m", "again")
    head = world.git("rev-parse", "HEAD").stdout.strip()
    marks = world.marks()
    assert marks[0] == "post-commit " and marks[1].startswith("post-checkout ") and marks[1].endswith(" 1")
    assert marks.count("post-rewrite amend") == 1
    assert any(line.endswith(head) for line in marks[marks.index("post-rewrite amend") :])
    assert len([mark for mark in marks if mark.startswith("post-commit")]) == 2


@pytest.mark.parametrize("status", [0, 1, 77])
def test_the_exit_status_of_the_users_hook_is_the_one_that_counts(world: World, status: int) -> None:
    world.hook("post-checkout", f"#!/bin/sh\necho heard\necho seen >&2\nexit {status}\n")
    world.ok("hooks", "install")
    ran = subprocess.run(
        [world.hooks / "post-checkout", "a b", ""], cwd=world.repository, env=world.environment, capture_output=True
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (status, b"heard\n", b"seen\n")


def test_a_hook_of_the_users_without_execute_permission_still_does_not_run(world: World) -> None:
    world.hook("post-commit", mode=0o644)
    world.ok("hooks", "install")
    world.commit()
    assert world.marks() == []


def test_a_users_hook_that_is_a_link_runs(world: World) -> None:
    real = world.hook("real")
    (world.hooks / "post-commit").symlink_to("real")
    world.ok("hooks", "install")
    world.commit()
    assert real.exists() and world.marks() == ["real "]


def test_a_rebase_of_fifty_commits_is_a_handful_of_refreshes(indexed: World) -> None:
    indexed.git("checkout", "-q", "-b", "topic")
    for number in range(50):
        indexed.git("commit", "-q", "--allow-empty", "-m", str(number), variables={"GREPPY_NO_BACKGROUND": "1"})
    indexed.git("checkout", "-q", "main", variables={"GREPPY_NO_BACKGROUND": "1"})
    indexed.write("new.py")
    indexed.commit()
    before = len(indexed.settled())
    indexed.git("rebase", "-q", "main", "topic")
    refreshes = indexed.settled(before + 1)[before:]
    calls = sum(int(line.partition("calls=")[2].split()[0]) for line in refreshes)
    assert len(refreshes) <= 5
    assert calls >= 50
    assert "none since" in indexed.ok("status")


def test_calls_at_once_in_two_worktrees_lose_none(indexed: World) -> None:
    indexed.git("worktree", "add", "-q", "../w")
    indexed.settled()
    started = [
        subprocess.Popen([indexed.hooks / "post-commit"], cwd=folder, env=indexed.environment)
        for folder in [indexed.repository, indexed.top / "w"] * 20
    ]
    assert [process.wait() for process in started] == [0] * 40
    lines = indexed.settled(3)
    for folder in ("r", "w"):
        ours = [line for line in lines if f"project={indexed.top / folder} " in line]
        assert sum(int(line.partition("calls=")[2].split()[0]) for line in ours) >= 20
    assert not (indexed.home / "hooks" / "queue").exists()


def test_a_new_worktree_of_an_indexed_repository_is_indexed(indexed: World) -> None:
    indexed.git("worktree", "add", "-q", "../w")
    indexed.settled()
    assert "none since" in indexed.ok("status", "-p", indexed.top / "w")


def test_what_is_not_indexed_is_not_indexed_by_a_hook(world: World) -> None:
    world.home.mkdir(0o700)
    world.ok("hooks", "install")
    world.commit()
    assert 'skipped="not indexed"' in world.settled()[-1]
    assert "No project is indexed" in world.greppy("list").stderr


def test_first_index_in_the_configuration_allows_that(world: World) -> None:
    world.home.mkdir(0o700)
    (world.home / "config.toml").write_text("[hooks]\nfirst_index = true\n")
    world.ok("hooks", "install")
    world.commit()
    freshened(world)


def test_without_a_home_nothing_is_made(world: World) -> None:
    world.ok("hooks", "install")
    world.commit()
    time.sleep(0.5)
    assert not world.home.exists()


def test_no_background_means_none(indexed: World) -> None:
    indexed.write("b.py")
    indexed.git("add", "-A")
    indexed.git("commit", "-q", "-m", "b", variables={"GREPPY_NO_BACKGROUND": "1"})
    time.sleep(0.5)
    assert indexed.log() == []


def as_if_moved(world: World, before: bytes, after: bytes) -> None:
    for name in HOOKS:
        path = world.hooks / name
        path.write_bytes(path.read_bytes().replace(before, after))


@pytest.mark.parametrize("what", [b"python='", b"packages='"])
def test_a_program_that_was_moved_away_is_not_missed_aloud(indexed: World, what: bytes) -> None:
    as_if_moved(indexed, what, what + b"/gone")
    ran = indexed.commit()
    indexed.git("checkout", "-q", "-b", "x")
    time.sleep(0.3)
    assert (ran.stdout, ran.stderr, indexed.log()) == ("", "", [])
    assert not (indexed.home / "hooks" / "queue").exists()


@pytest.mark.parametrize(
    "hostile",
    [
        {"GREPPY_HOME": "/dev/null/no"},
        {"PYTHONHOME": "/nonexistent", "PYTHONPATH": "/nonexistent", "PYTHONSTARTUP": "/x"},
        {"CDPATH": "/", "ENV": "/nonexistent", "IFS": "/", "LC_ALL": "xx"},
        {"GIT_TRACE": "0", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "false"},
    ],
)
def test_a_hostile_environment_changes_nothing_for_git(indexed: World, hostile: dict[str, str]) -> None:
    indexed.write("b.py")
    indexed.git("add", "-A")
    ran = indexed.git("commit", "-q", "-m", "b", variables=hostile)
    assert (ran.stdout, ran.stderr) == ("", "")
    ran = indexed.git("checkout", "-q", "-b", "x", variables=hostile)
    assert (ran.stdout, ran.stderr) == ("", "")
    if "GREPPY_HOME" not in hostile:
        freshened(indexed)


def test_the_program_need_not_be_on_the_path(indexed: World) -> None:
    indexed.write("b.py")
    indexed.git("add", "-A")
    indexed.git("commit", "-q", "-m", "b", variables={"PATH": "/usr/bin:/bin"})
    freshened(indexed)


def test_modules_in_the_repository_are_not_imported(indexed: World) -> None:
    for name in ("greppy", "os", "fcntl", "signal", "subprocess", "sitecustomize"):
        indexed.write(f"{name}.py", f"open({str(indexed.top / 'PWNED')!r}, 'w')\n")
    indexed.commit()
    freshened(indexed)
    assert not (indexed.top / "PWNED").exists()


def test_git_does_not_wait_for_the_refresh_nor_do_readers_of_its_output(indexed: World) -> None:
    started = subprocess.Popen(
        ["sh", "-c", "git commit -q --allow-empty -m x; echo done"],
        cwd=indexed.repository,
        env=indexed.environment,
        stdout=subprocess.PIPE,
    )
    assert started.communicate()[0] == b"done\n"
    assert not [line for line in indexed.log() if "took_ms" in line]
    freshened(indexed)


def running(world: World) -> list[Path]:
    """Processes that refresh for this home."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"greppy.cli.refresh" in (folder / "cmdline").read_bytes():
                variables = (folder / "environ").read_bytes().split(b"\0")
                found += [folder] if f"GREPPY_HOME={world.home}".encode() in variables else []
        except OSError:
            continue
    return found


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="no /proc here")
def test_no_variable_of_the_callers_repository_is_in_the_refresh(indexed: World) -> None:
    indexed.write("b.py")
    indexed.git("add", "-A")
    indexed.git("-c", "user.name=B", "commit", "-q", "-m", "b")
    end = time.monotonic() + 5
    while not (found := running(indexed)) and time.monotonic() < end:
        time.sleep(0.005)
    names = {line.partition(b"=")[0] for line in (found[0] / "environ").read_bytes().split(b"\0")}
    ours = {b"GIT_CONFIG_GLOBAL", b"GIT_CONFIG_NOSYSTEM", b"GIT_EXEC_PATH"}
    assert {name for name in names if name.startswith(b"GIT_")} <= ours
    freshened(indexed)


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="no /proc here")
def test_nothing_of_the_callers_stays_open_and_the_refresh_is_nice(indexed: World) -> None:
    held = os.open(indexed.top / "held", os.O_RDWR | os.O_CREAT)
    subprocess.run(
        [indexed.hooks / "post-commit"], cwd=indexed.repository, env=indexed.environment, pass_fds=[held], check=True
    )
    log = indexed.home / "hooks" / "log"
    end = time.monotonic() + 5
    while not log.exists() and time.monotonic() < end:
        time.sleep(0.005)
    (process,) = running(indexed)
    targets = {os.readlink(path) for path in (process / "fd").iterdir()}
    assert str(indexed.top / "held") not in targets
    assert os.readlink(process / "cwd") == "/"
    assert os.getpriority(os.PRIO_PROCESS, int(process.name)) >= 10
    assert os.getsid(int(process.name)) != os.getsid(0)
    os.close(held)
    freshened(indexed)


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="no /proc here")
def test_a_refresh_that_was_killed_holds_up_others_only_for_a_while(indexed: World) -> None:
    indexed.commit()
    end = time.monotonic() + 5
    while not (found := running(indexed)) and time.monotonic() < end:
        time.sleep(0.005)
    os.kill(int(found[0].name), signal.SIGKILL)
    lock = indexed.home / "hooks" / "lock"
    if lock.exists():
        os.utime(lock, (1, 1))  # the while is over
    indexed.commit()
    freshened(indexed)


def test_a_broken_configuration_is_a_line_in_the_log(indexed: World) -> None:
    (indexed.home / "config.toml").write_text("[hooks\n")
    indexed.commit()
    assert "ERROR greppy.hooks" in indexed.settled()[-1]


def test_the_log_does_not_grow_without_end(indexed: World) -> None:
    log = indexed.home / "hooks" / "log"
    log.parent.mkdir(mode=0o700, exist_ok=True)
    log.write_text("old line\n" * 20_000)
    indexed.commit()
    end = time.monotonic() + 20
    while "project=" not in log.read_text() and time.monotonic() < end:
        time.sleep(0.05)
    assert log.stat().st_size < 40_000
    assert log.read_text().startswith("old line\n")


def test_a_folder_whose_name_has_quotes_and_newlines_is_refreshed(world: World) -> None:
    strange = world.top / 'it\'s $(a)\n "b" '
    world.repository.rename(strange)
    world.repository = strange
    world.ok("index")
    world.ok("hooks", "install")
    world.write("b.py")
    world.commit()
    assert "analysed=1" in world.settled()[-1]


def test_the_line_for_hooks_written_by_hand_works(world: World) -> None:
    world.ok("index")
    world.git("config", "core.hooksPath", ".husky")
    refused = world.greppy("hooks", "install").stderr
    line = refused[refused.index('sh "$') :].splitlines()[0]
    (world.repository / ".husky").mkdir()
    hook = world.repository / ".husky" / "post-commit"
    hook.write_text(f"#!/bin/sh\n{line}\n")
    hook.chmod(0o755)
    ran = world.commit()
    assert (ran.stdout, ran.stderr) == ("", "")
    freshened(world)
