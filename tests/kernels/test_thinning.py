"""Thinning Python: the twins agree on anything, and only bytes outside of what is kept change."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference

PIECES = (
    *("if", "for", "in", "with", "except", "def", "class", "lambda", "case", "return", "import", "while", "name", "x"),
    *("rb'", "f'", 'F"""', "'", '"', '"""', "'''", "\\", "\\\n", "\\\r\n", "\r\n", "\n", "\n", "\n", "\n    "),
    *("(", ")", "[", "]", "{", "}", "(", ")", ":", ":", ":=", "=", ";", "#", "*", ".", ",", " ", " ", "    ", "\t"),
    *("$", "\x0c", "\0", "\r", "é", "9", "abcdefgh", "first_name", "second_value + third_value", "call(1, 2, 3, 4)"),
)
PROGRAMS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join).map(str.encode)


@given(PROGRAMS | st.binary(max_size=80))
def test_the_twins_agree(fast: ModuleType, text: bytes) -> None:
    thin = fast.thin_python(text)
    assert thin == reference.thin_python(text)
    assert len(thin) == len(text)
    assert all(new == old or new in b"x " for new, old in zip(thin, text, strict=True))


@pytest.mark.parametrize(
    ("text", "thin"),
    [
        ("if x:\n    first = second\n    third(4)\n", "if x:\n    xxxxxxxxxxxxxxxxxxxxxxxxxxx\n"),
        ("x = 1\n    first = second\n    third(4)\n", "x = 1\n    first = second\n    xxxxxxxx\n"),
        ("NAME = [1, 2, 3]\n", "NAME = [xxxxxxx]\n"),
        ("if one and two:\n    pass\n", "if xxxxxxxxxx :\n    xxxx\n"),
        ("for key, value in all.items():\n", "for xxxxxxxxxx in xxxxxxxxxx :\n"),
        ("def f(first, second=()):\n", "def f(xxxxxxxxxxxxxxxx):\n"),
        ("    call(1)  # why\n    call(2)\n", "    xxxxxxx  # why\n    xxxxxxx\n"),
        ("    call(\n  1,  # why\n    )\n", "    call(\n  1,  # why\n    )\n"),
        ("    call(1, 2]\n", "    call(1, 2]\n"),
        ("    f'{a[\"#\"]}'\n    call(1)\n", "    f'{a[\"#\"]}'\n    xxxxxxx\n"),
        ("    f'{a['#']}'\n    call(1)\n", "    f'{a['#']}'\n    call(1)\n"),
        ("    call(1)\r    call(2)\n", "    call(1)\r    call(2)\n"),
    ],
)
def test_what_is_thinned(twin: ModuleType, text: str, thin: str) -> None:
    assert twin.thin_python(text.encode()) == thin.encode()


def test_a_text_that_is_not_understood_is_given_back_itself(twin: ModuleType) -> None:
    text = b"    call(1\n"
    assert twin.thin_python(text) is text


def test_only_bytes_are_taken(fast: ModuleType) -> None:
    with pytest.raises(TypeError):
        fast.thin_python("text")
