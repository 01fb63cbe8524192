"""Hooks for all repositories: where that is safe, and nowhere else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.hooks.conftest import World


def pretend(world: World, version: str) -> None:
    """Put a git on PATH that says it is of another version."""
    folder = world.top / "bin"
    folder.mkdir()
    git = folder / "git"
    real = shutil.which("git")
    answer = f'for word; do [ "$word" = version ] && echo git version {version} && exit; done'
    git.write_text(f'#!/bin/sh\n{answer}\nexec {real} "$@"\n')
    git.chmod(0o755)
    world.environment["PATH"] = f"{folder}:{world.environment['PATH']}"


def configuration(world: World) -> str:
    return Path(world.environment["GIT_CONFIG_GLOBAL"]).read_text()


def test_an_old_git_is_refused_and_nothing_is_changed(world: World) -> None:
    pretend(world, "2.53.1")
    before = configuration(world)
    ran = world.greppy("hooks", "install", "--global")
    assert ran.returncode == 3
    assert "in each repository" in ran.stderr and "core.hooksPath" in ran.stderr
    assert configuration(world) == before


def test_from_254_on_git_runs_a_hook_beside_each_repositorys_own(world: World) -> None:
    pretend(world, "2.54.0.windows.1")
    before = configuration(world)
    assert world.greppy("hooks", "status", "--global").returncode == 1
    world.ok("hooks", "install", "--global")
    once = configuration(world)
    assert world.git("config", "--global", "--get-all", "hook.greppy.event").stdout.split()[0] == "post-commit"
    assert os.access(world.home / "hooks" / "refresh", os.X_OK)
    assert "Nothing to do" in world.ok("hooks", "install", "--global")
    assert configuration(world) == once
    assert world.greppy("hooks", "status", "--global").returncode == 0
    world.ok("hooks", "uninstall", "--global")
    assert configuration(world) == before
    assert "Nothing to do" in world.ok("hooks", "uninstall", "--global")


def test_the_command_in_the_configuration_is_one_that_git_can_run(world: World) -> None:
    pretend(world, "2.55.0")
    world.ok("index")
    world.ok("hooks", "install", "--global")
    command = world.git("config", "--global", "hook.greppy.command").stdout.rstrip("\n")
    world.hook("post-checkout", f'#!/bin/sh\nexec sh -c \'{command} "$@"\' sh "$@"\n')
    ran = world.git("checkout", "-q", "-b", "x")
    assert (ran.stdout, ran.stderr) == ("", "")
    assert f"project={world.repository}" in world.settled()[-1]


def test_a_folder_of_the_users_own_is_used(world: World) -> None:
    mine = world.top / "mine"
    mine.mkdir()
    (mine / "post-commit").write_text(f'#!/bin/sh\necho ran >>"{world.top / "mark"}"\n')
    (mine / "post-commit").chmod(0o755)
    before = world.picture(mine)
    world.git("config", "--global", "core.hooksPath", mine)
    world.ok("index")
    assert world.greppy("hooks", "install").returncode == 3
    assert world.picture(mine) == before
    world.ok("hooks", "install", "--global")
    world.commit()
    assert world.marks() == ["ran"]
    assert f"project={world.repository}" in world.settled()[-1]
    world.ok("hooks", "uninstall", "--global")
    assert world.picture(mine) == before


def test_a_folder_for_all_that_is_none_is_to_be_unset(world: World) -> None:
    world.git("config", "--global", "core.hooksPath", "/dev/null")
    ran = world.greppy("hooks", "install", "--global")
    assert (ran.returncode, "not a folder" in ran.stderr, "unset it" in ran.stderr) == (3, True, True)


def test_a_relative_folder_for_all_is_refused(world: World) -> None:
    world.git("config", "--global", "core.hooksPath", ".githooks")
    ran = world.greppy("hooks", "install", "--global")
    assert (ran.returncode, "absolute" in ran.stderr) == (3, True)
