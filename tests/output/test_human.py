"""What a person reads, character by character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels.choice import chosen_lines
from greppy.output.human import render, render_nothing, summary
from greppy.output.snippet import find_terms, render_line
from greppy.output.stream import Screen
from greppy.search.result import Response, Result

PIPE = Screen()
BODY = "\n".join(f"line {number}" for number in range(1, 31))


def response(*results: Result, total: int = 0, took_ms: float = 3.2) -> Response:
    return Response(list(results), total or len(results), took_ms, b"/p")


def test_results_stand_one_below_the_other_with_a_summary_last() -> None:
    first = Result(b"src/auth.py", 15, 16, 2.0, "Auth.check", "method", content="def check(self):\r\n\treturn 1")
    second = Result(b"new\nline.py", 3, 3, 1.0, content="x = 1")
    assert render(response(first, second), PIPE, 8) == (
        "src/auth.py:15-16  Auth.check  method\n"
        "│ def check(self):\n"
        "│     return 1\n"
        "\n"
        '"new\\nline.py":3\n'
        "│ x = 1\n"
        "\n"
        "Found 2 results in 3ms\n"
    )


def test_without_content_only_places_are_printed() -> None:
    results = [Result(b"a.py", 1, 2, 1.0, content="x\ny"), Result(b"b.py", 3, 3, 1.0)]
    assert render(response(*results), PIPE, 0) == "a.py:1-2\nb.py:3\n\nFound 2 results in 3ms\n"


@pytest.mark.parametrize(
    ("shown", "total", "took_ms", "text"),
    [
        (1, 1, 0.2, "Found 1 result in 1ms"),
        (12, 12, 3.4, "Found 12 results in 3ms"),
        (20, 135, 1234.5, "Found 20 of 135 results in 1234ms"),
        (1, 2, 1.0, "Found 1 of 2 results in 1ms"),
    ],
)
def test_the_summary_says_how_many_and_how_long(shown: int, total: int, took_ms: float, text: str) -> None:
    assert summary(response(*[Result(b"a", 1, 1, 1.0)] * shown, total=total, took_ms=took_ms)) == text


def test_a_long_chunk_is_cut_around_the_lines_that_matter() -> None:
    result = Result(b"a.py", 101, 130, 1.0, content=BODY, matched_lines=[112, 125])
    shown = render(response(result), PIPE, 5).split("\n")[1:-3]
    assert shown == ["│ ...", *(f"│ line {n}" for n in (11, 12, 13, 14)), "│ ...", "│ line 25", "│ ..."]


def test_a_chunk_without_matched_lines_is_shown_from_its_start() -> None:
    result = Result(b"a.py", 1, 30, 1.0, content=BODY)
    assert render(response(result), PIPE, 2).split("\n")[1:4] == ["│ line 1", "│ line 2", "│ ..."]


@given(st.integers(1, 40), st.lists(st.integers(-3, 45), max_size=9), st.integers(1, 12))
def test_a_snippet_has_as_many_lines_as_fit_and_the_best_is_among_them(
    length: int, matched: list[int], most: int
) -> None:
    chosen = chosen_lines(length, matched, most)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(length, most)
    assert all(0 <= at < length for at in chosen)
    assert next((at for at in matched if 0 <= at < length), 0) in chosen


def test_a_long_line_is_cut_around_its_first_match() -> None:
    line = "a" * 300 + " needle " + "b" * 300
    shown = render_line(line, PIPE, 40, ["needle"])
    assert len(shown) == 40
    assert shown.startswith("...a") and shown.endswith("b...") and "needle" in shown
    assert render_line("needle " + "b" * 300, PIPE, 40, ["needle"]) == "needle " + "b" * 30 + "..."
    assert render_line("b" * 50 + " needle", PIPE, 40, ["needle"]) == "..." + "b" * 30 + " needle"


@given(st.text(max_size=60), st.lists(st.text(max_size=4), max_size=3), st.integers(10, 30))
def test_no_line_is_wider_than_the_room(line: str, terms: list[str], width: int) -> None:
    plain = "".join(char for char in line if char.isprintable())
    assert len(render_line(plain, PIPE, width, terms)) <= width


def test_wide_characters_count_twice_on_a_terminal() -> None:
    assert render_line("日本語" * 20, Screen(True, 20), 20, []) == "日本語日本語日本..."
    assert render_line("e\u0301" * 15, Screen(True, 20), 20, []) == "e\u0301" * 15


def test_matched_terms_are_coloured_at_word_edges_only() -> None:
    screen = Screen(True, 80, 24, True)
    shown = render_line("auth author getAuth AUTH_KEY", screen, 80, ["auth"])
    assert shown == ("\x1b[1;31mauth\x1b[0m author get\x1b[1;31mAuth\x1b[0m \x1b[1;31mAUTH\x1b[0m_KEY")


def test_the_longest_term_wins_where_two_overlap() -> None:
    assert find_terms("session_key key", ["key", "session_key"]) == [(0, 11), (12, 15)]


def test_colours_are_the_agreed_ones() -> None:
    result = Result(b"a.py", 1, 2, 1.0, "f", "function", content="x")
    assert render(response(result), Screen(True, 80, 24, True), 8) == (
        "\x1b[35ma.py\x1b[0m:\x1b[32m1-2\x1b[0m  \x1b[2mf  function\x1b[0m\n"
        "\x1b[2m│ \x1b[0mx\n"
        "\n"
        "\x1b[2mFound 1 result in 3ms\x1b[0m\n"
    )


@given(st.text(), st.text(), st.booleans())
def test_nothing_that_a_terminal_obeys_comes_through(content: str, symbol: str, color: bool) -> None:
    result = Result(b"a.py", 1, 9, 1.0, symbol, "k", content=content, terms=["a", "x"])
    shown = render(response(result), Screen(True, 80, 24, color), 8)
    for own in ("\x1b[35m", "\x1b[32m", "\x1b[2m", "\x1b[1;31m", "\x1b[0m"):
        shown = shown.replace(own, "")
    assert not any(char < " " or "\x7f" <= char < "\xa0" or char in "\u202e\u2066" for char in shown.replace("\n", ""))


def test_no_results_are_told_with_the_notes() -> None:
    nothing = Response([], 0, 1.0, b"/p", ["a\x1bnote"])
    assert render_nothing("odd\x07", nothing) == 'No results for "odd\\x07"\na\\x1bnote\n'
