"""A repository and its submodules, searched together and apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from greppy.errors import BadArguments
from tests.projects import Searched


def git(where: Path, *args: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "protocol.file.allow=always")
    return subprocess.run(
        ["git", "-C", str(where), *identity, *args], check=True, capture_output=True, text=True
    ).stdout


def made(where: Path, files: dict[str, str]) -> Path:
    where.mkdir(parents=True, exist_ok=True)
    git(where, "init", "--quiet")
    for name, text in files.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)
    git(where, "add", "--all")
    git(where, "commit", "--quiet", "--message", "m")
    return where


@pytest.fixture
def nested(project: Searched, tmp_path: Path) -> Searched:
    """`lib` is a submodule, `lib/deep` one of its own, `lib-x.py` sorts between them and `zebra.py` after them."""
    deep = made(tmp_path / "deep", {"deep.py": "def zebra_deep(): pass\n"})
    lib = made(tmp_path / "lib", {"lib.py": "def zebra_lib(): pass\n", "src/c.c": "int zebra_c;\n"})
    git(lib, "submodule", "--quiet", "add", str(deep), "deep")
    git(lib, "commit", "--quiet", "--message", "deep")
    made(project.path, {"a.py": "def zebra_a(): pass\n", "lib-x.py": "zebra = 1\n", "zebra.py": "zebra = 2\n"})
    git(project.path, "submodule", "--quiet", "add", str(lib), "lib")
    git(project.path, "submodule", "--quiet", "update", "--init", "--recursive")
    git(project.path, "commit", "--quiet", "--message", "lib")
    return project


def test_a_search_enters_submodules_only_when_asked(nested: Searched) -> None:
    assert sorted(nested.paths("zebra")) == ["a.py", "lib-x.py", "zebra.py"]
    assert sorted(nested.paths("zebra", recurse=True)) == [
        *("a.py", "lib-x.py", "lib/deep/deep.py", "lib/lib.py", "lib/src/c.c", "zebra.py")
    ]


def test_paths_and_globs_are_those_of_the_outermost_repository(nested: Searched) -> None:
    assert nested.paths("zebra", recurse=True, paths=[b"lib/deep"]) == ["lib/deep/deep.py"]
    assert nested.paths("zebra", recurse=True, include=[b"lib/**/*.c"]) == ["lib/src/c.c"]
    assert sorted(nested.paths("zebra", recurse=True, exclude=[b"lib/"])) == ["a.py", "lib-x.py", "zebra.py"]


def test_the_limit_holds_for_all_together_and_the_best_come_first(nested: Searched) -> None:
    found = nested.search("zebra", recurse=True, limit=3)
    assert len(found.results) == 3
    assert found.total == 6
    assert [r.score for r in found.results] == sorted((r.score for r in found.results), reverse=True)


def test_submodules_are_searched_in_the_working_tree_only(nested: Searched) -> None:
    with pytest.raises(BadArguments, match="working trees only"):
        nested.search("zebra", recurse=True, revisions=[b"HEAD"])


def test_a_submodule_that_is_not_checked_out_has_nothing(nested: Searched) -> None:
    git(nested.path, "submodule", "--quiet", "deinit", "--force", "lib")
    assert sorted(nested.paths("zebra", recurse=True)) == ["a.py", "lib-x.py", "zebra.py"]


@pytest.mark.parametrize(
    "args",
    [
        ["zebra"],
        ["-c", "zebra"],
        ["zebra", "--", "lib"],
        ["zebra", "--", "lib/deep"],
        ["zebra", "--", "*.py"],
        ["zebra", "--", "lib/*.c", "a.py"],
        ["-L", "zebra_lib"],
        ["--cached", "zebra"],
    ],
)
def test_grep_gives_what_git_grep_gives(nested: Searched, args: list[str]) -> None:
    theirs = git(nested.path, "grep", "--recurse-submodules", "-n", *args)
    environment = {**os.environ, "GREPPY_HOME": os.fsdecode(nested.home), "GREPPY_NO_BACKGROUND": "1"}
    code = (
        "import sys; from greppy.cli.main import main; sys.exit(main(['grep', '--recurse-submodules', *sys.argv[1:]]))"
    )
    source = str(Path(__file__).resolve().parents[2])
    ours = subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=nested.path,
        env={**environment, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ours.stdout == theirs
    assert ours.stderr == ""
