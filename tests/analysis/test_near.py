"""Queries that look only where they can match: they capture what a walk through the whole tree does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import QueryCursor

from greppy import kernels
from greppy.analysis import grammars, structure

pytestmark = pytest.mark.skipif(kernels.captures_near is None, reason="the compiled kernels are not in use")

SAMPLES = Path(__file__).parent / "samples"

SIMPLE = (
    "x = 1",
    "import a",
    "from a import b  # why",
    "from __future__ import annotations",
    "f = lambda a: a",
    "a.b = lambda: (lambda: 1)",
    "call(1,  # one\n  lambda: 2,  # def\n)",
    '"""Text with a class and # a sign."""',
    "print(f'{x # y}')",
    "# comment",
    "type X = int",
    "type = 3",
    "return x",
    "y = [\n# def\n1]",
    "x = 1; import c; f = lambda: 1",
    "a = \\\n  lambda: 1",
    "pass",
    "",
)
HEADS = (
    "def f(a, b=lambda: 1):",
    "async def g(\n    a,  # the first\n):",
    "class A(B):",
    "class C:  # note",
    "@deco  # why\n{indent}def h():",
    "@a\n{indent}# between\n{indent}@b(lambda: 1)\n{indent}class D:",
    "if x:",
    "else:",
    "elif lambda: 1:",
    "for x in y:",
    "while x:",
    "try:",
    "except E:",
    "finally:",
    "with a as b:",
    "match x:",
    "case 1:",
    "async with a:",
    "if x: import q",
    "if x: f = lambda: 1; y = 2  # end",
    "\x0cdef k():",
    "\u200bdef zero():",
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Lines that are often a program; what is none has a tree with errors, which is queried as a whole."""
    lines: list[str] = []
    depth = 0
    for _ in range(draw(st.integers(1, 25))):
        indent = "    " * depth
        if draw(st.integers(0, 2)):
            lines.append(indent + draw(st.sampled_from(SIMPLE)))
            depth = draw(st.integers(0, depth))
        else:
            lines.append(indent + draw(st.sampled_from(HEADS)).replace("{indent}", indent))
            lines.append(indent + "    " + draw(st.sampled_from(SIMPLE)).replace("\n", "\n" + indent))
            depth += 1
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines) + "\n"


def ranges(captures: structure.Captures) -> dict[str, set[tuple[int, int]]]:
    return {name: {node.byte_range for node in nodes} for name, nodes in captures.items()}


def assert_same(text: bytes) -> bool:
    """Whether the text has a tree without errors."""
    grammar = grammars.load("python")
    assert grammar is not None
    assert grammar.near is not None
    tree = grammars.parse(grammar, text)
    assert tree is not None
    found = structure.captures_of(grammar, tree, text)
    assert found is not None
    assert ranges(found) == ranges(QueryCursor(grammar.query).captures(tree.root_node))
    return not tree.root_node.has_error


@given(programs())
def test_a_program_is_captured_as_by_the_whole_query(program: str) -> None:
    assert_same(program.encode())


@pytest.mark.parametrize("line", [*SIMPLE, *(f"{head.replace('{indent}', '')}\n    pass" for head in HEADS[:6])])
def test_each_line_is_captured_inside_of_everything_that_is_walked_through(line: str) -> None:
    inside = "\n".join("        " + part for part in line.split("\n"))
    program = (
        f"class A:\n    def b(self):\n{inside}\n        pass\nif x:\n    try:\n{inside}\n    finally:\n        pass\n"
    )
    assert assert_same(program.encode()) or line.startswith("print(f")


def test_the_whole_library_of_this_interpreter_is_captured_alike() -> None:
    files = sorted(Path(pytest.__file__).parent.parent.glob("_pytest/*.py"))
    sound = [assert_same(path.read_bytes()) for path in [*files[:30], *SAMPLES.glob("*.py")]]
    assert any(sound)
