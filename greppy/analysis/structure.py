"""The structure of source code: one query over one tree in, its definitions, comments and imports out.

A query file (`queries/LANGUAGE.scm`) captures, in any order of patterns:

- `@definition.KIND`, the node that is a definition; KIND is what users see (function, class, constant, …);
- `@name` inside it, `@body` where its head ends, `@receiver` what its name is to be qualified with (Go, Lua);
- `@outer`, a node that wraps one definition and belongs to it (decorators, `export`, `template <…>`);
- `@comment`, `@docstring`, `@import`, and `@attribute`, a node that stands before a definition and belongs to it.

Captures are paired by position, innermost definition first, which needs no walk over the tree in Python.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node, QueryCursor, Tree

from greppy.analysis.grammars import Grammar

TYPE_KINDS = frozenset(
    "class interface struct enum trait impl object protocol extension mixin record union module namespace".split()
)
"""Kinds whose functions are methods."""

FUNCTION_KINDS = frozenset("function method macro".split())

MINOR_KINDS = frozenset("constant variable type property".split())
"""Kinds that share a chunk with their neighbours when they are short."""

LONGEST_NAME = 200

_OUTER, _MAJOR, _MINOR, _RECEIVER, _NAME, _BODY = range(6)
_RANKS = {"outer": _OUTER, "receiver": _RECEIVER, "name": _NAME, "body": _BODY}
_MOST_ERROR_WORK = 500_000_000
_MOST_ERROR_NODES = 2_000

ByteRange = tuple[int, int]


class Definition(NamedTuple):
    """A definition of the text; all offsets are bytes, ends are exclusive.

    `start..end` is all that belongs to it save comments above, `head` where its own node begins, `body` where its head
    ends; `name_start == name_end` where it has no name. `parent` is an index into the outline's definitions, or -1.
    """

    start: int
    end: int
    kind: str
    symbol: str
    head: int
    name_start: int
    name_end: int
    body: int
    parent: int


class Outline(NamedTuple):
    """What a query found, each list by position. `has_error`: the tree has regions that could not be parsed."""

    definitions: list[Definition]
    comments: list[ByteRange]
    docstrings: list[ByteRange]
    attributes: list[ByteRange]
    imports: list[ByteRange]
    has_error: bool


class _Open:
    """A definition that is being put together from its captures."""

    __slots__ = ("start", "end", "head", "kind", "parent", "name", "receiver", "body")

    def __init__(self, start: int, end: int, head: int, kind: str, parent: int) -> None:
        self.start = start
        self.end = end
        self.head = head
        self.kind = kind
        self.parent = parent
        self.name: ByteRange | None = None
        self.receiver: ByteRange | None = None
        self.body = -1


def outline(grammar: Grammar, tree: Tree, text: bytes) -> Outline | None:
    """The outline of `text`, whose tree is given; None when the tree is too broken to be queried in bounded time."""
    root = tree.root_node
    has_error = root.has_error
    if has_error and not _is_affordable(root):
        return None
    captures = QueryCursor(grammar.query).captures(root)
    comments, docstrings, attributes, imports = (
        [node.byte_range for node in captures.pop(capture, ())]
        for capture in ("comment", "docstring", "attribute", "import")
    )
    return Outline(
        _definitions(_events(captures), text),
        comments,
        docstrings,
        attributes,
        imports,
        has_error,
    )


def _is_affordable(root: Node) -> bool:
    """Whether a query is: it is quadratic in the children of an error node (measured: 30,000 of them take a second)."""
    work, seen, pending = 0, 0, [root]
    while pending:
        node = pending.pop()
        seen += 1
        if node.is_error or node is root:
            work += node.child_count**2 if node.is_error else 0
        if work > _MOST_ERROR_WORK:
            return False
        if seen < _MOST_ERROR_NODES:
            pending.extend(child for child in node.children if child.has_error)
    return True


_Event = tuple[int, int, int, str]


def _events(captures: dict[str, list[Node]]) -> list[_Event]:
    """(start, -end, rank, kind) of each capture, in the order in which nested nodes open."""
    events: list[_Event] = []
    for capture, nodes in captures.items():
        kind = capture.removeprefix("definition.")
        rank = _RANKS.get(capture, _MINOR if kind in MINOR_KINDS else _MAJOR)
        if capture[0] != "_":
            events += [(node.start_byte, -node.end_byte, rank, kind) for node in nodes]
    events.sort()
    return events


def _definitions(events: list[_Event], text: bytes) -> list[Definition]:
    found: list[_Open] = []
    stack: list[int] = []
    outer: ByteRange = (0, 0)
    for start, negative_end, rank, kind in events:
        while stack and found[stack[-1]].end <= start:
            stack.pop()
        top = found[stack[-1]] if stack else None
        if rank == _OUTER:
            if start >= outer[1]:
                outer = (start, -negative_end)
        elif rank <= _MINOR:
            if top is None or top.head != start or top.end != -negative_end:
                wrapper = outer if start < outer[1] else (start, -negative_end)
                outer = (0, 0)
                stack.append(len(found))
                found.append(_Open(wrapper[0], wrapper[1], start, kind, stack[-2] if len(stack) > 1 else -1))
        elif top is not None:
            _note(top, rank, start, -negative_end)
    return _finished(found, text)


def _note(definition: _Open, rank: int, start: int, end: int) -> None:
    if rank == _NAME:
        definition.name = definition.name or (start, end)
    elif rank == _RECEIVER:
        definition.receiver = definition.receiver or (start, end)
    elif definition.body < 0:
        definition.body = start


def _finished(found: list[_Open], text: bytes) -> list[Definition]:
    done: list[Definition] = []
    for one in found:
        parent = done[one.parent] if one.parent >= 0 else None
        name = one.name or (one.head, one.head)
        done.append(
            Definition(
                one.start,
                one.end,
                "method" if one.kind == "function" and parent and parent.kind in TYPE_KINDS else one.kind,
                _symbol(text, one, parent),
                one.head,
                *name,
                one.body if one.body >= 0 else _end_of_head(text, one, name),
                one.parent,
            )
        )
    return done


def _end_of_head(text: bytes, one: _Open, name: ByteRange) -> int:
    line_end = text.find(b"\n", name[1], one.end)
    return one.end if line_end < 0 else line_end


def _symbol(text: bytes, one: _Open, parent: Definition | None) -> str:
    parts = [parent.symbol] if parent and parent.symbol else []
    for piece in (one.receiver, one.name):
        if piece:
            name = _plain_name(text[piece[0] : min(piece[1], piece[0] + LONGEST_NAME)])
            parts += [name] if name else []
    return ".".join(parts)


_NOT_PLAIN = re.compile(rb"[^\w$]")
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>(?=::)")
_JAVASCRIPT_OWNERS = re.compile(r"^(?:module\.exports\.|exports\.|this\.|window\.|self\.)|\.prototype(?=\.)")


def _plain_name(name: bytes) -> str:
    """A name as users write it: `A<T>::b` is A.b, `Foo.prototype.bar` Foo.bar, `"quoted"` quoted."""
    if not _NOT_PLAIN.search(name):
        return name.decode("utf-8", "replace")
    plain = " ".join(name.decode("utf-8", "ignore").split()).strip("\"'`")
    if "::" in plain:
        plain = _TEMPLATE_ARGUMENTS.sub("", plain).strip(":").replace("::", ".")
    return _JAVASCRIPT_OWNERS.sub("", plain)
