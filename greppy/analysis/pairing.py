"""Captures of a query into definitions, by position alone, innermost definition first.

In: the nodes of each capture (see `greppy.analysis.structure`) and the text. Out: definitions with their qualified
symbols, in order. Nested nodes open in the order of their starts, so one pass with a stack pairs them.
"""

from __future__ import annotations

import re

from tree_sitter import Node

TYPE_KINDS = frozenset(
    ("class", "enum", "extension", "impl", "interface", "mixin", "object", "protocol", "record", "struct", "trait")
)
"""Kinds whose functions are methods."""

FUNCTION_KINDS = frozenset(("function", "method", "macro"))

MINOR_KINDS = frozenset(("constant", "variable", "type", "property"))
"""Kinds that share a chunk with their neighbours when they are short."""

LONGEST_NAME = 200

UNKNOWN = -1
"""An offset that no capture has given yet."""

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


class Definition:
    """A definition of the text, put together from its captures; all offsets are bytes, ends are exclusive.

    `start..end` is all that belongs to it save comments above, `head` where its own node begins, `body` where its head
    ends; `name_start == name_end` where it has no name. `parent` is the definition around it, if any.
    """

    __slots__ = ("body", "end", "head", "kind", "name_end", "name_start", "parent", "receivers", "start", "symbol")

    def __init__(self, start: int, end: int, head: int, kind: str, parent: Definition | None) -> None:
        self.start = start
        self.end = end
        self.head = head
        self.kind = kind
        self.parent = parent
        self.symbol = ""
        self.name_start = self.name_end = self.body = UNKNOWN
        self.receivers: tuple[ByteRange, ...] = ()


class _Pairing:
    """The definitions found so far, and which of them are open where the next capture begins."""

    def __init__(self, text: bytes, language: str) -> None:
        self.found: list[Definition] = []
        self.imports: list[ByteRange] = []
        self._text = text
        self._calls = CALLS.get(language, {})
        self._stack: list[Definition] = []
        self._closed: Definition | None = None
        self._outer_end = 0
        self._outer_start = 0
        self._last: ByteRange = (UNKNOWN, UNKNOWN)

    def take(self, events: list[_Event]) -> None:
        """Pair captures, which come in the order in which nested nodes open."""
        stack = self._stack
        for start, negative_end, rank, kind in events:
            while stack and stack[-1].end <= start:
                self._closed = stack.pop()
            if rank == _OUTER:
                if start >= self._outer_end:
                    self._outer_start, self._outer_end = start, -negative_end
            elif rank <= _MINOR:
                self._open(start, -negative_end, kind)
            elif rank == _TAIL:
                self._reopen(start, -negative_end)
            elif stack:
                top = stack[-1]
                if rank == _NAME:
                    if top.name_start < 0:
                        top.name_start, top.name_end = start, -negative_end
                elif rank == _BODY:
                    if top.body < 0:
                        top.body = start
                elif rank == _RECEIVER:
                    top.receivers += ((start, -negative_end),)
                elif top.kind == _CALL:
                    self._resolve_call(top, self._text[start:-negative_end])

    def _open(self, start: int, end: int, kind: str) -> None:
        if self._last == (start, end) and self.found:
            if self.found[-1].kind not in MINOR_KINDS and kind not in MINOR_KINDS:
                self.found[-1].kind = kind
            return
        self._last = (start, end)
        stack, begin, all_end = self._stack, start, end
        if start < self._outer_end:
            if end >= self._outer_end or not self._text[end : self._outer_end].strip(b"; \t\r\n"):
                begin, all_end = self._outer_start, self._outer_end
            self._outer_end = 0
        opened = Definition(begin, all_end, start, kind, stack[-1] if stack else None)
        stack.append(opened)
        self.found.append(opened)

    def _reopen(self, start: int, end: int) -> None:
        """Go on with the definition that was closed last: its body is the sibling that begins here."""
        definition = self._closed
        if definition and not self._text[definition.end : start].strip():
            definition.body, definition.end = start, end
            self._stack.append(definition)
            self._closed = None

    def _resolve_call(self, call: Definition, keyword: bytes) -> None:
        """Make the call that was opened last what its keyword says, or forget it."""
        call.kind = self._calls.get(keyword, "")
        if call.kind in ("", "import"):
            del self.found[-1:]
            self._stack.pop()
        if call.kind == "import":
            self.imports.append((call.start, call.end))


def paired(captures: dict[str, list[Node]], text: bytes, language: str) -> tuple[list[Definition], list[ByteRange]]:
    """The definitions among the captures, and the imports that are calls, both in order."""
    pairing = _Pairing(text, language)
    pairing.take(_events(captures))
    for one in pairing.found:
        _finish(one, text)
    return pairing.found, pairing.imports


def rank_of(capture: str) -> int:
    """Where a capture comes among those of the same bytes; everything but what has a rank of its own is a kind."""
    return _RANKS.get(capture, _MINOR if capture.removeprefix("definition.") in MINOR_KINDS else _MAJOR)


def _events(captures: dict[str, list[Node]]) -> list[_Event]:
    """(start, -end, rank, kind) of each capture, in the order in which nested nodes open."""
    events: list[_Event] = []
    for capture, nodes in captures.items():
        kind, rank = capture.removeprefix("definition."), rank_of(capture)
        events += [(node.start_byte, -node.end_byte, rank, kind) for node in nodes]
    events.sort()
    return events


def _finish(one: Definition, text: bytes) -> None:
    """Settle what only the whole definition tells; its parent comes first."""
    parent = one.parent
    if parent and one.kind == "function" and parent.kind in TYPE_KINDS:
        one.kind = "method"
    one.symbol = _symbol(text, one)
    if one.name_start < 0:
        one.name_start = one.name_end = one.head
    if one.body < 0:
        line_end = text.find(b"\n", one.name_end, one.end)
        one.body = one.end if line_end < 0 else line_end


def _symbol(text: bytes, one: Definition) -> str:
    name = _name_at(text, one.name_start, one.name_end) if one.name_start >= 0 else ""
    around = one.parent.symbol if one.parent else ""
    if not one.receivers:
        return f"{around}.{name}" if around and name else around or name
    return ".".join(filter(None, (around, *(_name_at(text, start, end) for start, end in one.receivers), name)))


_PLAIN = re.compile(r"[\w$]+", re.ASCII)
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>(?=::)")
_JAVASCRIPT_OWNERS = re.compile(r"^(?:module\.exports\.|exports\.|this\.|window\.|self\.)|\.prototype(?=\.)")


def _name_at(text: bytes, start: int, end: int) -> str:
    return name_of(text[start : min(end, start + LONGEST_NAME)])


def name_of(written: bytes) -> str:
    """A name as users write it: `A<T>::b` is A.b, `Foo.prototype.bar` Foo.bar, `"quoted"` quoted."""
    name = written.decode("utf-8", "ignore")
    if name.isidentifier() or _PLAIN.fullmatch(name):
        return name
    plain = " ".join(name.split()).strip("\"'`").lstrip(":")
    if "::" in plain:
        plain = _TEMPLATE_ARGUMENTS.sub("", plain).strip(":").replace("::", ".")
    return _JAVASCRIPT_OWNERS.sub("", plain)
