"""The pager: what is run, and what never is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from greppy.output.pager import page


@pytest.mark.parametrize("command", [None, "less", "less -R"])
@pytest.mark.parametrize("first", ["", ".", "bin"])
def test_no_program_of_the_project_is_taken_for_the_pager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], first: str, command: str | None
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("less", "bin/less"):
        (tmp_path / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (f"{first}:{os.environ['PATH']}", first):
        monkeypatch.setenv("PATH", path)
        page("some text\n", command)
        assert "some text" in capfd.readouterr().out
    assert not (tmp_path / "ran").exists()
