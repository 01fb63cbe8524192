"""A pattern's tree → one of bytes that finds every line in which the C library may find the pattern.

In: a tree. Out: a `Widened`. What a character beyond ASCII is, whether it is a letter, and which case it has, the C
library decides for git grep, by its own tables and also for bytes that are no UTF-8. So here anything beyond ASCII
counts as a match of whatever may match some of it; of the lines that are found so, those of ASCII alone are RE2's, the
others the C library's (`greppy.search.exact.posix`).
"""

from __future__ import annotations

from greppy.query.regex.tree import UNBOUNDED, Alternate, Any, Assertion, Class, Concat, Literal, Repeat, is_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.query.regex.tree import Node

_HIGH = (0x80, 0xFF)
_BEYOND = Repeat(Class([_HIGH], [], False, False), 1, UNBOUNDED, False)
_KIN = frozenset("iksIKS")
"""Letters that have a third case beyond ASCII, somewhere."""


class Widened:
    """`tree`, of bytes; `open`: whether it may find lines beyond ASCII that have no match; `exact`: of ASCII's lines it
    finds none that has no match; `foreign`: ASCII may match what is beyond, by a case in which the C library and RE2
    differ."""

    __slots__ = ("exact", "foreign", "open", "tree")

    def __init__(self, node: Node, posix: bool = True) -> None:
        """Bytes that are no UTF-8 are lone surrogates in `node`. Not `posix`: its sets may name any property."""
        self.exact = True
        self.foreign = False
        self.open = False
        self.tree = self._widened(node, posix)

    def _widened(self, node: Node, posix: bool) -> Node:
        if isinstance(node, Literal):
            return self._literal(node)
        if isinstance(node, Any):
            self.open = True
            return _set_of([code for code in range(0x80) if (code or node.nul) and (code != 10 or node.newline)], True)
        if isinstance(node, Class):
            return self._class(node, posix)
        if isinstance(node, Assertion):
            return self._place(node, ())
        if isinstance(node, Concat):
            parts = node.parts
            return Concat(
                [
                    self._place(part, (*parts[max(at - 1, 0) : at], *parts[at + 1 : at + 2]))
                    if isinstance(part, Assertion)
                    else self._widened(part, posix)
                    for at, part in enumerate(parts)
                ]
            )
        if isinstance(node, Alternate):
            return Alternate([self._widened(part, posix) for part in node.parts])
        return _repeated(node, self._widened(node.part, posix))

    def _literal(self, node: Literal) -> Node:
        if node.char.isascii():
            if not node.fold or node.char not in _KIN:
                return node
            self.open = True
            return Alternate([node, _BEYOND])
        if not node.fold:
            encoded = node.char.encode("utf-8", "surrogateescape")
            return Concat([Literal(chr(byte), False) for byte in encoded])
        self.open = self.foreign = True
        self.exact = False
        return _set_of(sorted(map(ord, _KIN)), True)

    def _class(self, node: Class, posix: bool) -> Node:
        named = {code for low, high in node.ranges for code in range(low, min(high, 0x7F) + 1)}
        beyond = any(high > 0x7F for _, high in node.ranges) or bool(node.properties)
        if node.fold:
            named |= {code ^ 0x20 for code in named if chr(code).isalpha()}
            if beyond:
                self.exact, self.foreign = False, True
                named = named - set(map(ord, _KIN)) if node.negated else named | set(map(ord, _KIN))
            beyond = beyond or any(chr(code) in _KIN for code in named)
        if node.properties and not posix:
            named = set() if node.negated else set(range(0x80))
            self.exact = False
        members = [code for code in range(0x80) if (code in named) != node.negated]
        self.open = self.open or beyond or node.negated
        return _set_of(members, beyond or node.negated)

    def _place(self, node: Assertion, beside: Sequence[Node]) -> Node:
        """Beside a word character of ASCII a boundary for the C library is one for RE2 too; elsewhere it may not be."""
        if node.text in "^$":
            return node
        self.open = True
        if node.text == r"\b" and any(is_word(each) and not Widened(each).open for each in beside):
            return node
        self.exact = False
        return Concat([])


def _set_of(members: Sequence[int], beyond: bool) -> Node:
    ascii_only = Class([(code, code) for code in members], [], False, False)
    return Alternate([ascii_only, _BEYOND]) if beyond else ascii_only


def _repeated(node: Repeat, part: Node) -> Node:
    """The same repeated; a set and all beyond ASCII as one set, where it makes no difference how many there are."""
    if node.most == UNBOUNDED and node.least <= 1 and isinstance(part, Alternate) and part.parts[-1] is _BEYOND:
        known = part.parts[0]
        if isinstance(known, Class):
            part = Class([*known.ranges, _HIGH], [], False, False)
    return Repeat(part, node.least, node.most, node.lazy)
