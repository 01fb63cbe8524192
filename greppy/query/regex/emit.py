"""A pattern's tree → what RE2 is given.

In: a tree, and whether RE2 will read UTF-8 or single bytes. Out: RE2's syntax with every choice spelled out, so that
what RE2 does depends on nothing but the tree: no captures, `^` and `$` at every line, case by `(?i:…)`.

For single bytes the tree is that of the pattern's bytes, each of them a character up to U+00FF; only ASCII letters have
two cases there, as in the C locale, so sets are worked out here.
"""

from __future__ import annotations

from greppy.query.regex.classes import LAST
from greppy.query.regex.tree import UNBOUNDED, Alternate, Any, Assertion, Class, Concat, Literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from greppy.query.regex.tree import Node, Range

_NOTHING = {False: r"[^\x00-\x{10FFFF}]", True: r"[^\x00-\xFF]"}


def emit(node: Node, single_bytes: bool = False) -> bytes:
    """RE2's text for `node`."""
    return ("(?m)" + _emit(node, single_bytes)).encode("ascii")


def _emit(node: Node, single_bytes: bool) -> str:
    if isinstance(node, Literal):
        fold = node.fold and not (single_bytes and not node.char.isascii())
        has_cases = fold and (node.char.isalpha() or not node.char.isascii())
        return f"(?i:{_char(ord(node.char))})" if has_cases else _char(ord(node.char))
    if isinstance(node, Any):
        return "(?s:.)" if node.newline else "." if node.nul else r"[^\x00\n]"
    if isinstance(node, Class):
        return _class(node, single_bytes)
    if isinstance(node, Assertion):
        return node.text
    if isinstance(node, Concat):
        return "".join(_inside(part, single_bytes) for part in node.parts)
    if isinstance(node, Alternate):
        return "|".join(_emit(part, single_bytes) for part in node.parts)
    most = "" if node.most == UNBOUNDED else str(node.most)
    return f"(?:{_emit(node.part, single_bytes)}){{{node.least},{most}}}" + ("?" if node.lazy else "")


def _inside(node: Node, single_bytes: bool) -> str:
    text = _emit(node, single_bytes)
    return f"(?:{text})" if isinstance(node, Alternate) else text


def _char(code: int) -> str:
    char = chr(code)
    return char if char.isascii() and (char.isalnum() or char in "_ ") else f"\\x{{{code:X}}}"


def _class(node: Class, single_bytes: bool) -> str:
    if single_bytes and not node.properties:
        return _byte_class(node)
    last = 0xFF if single_bytes else LAST
    ranges = "".join(f"{_char(low)}-{_char(min(high, last))}" for low, high in node.ranges if low <= last)
    if not ranges and not node.properties:
        return "(?s:.)" if node.negated else _NOTHING[single_bytes]
    text = f"[{'^' if node.negated else ''}{ranges}{''.join(node.properties)}]"
    return f"(?i:{text})" if node.fold else text


def _byte_class(node: Class) -> str:
    members = {code for low, high in node.ranges for code in range(low, min(high, 0xFF) + 1)}
    if node.fold:
        members |= {code ^ 0x20 for code in members if code < 0x80 and chr(code).isalpha()}
    if node.negated:
        members = set(range(0x100)) - members
    return (
        "[" + "".join(f"{_char(low)}-{_char(high)}" for low, high in _runs(sorted(members))) + "]"
        if members
        else _NOTHING[True]
    )


def _runs(codes: Iterable[int]) -> list[Range]:
    found: list[Range] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found
