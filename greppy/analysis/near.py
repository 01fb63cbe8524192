"""Where in a text a language's query can match at all, so that the rest of the tree need not be walked.

In: a language and its grammar. Out: a `Near` for `kernels.captures_near`, for the languages of `_PLACES`; others are
queried as a whole. A query visits every node of a tree, which costs a third of parsing; in Python nine nodes of ten
are in statements that define nothing and have no comment.

What is said here must be true of the query file and the grammar: that every match begins with a node that holds one of
the needles, or with the root. `tests/analysis/test_near.py` compares with the whole query.
"""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Language

_WALK, _SHALLOW, _ALONE, _IGNORE, _NUMBER = 1, 2, 4, 8, 4


class Near(NamedTuple):
    """`actions` has a byte for each kind of node that holds a needle: query it; walk through its children; query what
    begins with itself; take it as the capture `names[n]`; or ignore it.

    `anywhere` are needles that count wherever they stand, `leading` those that count where a statement may begin.
    Needles of letters are whole words.
    """

    actions: bytes
    names: tuple[str, ...]
    anywhere: tuple[bytes, ...]
    leading: tuple[bytes, ...]


class _Places(NamedTuple):
    """Kinds of nodes as words in strings: walked through; with patterns of their own; and what is captured alone."""

    walked: str
    roots: str
    alone: dict[str, str]
    anywhere: tuple[bytes, ...]
    leading: tuple[bytes, ...]


_PLACES: dict[str, _Places] = {
    "python": _Places(
        walked="block case_clause class_definition decorated_definition elif_clause else_clause except_clause "
        "except_group_clause finally_clause for_statement function_definition if_statement match_statement module "
        "try_statement while_statement with_statement",
        roots="class_definition function_definition",
        alone={
            "comment": "comment",
            "decorated_definition": "outer",
            "future_import_statement": "import",
            "import_from_statement": "import",
            "import_statement": "import",
        },
        anywhere=(b"#", b"lambda"),
        leading=(b"async", b"class", b"def", b"from", b"import", b"type"),
    ),
}


def near_of(language: str, grammar: Language) -> Near | None:
    """Where the query of a language can match; None when nothing is known about that."""
    places = _PLACES.get(language)
    if places is None:
        return None
    names = tuple(sorted(set(places.alone.values())))
    walked, roots = places.walked.split(), places.roots.split()
    actions = bytearray(grammar.node_kind_count)
    for number in range(len(actions)):
        kind = grammar.node_kind_for_id(number)
        if not grammar.node_kind_is_named(number) or kind is None:
            actions[number] = _IGNORE
            continue
        actions[number] = _WALK * (kind in walked) | _SHALLOW * (kind in roots)
        if kind in places.alone:
            actions[number] |= _ALONE | names.index(places.alone[kind]) << _NUMBER
    return Near(bytes(actions), names, places.anywhere, places.leading)
