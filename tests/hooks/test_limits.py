"""A refresh ends by itself, whatever it meets, and the next one takes over."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from greppy import log
from greppy.index import refresher
from greppy.index.calls import Lease, gather, waiting


@pytest.fixture
def folder(tmp_path: Path) -> bytes:
    made = tmp_path / "hooks"
    made.mkdir(mode=0o700)
    return os.fsencode(made)


def test_one_process_has_the_lease_at_a_time(folder: bytes) -> None:
    with Lease(folder) as first, Lease(folder) as second:
        assert (first, second) == (True, False)
    with Lease(folder) as third:
        assert third


def test_a_lease_lies_ahead_of_the_clock_until_it_ends(folder: bytes) -> None:
    lease = Lease(folder)
    with lease:
        lease.extend(100)
        assert os.stat(folder + b"/lock").st_mtime > time.time() + 50
    assert os.stat(folder + b"/lock").st_mtime == 0


def test_calls_are_gathered_and_counted(folder: bytes) -> None:
    Path(os.fsdecode(folder), "queue").write_bytes(b"/a\0/b\0/a\0relative\0\0")
    assert gather(folder) == {b"/a": 2, b"/b": 1}
    assert not waiting(folder)


def test_calls_that_a_killed_process_had_taken_are_not_lost(folder: bytes) -> None:
    Path(os.fsdecode(folder), "taken").write_bytes(b"/a\0")
    Path(os.fsdecode(folder), "queue").write_bytes(b"/b\0")
    assert gather(folder) == {b"/a": 1, b"/b": 1}


def test_a_refresh_that_takes_too_long_is_given_up_and_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, home = tmp_path / "p", tmp_path / "gh"
    home.mkdir(mode=0o700)
    project.mkdir()
    (project / "pyproject.toml").touch()
    (home / "config.toml").write_text("[hooks]\nmax_seconds = 1\nfirst_index = true\n")
    monkeypatch.setattr(refresher, "update", lambda *_: time.sleep(30))
    ours, theirs = os.pipe()
    log.configure("info", theirs)
    try:
        refresher.refresh_all({os.fsencode(project): 3}, os.fsencode(home), lambda _seconds: None)
    finally:
        log.configure("")
    assert b"calls=3 failed=" in os.read(ours, 1000)
    assert signal.alarm(0) == 0


def test_a_folder_that_is_gone_is_a_line_in_the_log(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    log.configure("info", theirs)
    try:
        refresher.refresh_all({b"/nowhere/at/all": 1}, os.fsencode(tmp_path), lambda _seconds: None)
    finally:
        log.configure("")
    assert b"ERROR greppy.hooks folder=/nowhere/at/all" in os.read(ours, 1000)
