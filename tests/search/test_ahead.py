"""A view that is opened ahead: true where nothing has changed, found out where something has, and then replaced."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greppy.errors import NoProject
from greppy.index.ahead import Ahead
from greppy.search.engine import search
from greppy.search.result import Request
from tests.projects import silent

if TYPE_CHECKING:
    from greppy.index.view import View
    from tests.projects import Searched


@pytest.fixture
def filled(project: Searched) -> Searched:
    project.write({"src/auth.py": "def validate_session():\n    return 1\n", "docs/a.md": "# Session\n"})
    return project


def ahead_of(project: Searched) -> Ahead:
    return Ahead(os.fsencode(project.path), project.home)


def opened(ahead: Ahead, project: Searched) -> View:
    found = ahead.find_project(os.fsencode(project.path))
    return ahead.open_view(found, project.home, project.config, True, silent)


def test_nothing_has_changed_where_nothing_was_written(filled: Searched) -> None:
    time.sleep(0.1)  # what was stamped within the clock's tick of being observed is looked at again
    filled.search("session")
    view = opened(ahead_of(filled), filled)
    assert view.check is not None
    assert not view.check()


def test_what_was_written_before_is_told_and_the_next_view_has_it(filled: Searched) -> None:
    filled.search("session")
    filled.write({"src/other.py": "def zebra(): pass\n", "src/new.py": "def quagga(): pass\n"})
    ahead = ahead_of(filled)
    first, second = opened(ahead, filled), opened(ahead, filled)
    assert first.check is not None
    assert first.check()
    assert second.check is None
    assert b"src/new.py" in second.manifest.paths
    assert b"src/new.py" not in first.manifest.paths


@pytest.mark.parametrize("before", [True, False])
def test_a_search_that_opened_ahead_sees_every_write(filled: Searched, before: bool) -> None:
    if before:
        filled.search("session")
    filled.write({"src/other.py": "def zebra(): pass\n"})
    start, ahead = os.fsencode(filled.path), ahead_of(filled)
    request = Request("zebra", start, start)
    response = search(request, filled.home, filled.config, silent, ahead.open_view, ahead.find_project)
    assert [result.path for result in response.results] == [b"src/other.py"]


def test_a_shard_that_is_gone_is_made_anew(filled: Searched) -> None:
    filled.search("session")
    ahead = ahead_of(filled)
    for shard in Path(os.fsdecode(filled.home)).glob("indexes/*/shards/*"):
        shard.unlink()
    view = opened(ahead, filled)
    assert view.check is None
    assert len(view.shards) == 1


def test_there_must_be_a_project(tmp_path: Path) -> None:
    with pytest.raises(NoProject):
        Ahead(os.fsencode(tmp_path), os.fsencode(tmp_path / "home"))
