"""`doctor` sees every byte of a history that is not what it was, says what to do, and does it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from greppy.config import Config
from greppy.git.project import find_project
from greppy.index.doctor import examine
from greppy.index.doctor.finding import FAIL, OK, Outcome, Place
from greppy.search.history.check import check_histories
from tests.history.conftest import Past

SOURCE = str(Path(__file__).resolve().parents[2])


def checked(past: Past, fix: bool = False) -> list[Outcome]:
    """The same by the check alone, in this process."""
    place = Place(os.fsencode(past.home), Config(), find_project(os.fsencode(past.root)))
    return list(examine(place, [check_histories], fix))


def doctor(past: Past, *argv: str, where: Path | None = None) -> tuple[int, list[dict[str, Any]]]:
    """Status and the findings about histories, of the program in a process of its own."""
    command = [sys.executable, "-m", "greppy", "doctor", "--json", *argv]
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    ran = subprocess.run(command, cwd=where or past.root, env=environment, capture_output=True, text=True)
    return ran.returncode, [each for each in json.loads(ran.stdout)["findings"] if each["topic"] == "history"]


@pytest.fixture
def kept(past: Past) -> Path:
    """The folder of a history of three commits."""
    for number in range(3):
        past.write("a.py", f"zebra = {number}\n")
        past.commit()
    assert len(past.commits("zebra")) == 3
    (root,) = past.home.rglob("history/root")
    return root.parent


def segment(kept: Path) -> Path:
    (found,) = kept.glob("*.segment")
    return found


def make_folder_of(path: Path) -> None:
    path.unlink()
    path.mkdir()


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def test_a_sound_history_is_fine(past: Past, kept: Path) -> None:
    status, (found,) = doctor(past)
    assert (status, found["state"]) == (0, "ok")
    assert found["message"] == f"{past.root}: every sum is right (segments: 1)"
    assert doctor(past, where=kept)[1] == [found]


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a flipped bit": flip,
    "truncated": lambda path: os.truncate(path, path.stat().st_size - 1),
    "emptied": lambda path: os.truncate(path, 0),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "another's": lambda path: path.write_bytes(path.with_name("root").read_bytes()),
    "a folder": make_folder_of,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_segment_is_found_and_taken_away(past: Past, kept: Path, damage: str) -> None:
    DAMAGE[damage](segment(kept))
    ((found, _, _),) = checked(past)
    assert found.state == FAIL
    assert segment(kept).name in found.message
    (fixed,) = checked(past, fix=True)
    assert fixed.fixed.startswith("removed")
    assert not list(kept.glob("*.segment"))
    assert len(past.commits("zebra")) == 3
    assert [outcome.finding.state for outcome in checked(past)] == [OK]


def test_the_program_says_what_is_damaged_and_what_to_do(past: Past, kept: Path) -> None:
    flip(segment(kept))
    status, (found,) = doctor(past)
    assert (status, found["state"], found["repairable"]) == (3, "fail", True)
    assert "--fix" in found["advice"]
    status, (found,) = doctor(past, "--fix")
    assert (status, found["state"]) == (0, "fixed")


def test_every_flipped_bit_of_a_segment_is_found(past: Past, kept: Path) -> None:
    path = segment(kept)
    sound = path.read_bytes()
    for at in range(0, len(sound), 37):
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 1 << at % 8]) + sound[at + 1 :])
        assert [outcome.finding.state for outcome in checked(past)] == [FAIL]


@pytest.mark.parametrize("damage", [flip, lambda path: os.truncate(path, 0), lambda path: path.write_bytes(b"/\0")])
def test_a_history_that_names_another_project_is_found_and_corrected(
    past: Past, kept: Path, damage: Callable[[Path], object]
) -> None:
    damage(kept / "root")
    assert [outcome.finding.state for outcome in checked(past)] == [FAIL]
    assert [outcome.fixed for outcome in checked(past, fix=True)] == [f"names {past.root} now"]
    assert (kept / "root").read_bytes() == os.fsencode(past.root)
    assert [outcome.finding.state for outcome in checked(past)] == [OK]


def test_a_history_without_its_project_is_no_fault(past: Past, kept: Path, tmp_path: Path) -> None:
    shutil.rmtree(past.root / ".git")
    status, (found,) = doctor(past, where=tmp_path)
    assert (status, found["state"]) == (0, "warn")
    shutil.rmtree(past.root)
    status, (found,) = doctor(past, where=tmp_path)
    assert (status, found["state"], found["advice"]) == (0, "warn", "'greppy gc' removes its history")
