"""Python is thinned before it is parsed: what the query captures then is what it captures in the whole program."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy import kernels
from greppy.analysis import grammars, structure
from greppy.analysis.chunks import Analysis, analyze

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
    "self.total += sum(value for value in values if value)",
    "first_name = second_name = call(1, [2], {3: 4})",
    "TABLE = {\n    'a': 1,\n    'b': [2, 3, 4],\n}",
    "NAMES = (\n    'a',  # the first\n    'b',\n)",
    "rows[index][name] = value  # at the end",
    "lambda_like = 1",
    "handler = (lambda event: event)",
    "print 'of old', value",
    "annotated: dict[str, int] = {'a': 1}",
    "assert isinstance(value, str), f'{value!r} is {type(value)}'",
    "f'{value[\"key\"]}'; done = True",
    "f'''{value['#']}'''",
    "'text' % (a, b, c, d)",
    'text = "a \\" quote" \'and # a sign\'',
    "del first, second, third",
    "raise ValueError('no such thing') from error",
    "result = await client.get(url, headers={**headers})",
    "nonlocal counter, total",
    "x = 1 if y else \\\n    2",
    "match = pattern.match(text)",
    "type_of_it = type(it)",
    "value = `old`",
    "naïve = 'non-ASCII name'",
    "return (\n    one\n    and two\n)",
    "...",
    "call(\n    first,\n\n    second,\n)",
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
    "if first_condition and second_condition:",
    "elif (found := search(text)) is not None:",
    "while not queue.empty(): queue.get()",
    "for key, value in sorted(table.items()):",
    "for item in (lambda: values)():",
    "with open(path) as first, open(other) as second:",
    "with (open(path) as first, open(other)):",
    "except (ValueError, TypeError) as error:",
    "except* ValueErrorOfAGroup as group:",
    "match command.split(maxsplit=1):",
    "case {'key': value, **others}:",
    "case Point(x=0, y=0) | [first, *others] if condition:",
    "class Meta(Base, metaclass=Other):",
    "class Generic[T: (int, str)](Base):",
    "def long(first: dict[str, int] = {}, *others: int, last=(1, 2)) -> tuple[int, str]:",
    "@register(name='x', order=1)\n{indent}class Registered:",
    "async for item in stream(of_items=True):",
    "if not condition:  # why not",
    "if one and (  # why\n{indent}    two):",
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
    return {name: {node.byte_range for node in nodes} for name, nodes in captures.items() if nodes}


def assert_same(text: bytes) -> bool:
    """Whether the text has a tree without errors: then the thinned one has, too, and the same is captured."""
    grammar = grammars.load("python")
    assert grammar is not None
    whole, thin = (grammars.parse(grammar, program) for program in (text, kernels.thin_python(text)))
    assert whole is not None
    assert thin is not None
    if whole.root_node.has_error:
        return False
    assert not thin.root_node.has_error
    expected, found = structure.captures_of(grammar, whole), structure.captures_of(grammar, thin)
    assert expected is not None
    assert found is not None
    assert ranges(found) == ranges(expected)
    return True


@given(programs())
def test_a_program_is_captured_as_before(program: str) -> None:
    assert_same(program.encode())


@pytest.mark.parametrize("line", [*SIMPLE, *(f"{head.replace('{indent}', '')}\n    pass" for head in HEADS[:6])])
def test_each_line_is_captured_inside_of_functions_and_blocks(line: str) -> None:
    inside = "\n".join("        " + part for part in line.split("\n"))
    program = (
        f"class A:\n    def b(self):\n{inside}\n        pass\nif x:\n    try:\n{inside}\n    finally:\n        pass\n"
    )
    assert_same(program.encode())


def test_the_whole_library_of_this_interpreter_is_captured_alike() -> None:
    files = sorted(Path(pytest.__file__).parent.parent.glob("_pytest/*.py"))
    sound = [assert_same(path.read_bytes()) for path in files[:30]]
    assert all(sound)


def test_most_of_a_program_is_left_out() -> None:
    texts = [path.read_bytes() for path in Path(pytest.__file__).parent.parent.glob("_pytest/*.py")]
    left = sum(len(kernels.thin_python(text).replace(b"xxxx", b"")) for text in texts)
    assert left < 0.7 * sum(map(len, texts))


def test_a_syntax_error_in_what_is_kept_gives_the_chunks_of_the_whole_program() -> None:
    program = b"def f(:\n    return value_of_something\n\ndef g():\n    pass\n"
    assert analyze(program, "python") == analyze_whole(program)


def test_a_thinned_program_has_the_chunks_of_the_whole() -> None:
    for path in SAMPLES.glob("*.py"):
        assert analyze(path.read_bytes(), "python") == analyze_whole(path.read_bytes())


def analyze_whole(program: bytes) -> Analysis | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "thin_python", lambda text: text)
        return analyze(program, "python")
