"""Which lines of a hit matter: looking only at those that may have a term changes nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.tokens import terms_of_text
from greppy.query.plan import expanded, make_plan
from greppy.search.excerpt import Matcher, cut

WORDS = (
    "session",
    "Sessions",
    "user_name",
    "userName",
    "hoping",
    "policies",
    "keys",
    "x",
    "Größe",
    "\u017fession",
    "日本語",
    "-",
)
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=1, max_size=12)


@given(lines=LINES, query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join))
def test_the_lines_with_a_term_are_those_that_have_one(lines: list[str], query: str) -> None:
    plan = expanded(make_plan(query))
    wanted = {term.term for term in plan.terms}
    (excerpt,) = cut([("\n".join(lines).encode(), 1, len(lines))], Matcher(plan, [1.0] * len(plan.terms)))
    expected = {
        number
        for number, line in enumerate(lines, 1)
        if any(wanted.intersection(terms) for _, terms in terms_of_text(line.encode()))
    }
    assert set(excerpt.matched_lines) == expected
    assert excerpt.content == "\n".join(lines)


def test_a_line_with_more_of_the_terms_comes_first() -> None:
    plan = make_plan("session token")
    lines = [b"token", b"", b"session token", b"session session"]
    assert cut([(b"\n".join(lines), 1, 4)], Matcher(plan, [1.0, 2.0]))[0].matched_lines == [3, 1, 4]


def test_lines_beyond_the_hit_are_not_looked_at() -> None:
    plan = make_plan("token")
    assert cut([(b"token\ntoken\ntoken", 2, 2)], Matcher(plan, [1.0]))[0].matched_lines == [2]
