"""Progress without a terminal: one line, and only when it takes long."""

from __future__ import annotations

import pytest

from greppy.output.progress import Line


def test_a_long_build_is_told_once(capfd: pytest.CaptureFixture[str]) -> None:
    line = Line(after=0.0)
    line.update(1, 6890, "indexing")
    line.update(2, 6890, "indexing")
    line.close()
    assert capfd.readouterr().err == "indexing 6890 files ...\n"


def test_a_short_build_is_not_told(capfd: pytest.CaptureFixture[str]) -> None:
    line = Line(after=60.0)
    line.update(1, 6890, "indexing")
    assert capfd.readouterr().err == ""
