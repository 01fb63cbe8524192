"""Captures of a query into definitions, by position alone, innermost definition first.

In: the nodes of each capture (see `greppy.analysis.structure`) and the text. Out: definitions with their qualified
symbols, in order. Nested nodes open in the order of their starts, so one pass with a stack pairs them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

TYPE_KINDS = frozenset(
    ("class", "enum", "extension", "impl", "interface", "mixin", "object", "protocol", "record", "struct", "trait")
)
"""Kinds whose functions are methods."""

FUNCTION_KINDS = frozenset(("function", "method", "macro"))

MINOR_KINDS = frozenset(("constant", "variable", "type", "property"))
"""Kinds that share a chunk with their neighbours when they are short."""

LONGEST_NAME = 200

CALLS: dict[str, dict[bytes, str]] = {
    "clojure": {
        b"def": "constant",
        b"defn": "function",
        b"defn-": "function",
        b"defmacro": "macro",
        b"defmulti": "function",
        b"defmethod": "function",
        b"defprotocol": "protocol",
        b"defrecord": "record",
        b"deftype": "class",
        b"ns": "import",
    },
    "elixir": {
        b"def": "function",
        b"defp": "function",
        b"defmacro": "macro",
        b"defmacrop": "macro",
        b"defguard": "function",
        b"defmodule": "module",
        b"defprotocol": "protocol",
        b"defimpl": "impl",
        b"alias": "import",
        b"import": "import",
        b"require": "import",
        b"use": "import",
    },
    "ruby": {b"define_method": "method", b"require": "import", b"require_relative": "import"},
}
"""What a call of a keyword defines, in languages where definitions are calls; "import" makes it an import."""

_CALL = "call"
_OUTER, _MAJOR, _MINOR, _TAIL, _KEYWORD, _RECEIVER, _NAME, _BODY = range(8)
_RANKS = {"outer": _OUTER, "tail": _TAIL, "keyword": _KEYWORD, "receiver": _RECEIVER, "name": _NAME, "body": _BODY}

ByteRange = tuple[int, int]
_Event = tuple[int, int, int, str]


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


class _Open:
    """A definition that is being put together from its captures."""

    __slots__ = ("body", "end", "head", "kind", "name", "parent", "receivers", "start")

    def __init__(self, start: int, end: int, head: int, kind: str, parent: int) -> None:
        self.start = start
        self.end = end
        self.head = head
        self.kind = kind
        self.parent = parent
        self.name: ByteRange | None = None
        self.receivers: list[ByteRange] = []
        self.body = -1


class _Pairing:
    """The definitions found so far, and which of them are open where the next capture begins."""

    def __init__(self, text: bytes, language: str) -> None:
        self.found: list[_Open] = []
        self.imports: list[ByteRange] = []
        self._text = text
        self._calls = CALLS.get(language, {})
        self._stack: list[int] = []
        self._closed = -1
        self._outer: ByteRange = (0, 0)
        self._last: ByteRange = (0, 0)

    def take(self, events: list[_Event]) -> None:
        """Pair captures, which come in the order in which nested nodes open."""
        stack, found = self._stack, self.found
        for start, negative_end, rank, kind in events:
            while stack and found[stack[-1]].end <= start:
                self._closed = stack.pop()
            if rank == _OUTER:
                if start >= self._outer[1]:
                    self._outer = (start, -negative_end)
            elif rank <= _MINOR:
                self._open(start, -negative_end, kind)
            elif rank == _TAIL:
                self._reopen(start, -negative_end)
            elif stack:
                self._note(found[stack[-1]], rank, start, -negative_end)

    def _open(self, start: int, end: int, kind: str) -> None:
        if self._last == (start, end):
            if self.found[-1].kind not in MINOR_KINDS and kind not in MINOR_KINDS:
                self.found[-1].kind = kind
            return
        self._last = (start, end)
        parent = self._stack[-1] if self._stack else -1
        is_wrapped = start < self._outer[1] and not self._text[end : self._outer[1]].strip(b"; \t\r\n")
        begin, end = self._outer if is_wrapped else (start, end)
        self._outer = (0, 0)
        self._stack.append(len(self.found))
        self.found.append(_Open(begin, end, start, kind, parent))

    def _reopen(self, start: int, end: int) -> None:
        """Go on with the definition that was closed last: its body is the sibling that begins here."""
        if self._closed >= 0 and not self._text[self.found[self._closed].end : start].strip():
            definition = self.found[self._closed]
            definition.body, definition.end = start, end
            self._stack.append(self._closed)
            self._closed = -1

    def _note(self, definition: _Open, rank: int, start: int, end: int) -> None:
        if rank == _NAME:
            definition.name = definition.name or (start, end)
        elif rank == _BODY:
            definition.body = start if definition.body < 0 else definition.body
        elif rank == _RECEIVER:
            definition.receivers.append((start, end))
        elif definition.kind == _CALL:
            self._resolve_call(definition, self._text[start:end])

    def _resolve_call(self, call: _Open, keyword: bytes) -> None:
        """Make the call that was opened last what its keyword says, or forget it."""
        call.kind = self._calls.get(keyword, "")
        if call.kind in ("", "import"):
            self.found.pop()
            self._stack.pop()
        if call.kind == "import":
            self.imports.append((call.start, call.end))


def paired(captures: dict[str, list[Node]], text: bytes, language: str) -> tuple[list[Definition], list[ByteRange]]:
    """The definitions among the captures, and the imports that are calls, both in order."""
    pairing = _Pairing(text, language)
    pairing.take(_events(captures))
    return _finished(pairing.found, text), pairing.imports


def _events(captures: dict[str, list[Node]]) -> list[_Event]:
    """(start, -end, rank, kind) of each capture, in the order in which nested nodes open."""
    events: list[_Event] = []
    for capture, nodes in captures.items():
        kind = capture.removeprefix("definition.")
        rank = _RANKS.get(capture, _MINOR if kind in MINOR_KINDS else _MAJOR)
        events += [(node.start_byte, -node.end_byte, rank, kind) for node in nodes]
    events.sort()
    return events


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
    for start, end in (*one.receivers, *((one.name,) if one.name else ())):
        name = _plain_name(text[start : min(end, start + LONGEST_NAME)])
        parts += [name] if name else []
    return ".".join(parts)


_NOT_PLAIN = re.compile(rb"[^\w$]")
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>(?=::)")
_JAVASCRIPT_OWNERS = re.compile(r"^(?:module\.exports\.|exports\.|this\.|window\.|self\.)|\.prototype(?=\.)")


def _plain_name(name: bytes) -> str:
    """A name as users write it: `A<T>::b` is A.b, `Foo.prototype.bar` Foo.bar, `"quoted"` quoted."""
    if not _NOT_PLAIN.search(name):
        return name.decode("utf-8", "replace")
    plain = " ".join(name.decode("utf-8", "ignore").split()).strip("\"'`").lstrip(":")
    if "::" in plain:
        plain = _TEMPLATE_ARGUMENTS.sub("", plain).strip(":").replace("::", ".")
    return _JAVASCRIPT_OWNERS.sub("", plain)
