"""Macros and conditionals do not hide what is declared around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.chunks import analyze
from greppy.analysis.macros import first_branches, without_macros


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


def test_a_last_macro_of_a_block_and_a_called_one_hide_nothing() -> None:
    text = (
        b"struct first_s {\n  FIELDS_OF_ALL\n  FIELDS_OF_FIRST\n};\n\nPRIVATE_TYPES\n\n"
        b'SUPPRESS_WARNING("-Wnone")\nstruct second_s {\n  int a;\n};\n'
    )
    assert _symbols(text, "c") == ["first_s", "", "second_s"]


def test_a_class_that_is_exported_by_a_macro_has_its_own_name() -> None:
    text = b"class LIB_EXPORT Window : public Base\n{\n  public:\n    int size() const;\n    int a;\n};\nint f( {\n"
    assert "Window" in _symbols(text, "cpp")


def test_macros_before_the_body_of_a_function_do_not_hide_it() -> None:
    text = (
        b"class MY_LOCKABLE MY_WARN_UNUSED(1) Box {\n  int at(int i) const MY_BOUND MY_OTHER(i) {\n    return i;\n"
        b"  }\n  int x;\n  int y;\n  int last() MY_BOUND {\n    return x;\n  }\n};\nint f( {\n"
    )
    assert "Box" in _symbols(text, "cpp")
    assert {symbol.rpartition(".")[2] for symbol in _symbols(text, "cpp")} >= {"at", "last"}


@pytest.mark.parametrize(
    "unit", [b"A_", b") A_B_C ", b"class A_B_C ", b"#define A \\\n/*", b"A_B(", b"A_B\n", b"#if \\\n", b"class A_B("]
)
def test_no_text_takes_long(unit: bytes) -> None:
    text = unit * (200_000 // len(unit))
    assert len(first_branches(without_macros(text))) == len(text)


def test_a_comment_in_the_definition_of_a_macro_does_not_end_it() -> None:
    text = (
        b"#define FIELDS \\\n  /* public */ \\\n  int a; \\\n  /* private */ \\\n  REQ_PRIVATE \\\n\n"
        b"struct base_s {\n  FIELDS_OF_IT\n};\n"
    )
    assert "base_s" in _symbols(text, "c")


def test_braces_that_each_branch_opens_count_once() -> None:
    text = b"".join(
        b"#ifdef A_%d\nnamespace a { inline namespace b {\n#else\nnamespace a {\n#endif\n"
        b"class One%d\n{\n  int size() const\n  {\n#if X\n    if (a) {\n#else\n    if (b) {\n#endif\n    }\n  }\n};\n"
        % (at, at)
        for at in range(9)
    )
    plain = first_branches(text)
    assert len(plain) == len(text)
    assert plain.count(b"\n") == text.count(b"\n")
    assert plain.count(b"{") == text.count(b"{") - 18
    assert b"inline namespace" in plain
    assert b"#" not in plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (b"#if A\na;\n#elif B\nb;\n#else\nc;\n#endif\nd;\n", b"a; d;"),
        (b"#if A\n#if B\na;\n#else\nb;\n#endif\n#else\n#if C\nc;\n#endif\n#endif\n", b"a;"),
        (b"#if A && \\\n  B\na;\n#endif\n", b"a;"),
        (b"#else\na;\n#endif\n#endif\n#if A\nb;\n#else\nc;\n", b"a; b; c;"),
        (b"#if A\r\na;\r\n#else\r\nb;\r\n#endif\r\n", b"a;"),
        (b"#include <a>\n", b"#include <a>"),
    ],
)
def test_the_first_branch_of_a_conditional_stays(text: bytes, plain: bytes) -> None:
    assert first_branches(text).split() == plain.split()
    assert len(first_branches(text)) == len(text)


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
    assert without_macros(text) is text


_LINES = st.sampled_from(
    [
        b"G_BEGIN_DECLS",
        b"int a;",
        b"{",
        b"}",
        b"  Q_OBJECT_",
        b"// x",
        b"x = A_B |",
        b"#if X",
        b"",
        b"A_B\r",
        b"A_CALL(B)",
    ]
)


@given(st.lists(_LINES).map(b"\n".join))
def test_no_line_moves_and_only_capitals_go(text: bytes) -> None:
    plain = without_macros(text)
    assert len(plain) == len(text)
    for before, after in zip(text.split(b"\n"), plain.split(b"\n"), strict=True):
        assert after == before or (not after.strip() and before.strip().isupper())
