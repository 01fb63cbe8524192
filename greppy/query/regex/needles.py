"""A pattern's tree → literal strings of which every match holds at least one: what is looked for before anything else.

In: a tree. Out: the strings, as long as can be had; none where the pattern promises nothing. With `fold` they are lower
case and count in either case of their ASCII letters.
"""

from __future__ import annotations

from greppy.query.regex.tree import Alternate, Class, Concat, Literal, Repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.query.regex.tree import Node

MOST = 32
"""Strings that are looked for at once."""

# Letters that have three cases in Unicode, or for the C library, and the third ones.
_FOREIGN = {b"k": b"\xe2\x84\xaa", b"s": b"\xc5\xbf", b"i": b"\xc4\xb1"}


class Needles:
    """Any of `texts` must stand in a file that has a match; no texts: any file may have one."""

    __slots__ = ("fold", "texts")

    def __init__(self, texts: tuple[bytes, ...], fold: bool) -> None:
        self.texts = texts
        self.fold = fold

    def __repr__(self) -> str:
        return f"Needles({self.texts!r}, {self.fold})"


NOTHING_KNOWN = Needles((), False)


def needles_of(node: Node, single_bytes: bool = False) -> Needles:
    """The needles of a tree, of one of bytes with `single_bytes`."""
    return _best(_candidates(node, "latin-1" if single_bytes else "utf-8"))


def texts_of(node: Node) -> Needles | None:
    """The texts that a pattern is nothing but a choice of, if so: then every line with one of them matches."""
    if isinstance(node, Alternate):
        parts = [texts_of(part) for part in node.parts]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts) or len({part.fold for part in found}) > 1:
            return None
        texts = tuple(dict.fromkeys(text for part in found for text in part.texts))
        return Needles(texts, found[0].fold) if len(texts) <= MOST else None
    parts_of = _flat(node) if isinstance(node, Concat) else [node]
    chars = [part for part in parts_of if isinstance(part, Literal) and part.char != "\n"]
    folds = {part.fold for part in chars}
    if not chars or len(chars) < len(parts_of) or len(folds) > 1:
        return None
    text = "".join(part.char for part in chars)
    fold = folds == {True} and (not text.isascii() or any(map(str.isalpha, text)))
    if fold and not text.isascii():
        return None
    return Needles((text.encode().lower() if fold else text.encode(),), fold)


def either(needles: list[Needles]) -> Needles:
    """What holds for a file with a match of any of several patterns."""
    texts = tuple(dict.fromkeys(text for one in needles for text in one.texts))
    fold = any(one.fold for one in needles)
    if not all(one.texts for one in needles) or len(texts) > MOST:
        return NOTHING_KNOWN
    return Needles(texts, fold)


def _best(found: list[Needles]) -> Needles:
    return max(found, key=_worth, default=NOTHING_KNOWN)


def _worth(needles: Needles) -> tuple[int, int]:
    """The longer the shortest, the fewer files; the fewer texts, the faster."""
    return min(map(len, needles.texts), default=0), -len(needles.texts)


def _candidates(node: Node, encoding: str) -> list[Needles]:
    """Each of these holds for every match of `node`."""
    if isinstance(node, Concat):
        return _of_concat(node, encoding)
    if isinstance(node, Alternate):
        joined = either([_best(_candidates(part, encoding)) for part in node.parts])
        return [joined] if joined.texts else []
    if isinstance(node, Repeat):
        return _candidates(node.part, encoding) if node.least else []
    text = _text(node)
    return [_needles(text, isinstance(node, Literal) and node.fold, encoding)] if text else []


def _of_concat(node: Concat, encoding: str) -> list[Needles]:
    found: list[Needles] = []
    run: list[str] = []
    fold = False
    for part in _flat(node):
        text = _text(part)
        if text and len(run) < 256:
            run.append(text)
            fold = fold or (isinstance(part, Literal) and part.fold)
            continue
        found += [_needles("".join(run), fold, encoding)] if run else []
        run, fold = [], False
        found += _candidates(part, encoding)
    return found + ([_needles("".join(run), fold, encoding)] if run else [])


def _flat(node: Concat) -> list[Node]:
    parts: list[Node] = []
    for part in node.parts:
        parts += _flat(part) if isinstance(part, Concat) else [part]
    return parts


def _text(node: Node) -> str:
    """The one character that a node is, "" where it is more or may be another."""
    if isinstance(node, Literal):
        return "" if node.char == "\n" or (node.fold and not node.char.isascii()) else node.char
    if isinstance(node, Class) and not (node.negated or node.fold or node.properties) and len(node.ranges) == 1:
        low, high = node.ranges[0]
        return chr(low) if low == high != 10 and low < 0x80 else ""  # of a byte of a longer one nothing is promised
    return ""


def _needles(text: str, fold: bool, encoding: str) -> Needles:
    encoded = text.encode(encoding)
    return with_foreign(Needles((encoded.lower(),), True)) if fold else Needles((encoded,), False)


def with_foreign(needles: Needles) -> Needles:
    """Folded needles with the letters beyond ASCII that fold to k and s: a text may hold those instead."""
    if not needles.fold:
        return needles
    foreign = [other for letter, other in _FOREIGN.items() if any(letter in text for text in needles.texts)]
    return Needles((*needles.texts, *foreign), True)
