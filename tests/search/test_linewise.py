"""Text mode against its formula, written down as simply as it can be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greppy.analysis.tokens import terms_of_text
from greppy.query.plan import expanded, make_plan
from greppy.search import weights
from greppy.search.linewise import search_lines

if TYPE_CHECKING:
    from tests.projects import Searched

WORDS = ("session", "sessions", "token", "user_name", "userName", "jwt", "zebra", "Größe", "login", "x")


def naive(query: str, line: str) -> float:
    """The share of the query's terms that a line has; a related word counts half for its term."""
    plan = expanded(make_plan(query))
    found = {term for _, terms in terms_of_text(line.encode()) for term in terms}
    worth = total = 0.0
    for term in plan.terms[: plan.asked]:
        related = any(other.parent == term.bit and other.term in found for other in plan.terms[plan.asked :])
        worth += term.weight * (1 if term.term in found else weights.LINE_RELATED if related else 0)
        total += term.weight
    return worth / total


@given(
    lines=st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), min_size=1, max_size=8),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_a_line_has_the_share_of_the_terms_that_it_holds(project: Searched, lines: list[str], query: str) -> None:
    spread = "\n\n\n\n\n\n".join(lines)
    project.write({"a.txt": spread})
    found = search_lines(project.request(query), project.config, 100)
    shares = {result.start_line: result.breakdown["terms"] / weights.LINE_TERMS for result in found.results}
    expected = {number: naive(query, line) for number, line in enumerate(spread.split("\n"), 1) if naive(query, line)}
    best = sorted(expected.items(), key=lambda item: (-item[1], item[0]))[:5]
    assert sorted(shares.values(), reverse=True) == pytest.approx([share for _, share in best])
    assert {line: pytest.approx(share) for line, share in shares.items()} == {n: expected[n] for n in shares}


def test_the_path_the_domain_and_the_intent_add_to_it(project: Searched) -> None:
    project.write({"src/session.py": "def session(): pass\n", "b.py": "# a session\n", "c.md": "session\n"})
    found = search_lines(project.request("where is session"), project.config, 9).results
    assert [os.fsdecode(result.path) for result in found] == ["src/session.py", "b.py", "c.md"]
    assert found[0].score == pytest.approx(1.0)
    assert found[1].breakdown == pytest.approx({"terms": 0.6, "path": 0.0, "domain": 0.1, "intent": 0.0})
    assert found[2].breakdown["domain"] == 0


def test_lines_near_a_better_one_are_left_to_it(project: Searched) -> None:
    project.write({"a.txt": "zebra\nzebra okapi\nzebra\n" + "\n" * 9 + "zebra\n"})
    found = search_lines(project.request("zebra okapi"), project.config, 9).results
    assert [result.start_line for result in found] == [2, 13]


def test_ignored_and_binary_files_are_left_out(project: Searched) -> None:
    project.write({".gitignore": "b.txt\n", "a.txt": "zebra", "b.txt": "zebra", "c.bin": b"zebra\0"})
    assert [r.path for r in search_lines(project.request("zebra"), project.config, 9).results] == [b"a.txt"]
