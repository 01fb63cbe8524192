"""A query's text → its plan: read → normalise → intent → domain → expansion. Hot path.

In: the text as typed. Out: a `Plan`, the same for the same text and lexicons. `make_plan` is everything up to the
domain, `expanded` adds the weaker terms; `greppy.output.plan` prints both. Words that carry no meaning in a question
(`where`, `are`, `the`) are left out as long as others remain.
"""

from __future__ import annotations

from greppy import kernels
from greppy.analysis.tokens import terms_of_text
from greppy.domains import AUTO, DOMAINS
from greppy.query.expansion import expansions
from greppy.query.intent import domain_of_query, intent_of
from greppy.query.reading import read_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.query.reading import Filters

MOST_TERMS = 60
"""Terms of a plan: a mask of 64 bits tells which of them a chunk has. A query of 1,000 characters may have more
words."""

EXPANSION = 0.5
"""The weight of an expansion beside a word that was asked for, whose idf it cannot exceed (dev: +.017 on questions that
do not name a file, no change on the others; flat from .4 to .8)."""

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
    """One term of a plan.

    `text` is the word it came from, `weight` what a match counts, `bit` its place in masks. `origin` says where it came
    from: word, identifier (all of one), part (of one), compound, or lexicon:ENTRY; `parent` is for an expansion the bit
    of the term that it stands for, else its own.
    """

    __slots__ = ("bit", "origin", "parent", "term", "text", "weight")

    def __init__(
        self, term: bytes, text: bytes, weight: float, bit: int, origin: str = "word", parent: int = -1
    ) -> None:
        self.term = term
        self.text = text
        self.weight = weight
        self.bit = bit
        self.origin = origin
        self.parent = bit if parent < 0 else parent


class Plan:
    """What to look for, and how.

    `terms` are those asked for, `asked` of them, then the expansions. `words` are the query's words in lower case and
    in parts; `identifiers` the runs that look like names in code; `qualified` is the query written as a symbol
    (`Session.save` for `Session::save()`) when it is nothing but a name, else empty; `speaks_of` is a subset of test,
    docs, example. `phrases` must stand in a result, `excluded` must not, `filters` hold for its file and chunk.
    `domain` is the one asked for, or, if it is not `fixed`, the one that the words speak of.
    """

    __slots__ = (
        "asked",
        "domain",
        "excluded",
        "filters",
        "fixed",
        "identifiers",
        "intent",
        "phrases",
        "qualified",
        "query",
        "speaks_of",
        "terms",
        "words",
    )

    query: str
    terms: Sequence[Term]
    asked: int
    words: Sequence[bytes]
    identifiers: Sequence[bytes]
    qualified: str
    speaks_of: frozenset[str]
    phrases: Sequence[str]
    excluded: Sequence[str]
    filters: Filters
    intent: str
    domain: str
    fixed: bool


def make_plan(query: str, domain: str = AUTO, filters: Filters | None = None) -> Plan:
    """The plan for a query, without expansions; without terms when there is no word in it. `domain` (a name of
    `DOMAINS`, or auto) counts where the query itself names none; `filters` are further ones."""
    plan = Plan()
    reading = read_query(query)
    plan.query, plan.phrases, plan.excluded, plan.filters = query, reading.phrases, reading.excluded, reading.filters
    if filters:
        plan.filters = plan.filters.joined(filters)
    runs = terms_of_text(reading.text.encode("utf-8", "replace"))
    meaningful = [pair for pair in runs if pair[0].lower() not in STOP_WORDS] or runs
    terms = _terms(meaningful)
    plan.terms, plan.asked = list(terms.values()), len(terms)
    plan.words = _words([run for run, _ in meaningful])
    plan.identifiers = list(dict.fromkeys(run for run, _ in meaningful if looks_like_a_name(run)))
    plan.qualified = _qualified(reading.text, [run for run, _ in runs])
    plan.speaks_of = frozenset(subject for subject, stems in _SPEAKS_OF.items() if any(stem in terms for stem in stems))
    plan.intent = intent_of([run.lower() for run, _ in runs])
    wanted = plan.filters.one("domain") or domain
    plan.fixed = wanted != AUTO
    plan.domain = wanted if plan.fixed else domain_of_query(terms, plan.intent)
    return plan


def _terms(runs: Sequence[tuple[bytes, tuple[bytes, ...]]]) -> dict[bytes, Term]:
    terms: dict[bytes, Term] = {}
    for run, run_terms in runs:
        for place, term in enumerate(run_terms):
            known = terms.get(term)
            if known is not None:
                known.weight += 1.0
            elif len(terms) < MOST_TERMS:
                origin = "word" if len(run_terms) == 1 else "part" if place else "identifier"
                terms[term] = Term(term, run, 1.0, len(terms), origin)
    return terms


def expanded(plan: Plan, lexicon: Sequence[str] = ()) -> Plan:
    """The plan with what its words may be called otherwise; `lexicon` are lines of the user's own."""
    if plan.qualified and not plan.qualified.islower():
        return plan  # a name in code is asked for as it is written
    lexicons = dict.fromkeys((*DOMAINS[plan.domain].lexicons, *(() if plan.fixed else ("code",))))
    asked = [(term.term, b"" if term.origin == "part" else term.text) for term in plan.terms]
    terms = list(plan.terms)
    for term, text, origin, parent, share in expansions(asked, list(lexicons), lexicon):
        if len(terms) < MOST_TERMS:
            weight = EXPANSION * share * plan.terms[parent].weight
            terms.append(Term(term, text, weight, len(terms), origin, parent))
    return with_terms(plan, terms)


def without_phrases(plan: Plan) -> Plan:
    """The same plan without its phrases, whose words stay."""
    other = with_terms(plan, plan.terms)
    other.phrases = ()
    return other


def with_terms(plan: Plan, terms: Sequence[Term]) -> Plan:
    """The same plan with other terms; as many as before are asked for."""
    other = Plan()
    for name in Plan.__slots__:
        setattr(other, name, getattr(plan, name))
    other.terms = terms
    return other


def _words(runs: Sequence[bytes]) -> list[bytes]:
    words: dict[bytes, None] = {}
    for run in runs:
        words.update(dict.fromkeys(kernels.split_identifier(run) if run.isascii() else [run]))
    return list(words)


def _qualified(text: str, runs: Sequence[bytes]) -> str:
    """The query as a qualified name when it is nothing but one, else empty."""
    return "" if len(text.split()) != 1 else b".".join(runs).decode("utf-8", "replace")


def looks_like_a_name(run: bytes) -> bool:
    """Whether a run is written as only names in code are: several parts, or a capital inside."""
    return b"_" in run.strip(b"_") or len(kernels.split_identifier(run)) > 1
