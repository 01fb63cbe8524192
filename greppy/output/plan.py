"""A plan, for people and as JSON: the canonical form that tests compare. Cold path.

In: a `Plan`. Out: lines such as::

    query    where is auth checked path:src
    intent   locate
    domain   code (by its words)
    terms    auth^1 check^1
    related  authent^0.5 <- auth (lexicon:auth), login^0.5 <- auth (lexicon:auth)
    filters  path:src

or plain values for `json_text`. Terms are stemmed, as they stand in an index; `^` is a term's weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from greppy.log import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.query.plan import Plan, Term


def plan_lines(plan: Plan) -> str:
    """The plan for people; what it has none of is left out."""
    by_bit = {term.bit: term for term in plan.terms}
    rows = [
        ("query", plan.query),
        ("intent", plan.intent),
        ("domain", f"{plan.domain} ({'asked for' if plan.fixed else 'by its words'})"),
        ("terms", " ".join(_weighted(term) + _part(term) for term in plan.terms[: plan.asked])),
        ("related", ", ".join(_related(term, by_bit[term.parent]) for term in plan.terms[plan.asked :])),
        ("name", plan.qualified),
        ("phrases", _quoted(plan.phrases)),
        ("without", _quoted(plan.excluded)),
        ("filters", " ".join(_filters(plan))),
        ("speaks of", " ".join(sorted(plan.speaks_of))),
    ]
    return "".join(f"{name:<10} {printable(text)}\n" for name, text in rows if text)


def _weighted(term: Term) -> str:
    return f"{term.term.decode('utf-8', 'replace')}^{term.weight:g}"


def _part(term: Term) -> str:
    return f" ({term.origin} {term.text.decode('utf-8', 'replace')})" if term.origin != "word" else ""


def _related(term: Term, parent: Term) -> str:
    return f"{_weighted(term)} <- {parent.term.decode('utf-8', 'replace')} ({term.origin})"


def _quoted(texts: Sequence[str]) -> str:
    return " ".join(f'"{text}"' for text in texts)


def _filters(plan: Plan) -> list[str]:
    found = [f"{key}:{value}" for key, values in sorted(plan.filters.values.items()) for value in values]
    return found + [f"-{key}:{value}" for key, values in sorted(plan.filters.not_.items()) for value in values]


def plan_values(plan: Plan) -> dict[str, object]:
    """The plan for JSON."""
    return {
        "query": plan.query,
        "intent": plan.intent,
        "domain": plan.domain,
        "domain_given": plan.fixed,
        "terms": [_term_values(term, plan) for term in plan.terms],
        "name": plan.qualified,
        "phrases": list(plan.phrases),
        "excluded": list(plan.excluded),
        "filters": {key: list(values) for key, values in sorted(plan.filters.values.items())},
        "excluding": {key: list(values) for key, values in sorted(plan.filters.not_.items())},
        "speaks_of": sorted(plan.speaks_of),
    }


def _term_values(term: Term, plan: Plan) -> dict[str, object]:
    values: dict[str, object] = {
        "term": term.term.decode("utf-8", "replace"),
        "word": term.text.decode("utf-8", "replace"),
        "weight": term.weight,
        "from": term.origin,
    }
    if term.parent != term.bit:
        values["for"] = plan.terms[term.parent].term.decode("utf-8", "replace")
    return values
