"""A query's text → its plan: which terms to look for, and what the query names or speaks of. Hot path.

In: the text as typed. Out: a `Plan`. Everything odd in a query is text: operators, quotes and brackets only separate
words. Words that carry no meaning in a question (`where`, `are`, `the`) are left out as long as others remain.
"""

from __future__ import annotations

from greppy import kernels
from greppy.analysis.tokens import terms_of_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_TERMS = 60
"""Terms of a plan: a mask of 64 bits tells which of them a chunk has. A query of 1,000 characters may have more
words."""

STOP_WORDS = frozenset(
    b"a about an and any anyone are as at be been being but by can could did do does done each for from get gets "
    b"give had has have how i if in into is it its let made make makes may me might must my no not of on onto or our "
    b"out over shall should so some such than that the their them then there these they this those to up us use used "
    b"uses using via was we were what when where which while who whom whose why will with within without would you "
    b"your".split()
)
"""English words of grammar, and the verbs that only carry a question (`does … use`, `get`, `make`)."""

_SPEAKS_OF = {
    "test": (b"test", b"spec", b"fixtur", b"mock"),
    "docs": (b"doc", b"document", b"readm", b"guid", b"tutori", b"changelog"),
    "example": (b"exampl", b"sampl", b"demo", b"benchmark", b"bench"),
}


class Term:
    """One term of a plan. `text` is the word it came from, `weight` what a match counts, `bit` its place in masks."""

    __slots__ = ("bit", "term", "text", "weight")

    def __init__(self, term: bytes, text: bytes, weight: float, bit: int) -> None:
        self.term = term
        self.text = text
        self.weight = weight
        self.bit = bit


class Plan:
    """What to look for.

    `words` are the query's words in lower case and in parts; `identifiers` the runs that look like names in code;
    `qualified` is the query written as a symbol (`Session.save` for `Session::save()`) when it is nothing but a name,
    else empty; `speaks_of` is a subset of test, docs, example.
    """

    __slots__ = ("identifiers", "qualified", "speaks_of", "terms", "words")

    def __init__(
        self,
        terms: Sequence[Term],
        words: Sequence[bytes],
        identifiers: Sequence[bytes],
        qualified: str,
        speaks_of: frozenset[str],
    ) -> None:
        self.terms = terms
        self.words = words
        self.identifiers = identifiers
        self.qualified = qualified
        self.speaks_of = speaks_of


def make_plan(query: str) -> Plan:
    """The plan for a query; without terms when there is no word in it."""
    runs = terms_of_text(query.encode("utf-8", "replace"))
    meaningful = [pair for pair in runs if pair[0].lower() not in STOP_WORDS] or runs
    terms: dict[bytes, Term] = {}
    words: dict[bytes, None] = {}
    for run, run_terms in meaningful:
        for part in kernels.split_identifier(run) if run.isascii() else [run]:
            words[part] = None
        for term in run_terms:
            known = terms.get(term)
            if known is not None:
                known.weight += 1.0
            elif len(terms) < MOST_TERMS:
                terms[term] = Term(term, run, 1.0, len(terms))
    qualified = _qualified(query, [run for run, _ in runs])
    identifiers = dict.fromkeys(run for run, _ in meaningful if looks_like_a_name(run))
    return Plan(list(terms.values()), list(words), list(identifiers), qualified, _subjects(terms))


def _qualified(query: str, runs: Sequence[bytes]) -> str:
    """The query as a qualified name when it is nothing but one, else empty."""
    return "" if len(query.split()) != 1 else b".".join(runs).decode("utf-8", "replace")


def looks_like_a_name(run: bytes) -> bool:
    """Whether a run is written as only names in code are: several parts, or a capital inside."""
    return b"_" in run.strip(b"_") or len(kernels.split_identifier(run)) > 1


def _subjects(terms: dict[bytes, Term]) -> frozenset[str]:
    return frozenset(subject for subject, stems in _SPEAKS_OF.items() if any(stem in terms for stem in stems))
