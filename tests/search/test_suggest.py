"""The nearest words: the distance against its plain definition, and what is offered."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.config import Config
from greppy.query.plan import make_plan
from greppy.search.suggest import alignment_distance, nearest_words
from tests.scan.conftest import Scanned

if TYPE_CHECKING:
    from tests.projects import Searched

words = st.text("abc", max_size=7).map(str.encode)


def plain_distance(a: bytes, b: bytes) -> int:
    """Optimal string alignment distance by its recursive definition."""

    @cache
    def distance(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        best = min(distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            best = min(best, distance(i - 2, j - 2) + 1)
        return best

    return distance(len(a), len(b))


@given(a=words, b=words, most=st.integers(0, 3))
def test_the_distance_is_the_plain_one_up_to_its_bound(a: bytes, b: bytes, most: int) -> None:
    assert alignment_distance(a, b, most) == min(plain_distance(a, b), most + 1)


def test_a_swap_a_lost_and_a_doubled_letter_are_mended(project: Searched) -> None:
    project.write({"a.py": "def authenticate_user(): pass\nmiddleware = 1\n"})
    for typed, meant in (("authentciate", "authenticate"), ("midleware", "middleware"), ("middlewarre", "middleware")):
        assert meant in project.search(typed).notes[0]


def test_nothing_near_is_nothing_offered(project: Searched) -> None:
    project.write({"a.py": "alpha = 1\n"})
    assert project.search("zzzzzzzz").notes == ['"zzzzzzzz" is nowhere in this project']


def test_an_identifier_is_named_once_and_not_by_its_parts(project: Searched) -> None:
    project.write({"a.py": "alpha = 1\n"})
    assert len(project.search("quaggaZebraOkapi").notes) == 1


@pytest.mark.parametrize(
    ("files", "config", "told"),
    [
        ({"b.bin": b"\0zebra"}, Config(workers=1), 1),
        ({"b.txt": "zebra okapi " * 200}, Config(workers=1, max_file_size=1000), 1),
        ({"b.txt": "zebra", "c.txt": "zebra"}, Config(workers=1, max_files=2), 2),
    ],
)
def test_what_may_stand_in_a_file_that_is_not_indexed_is_not_said_to_be_nowhere(
    project: Searched, files: dict[str, str | bytes], config: Config, told: int
) -> None:
    project.write({"a.py": "alpha = 1\n", **files})
    project.config = config
    first, last = project.search("zebra").notes
    assert first == '"zebra" is in no indexed file'
    assert last.startswith(f"{told} file{'s are' if told > 1 else ' is'} not indexed: 'greppy status --skipped' lists ")


def test_a_link_has_no_text_of_its_own(project: Searched) -> None:
    project.write({"a.py": "alpha = 1\n"})
    (project.path / "b.py").symlink_to("a.py")
    assert project.search("zebra").notes == ['"zebra" is nowhere in this project']


def test_a_scan_speaks_only_of_what_it_looks_at(project: Searched) -> None:
    project.write({"a.py": "alpha = 1\n", "b.bin": b"\0zebra"})
    scanned = Scanned(project.path, Path(os.fsdecode(project.home)))
    notes = nearest_words(make_plan("zebra").terms, scanned.scan("zebra"))
    assert notes == ['"zebra" is in no file that is to be indexed']
