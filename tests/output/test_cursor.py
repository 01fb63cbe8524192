"""A cursor leads to the place behind the last record, also where the project has changed."""

from __future__ import annotations

import pytest

from greppy.errors import BadArguments
from greppy.output.cursor import read_cursor
from greppy.search.result import Result

ASKED = ("session", "hybrid")


def results(*paths: str) -> list[Result]:
    return [Result(path.encode(), 1, 1, 1.0) for path in paths]


def names(page: list[Result]) -> str:
    return "".join(result.path.decode() for result in page)


@pytest.mark.parametrize(
    ("now", "rest"),
    [
        ("abcdef", "cde"),
        ("xabcdef", "cde"),  # one more before
        ("bcdef", "cde"),  # one less before
        ("acdef", "def"),  # the last one is gone: by the offset
        ("a", ""),
        ("", ""),
    ],
)
def test_a_page_goes_on_behind_the_last_record(now: str, rest: str) -> None:
    first, more = read_cursor(None, ASKED).page(results(*"abcdef"), 2)
    assert (names(first), more) == ("ab", True)
    cursor = read_cursor(read_cursor(None, ASKED).after(first), ASKED)
    assert names(cursor.page(results(*now), 3)[0]) == rest


def test_the_last_page_says_so() -> None:
    assert read_cursor(None, ASKED).page(results(*"ab"), 2)[1] is False


@pytest.mark.parametrize(
    "text", ["", "1", "1.2", "x.aaaaaaaa.bbbbbb", "99999999999.aaaaaaaa.bbbbbb", "1.a/aaaaaa.bbbbbb"]
)
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(BadArguments):
        read_cursor(text, ASKED)


def test_a_cursor_of_another_question_is_refused() -> None:
    cursor = read_cursor(None, ASKED).after(results("a"))
    with pytest.raises(BadArguments, match="another query"):
        read_cursor(cursor, ("other", "hybrid"))
