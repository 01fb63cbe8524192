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
    found = twin.excerpt(text, 2, 4, (b"session", b"user"), (2.0, 1.0), 9, 99, terms_of_run)
    assert found == (8, 36, [3, 4, 2], [b"user", b"session", b"user_id", b"Session"])
    assert text[8:36] == b"user\nsession user_id\nSession"


@pytest.mark.parametrize(
    ("first", "last", "begin", "end"),
    [(1, 1, 0, 1), (1, 3, 0, 4), (2, 9, 2, 4), (3, 3, 4, 4), (4, 9, 4, 4), (2, 1, 2, 2), (1, 0, 0, 0)],
)
def test_the_range_of_lines_is_clipped_to_the_text(
    twin: ModuleType, first: int, last: int, begin: int, end: int
) -> None:
    assert twin.excerpt(b"a\nb\n", first, last, (), (), 9, 9, terms_of_run)[:2] == (begin, end)


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
    call = "\n".join(lines).encode(), first, first + size - 1, wanted, weights, most, longest, terms_of_run
    assert fast.excerpt(*call) == reference.excerpt(*call)


@given(data=st.binary(max_size=300), wanted=terms)
def test_the_twins_agree_on_any_bytes(fast: ModuleType, data: bytes, wanted: tuple[bytes, ...]) -> None:
    text = data.decode("latin-1").encode()
    call = text, 1, 99, wanted, (1.0,) * len(wanted), 99, 99, terms_of_run
    assert fast.excerpt(*call) == reference.excerpt(*call)


def test_a_run_with_many_terms_counts_each_of_them_on_each_line(twin: ModuleType) -> None:
    run = b"alpha_bravo_charlie_delta_echo_foxtrot_golf_hotel_india_juliet"
    wanted = terms_of_run(run)
    found = twin.excerpt(b"\n".join([run] * 3), 1, 3, wanted, (1.0,) * len(wanted), 9, 99, terms_of_run)
    assert found == (0, 3 * len(run) + 2, [1, 2, 3], [run])


def test_lines_far_down_a_long_text_are_found(twin: ModuleType) -> None:
    text = b"".join(b"line %d\n" % number for number in range(1, 3000))
    begin, end, lines, _ = twin.excerpt(text, 2000, 2002, (b"2001",), (1.0,), 9, 99, terms_of_run)
    assert (text[begin:end], lines) == (b"line 2000\nline 2001\nline 2002", [2001])


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
        twin.excerpt(b"a", first, 1, wanted, weights, 9, 9, terms_of_run)
