"""An index that keeps nothing but a history is listed, tended and forgotten like any other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.history.conftest import Past


@pytest.fixture
def searched(past: Past) -> Past:
    """A repository of which only the history was searched."""
    past.write("a.txt", "alpha\n")
    past.commit("one")
    assert len(past.commits("alpha")) == 1
    return past


def greppy(past: Past, *argv: str) -> tuple[int, str, str]:
    """Any verb, run elsewhere: exit status, stdout, stderr."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "greppy", *argv]
    done = subprocess.run(command, cwd=past.root.parent, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def directories(past: Past) -> list[Path]:
    return list((past.home / "indexes").iterdir())


def listed(past: Past) -> list[tuple[str, int, bool]]:
    status, out, _ = greppy(past, "list", "--json")
    assert status == 0
    return [(info["path"], info["files"], info["missing"]) for info in json.loads(out)["projects"]]


def test_it_is_listed_with_what_is_kept(searched: Past) -> None:
    assert listed(searched) == [(str(searched.root), 0, False)]
    status, out, _ = greppy(searched, "list")
    assert status == 0
    assert out.startswith(f"{searched.root}  history only, ")


def test_it_is_forgotten_once(searched: Past) -> None:
    status, out, _ = greppy(searched, "forget", str(searched.root))
    assert (status, out.startswith(f"Forgot {searched.root} (")) == (0, True)
    assert listed(searched) == []
    assert directories(searched) == []
    status, _, err = greppy(searched, "forget", str(searched.root))
    assert status != 0
    assert "is not indexed" in err
    assert len(searched.commits("alpha")) == 1


def test_it_is_forgotten_also_when_its_folder_is_gone(searched: Past) -> None:
    shutil.rmtree(searched.root)
    gone = str(searched.root)
    assert listed(searched) == [(gone, 0, True)]
    assert greppy(searched, "forget", gone)[0] == 0
    assert directories(searched) == []


def test_gc_leaves_it_as_long_as_its_folder_is_there(searched: Past) -> None:
    segments = sorted((searched.home / "indexes").rglob("*.segment"))
    status, out, _ = greppy(searched, "gc", str(searched.root), "--json")
    assert status == 0
    assert json.loads(out)["indexes"][0]["paths"] == [str(searched.root)]
    assert segments == sorted((searched.home / "indexes").rglob("*.segment")) != []


def test_gc_removes_it_when_its_folder_is_gone_and_says_whose_it_was(searched: Past) -> None:
    gone = str(searched.root)
    shutil.rmtree(searched.root)
    status, out, _ = greppy(searched, "gc")
    assert status == 0
    assert gone in out
    assert "its folder is gone" in out
    assert directories(searched) == []


def test_a_worktree_that_is_indexed_too_is_listed_once_and_takes_the_history_with_it(searched: Past) -> None:
    assert greppy(searched, "index", str(searched.root))[0] == 0
    assert listed(searched) == [(str(searched.root), 1, False)]
    assert greppy(searched, "forget", str(searched.root))[0] == 0
    assert directories(searched) == []


def test_a_second_worktree_that_is_forgotten_leaves_the_history_of_the_first(searched: Past) -> None:
    second = searched.root.parent / "second"
    searched.git("worktree", "add", "-q", "--detach", str(second))
    for folder in (searched.root, second):
        assert greppy(searched, "index", str(folder))[0] == 0
    assert greppy(searched, "forget", str(second))[0] == 0
    assert listed(searched) == [(str(searched.root), 1, False)]
    assert sorted((searched.home / "indexes").rglob("*.segment")) != []


def kept(past: Past) -> list[Path]:
    return sorted(directories(past)[0].glob("history/*.segment"))


def test_a_folder_in_a_segments_place_is_repaired(searched: Past) -> None:
    (segment,) = kept(searched)
    segment.unlink()
    (segment / "inner").mkdir(parents=True)
    status, out, err = searched.run("alpha")
    assert (status, b"one" in out, b"damaged" in err) == (0, True, True)
    assert kept(searched) == [segment]
    assert segment.is_file()
    assert searched.run("alpha")[2] == b""


def test_a_file_in_the_place_of_its_folder_makes_room_for_it(searched: Past) -> None:
    folder = kept(searched)[0].parent
    shutil.rmtree(folder)
    folder.write_text("no folder")
    assert len(searched.commits("alpha")) == 1
    assert len(kept(searched)) == 1
    assert listed(searched) == [(str(searched.root), 0, False)]


def test_a_folder_in_the_place_of_its_root_or_lock_makes_room_for_it(searched: Past) -> None:
    folder = kept(searched)[0].parent
    (folder / "root").unlink()
    (folder / "root").mkdir()
    (folder / "lock").mkdir()
    for number in range(10):
        searched.write("a.txt", f"alpha {number}\n")
        searched.commit(str(number))
        searched.commits("alpha")
    assert len(kept(searched)) < 8
    assert listed(searched) == [(str(searched.root), 0, False)]
