"""A pattern's tree → the trigrams that every file with a match holds.

In: a tree. Out: a `Formula`. The method is that of Russ Cox's "Regular Expression Matching with a Trigram Index"
(2012): for each part of the pattern the set of all strings that it matches while they are few, else the sets of their
beginnings and ends, and what is required already.

Case is followed as RE2 folds it. Letters beyond ASCII count as any character when case is ignored; so do sets of more
than a few characters.
"""

from __future__ import annotations

from greppy.query.regex.formula import ANY, NONE, all_of, any_of, of_literal
from greppy.query.regex.tree import UNBOUNDED, Alternate, Any, Assertion, Class, Concat, Literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from greppy.query.regex.formula import Formula
    from greppy.query.regex.tree import Node

    Strings = frozenset[bytes]

EXACT_LIMIT = 48
"""Strings that a part may match before only their ends are followed; holds three folded letters, k and s among them."""

ENDS_LIMIT = 64
"""Beginnings or ends that are followed at once."""

CLASS_LIMIT = 16
"""Characters of a set that are followed one by one."""

_EMPTY: Strings = frozenset((b"",))
# Folding of case leads from three ASCII letters out of ASCII: KELVIN SIGN and LATIN SMALL LETTER LONG S; for the C
# library LATIN SMALL LETTER DOTLESS I too.
_FOLDED = {letter: case for case in ("kK\u212a", "sS\u017f", "iI\u0131") for letter in case[:2]}


class _Info:
    """What is known of a part. `exact`, where not None, are all the strings that it matches; else every match begins
    with one of `prefix` and ends with one of `suffix`. `match` holds for every file with a match."""

    __slots__ = ("exact", "match", "prefix", "suffix")

    def __init__(self, exact: Strings | None, prefix: Strings, suffix: Strings, match: Formula) -> None:
        self.exact = exact
        self.prefix = prefix
        self.suffix = suffix
        self.match = match


def required(node: Node, single_bytes: bool = False) -> Formula:
    """What a file must hold to have a match of `node`. `single_bytes` as in `emit`."""
    info = _followed(_analyse(node, single_bytes))
    return all_of((info.match, _one_of(info.prefix), _one_of(info.suffix)))


def _analyse(node: Node, single_bytes: bool) -> _Info:
    if isinstance(node, Literal):
        return _literal(node, single_bytes)
    if isinstance(node, Any):
        return _anything()
    if isinstance(node, Class):
        return _class(node, single_bytes)
    if isinstance(node, Assertion):
        return _Info(_EMPTY, _EMPTY, _EMPTY, ANY)
    if isinstance(node, Concat):
        info = _Info(_EMPTY, _EMPTY, _EMPTY, ANY)
        for part in node.parts:
            info = _bounded(_concat(info, _analyse(part, single_bytes)))
        return info
    if isinstance(node, Alternate):
        return _alternate([_analyse(part, single_bytes) for part in node.parts])
    return _repeat(_analyse(node.part, single_bytes), node.least, node.most)


def _anything() -> _Info:
    return _Info(None, _EMPTY, _EMPTY, ANY)


def _exactly(strings: Iterable[bytes]) -> _Info:
    exact = frozenset(strings)
    return _Info(exact, exact, exact, ANY if exact else NONE)


def _literal(node: Literal, single_bytes: bool) -> _Info:
    encoding = "latin-1" if single_bytes else "utf-8"
    char = node.char
    if not node.fold or (single_bytes and not char.isascii()):
        return _exactly([char.encode(encoding)])
    if not char.isascii():
        return _anything()
    if single_bytes:
        return _exactly([char.lower().encode(), char.upper().encode()])
    return _exactly(each.encode() for each in _FOLDED.get(char, char.lower() + char.upper()))


def _class(node: Class, single_bytes: bool) -> _Info:
    size = sum(high - low + 1 for low, high in node.ranges)
    if node.negated or node.properties or size > CLASS_LIMIT:
        return _anything()
    chars = [chr(code) for low, high in node.ranges for code in range(low, high + 1)]
    if any(0xD800 <= ord(char) <= 0xDFFF for char in chars):
        return _anything()
    if not chars:
        return _exactly([])
    return _alternate([_literal(Literal(char, node.fold), single_bytes) for char in chars])


def _alternate(infos: list[_Info]) -> _Info:
    if all(info.exact is not None for info in infos):
        found = _exactly(frozenset().union(*(info.exact or () for info in infos)))
        return _bounded(found)
    infos = [_followed(info) for info in infos]
    prefix = frozenset().union(*(info.prefix for info in infos))
    suffix = frozenset().union(*(info.suffix for info in infos))
    match = any_of(all_of((info.match, _one_of(info.prefix), _one_of(info.suffix))) for info in infos)
    return _bounded(_Info(None, prefix, suffix, match))


def _repeat(info: _Info, least: int, most: int) -> _Info:
    if most == 0:
        return _exactly([b""])
    if least == 0:
        once = _alternate([_exactly([b""]), info])
        return once if most == 1 else _anything()
    if least == most and least <= 4:
        times = info
        for _ in range(least - 1):
            times = _bounded(_concat(times, info))
        return times
    if most != UNBOUNDED and most == 1:
        return info
    ends = _followed(info)
    return _Info(None, ends.prefix, ends.suffix, all_of((ends.match, _one_of(ends.prefix), _one_of(ends.suffix))))


def _concat(left: _Info, right: _Info) -> _Info:
    if left.exact is not None and right.exact is not None:
        return _exactly(_crossed(left.exact, right.exact))
    match = all_of((left.match, right.match))
    prefix = _crossed(left.exact, right.prefix) if left.exact is not None else left.prefix
    suffix = _crossed(left.suffix, right.exact) if right.exact is not None else right.suffix
    if left.exact is None and right.exact is None:
        match = all_of((match, _one_of(_crossed(left.suffix, right.prefix))))
    return _Info(None, prefix, suffix, match)


def _crossed(left: Strings, right: Strings) -> Strings:
    """Every string of one set followed by every one of the other; cut to what still says something when too many."""
    if len(left) * len(right) > 4 * EXACT_LIMIT * ENDS_LIMIT:
        return _EMPTY
    return frozenset(a + b for a in left for b in right)


def _bounded(info: _Info) -> _Info:
    """`info` with its sets cut to their limits; what they required goes into `match`."""
    if info.exact is not None:
        longest = max(map(len, info.exact), default=0)
        return info if len(info.exact) <= EXACT_LIMIT and longest <= 64 else _ends_only(_followed(info))
    return _ends_only(info)


def _followed(info: _Info) -> _Info:
    """`info` as one whose beginnings and ends alone are followed."""
    return info if info.exact is None else _Info(None, info.exact, info.exact, info.match)


def _ends_only(info: _Info) -> _Info:
    match = all_of((info.match, _one_of(info.prefix), _one_of(info.suffix)))
    return _Info(None, _cut(info.prefix, ends=False), _cut(info.suffix, ends=True), match)


def _cut(strings: Strings, ends: bool) -> Strings:
    """The last (`ends`) or first two bytes of each string, fewer where they would be too many."""
    for kept in (2, 1):
        found = frozenset((text[-kept:] if ends else text[:kept]) for text in strings)
        if len(found) <= ENDS_LIMIT:
            return found
    return _EMPTY


def _one_of(strings: Strings) -> Formula:
    """A file that may hold one of `strings`."""
    return any_of(map(of_literal, strings))
