"""Snippets of plain text: what they show, what is left to others, and equality of the twins."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy import kernels
from greppy.kernels import reference

LINES = st.lists(st.text("ab \t~", max_size=9) | st.text(max_size=5), max_size=12).map("\n".join)


def test_all_lines_are_shown_where_they_fit_but_for_blank_ones_at_the_end(twin: ModuleType) -> None:
    assert twin.plain_snippet("one\n\n\ttwo\n  \n\n", 7, [], 5, 80, "│ ") == "│ one\n│ \n│     two"


def test_the_best_lines_are_shown_with_what_lies_around_the_very_best(twin: ModuleType) -> None:
    content = "\n".join(f"line {number}" for number in range(101, 131))
    shown = twin.plain_snippet(content, 101, (112, 125), 5, 80, "| ")
    lines = ("...", *(f"line {number}" for number in (111, 112, 113, 114)), "...", "line 125", "...")
    assert shown == "\n".join("| " + line for line in lines)


@pytest.mark.parametrize("content", ["größe", "a\x1b[1mb", "a\r\nb", "x" * 41, "\t" * 10 + "x", "a\x7f"])
def test_what_is_not_plain_or_too_wide_is_left_to_others(twin: ModuleType, content: str) -> None:
    assert twin.plain_snippet(content, 1, [1], 5, 40, "| ") is None


def test_a_line_that_is_not_shown_may_be_anything(twin: ModuleType) -> None:
    assert twin.plain_snippet("a\n\x1b\n\x1b", 1, [1], 1, 40, "| ") == "| a\n| ..."


def test_a_snippet_without_lines_is_refused(twin: ModuleType) -> None:
    with pytest.raises(ValueError, match="at least one line"):
        twin.plain_snippet("a", 1, [1], 0, 40, "| ")


@given(LINES, st.integers(1, 9), st.lists(st.integers(-2, 20), max_size=6), st.integers(1, 9), st.integers(0, 12))
def test_the_twins_agree(content: str, first: int, matched: list[int], most: int, width: int) -> None:
    for bar in ("│ ", "| ", ""):
        expected = reference.plain_snippet(content, first, matched, most, width, bar)
        assert kernels.plain_snippet(content, first, matched, most, width, bar) == expected
