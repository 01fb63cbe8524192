"""The lines of a text that hold terms: worked by hand, what the terms of every run say, and equality of the twins."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.tokens import terms_of_run
from greppy.kernels import reference

WORDS = (
    *("session", "Sessions", "user_name", "userName", "USER", "x", "x1", "1x", "sha256", "HTTPServer", "policies"),
    *(
        "a_b",
        "__a__b",
        "hoping",
        "conflated",
        "Größe",
        "日本語",
        "-",
        "\t",
        "",
        "be",
        "by",
        "\N{LATIN SMALL LETTER LONG S}ession",
    ),
)
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=12)
TERMS = sorted({term for word in WORDS for term in terms_of_run(word.encode()) if word.isalnum() or "_" in word})
terms = st.lists(st.sampled_from(TERMS), max_size=8, unique=True).map(tuple)


def test_lines_come_by_the_weight_of_their_terms_and_words_as_they_are_met(twin: ModuleType) -> None:
    text = b"nothing\nuser\nsession user_id\nSession\nsession"
    found = twin.excerpts([(text, 2, 4), (text, 4, 5)], (b"session", b"user"), (2.0, 1.0), 9, 99, terms_of_run)
    assert found == [
        ("user\nsession user_id\nSession", [3, 4, 2], ["user", "session", "user_id", "Session"]),
        ("Session\nsession", [4, 5], ["Session", "session"]),
    ]


@pytest.mark.parametrize(
    ("first", "last", "content"),
    [(1, 1, "a"), (1, 3, "a\nb\n"), (2, 9, "b\n"), (3, 3, ""), (4, 9, ""), (2, 1, ""), (1, 0, "")],
)
def test_the_range_of_lines_is_clipped_to_the_text(twin: ModuleType, first: int, last: int, content: str) -> None:
    assert twin.excerpts([(b"a\nb\n", first, last)], (), (), 9, 9, terms_of_run)[0][0] == content


@given(
    lines=LINES,
    wanted=terms,
    first=st.integers(1, 14),
    size=st.integers(0, 14),
    most=st.integers(0, 6),
    longest=st.integers(0, 40),
    seed=st.integers(-2, 5),
)
def test_the_twins_find_the_same_lines(
    fast: ModuleType,
    lines: list[str],
    wanted: tuple[bytes, ...],
    first: int,
    size: int,
    most: int,
    longest: int,
    seed: int,
) -> None:
    weights = tuple(float(number % 4 + seed) for number in range(len(wanted)))
    text = "\n".join(lines).encode()
    places = [(text, first, first + size - 1), (text[3:], 1, size), (text, 1, first)]
    call = places, wanted, weights, most, longest, terms_of_run
    assert fast.excerpts(*call) == reference.excerpts(*call)


@given(data=st.binary(max_size=300), wanted=terms)
def test_the_twins_agree_on_any_bytes(fast: ModuleType, data: bytes, wanted: tuple[bytes, ...]) -> None:
    text = data.decode("latin-1").encode()
    call = [(text, 1, 99), (data, 2, 99)], wanted, (1.0,) * len(wanted), 99, 99, terms_of_run
    assert fast.excerpts(*call) == reference.excerpts(*call)


def test_a_run_with_many_terms_counts_each_of_them_on_each_line(twin: ModuleType) -> None:
    run = b"alpha_bravo_charlie_delta_echo_foxtrot_golf_hotel_india_juliet"
    wanted = terms_of_run(run)
    text = b"\n".join([run] * 3)
    found = twin.excerpts([(text, 1, 3)], wanted, (1.0,) * len(wanted), 9, 99, terms_of_run)
    assert found == [(text.decode(), [1, 2, 3], [run.decode()])]


def test_lines_far_down_a_long_text_are_found(twin: ModuleType) -> None:
    text = b"".join(b"line %d\n" % number for number in range(1, 3000))
    found = twin.excerpts([(text, 2000, 2002)], (b"2001",), (1.0,), 9, 99, terms_of_run)
    assert found == [("line 2000\nline 2001\nline 2002", [2001], ["2001"])]


@pytest.mark.parametrize(
    ("first", "wanted", "weights", "problem"),
    [
        (0, (), (), "count from 1"),
        (1, (b"a",), (), "each with a weight"),
        (1, (b"a",) * 65, (1.0,) * 65, "at most 64"),
        (1, (b"",), (1.0,), "empty|at most 64"),
    ],
)
def test_terms_and_lines_that_cannot_be_are_refused(
    twin: ModuleType, first: int, wanted: tuple[bytes, ...], weights: tuple[float, ...], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        twin.excerpts([(b"a", first, 1)], wanted, weights, 9, 9, terms_of_run)
