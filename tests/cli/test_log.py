"""Events and notices on stderr."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from greppy import log


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A file in the place of stderr."""
    fd = os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY)
    yield fd, tmp_path / "log"
    log.configure("")
    os.close(fd)


def test_an_event_is_one_line_in_the_agreed_form(sink: tuple[int, Path]) -> None:
    log.configure("info", sink[0])
    log.event("info", "greppy.search", project=b"/x", results=12, took_ms=3.0)
    log.event("warn", "greppy.index", path='a "b"\n=\x1b', empty="", odd=b"\xff")
    first, second = sink[1].read_text().splitlines()
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO greppy\.search project=/x results=12 took_ms=3", first
    )
    assert second.split(" ", 1)[1] == r'''WARN greppy.index path="a \"b\"\x0a=\x1b" empty="" odd="\xff"'''


@pytest.mark.parametrize(
    ("spec", "written"),
    [
        ("", ""),
        ("off", ""),
        ("error", "e"),
        ("warn", "ew"),
        ("INFO", "ewi"),
        ("debug", "ewid"),
        ("greppy=info", "ewi"),
        ("greppy.search=debug,error", "ewid"),
        ("debug,greppy.search=error", "e"),
        ("greppy.search=warn, greppy=debug", "ew"),
        ("greppy.sea=debug", ""),
        ("greppy.search.deep=debug", ""),
    ],
)
def test_the_longest_target_decides_what_is_written(sink: tuple[int, Path], spec: str, written: str) -> None:
    log.configure(spec, sink[0])
    for level in ("error", "warn", "info", "debug"):
        log.event(level, "greppy.search", level=level[0])
    assert "".join(line[-1] for line in sink[1].read_text().splitlines()) == written


def test_a_level_that_is_none_is_named_and_does_no_harm(sink: tuple[int, Path]) -> None:
    log.configure("loud,info", sink[0])
    assert sink[1].read_text().startswith('greppy: GREPPY_LOG: "loud" is not understood')
    assert log.enabled("info", "greppy.search")


def test_a_notice_is_written_at_every_level_and_cannot_move_the_cursor(sink: tuple[int, Path]) -> None:
    log.configure("off", sink[0])
    log.notice("repaired a\x1b[2J\nb \udcff\ud800")
    assert sink[1].read_text() == "greppy: repaired a\\x1b[2J\\x0ab \\xff\\ud800\n"


def test_a_stderr_that_is_closed_is_no_error(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    os.close(fd)
    log.configure("info", fd)
    log.notice("nobody hears it")
    log.configure("")
