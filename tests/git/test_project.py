"""Where a project begins, what its index is named by, and where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greppy.errors import NoProject
from greppy.git.discovery import find_projects
from greppy.git.listing import list_project
from greppy.git.project import FILE_MARKERS, find_project, object_format, printable, store_path, view_name

if TYPE_CHECKING:
    from tests.git.conftest import Repository


@pytest.fixture
def top(tmp_path: Path) -> Path:
    made = Path(os.path.realpath(tmp_path)) / "plain"
    made.mkdir()
    return made


def root_of(path: Path) -> Path:
    return Path(os.fsdecode(find_project(os.fsencode(path)).root))


def roots_below(path: Path) -> list[str]:
    found = find_projects(os.fsencode(path))
    return [os.path.relpath(os.fsdecode(project.root), path) for project in found]


@pytest.mark.parametrize("marker", FILE_MARKERS)
def test_each_marker_file_makes_a_root(top: Path, marker: str) -> None:
    (top / marker).touch()
    (top / "a/b").mkdir(parents=True)
    project = find_project(os.fsencode(top / "a/b"))
    assert (project.root, project.marker, project.git_dir) == (os.fsencode(top), marker, None)
    assert store_path(project) == view_name(project) == project.root
    assert object_format(project) == "sha1"


def test_a_folder_with_the_name_of_a_marker_file_marks_nothing(top: Path) -> None:
    (top / "go.mod").mkdir()
    with pytest.raises(NoProject):
        find_project(os.fsencode(top))


def test_the_nearest_marker_wins_without_git(top: Path) -> None:
    (top / "pom.xml").touch()
    (top / "a/b").mkdir(parents=True)
    (top / "a/Cargo.toml").touch()
    assert root_of(top / "a/b") == top / "a"


def test_a_file_belongs_to_its_folders_project(repository: Repository) -> None:
    path = repository.write("a/b.py")
    assert root_of(path) == repository.path


def test_the_git_root_wins_over_nearer_package_markers(repository: Repository) -> None:
    repository.write("packages/x/package.json")
    project = find_project(os.fsencode(repository.path / "packages/x"))
    assert (project.root, project.marker) == (repository.root, ".git")
    assert project.git_dir == project.common_dir == repository.root + b"/.git"


def test_a_nearer_greppy_marker_makes_a_root_that_git_still_lists(repository: Repository) -> None:
    repository.write("packages/x/.greppy", "")
    repository.write("packages/x/y/package.json", "")
    project = find_project(os.fsencode(repository.path / "packages/x/y"))
    assert project.root == repository.root + b"/packages/x"
    assert (project.marker, project.work_tree) == (".greppy", repository.root)
    assert store_path(project) == project.root


def test_a_greppy_marker_above_the_git_root_does_not_count(repository: Repository) -> None:
    (repository.path.parent / ".greppy").touch()
    assert root_of(repository.path) == repository.path


def test_the_home_folder_of_greppy_is_not_a_marker(top: Path) -> None:
    (top / ".greppy/indexes").mkdir(parents=True)
    with pytest.raises(NoProject):
        find_project(os.fsencode(top))
    (top / ".greppy/indexes").rmdir()
    assert root_of(top) == top


def test_a_symbolic_link_to_a_folder_leads_to_its_real_project(repository: Repository, top: Path) -> None:
    repository.write("a/b.py")
    (top / "link").symlink_to(repository.path / "a")
    assert root_of(top / "link") == repository.path


def test_a_linked_worktree_shares_the_store_and_has_a_view_of_its_own(repository: Repository) -> None:
    repository.write("pkg/.greppy", "")
    repository.commit()
    other = repository.path.parent / "w2"
    repository.git("worktree", "add", "-q", str(other))
    first, second = find_project(repository.root), find_project(os.fsencode(other))
    assert second.root == os.fsencode(other)
    assert second.git_dir == repository.root + b"/.git/worktrees/w2"
    assert store_path(first) == store_path(second) == repository.root
    assert view_name(first) != view_name(second)
    assert store_path(find_project(os.fsencode(other / "pkg"))) == repository.root + b"/pkg"


def test_worktrees_of_a_bare_repository_share_its_folder_as_store(repository: Repository) -> None:
    repository.commit()
    above = repository.path.parent
    repository.git("clone", "-q", "--bare", ".", str(above / "bare.git"))
    repository.git("worktree", "add", "-q", str(above / "w"), where=above / "bare.git")
    assert store_path(find_project(os.fsencode(above / "w"))) == os.fsencode(above / "bare.git")


def test_a_relative_and_a_separate_git_folder_are_followed(repository: Repository, top: Path) -> None:
    os.rename(repository.path / ".git", repository.path.parent / "elsewhere")
    repository.write(".git", "gitdir: ../elsewhere\n")
    project = find_project(repository.root)
    assert project.git_dir == project.common_dir == os.fsencode(repository.path.parent / "elsewhere")
    assert store_path(project) == project.git_dir


def test_a_submodule_is_a_project_of_its_own(repository: Repository, top: Path) -> None:
    repository.commit()
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    repository.git("submodule", "--quiet", "add", repository.root, "sub", where=top)
    project = find_project(os.fsencode(top / "sub"))
    assert project.root == os.fsencode(top / "sub")
    assert store_path(project) == os.fsencode(top / ".git/modules/sub")


@pytest.mark.parametrize("content", ["", "gitdir: ../nowhere\n", "gitdir: .\n", "nonsense", "gitdir: a\0b\n"])
def test_a_git_file_that_leads_nowhere_is_not_a_root(repository: Repository, content: str) -> None:
    repository.write("a/.git", content)
    assert root_of(repository.path / "a") == repository.path


def test_a_git_folder_without_a_head_is_not_a_root(repository: Repository) -> None:
    (repository.path / "a/.git/objects").mkdir(parents=True)
    (repository.path / "a/.git/refs").mkdir()
    assert root_of(repository.path / "a") == repository.path
    repository.write("a/.git/HEAD", "junk")
    assert root_of(repository.path / "a") == repository.path
    repository.write("a/.git/HEAD", "ref: refs/heads/x\n")
    assert root_of(repository.path / "a") == repository.path / "a"


def test_a_named_pipe_called_git_blocks_nothing(repository: Repository) -> None:
    (repository.path / "a").mkdir()
    os.mkfifo(repository.path / "a/.git")
    assert root_of(repository.path / "a") == repository.path


@pytest.mark.parametrize("below", [".git", ".git/refs/heads"])
def test_inside_a_git_folder_there_is_no_project(repository: Repository, below: str) -> None:
    with pytest.raises(NoProject, match="git's own folder"):
        find_project(os.fsencode(repository.path / below))


def test_a_bare_repository_is_no_project_and_says_so(repository: Repository, top: Path) -> None:
    repository.git("init", "-q", "--bare", str(top / "b"))
    with pytest.raises(NoProject, match="bare repository") as raised:
        find_project(os.fsencode(top / "b/refs"))
    assert "worktree" in raised.value.hint
    (top / ".git").write_text("gitdir: b\n")
    with pytest.raises(NoProject, match="bare repository"):
        find_project(os.fsencode(top))


def test_nothing_above_is_no_project_with_a_hint(top: Path) -> None:
    with pytest.raises(NoProject, match="no project found") as raised:
        find_project(os.fsencode(top))
    assert "git init" in raised.value.hint


@pytest.mark.parametrize("name", [b"gone", b"a\0b"])
def test_a_start_that_does_not_exist_is_no_project(top: Path, name: bytes) -> None:
    with pytest.raises(NoProject, match="cannot look"):
        find_project(os.fsencode(top) + b"/" + name)
    with pytest.raises(NoProject):
        find_projects(os.fsencode(top) + b"/gone")


def test_the_environment_of_a_hook_does_not_choose_the_project(
    repository: Repository, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    monkeypatch.setenv("GIT_DIR", str(top / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(top))
    assert root_of(repository.path) == repository.path


def test_the_object_format_is_read_from_the_config_file(repository: Repository, top: Path) -> None:
    assert object_format(find_project(repository.root)) == "sha1"
    done = subprocess.run(["git", "init", "-q", "--object-format=sha256", str(top)], check=False)
    if done.returncode:
        pytest.skip("this git has no SHA-256")
    assert object_format(find_project(os.fsencode(top))) == "sha256"


def test_a_path_in_a_message_stays_on_its_line() -> None:
    assert printable(b"a\nb\x1b\xff\xc3\xa9") == "a\\nb\\x1b\\xffé"


def test_recursive_finds_repositories_nested_ones_and_own_markers(repository: Repository, top: Path) -> None:
    for path in ("one", "one/vendor/two", "node_modules/dep"):
        subprocess.run(["git", "init", "-q", str(top / path)], check=True)
    for path in ("one/pkg/package.json", "one/own/.greppy", "js/package.json", "js/sub/package.json", "bad/.git"):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).touch()
    (top / "link").symlink_to(repository.path)
    assert roots_below(top) == ["js", "one", "one/own", "one/vendor/two"]
    assert roots_below(top / "one") == [".", "own", "vendor/two"]
    assert roots_below(top / "one/pkg") == []


def test_recursive_looks_five_folders_down(top: Path) -> None:
    for path in ("1/2/3/4/5", "a/b/c/d/e/f"):
        (top / path).mkdir(parents=True)
        (top / path / "go.mod").touch()
    assert roots_below(top) == ["1/2/3/4/5"]


def test_recursive_does_not_look_into_bare_repositories(top: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(top / "b.git")], check=True)
    (top / "b.git/hooks/go.mod").touch()
    (top / "around").mkdir()
    (top / "around/.git").write_text("gitdir: ../b.git\n")
    assert roots_below(top) == []


def test_a_project_below_a_bare_repository_is_one_without_git(top: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(top / "b.git")], check=True)
    (top / "b.git/tool").mkdir()
    (top / "b.git/tool/go.mod").touch()
    project = find_project(os.fsencode(top / "b.git/tool"))
    assert (project.root, project.git_dir) == (os.fsencode(top / "b.git/tool"), None)


def test_a_head_that_is_a_link_makes_a_git_folder_as_it_once_did(repository: Repository) -> None:
    (repository.path / ".git/HEAD").unlink()
    (repository.path / ".git/HEAD").symlink_to("refs/heads/main")
    assert root_of(repository.path) == repository.path
    (repository.path / ".git/HEAD").unlink()
    (repository.path / ".git/HEAD").symlink_to("/etc/passwd")
    with pytest.raises(NoProject):
        find_project(repository.root)


@pytest.mark.start_up
def test_the_hot_modules_import_nothing_heavy() -> None:
    code = "import sys, greppy; before = set(sys.modules); import greppy.git.project, greppy.git.files; "
    code += "print(*sorted(set(sys.modules) - before))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=os.getcwd())
    allowed = {"greppy", "greppy.errors", "greppy.git", "greppy.git.files", "greppy.git.project", "errno", "__future__"}
    assert set(out.stdout.split()) <= allowed


def test_git_dir_and_work_tree_name_the_project_of_a_folder_that_has_none(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("in-the-repository.py")
    repository.commit()
    home = tmp_path / "dotfiles-home"
    (home / "deep").mkdir(parents=True)
    (home / ".profile").write_text("zebraquartz\n")
    monkeypatch.setenv("GIT_DIR", str(repository.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(home))
    project = find_project(os.fsencode(home / "deep"))
    assert (project.root, project.git_dir) == (os.fsencode(home), os.fsencode(repository.path / ".git"))
    assert [file.path for file in list_project(project).files] == [b".profile"]
    assert find_project(repository.root).root == repository.root
    with pytest.raises(NoProject):
        find_project(os.fsencode(tmp_path))
    monkeypatch.setenv("GIT_DIR", str(home))
    with pytest.raises(NoProject):
        find_project(os.fsencode(home))


def test_a_bare_repository_is_a_project_only_for_its_revisions(repository: Repository, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    repository.git("clone", "-q", "--bare", str(repository.path), str(bare))
    with pytest.raises(NoProject, match="bare repository"):
        find_project(os.fsencode(bare / "refs"))
    project = find_project(os.fsencode(bare / "refs"), bare=True)
    assert (project.root, project.git_dir) == (os.fsencode(bare), os.fsencode(bare))
    with pytest.raises(NoProject, match="git's own folder"):
        find_project(repository.root + b"/.git", bare=True)
