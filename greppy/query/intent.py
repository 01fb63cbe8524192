"""What a query wants to know, and of which domain. Hot path.

In: the query's words in lower case, its terms. Out: names. An intent says what sort of line answers best; it never
hides anything.
"""

from __future__ import annotations

from greppy.domains import DOMAINS
from greppy.domains.code import CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

LOCATE, EXPLAIN, IMPACT, POLICY, DEBUG, SEARCH = "locate", "explain", "impact", "policy-check", "debug", "search"

_SIGNS: tuple[tuple[str, frozenset[bytes]], ...] = (
    (IMPACT, frozenset((b"impact", b"affect", b"affects", b"affected", b"breaks", b"depends", b"dependents"))),
    (
        POLICY,
        frozenset((b"policy", b"policies", b"compliance", b"compliant", b"allowed", b"permitted", b"prohibited")),
    ),
    (
        DEBUG,
        frozenset(
            b"error errors trace traceback stacktrace exception crash crashes crashing fails failing bug debug panic "
            b"segfault".split()
        ),
    ),
    (LOCATE, frozenset((b"where", b"find", b"locate", b"which"))),
    (EXPLAIN, frozenset((b"how", b"why", b"explain"))),
)
"""In the order in which they are looked for: what is asked about says more than the word that asks."""

_ASKING = (LOCATE, EXPLAIN)


def intent_of(words: list[bytes]) -> str:
    """The intent of a query with these words. A question that begins with `where` or `how` is one, whatever follows."""
    first = words[0] if words else b""
    for intent, signs in _SIGNS:
        if intent in _ASKING and first in signs:
            return intent
    for intent, signs in _SIGNS:
        if any(word in signs for word in words):
            return intent
    return IMPACT if b" ".join(words).startswith((b"what break", b"what uses", b"who uses", b"who calls")) else SEARCH


def domain_of_query(terms: Container[bytes], intent: str) -> str:
    """The domain that a query speaks of: the one with enough of its signs among the terms, else code."""
    for domain in DOMAINS.values():
        needed = domain.signs_needed - (intent == POLICY and domain.name == "legal")
        if domain.signs and sum(sign in terms for sign in domain.signs) >= needed:
            return domain.name
    return CODE.name


OPENINGS = tuple(
    word + b" "
    for word in (
        b"def async abstract class const constexpr enum export extern final fn fun func function impl inline interface "
        b"internal let local macro mod module namespace object open override package private protected protocol pub "
        b"public record static struct sub template trait type typedef union val var virtual void #define"
    ).split()
)
"""How a line begins that defines something, in one language or another."""

_COMMENTS = (b"#", b"//", b"/*", b"*", b"--", b'"""', b";;", b"<!--")
_USES = (b"import", b"require", b"include", b"use ", b"from ", b"(")
_RULES = (b"must", b"shall", b"may not", b"required", b"prohibit", b"allow", b"policy", b"forbid")
_FAULTS = (b"error", b"exception", b"raise", b"throw", b"panic", b"fatal", b"traceback", b"fail", b"abort")


def suits(intent: str, line: bytes) -> bool:
    """Whether a line is of the sort that an intent looks for: a definition, a comment, a use, a rule, a fault."""
    bare = line.strip()
    if intent == LOCATE:
        return bare.startswith(OPENINGS)
    if intent == EXPLAIN:
        return bare.startswith(_COMMENTS)
    signs = {IMPACT: _USES, POLICY: _RULES, DEBUG: _FAULTS}.get(intent, ())
    lowered = bare.lower()
    return any(sign in lowered for sign in signs)
