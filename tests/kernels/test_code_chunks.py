"""The captures of a query into chunks: the compiled kernel does what the Python of `greppy.analysis` does."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.chunks import Chunk, outlined
from greppy.analysis.lines import Lines
from greppy.analysis.pairing import name_of
from greppy.analysis.roles import Roles, roles_of

CAPTURES = (
    "definition.class",
    "definition.function",
    "definition.constant",
    "definition.variable",
    "definition.namespace",
    "definition.call",
    "definition.macro",
    "name",
    "body",
    "receiver",
    "tail",
    "outer",
    "keyword",
    "comment",
    "docstring",
    "attribute",
    "import",
)
LANGUAGES = ("python", "elixir", "clojure")
WORDS = (
    b"def", b"defmodule", b"import", b"end", b"}", b"name", b"A::b<T>::c", b"x.prototype.y", b"'q'", b"caf\xc3\xa9",
    b"", b";", b"\xff", b"#", b"w" * 300, b"\x0b", b"\0",
)  # fmt: skip
GAPS = (b"\n", b"\n\n", b" ", b"\n    ", b";\n", b"\r\n", b"\n" * 9)


class Node(NamedTuple):
    start_byte: int
    end_byte: int

    @property
    def byte_range(self) -> tuple[int, int]:
        return self.start_byte, self.end_byte


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    pieces = draw(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), min_size=1, max_size=120))
    return b"".join(word + gap for word, gap in pieces)


@st.composite
def nodes(draw: st.DrawFn, size: int) -> list[Node]:
    """Ranges that nest, as those of a tree do, and others; some end beyond the text."""
    ends = st.integers(0, size + 1)
    found: list[Node] = []
    for _ in range(draw(st.integers(0, 8))):
        nests: bool = draw(st.booleans())
        inside = draw(st.sampled_from(found)) if found and nests else Node(0, size)
        start, end = sorted((draw(st.integers(inside.start_byte, inside.end_byte)), draw(ends)))
        found.append(Node(start, min(end, inside.end_byte) if draw(st.integers(0, 9)) else end))
    return [node for node in found if node.start_byte <= node.end_byte]


@st.composite
def questions(draw: st.DrawFn) -> tuple[bytes, dict[str, list[Node]], str]:
    text = draw(texts())
    captures: dict[str, list[Node]] = {}
    for name in draw(st.lists(st.sampled_from(CAPTURES), unique=True)):
        captures[name] = draw(nodes(len(text)))
    return text, captures, draw(st.sampled_from(LANGUAGES))


def chunks(fast: ModuleType, text: bytes, captures: dict[str, Any], language: str = "python") -> list[Chunk]:
    found: list[Chunk] = fast.code_chunks(text, captures, roles_of(language, CAPTURES), name_of, Chunk)
    return found


@given(questions())
def test_the_twins_cut_alike(fast: ModuleType, question: tuple[bytes, dict[str, Any], str]) -> None:
    text, captures, language = question
    found = chunks(fast, text, captures, language)
    assert found == outlined(dict(captures), Lines(text), text, language)
    assert all(type(chunk) is Chunk for chunk in found)


def test_chunks_cover_every_line_once(fast: ModuleType) -> None:
    text = b"import a\n\nclass A:\n    def b(self):\n" + b"        pass\n" * 99 + b"\nX = 1\n"
    whole = Node(10, len(text) - 7)
    captures = {"definition.class": [whole], "name": [Node(16, 17)], "import": [Node(0, 8)]}
    found = chunks(fast, text, captures)
    lines = [line for chunk in found for line in range(chunk.start_line, chunk.end_line + 1)]
    assert lines == list(range(1, text.count(b"\n") + 1))
    assert [chunk.symbol for chunk in found] == ["", *["A"] * (len(found) - 2), ""]


def test_what_a_node_raises_comes_through(fast: ModuleType) -> None:
    with pytest.raises(AttributeError, match="start_byte"):
        chunks(fast, b"a\n", {"name": [object()]})


@pytest.mark.parametrize("offset", [-1, 1 << 30, 1 << 70])
def test_an_offset_beyond_one_gibibyte_is_refused(fast: ModuleType, offset: int) -> None:
    with pytest.raises((ValueError, OverflowError)):
        chunks(fast, b"a\n", {"name": [Node(0, offset)]})


def test_an_unknown_capture_is_refused(fast: ModuleType) -> None:
    with pytest.raises(KeyError, match="strange"):
        chunks(fast, b"a\n", {"strange": []})


def test_an_empty_text_is_refused(fast: ModuleType) -> None:
    with pytest.raises(ValueError, match="1 byte"):
        chunks(fast, b"", {})


@pytest.mark.parametrize(
    "damage",
    [
        {"kinds": ("a",)},
        {"kinds": (1,) * 40, "traits": bytes(40)},
        {"traits": b""},
        {"special": (0, 0, 0, 0, 0, 99)},
        {"special": (-1, 0, 0, 0, 0, 0)},
        {"captures": {"name": (12, 0)}},
        {"captures": {"name": (0, 99)}},
        {"captures": {"name": (-1, 0)}},
    ],
)
def test_roles_that_do_not_fit_are_refused(fast: ModuleType, damage: dict[str, Any]) -> None:
    roles: Roles = roles_of("python", CAPTURES)._replace(**damage)
    with pytest.raises(ValueError, match="kind"):
        fast.code_chunks(b"a\n", {"name": [Node(0, 1)]}, roles, name_of, Chunk)


@pytest.mark.parametrize("kind", [-1, 99])
def test_a_call_of_an_unknown_kind_is_refused(fast: ModuleType, kind: int) -> None:
    roles = roles_of("python", CAPTURES)._replace(calls={b"def": kind})
    captures = {"definition.call": [Node(0, 6)], "keyword": [Node(0, 3)]}
    with pytest.raises(ValueError, match="kind of a call"):
        fast.code_chunks(b"def a\n", captures, roles, name_of, Chunk)


def test_chunks_of_another_type_than_a_named_tuple_are_refused(fast: ModuleType) -> None:
    with pytest.raises(TypeError, match="named tuples"):
        fast.code_chunks(b"a\n", {}, roles_of("python", CAPTURES), name_of, list)


def test_a_name_that_is_no_string_is_refused(fast: ModuleType) -> None:
    captures = {"definition.class": [Node(0, 4)], "name": [Node(0, 4)]}
    with pytest.raises(TypeError, match="must be a string"):
        fast.code_chunks(b"a::b\n", captures, roles_of("python", CAPTURES), lambda name: name, Chunk)


def test_nodes_may_change_the_list_that_they_are_in(fast: ModuleType) -> None:
    class Hungry:
        end_byte = 1

        @property
        def start_byte(self) -> int:
            captures.clear()
            nodes.clear()
            return 0

    nodes: list[Any] = [Hungry(), Hungry()]
    captures = {"name": nodes, "body": nodes}
    assert [chunk.kind for chunk in chunks(fast, b"a\n", captures)] == ["code"]
