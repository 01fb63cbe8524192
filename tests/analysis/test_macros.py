"""Macros that stand alone on a line do not hide the declaration below them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.chunks import analyze
from greppy.analysis.macros import without_lone_macros


def _symbols(text: bytes, language: str) -> list[str]:
    analysis = analyze(text, language)
    assert analysis is not None
    return [chunk.symbol for chunk in analysis.chunks]


def test_a_template_below_a_namespace_macro_is_a_definition() -> None:
    text = (
        b"#pragma once\n\nLIB_NAMESPACE_BEGIN\n\n/// Converts.\n"
        b"template<typename ValueType, typename>\nstruct serializer\n{\n    static void convert(int value)\n    {\n"
        b"        use(value);\n        use(value);\n    }\n};\n\nLIB_NAMESPACE_END\n"
    )
    assert any(symbol.startswith("serializer") for symbol in _symbols(text, "cpp"))


def test_a_class_below_a_macro_has_its_own_name() -> None:
    text = (
        b"int one;\nLIB_TEMPLATE_HEAD\nclass basic_text : public base\n"
        b"{\n  public:\n    int size() const { return 1; }\n};\n"
    )
    assert [symbol for symbol in _symbols(text, "cpp") if symbol] == ["basic_text", "basic_text.size"]


@pytest.mark.parametrize(
    "text",
    [
        b"int a = B_FLAG |\n    C_FLAG\n;\n",
        b"call(one,\n     B_FLAG\n);\n",
        b"call(one,\n     B_FLAG\n     other);\n",
        b"enum e {\n    A_ONE,\n    A_TWO\n};\n",
        b"int NULL_\n",
        b"",
    ],
)
def test_a_name_in_an_expression_stays(text: bytes) -> None:
    assert without_lone_macros(text) is text


_LINES = st.sampled_from(
    [b"G_BEGIN_DECLS", b"int a;", b"{", b"}", b"  Q_OBJECT_", b"// x", b"x = A_B |", b"#if X", b"", b"A_B\r"]
)


@given(st.lists(_LINES).map(b"\n".join))
def test_no_line_moves_and_only_capitals_go(text: bytes) -> None:
    plain = without_lone_macros(text)
    assert len(plain) == len(text)
    for before, after in zip(text.split(b"\n"), plain.split(b"\n"), strict=True):
        assert after == before or (not after.strip() and before.strip().isupper())
