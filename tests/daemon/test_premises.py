"""What an answer rests on beside the project's files: each way in which it can change is noticed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from greppy.daemon.heads import Heads
from greppy.daemon.premises import Premises, premises_of
from greppy.git.committed import committed
from greppy.git.project import find_project
from tests.projects import Searched

AUTHOR = {f"GIT_{role}_{what}": "a@example.invalid" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Searched:
    """A repository with a commit."""
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name, value in AUTHOR.items():
        monkeypatch.setenv(name, value)
    found = Searched(tmp_path / "p", tmp_path / "home")
    found.write({"src/a.py": "def one(): pass\n", "src/b.py": "def two(): pass\n"})
    git(found, "init", "-q", "-b", "main")
    git(found, "add", ".")
    git(found, "commit", "-q", "-m", "first")
    return found


def git(project: Searched, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project.path, check=True, capture_output=True)


def premises(project: Searched, below: str = "src") -> Premises | None:
    start = os.fsencode(project.path / below)
    return premises_of(start, project.home, find_project(start), project.view().manifest)


def commit(project: Searched) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "another")


def configure(project: Searched) -> None:
    Path(os.fsdecode(project.home), "config.toml").write_text("[search]\nlimit = 3\n")


WAYS: dict[str, Callable[[Searched], object]] = {
    "a commit": commit,
    "another branch": lambda project: git(project, "switch", "-q", "-c", "other"),
    "git's configuration": lambda project: git(project, "config", "core.bare", "false"),
    "the staging area": lambda project: git(project, "rm", "-q", "--cached", "src/b.py"),
    "rules of what is ignored": lambda project: (project.path / ".git/info/exclude").write_text("*.log\n# more\n"),
    "a project within": lambda project: (project.path / "src/go.mod").write_text("module x\n"),
    "another folder": lambda project: (project.path / "src").rename(project.path / "lib"),
    "another root": lambda project: project.path.rename(project.path.with_name("q")),
    "our configuration": configure,
    "a replaced object": lambda project: git(project, "replace", "HEAD:src/a.py", "HEAD:src/b.py"),
}


@pytest.mark.parametrize("way", WAYS)
def test_whatever_changes_is_noticed(project: Searched, way: str) -> None:
    found = premises(project)
    assert found is not None and found.hold
    WAYS[way](project)
    assert not found.hold


def test_a_write_to_a_file_of_the_project_is_the_affair_of_events(project: Searched) -> None:
    start = os.fsencode(project.path)
    found = premises_of(start, project.home, find_project(start), project.view().manifest)
    assert found is not None
    project.write({"src/a.py": "def three(): pass\n", "src/c.py": "", "new": ""})
    assert found.hold


def test_what_was_touched_just_now_is_not_settled(project: Searched) -> None:
    start, manifest = os.fsencode(project.path), project.view().manifest
    where = find_project(start)
    (project.path / ".git/config").touch()
    found = premises_of(start, project.home, where, manifest)
    assert found is not None and not found.settled


@pytest.mark.parametrize("name", ["package.json", ".greppy", "HEAD", ".git"])
def test_nothing_is_told_where_a_folder_on_the_way_may_be_a_project(project: Searched, name: str) -> None:
    (project.path / "src" / name).touch()
    assert premises(project) is None


def test_nothing_is_told_without_git(tmp_path: Path) -> None:
    plain = Searched(tmp_path / "plain", tmp_path / "home")
    plain.write({"package.json": "{}", "a.py": "one = 1\n"})
    start = os.fsencode(plain.path)
    assert premises_of(start, plain.home, find_project(start), plain.view().manifest) is None


def test_a_target_of_a_link_counts(project: Searched, tmp_path: Path) -> None:
    exclude = project.path / ".git/info/exclude"
    exclude.rename(tmp_path / "exclude")
    exclude.symlink_to(tmp_path / "exclude")
    found = premises(project)
    assert found is not None and found.hold
    with (tmp_path / "exclude").open("a") as file:
        file.write("*.tmp\n")
    assert not found.hold


def test_a_worktree_that_is_another_repositorys_is_noticed(project: Searched, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", "../tree", "-b", "side")
    tree = Searched(tmp_path / "tree", tmp_path / "home")
    found = premises(tree)
    assert found is not None and found.hold
    (tree.path / ".git").write_text(f"gitdir: {project.path / '.git'}\n")
    assert not found.hold


def test_what_head_has_is_asked_once_for_each_path(project: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    where = find_project(os.fsencode(project.path))
    paths = [b"src/a.py", b"src/b.py", b"src/none.py"]
    heads = Heads()
    assert heads.committed(where, paths[:1]) == committed(where, paths[:1])
    assert heads.committed(where, paths) == committed(where, paths)
    monkeypatch.setenv("PATH", "/nowhere")  # git is not there to be asked
    assert sorted(heads.committed(where, paths) or ()) == paths[:2]
    assert heads.committed(where, [b"src/a.py", b"src/c.py"]) is None
