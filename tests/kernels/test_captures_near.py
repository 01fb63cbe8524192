"""Looking for captures only near needles: which nodes of a tree are asked, on trees made of plain values."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

DEEP, WALKED, ROOT, ALONE, IGNORED = range(5)
NEAR = (bytes([0, 1, 3, 4, 8]), ("alone",), (b"#", b"word"), (b"def",))


class Node(NamedTuple):
    kind_id: int
    start_byte: int
    end_byte: int
    children: list[Any]


def asked(fast: ModuleType, text: bytes, root: Node) -> dict[str, list[Node]]:
    """Under "shallow" and "deep" the nodes that each query was asked for, under "alone" those taken without."""
    found: dict[str, list[Node]] = fast.captures_near(
        text, root, NEAR, lambda node: {"shallow": [node]}, lambda node: {"deep": [node]}
    )
    return found


def spots(text: bytes) -> list[int]:
    """Where the needles of `NEAR` stand, spelt out."""
    found = []
    for at in range(len(text)):
        before, blank = text[:at], text[:at].rstrip(b" \t")[-1:]
        statement = not blank or not b"!" <= blank <= b"~" or blank in b":;\\"
        for needle in (b"#", b"word", b"def"):
            if text.startswith(needle, at):
                end = text[at + len(needle) : at + len(needle) + 1]
                is_word = not before[-1:].isalnum() and not end.isalnum()
                if needle == b"#" or (is_word and (needle == b"word" or statement)):
                    found.append(at)
    return found


def leaves(text: bytes) -> Node:
    """A root that is walked through, with a leaf for each byte."""
    return Node(WALKED, 0, len(text), [Node(DEEP, at, at + 1, []) for at in range(len(text))])


@given(
    st.lists(
        st.sampled_from([b"#", b"word", b"def", b" ", b"\n", b":", b"x", b"9", b"\xe2\x80\x8b", b"."]), max_size=20
    )
)
def test_nodes_that_hold_a_needle_are_asked(fast: ModuleType, pieces: list[bytes]) -> None:
    text = b"".join(pieces)
    found = asked(fast, text, leaves(text))
    assert [node.start_byte for node in found.get("deep", [])] == spots(text)


def test_the_root_is_asked_for_what_begins_with_itself_even_without_a_needle(fast: ModuleType) -> None:
    root = leaves(b"nothing here")
    assert asked(fast, b"nothing here", root) == {"shallow": [root]}


def test_each_kind_is_treated_as_its_action_says(fast: ModuleType) -> None:
    text = b"# # # # #"
    inner = Node(DEEP, 2, 3, [])
    nodes = [
        Node(DEEP, 0, 1, []),
        Node(ROOT, 2, 3, [inner]),
        Node(ALONE, 4, 5, []),
        Node(IGNORED, 6, 7, []),
        Node(99, 8, 9, []),
    ]
    root = Node(WALKED, 0, 9, nodes)
    found = asked(fast, text, root)
    assert found["shallow"] == [root, nodes[1]]
    assert found["alone"] == [nodes[2]]
    assert sorted(found["deep"], key=lambda node: node.start_byte) == [nodes[0], inner, nodes[4]]


@pytest.mark.parametrize(
    ("near", "problem"),
    [
        ((b"\x04", (), (b"#",), ()), "no name"),
        ((b"\x01", (), (b"",), ()), "not empty"),
        ((b"\x01", (), (), (1,)), "must be bytes"),
    ],
)
def test_what_does_not_fit_is_refused(fast: ModuleType, near: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        fast.captures_near(b"#", leaves(b"#"), near, lambda node: {}, lambda node: {})


@pytest.mark.parametrize("answer", [[], {"a": ()}, {1: []}, None])
def test_a_query_must_give_a_dictionary_of_lists(fast: ModuleType, answer: Any) -> None:
    with pytest.raises(TypeError, match="dictionary of lists"):
        fast.captures_near(b"#", leaves(b"#"), NEAR, lambda node: answer, lambda node: {})


def test_what_a_query_raises_comes_through(fast: ModuleType) -> None:
    def refuse(node: Node) -> dict[str, list[Node]]:
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        fast.captures_near(b"#", leaves(b"#"), NEAR, lambda node: {}, refuse)


def test_a_node_must_have_a_list_of_children(fast: ModuleType) -> None:
    with pytest.raises(TypeError, match="list of children"):
        fast.captures_near(b"#", Node(WALKED, 0, 1, ()), NEAR, lambda node: {}, lambda node: {})  # type: ignore[arg-type]
