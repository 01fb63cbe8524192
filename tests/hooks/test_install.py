"""Installing hooks keeps what is there, and uninstalling puts it back byte for byte."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greppy.git.hooks import HOOKS, shim

if TYPE_CHECKING:
    from tests.hooks.conftest import World


def test_a_shim_is_put_in_place_of_every_hook(world: World) -> None:
    assert "post-rewrite" in world.ok("hooks", "install")
    assert all(os.access(world.hooks / name, os.X_OK) for name in HOOKS)
    assert set(world.states().values()) == {"installed"}
    assert world.greppy("hooks", "status").returncode == 0


def test_without_hooks_status_says_so_and_gives_one(world: World) -> None:
    ran = world.greppy("hooks", "status")
    assert (ran.returncode, ran.stdout.count("not installed")) == (1, 5)


def test_a_second_installation_changes_nothing(world: World) -> None:
    world.hook("post-commit")
    world.ok("hooks", "install")
    before = world.picture()
    assert "Nothing to do" in world.ok("hooks", "install")
    assert world.picture() == before


def test_a_shim_is_valid_posix_shell(world: World) -> None:
    world.ok("hooks", "install")
    subprocess.run(["sh", "-n", str(world.hooks / "post-commit")], check=True)


def fill(world: World) -> None:
    """Hooks of every shape that one may meet."""
    world.hook("post-commit", mode=0o750)
    world.hook("post-checkout", "#!/bin/sh\nexit 0", mode=0o755)
    world.hook("post-merge", "#!/bin/sh\nexit 1\n", mode=0o644)
    target = world.top / "elsewhere"
    target.write_bytes(b"#!/bin/sh\n\xff\n")
    target.chmod(0o755)
    (world.hooks / "post-rewrite").symlink_to(os.path.relpath(target, world.hooks))
    (world.hooks / "post-applypatch").symlink_to("nowhere")
    world.hook("pre-commit", "#!/bin/sh\n")


def test_uninstalling_restores_bytes_modes_times_and_links(world: World) -> None:
    fill(world)
    before = world.picture()
    world.ok("hooks", "install")
    assert set(world.states().values()) == {"installed"}
    assert "Removed" in world.ok("hooks", "uninstall")
    assert world.picture() == before
    assert "Nothing to do" in world.ok("hooks", "uninstall")


def test_uninstalling_leaves_nothing_where_nothing_was(world: World) -> None:
    before = world.picture()
    world.ok("hooks", "install")
    world.ok("hooks", "uninstall")
    assert world.picture() == before


def test_a_folder_in_place_of_a_hook_is_left_alone(world: World) -> None:
    (world.hooks / "post-merge").mkdir(parents=True)
    assert "a folder is in its place" in world.ok("hooks", "install")
    assert world.states() == dict.fromkeys(HOOKS, "installed") | {"post-merge": "blocked"}
    world.ok("hooks", "uninstall")
    assert (world.hooks / "post-merge").is_dir()


def test_a_hook_that_another_program_put_over_a_shim_is_not_lost(world: World) -> None:
    first = world.hook("post-commit").read_bytes()
    world.ok("hooks", "install")
    second = world.hook("post-commit", "#!/bin/sh\n# another\n").read_bytes()
    assert "move it away" in world.ok("hooks", "install")
    assert world.states()["post-commit"] == "blocked"
    world.ok("hooks", "uninstall")
    assert (world.hooks / "post-commit").read_bytes() == second
    assert (world.hooks / "post-commit.before-greppy").read_bytes() == first


def test_a_shim_that_was_edited_is_neither_replaced_nor_removed(world: World) -> None:
    world.ok("hooks", "install")
    path = world.hooks / "post-commit"
    path.write_text(path.read_text().replace("status=0", "status=0; echo mine"))
    edited = path.read_bytes()
    assert world.states()["post-commit"] == "edited"
    world.ok("hooks", "install")
    ran = world.greppy("hooks", "uninstall")
    assert (ran.returncode, ran.stdout.startswith("Removed from ")) == (1, True)
    assert "post-commit     left in place: edited since it was installed" in ran.stdout
    ran = world.greppy("hooks", "uninstall")
    assert (ran.returncode, ran.stdout.startswith("Nothing removed from ")) == (1, True)
    assert world.greppy("hooks", "uninstall", "--json").returncode == 1
    assert path.read_bytes() == edited
    assert not (world.hooks / "post-merge").exists()
    path.unlink()
    assert "Nothing to do" in world.ok("hooks", "uninstall")


def test_a_shim_of_another_installation_is_renewed(world: World) -> None:
    kept = world.hook("post-commit").read_bytes()
    world.ok("hooks", "install")
    path = world.hooks / "post-commit"
    _, _, body = path.read_bytes().partition(b"\n")[2].partition(b"\n")
    body = body.replace(b"packages='", b"packages='/gone")
    path.write_bytes(b"#!/bin/sh\n" + shim._mark(body) + b"\n" + body)
    assert world.states()["post-commit"] == "outdated"
    assert world.greppy("hooks", "status").returncode == 1
    world.ok("hooks", "install")
    assert world.states()["post-commit"] == "installed"
    world.ok("hooks", "uninstall")
    assert path.read_bytes() == kept


def test_a_shim_that_was_deleted_by_hand_gives_the_hook_back_on_uninstalling(world: World) -> None:
    kept = world.hook("post-commit").read_bytes()
    world.ok("hooks", "install")
    (world.hooks / "post-commit").unlink()
    world.ok("hooks", "uninstall")
    assert (world.hooks / "post-commit").read_bytes() == kept
    assert not (world.hooks / "post-commit.before-greppy").exists()


def test_an_installation_that_was_killed_half_way_can_be_finished_or_undone(world: World) -> None:
    path = world.hook("post-commit")
    kept = path.read_bytes()
    os.link(path, world.hooks / "post-commit.before-greppy")
    world.ok("hooks", "uninstall")
    assert path.read_bytes() == kept
    assert not (world.hooks / "post-commit.before-greppy").exists()
    os.link(path, world.hooks / "post-commit.before-greppy")
    world.ok("hooks", "install")
    assert world.states()["post-commit"] == "installed"
    world.ok("hooks", "uninstall")
    assert path.read_bytes() == kept


def test_installing_and_uninstalling_at_once_never_lose_a_hook(world: World) -> None:
    kept = world.hook("post-commit").read_bytes()
    with ThreadPoolExecutor(4) as pool:
        ran = list(pool.map(lambda n: world.greppy("hooks", "uninstall" if n % 2 else "install"), range(6)))
    assert [run.returncode for run in ran] == [0] * 6
    world.ok("hooks", "uninstall")
    assert (world.hooks / "post-commit").read_bytes() == kept
    assert not [name for name in os.listdir(world.hooks) if "greppy" in name]


def test_linked_worktrees_share_the_hooks(world: World) -> None:
    world.git("worktree", "add", "-q", "../w")
    world.ok("hooks", "install", cwd=world.top / "w")
    assert set(world.states().values()) == {"installed"}


def test_the_project_may_be_named(world: World) -> None:
    world.ok("hooks", "install", "-p", world.repository, cwd=world.top)
    assert set(world.states().values()) == {"installed"}


def test_a_repository_without_a_hooks_folder_gets_one(world: World) -> None:
    for path in world.hooks.iterdir():
        path.unlink()
    world.hooks.rmdir()
    world.ok("hooks", "install")
    assert set(world.states().values()) == {"installed"}


@pytest.mark.parametrize("configured", [".husky", "/nowhere/hooks", "~/hooks"])
def test_a_hooks_path_outside_of_the_git_folder_is_refused_and_nothing_is_written(
    world: World, configured: str
) -> None:
    world.git("config", "core.hooksPath", configured)
    before = world.picture(world.repository)
    ran = world.greppy("hooks", "install")
    assert ran.returncode == 3
    assert "core.hooksPath" in ran.stderr and "/hooks/refresh" in ran.stderr
    assert world.picture(world.repository) == before
    assert world.greppy("hooks", "status").returncode == 1
    assert "core.hooksPath" in world.greppy("hooks", "status").stderr


@pytest.mark.parametrize("configured", ["", "/dev/null"])
def test_a_hooks_path_with_which_git_runs_no_hooks_is_to_be_unset(world: World, configured: str) -> None:
    (world.repository / ".husky").mkdir()
    world.git("config", "core.hooksPath", configured)
    before = world.picture(world.repository)
    ran = world.greppy("hooks", "install")
    assert ran.returncode == 3
    assert "core.hooksPath" in ran.stderr and "runs none" in ran.stderr and "unset it" in ran.stderr
    assert ".husky" not in ran.stderr and "outside" not in ran.stderr
    assert world.picture(world.repository) == before
    assert world.greppy("hooks", "status").returncode == 1
    world.git("config", "--unset", "core.hooksPath")
    world.ok("hooks", "install")


@pytest.mark.parametrize("action", ["install", "uninstall", "status"])
def test_a_repository_that_git_does_not_trust_is_refused_with_its_remedy(world: World, action: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a repository away")
    for path in (world.repository, world.repository / ".git"):
        os.chown(path, 12345, 12345)
    before = world.picture(world.repository)
    ran = world.greppy("hooks", action)
    assert ran.returncode == 3
    assert f"git config --global --add safe.directory {world.repository}" in ran.stderr
    assert world.picture(world.repository) == before
    world.git("config", "--global", "--add", "safe.directory", world.repository)
    world.ok("hooks", "install")


def test_a_hook_that_calls_the_program_by_hand_is_left_in_place(world: World) -> None:
    hook = world.hook("post-commit", '#!/bin/sh\nsh "$HOME/.greppy/hooks/refresh" || :\n')
    ran = world.greppy("hooks", "uninstall")
    assert (ran.returncode, "left in place: called by the hook that is there" in ran.stdout) == (1, True)
    assert hook.exists()


def test_a_hooks_path_inside_the_git_folder_is_where_hooks_go(world: World) -> None:
    world.git("config", "core.hooksPath", ".git/mine")
    world.ok("hooks", "install")
    assert (world.repository / ".git/mine/post-commit").exists()
    assert not (world.hooks / "post-commit").exists()


def test_hooks_from_before_the_hooks_path_was_set_can_be_uninstalled(world: World) -> None:
    world.ok("hooks", "install")
    world.git("config", "core.hooksPath", ".husky")
    world.ok("hooks", "uninstall")
    assert not (world.hooks / "post-commit").exists()


def test_a_hooks_folder_that_is_a_link_into_the_working_tree_is_refused(world: World) -> None:
    (world.repository / "shared").mkdir()
    for path in world.hooks.iterdir():
        path.unlink()
    world.hooks.rmdir()
    world.hooks.symlink_to("../shared")
    assert world.greppy("hooks", "install").returncode == 3
    assert not list((world.repository / "shared").iterdir())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pre-commit", "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n"),
        ("husky", '#!/bin/sh\n# husky\n. "$(dirname "$0")/husky.sh"\n'),
        ("lefthook", '#!/bin/sh\ncall_lefthook run post-commit "$@"\n'),
    ],
)
def test_hooks_of_a_manager_are_left_alone_and_the_line_to_add_is_said(world: World, name: str, text: str) -> None:
    path = world.hook("post-commit", text)
    ran = world.greppy("hooks", "install")
    assert ran.returncode == 0
    assert path.read_text() == text
    assert f"left to {name}" in ran.stdout and "/hooks/refresh" in ran.stderr
    assert world.states() == dict.fromkeys(HOOKS, "installed") | {"post-commit": "managed"}
    assert os.access(world.home / "hooks" / "refresh", os.X_OK)


def test_a_managed_folder_whose_hooks_all_call_the_program_is_complete(world: World) -> None:
    world.git("config", "core.hooksPath", ".husky")
    folder = world.repository / ".husky"
    folder.mkdir()
    for name in HOOKS:
        (folder / name).write_text('sh "${GREPPY_HOME:-$HOME/.greppy}/hooks/refresh" 2>/dev/null || :\n')
    before = world.picture(folder)
    assert world.greppy("hooks", "install").returncode == 0
    assert world.greppy("hooks", "status").returncode == 0
    assert world.picture(folder) == before


def test_a_managers_configuration_alone_does_not_keep_hooks_away(world: World) -> None:
    world.write("lefthook.yml", "")
    ran = world.greppy("hooks", "install")
    assert set(world.states().values()) == {"installed"}
    assert "should lefthook take hooks over" in ran.stderr and "lefthook-local.yml" in ran.stderr


def test_a_hook_that_calls_the_program_by_hand_counts_as_installed(world: World) -> None:
    world.hook("post-commit", '#!/bin/sh\n# husky\nsh "$HOME/.greppy/hooks/refresh" || :\n')
    world.ok("hooks", "install")
    assert world.states()["post-commit"] == "by hand"
    assert world.greppy("hooks", "status").returncode == 0


def test_pre_commit_may_take_a_shim_over_and_give_it_back(world: World) -> None:
    kept = world.hook("post-commit").read_bytes()
    world.ok("hooks", "install")
    (world.hooks / "post-commit").rename(world.hooks / "post-commit.legacy")
    world.hook("post-commit", '#!/bin/sh\n# File generated by pre-commit\nexec "$0.legacy" "$@"\n')
    world.commit()
    assert world.marks() == ["post-commit "]
    world.ok("hooks", "uninstall")
    assert (world.hooks / "post-commit.legacy").read_bytes() == kept


def test_a_folder_that_cannot_be_written_is_reported(world: World) -> None:
    world.hooks.chmod(0o500)
    if os.access(world.hooks, os.W_OK):
        world.hooks.chmod(0o700)
        pytest.skip("this user may write anywhere")
    ran = world.greppy("hooks", "install")
    world.hooks.chmod(0o700)
    assert (ran.returncode, "cannot change" in ran.stderr) == (3, True)


def test_outside_of_git_there_is_nothing_to_install_into(world: World, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "pyproject.toml").touch()
    ran = world.greppy("hooks", "install", cwd=plain)
    assert (ran.returncode, "not a git repository" in ran.stderr) == (2, True)


@pytest.mark.parametrize("words", [["hooks"], ["hooks", "burn"], ["hooks", "install", "x"]])
def test_other_words_are_bad_arguments(world: World, words: list[str]) -> None:
    assert world.greppy(*words).returncode == 4


def test_a_shim_in_a_strange_place_is_still_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/a 'b'/$(c)\n/python")
    text = shim.render()
    ran = subprocess.run(["sh", "-n"], input=text, check=True, capture_output=True)
    assert ran.stderr == b""
    assert shim.kind_of(text) == shim.OURS
    assert b"'/a '\\''b'\\''/$(c)\n/python'" in text


def test_shims_keep_the_users_umask(world: World) -> None:
    command = ["sh", "-c", f"umask 027; exec '{sys.executable}' -m greppy hooks install"]
    environment = world.environment | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    subprocess.run(command, cwd=world.repository, env=environment, check=True, capture_output=True)
    assert stat.S_IMODE((world.hooks / "post-commit").stat().st_mode) == 0o750


def test_json_has_every_hook(world: World) -> None:
    document = json.loads(world.ok("hooks", "install", "-j"))
    assert document["complete"] and document["changed"]
    assert [hook["name"] for hook in document["hooks"]] == list(HOOKS)
