"""What else a query's words may be called: terms of the query in, weaker terms with where they come from out. Hot path.

Two sources: neighbouring words that code writes as one (`user name`, `userName`), and the lexicons of the domain. An
expansion is worth little beside what was asked for, and more where the project does not have the word at all; how much
is `greppy.search.weights`'s.
"""

from __future__ import annotations

from greppy.analysis.tokens import terms_of_run
from greppy.domains.lexicon import read_lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMPOUND = "compound"
MOST = 36
"""Expansions of a query, shared by its words: each is a look-up, and what is further back in a lexicon is further from
the word."""


def expansions(asked: Sequence[tuple[bytes, bytes]], lexicons: Sequence[str], more: Sequence[str] = ()) -> list[Found]:
    """(term, word, origin, place of the asked term, share) for what is not asked for already; the share is below 1 for
    a part of what only means something together. `asked` are (term, word) with "" for the word of a term that is a part
    of another."""
    known = {term for term, _ in asked}
    found: list[Found] = []
    share = max(2, MOST // max(1, sum(1 for _, word in asked if word)))
    lexicon = read_lexicon(lexicons, more) if lexicons else None
    for place, (term, word) in enumerate(asked):
        if not word:
            continue
        for new in [*_compounds(asked, place), *(_relatives(lexicon, term, place) if lexicon else ())][:share]:
            if new[0] not in known and len(found) < MOST:
                known.add(new[0])
                found.append(new)
    return found


def _compounds(asked: Sequence[tuple[bytes, bytes]], place: int) -> Iterator[Found]:
    """The word and the next one written as one."""
    word = asked[place][1]
    following = asked[place + 1][1] if place + 1 < len(asked) else b""
    if word.isascii() and following.isascii() and following and word.isalnum() and following.isalnum():
        for term in terms_of_run((word + following).lower())[:1]:
            yield term, (word + following).lower(), COMPOUND, place, 1.0


def _relatives(lexicon: Lexicon, term: bytes, place: int) -> Iterator[Found]:
    """The lexicon's words for a term; of one with several parts each part that says something."""
    for new, part, entry, share in lexicon.meanings(term):
        yield new, part, "lexicon:" + entry.decode("utf-8", "replace"), place, share


if TYPE_CHECKING:
    from greppy.domains.lexicon import Lexicon

    Found = tuple[bytes, bytes, str, int, float]
