"""What a query becomes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.query.plan import MOST_TERMS, Plan, make_plan


def canonical(plan: Plan) -> str:
    """The plan on one line: terms with their weights, then what it names and speaks of."""
    terms = " ".join(f"{term.term.decode()}^{term.weight:g}" for term in plan.terms)
    names = " ".join(name.decode() for name in plan.identifiers)
    return f"{terms} | {names} | {plan.qualified} | {' '.join(sorted(plan.speaks_of))}"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("where are sessions validated", "session^1 valid^1 |  |  | "),
        ("SessionMiddleware", "sessionmiddlewar^1 session^1 middlewar^1 | SessionMiddleware | SessionMiddleware | "),
        ("session_key", "sessionkei^1 session^1 kei^1 | session_key | session_key | "),
        ("Session::save()", "session^1 save^1 |  | Session.save | "),
        ("how does load_config work", "loadconfig^1 load^1 config^1 work^1 | load_config |  | "),
        ("test test tests", "test^3 |  |  | test"),
        ("the", "the^1 |  | the | "),
        ("to be or not", "to^1 be^1 or^1 not^1 |  |  | "),
        ("documentation of the examples", "document^1 exampl^1 |  |  | docs example"),
        ("sha256 utf8", "sha256^1 sha^1 256^1 utf8^1 utf^1 |  |  | "),
        ("Größe 東京都", "grösse^1 東京^1 京都^1 |  |  | "),
        ("C++", "c^1 |  | C | "),
        ("", " |  |  | "),
        ("?!*", " |  |  | "),
        ('"quoted" AND (grouped) -minus', "quot^1 group^1 |  |  | "),
    ],
)
def test_a_query_becomes_its_plan(query: str, expected: str) -> None:
    assert canonical(make_plan(query)) == expected


@given(st.text(max_size=1000))
def test_any_text_has_a_plan_within_bounds(query: str) -> None:
    plan = make_plan(query)
    assert len(plan.terms) <= MOST_TERMS
    assert [term.bit for term in plan.terms] == list(range(len(plan.terms)))
    assert all(1 <= len(term.term) <= 255 and term.weight >= 1 for term in plan.terms)
