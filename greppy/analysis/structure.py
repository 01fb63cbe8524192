"""The structure of source code: one query over one tree in, its captures out; then its definitions, comments, imports.

A query file (`queries/LANGUAGE.scm`) captures, in any order of patterns:

- `@definition.KIND`, the node that is a definition; KIND is what users see (function, class, constant, …);
  where two patterns match one node, the kind that comes last in the alphabet counts, and a constant never does;
- `@name` inside it, `@body` where its head ends, `@receiver` (or several) what its name is qualified with (Go, Lua);
- `@definition.call` with a `@keyword` inside: a call that may define something; `pairing.CALLS` says what;
- `@tail`, a body that is not inside the definition but directly follows it (Dart);
- `@outer`, a node that wraps one definition and belongs to it (decorators, `export`, `template <…>`);
- `@comment`, `@docstring`, `@import`, and `@attribute`, a node that stands before a definition and belongs to it.

Captures are paired by position, innermost definition first, which needs no walk over the tree in Python.
"""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node, QueryCursor, Tree

from greppy.analysis.grammars import Grammar
from greppy.analysis.pairing import ByteRange, Definition, paired

_MOST_ERROR_WORK = 500_000_000
_MOST_ERROR_NODES = 2_000

_MOST_OPEN_MATCHES = 2_000
"""Matches that a query may hold back at once: it is quadratic in them. They include each comment in a class before the
part of the class that its pattern still waits for (some hundreds in Rails)."""


Captures = dict[str, list[Node]]
"""The nodes of each capture."""


class Outline(NamedTuple):
    """What a query found, each list by position."""

    definitions: list[Definition]
    comments: list[ByteRange]
    docstrings: list[ByteRange]
    attributes: list[ByteRange]
    imports: list[ByteRange]


def captures_of(grammar: Grammar, tree: Tree) -> Captures | None:
    """What the query captures in a tree; None when it is too broken to be queried in bounded time."""
    root = tree.root_node
    if root.has_error and not _is_affordable(root):
        return None
    return QueryCursor(grammar.query, match_limit=_MOST_OPEN_MATCHES).captures(root)


def outline(captures: Captures, text: bytes, language: str) -> Outline:
    """The outline of `text`, whose captures are given, and used up."""
    comments, docstrings, attributes, imports = (
        sorted([node.byte_range for node in captures.pop(capture, ())])
        for capture in ("comment", "docstring", "attribute", "import")
    )
    definitions, imports_called = paired(captures, text, language)
    return Outline(definitions, comments, docstrings, attributes, sorted(imports + imports_called))


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
