"""What a query wants to know, and what it is about."""

from __future__ import annotations

import pytest

from greppy.query.intent import suits
from greppy.query.plan import make_plan


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("where are sessions validated", "locate"),
        ("find the parser", "locate"),
        ("how does caching work", "explain"),
        ("why is the error swallowed", "explain"),
        ("impact of removing the cache", "impact"),
        ("what breaks without redis", "impact"),
        ("who calls save", "impact"),
        ("password policy", "policy-check"),
        ("gdpr compliance of logs", "policy-check"),
        ("connection error", "debug"),
        ("stack trace on login", "debug"),
        ("session store", "search"),
        ("", "search"),
    ],
)
def test_a_query_has_an_intent(query: str, intent: str) -> None:
    assert make_plan(query).intent == intent


@pytest.mark.parametrize(
    ("query", "domain"),
    [
        ("session store", "code"),
        ("license header check", "code"),
        ("termination of the agreement for breach", "legal"),
        ("which liability and warranty terms apply", "legal"),
        ("tutorial for beginners", "docs"),
        ("syslog log entries", "logs"),
    ],
)
def test_words_speak_of_a_domain(query: str, domain: str) -> None:
    plan = make_plan(query)
    assert (plan.domain, plan.fixed) == (domain, False)


def test_a_domain_that_is_asked_for_holds() -> None:
    assert (make_plan("session", "docs").domain, make_plan("session domain:logs", "docs").domain) == ("docs", "logs")
    assert make_plan("session", "docs").fixed


@pytest.mark.parametrize(
    ("intent", "line", "fits"),
    [
        ("locate", b"    def save(self):", True),
        ("locate", b"    save(self)", False),
        ("explain", b"  # because of", True),
        ("debug", b"raise ValueError", True),
        ("policy-check", b"Passwords must be long", True),
        ("impact", b"import os", True),
        ("search", b"def save(): # must raise", False),
    ],
)
def test_an_intent_prefers_lines_of_its_sort(intent: str, line: bytes, fits: bool) -> None:
    assert suits(intent, line) is fits
