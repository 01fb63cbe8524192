"""The parts of a parsed pattern.

In: nothing. Out: the node classes that `syntax` makes, and that `emit` (for RE2) and `required` (for the trigram index)
read. Slotted classes: `greppy grep` makes them on the way to its first line.
"""

from __future__ import annotations

from greppy.query.regex.classes import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Range = tuple[int, int]
    Node: TypeAlias = "Literal | Any | Class | Assertion | Concat | Alternate | Repeat"

UNBOUNDED = -1


class Literal:
    """One character. `fold`: in either case."""

    __slots__ = ("char", "fold")

    def __init__(self, char: str, fold: bool) -> None:
        self.char = char
        self.fold = fold


class Any:
    """`.`: any character of a line but NUL; with `nul` that too, with `newline` also the end of the line."""

    __slots__ = ("newline", "nul")

    def __init__(self, newline: bool, nul: bool) -> None:
        self.newline = newline
        self.nul = nul


class Class:
    """One character of a set: `ranges` of code points, `properties` as RE2 writes them (`\\pL`), or, `negated`, any
    other character."""

    __slots__ = ("fold", "negated", "properties", "ranges")

    def __init__(self, ranges: Sequence[Range], properties: Sequence[str], negated: bool, fold: bool) -> None:
        self.ranges = ranges
        self.properties = properties
        self.negated = negated
        self.fold = fold


class Assertion:
    """A place, as RE2 writes it: `^`, `$`, `\\b` or `\\B`."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Concat:
    """All of `parts`, one after the other; none at all match the empty string."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Node]) -> None:
        self.parts = parts


class Alternate:
    """One of `parts`, the first wanted most."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Node]) -> None:
        self.parts = parts


class Repeat:
    """`part`, `least` to `most` times (`UNBOUNDED`: without end), rather few than many when `lazy`."""

    __slots__ = ("lazy", "least", "most", "part")

    def __init__(self, part: Node, least: int, most: int, lazy: bool) -> None:
        self.part = part
        self.least = least
        self.most = most
        self.lazy = lazy


def is_word(node: Node) -> bool:
    """Whether every match of `node` in ASCII begins and ends with a word character."""
    if isinstance(node, Literal):
        return any(low <= ord(node.char) <= high for low, high in WORDS)
    if isinstance(node, Repeat):
        return node.least > 0 and is_word(node.part)
    if isinstance(node, Alternate):
        return all(map(is_word, node.parts))
    if isinstance(node, Concat):
        return bool(node.parts) and is_word(node.parts[0]) and is_word(node.parts[-1])
    if not isinstance(node, Class) or node.negated or node.properties or not node.ranges:
        return False
    return all(any(low <= start and end <= high for low, high in WORDS) for start, end in node.ranges)
