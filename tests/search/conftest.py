"""A project to search in, without git unless a test asks for it, and a home of its own for the index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.projects import Searched


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Searched:
    """An empty plain project."""
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".greppy").touch()
    return Searched(tmp_path / "p", tmp_path / "home")


Fill = Callable[[Sequence[str]], Searched]
