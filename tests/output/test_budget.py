"""A budget is hard, and spent on the best results."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from greppy.output.budget import spend, tokens
from greppy.output.records import Detail
from greppy.search.result import Result


def printed(result: Result, detail: Detail) -> str:
    """A text as long as the score says, shorter with less detail."""
    size = int(result.score)
    return "b" * 20 if detail.bare else "x" * (size if detail.lines > 8 else 40 + size * detail.lines // 12)


@given(st.lists(st.integers(40, 4000), min_size=1, max_size=20), st.integers(20, 9000))
def test_texts_never_take_more_than_the_budget_and_something_is_always_printed(sizes: list[int], budget: int) -> None:
    results = [Result(b"%d" % at, 1, 1, float(size)) for at, size in enumerate(sizes)]
    texts = list(spend(results, printed, Detail(), budget))
    assert 1 <= len(texts) <= len(results)
    assert sum(map(len, texts)) <= budget


def test_where_all_fits_all_is_printed_in_full() -> None:
    results = [Result(b"a", 1, 1, 100.0), Result(b"b", 1, 1, 100.0)]
    assert [len(text) for text in spend(results, printed, Detail(), 10_000)] == [100, 100]


def test_the_first_does_not_take_everything() -> None:
    results = [Result(b"a", 1, 1, 2000.0), *(Result(b"b", 1, 1, 60.0) for _ in range(5))]
    assert len(list(spend(results, printed, Detail(), 1000))) == 6


def test_a_token_is_four_bytes_rounded_up() -> None:
    assert [tokens(size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]
