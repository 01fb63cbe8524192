"""What the captures of a language's queries mean, as numbers, for the compiled kernel that pairs them.

In: the names that a query captures. Out: `Roles`. The same meaning is spelled out in `greppy.analysis.structure` and
`greppy.analysis.pairing`, whose Python is the kernel's twin.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from greppy.analysis.cutting import FILE, SCOPES
from greppy.analysis.pairing import CALLS, FUNCTION_KINDS, MINOR_KINDS, TYPE_KINDS, rank_of

APART = {"comment": 8, "docstring": 9, "attribute": 10, "import": 11}
"""Captures that are no part of a definition, with the numbers that follow those of `pairing.rank_of`."""

IS_TYPE, IS_FUNCTION, IS_MINOR, IS_SCOPE = 1, 2, 4, 8

_NO_KIND, _CALL, _FUNCTION, _IMPORT, _METHOD = "", "call", "function", "import", "method"
_SPECIAL = (_NO_KIND, _CALL, FILE, _FUNCTION, _IMPORT, _METHOD)


class Roles(NamedTuple):
    """`kinds` in the order of the alphabet, `traits` a byte for each; what else is a kind is an ordinal of them.

    `captures` gives for each name its rank and the kind that it makes; `calls` the kind that a keyword makes;
    `special` the ordinals of no kind, call, code, function, import and method.
    """

    kinds: tuple[str, ...]
    traits: bytes
    captures: dict[str, tuple[int, int]]
    calls: dict[bytes, int]
    special: tuple[int, int, int, int, int, int]


@cache
def roles_of(language: str, captures: tuple[str, ...]) -> Roles:
    """The roles of a language whose query has these captures."""
    made = {name: name.removeprefix("definition.") for name in captures}
    calls = CALLS.get(language, {})
    kinds = tuple(sorted({*made.values(), *calls.values(), *_SPECIAL}))
    ordinal = {kind: at for at, kind in enumerate(kinds)}
    none, call, code, function, imports, method = (ordinal[kind] for kind in _SPECIAL)
    return Roles(
        kinds,
        bytes(map(_traits, kinds)),
        {name: (APART[name] if name in APART else rank_of(name), ordinal[kind]) for name, kind in made.items()},
        {keyword: ordinal[kind] for keyword, kind in calls.items()},
        (none, call, code, function, imports, method),
    )


def _traits(kind: str) -> int:
    return (
        IS_TYPE * (kind in TYPE_KINDS)
        | IS_FUNCTION * (kind in FUNCTION_KINDS)
        | IS_MINOR * (kind in MINOR_KINDS)
        | IS_SCOPE * (kind in SCOPES)
    )
