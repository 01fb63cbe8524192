"""How sure a result is, by how far it leads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from greppy.search.confidence import confidence, rivals

scores = st.floats(1e-6, 1e6)


@given(st.lists(scores, min_size=1, max_size=30), scores)
def test_it_is_a_probability_that_falls_with_the_score(found: list[float], ideal: float) -> None:
    found = sorted(found, reverse=True)
    second, best = rivals(found, ideal)
    sure = [confidence(score, second if at == 0 else best, at == 0) for at, score in enumerate(found)]
    assert all(0 <= each <= 1 for each in sure)
    assert sure[1:] == sorted(sure[1:], reverse=True)


def test_a_lead_makes_sure_and_a_tie_does_not() -> None:
    def first(*found: float) -> float:
        return confidence(found[0], rivals(list(found), 10.0)[0], True)

    assert first(10, 1) > 0.95 > first(10, 8) > first(10, 10) > 0.3


def test_a_result_alone_is_measured_by_what_was_asked_for() -> None:
    assert confidence(9, rivals([9.0], 10.0)[0], True) > 0.8 > 0.2 > confidence(2, rivals([2.0], 10.0)[0], True)
