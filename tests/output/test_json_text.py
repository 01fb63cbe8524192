"""JSON that every reader takes, equal to what the standard library would write."""

from __future__ import annotations

import base64
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.errors import NoProject
from greppy.output.json_text import render, render_error, to_json
from greppy.search.result import Response, Result

RISKY = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from([chr(code) for code in RISKY]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
    max_leaves=20,
)


def mended(value: object) -> object:
    """`value` as it can be in UTF-8: lone surrogates replaced, as a reader of UTF-16 would."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [mended(item) for item in value]
    if isinstance(value, dict):
        return {mended(key): mended(item) for key, item in value.items()}
    return value


@given(values)
def test_every_value_is_read_back_as_it_was(value: object) -> None:
    text = to_json(value)
    text.encode()
    assert json.loads(text) == mended(json.loads(json.dumps(value)))


@given(any_text)
def test_no_character_that_a_terminal_would_obey_is_raw(text: str) -> None:
    assert not any(chr(code) in to_json(text) for code in RISKY)


@given(st.floats())
def test_numbers_keep_six_digits_and_are_always_json(number: float) -> None:
    read = json.loads(to_json(number), parse_constant=pytest.fail)
    assert read is None if not math.isfinite(number) else math.isclose(read, number, rel_tol=1e-5)


@given(st.binary())
def test_a_path_is_text_or_base64(path: bytes) -> None:
    read = json.loads(to_json(path))
    assert (base64.b64decode(read["bytes"]) if isinstance(read, dict) else read.encode()) == path


def test_a_value_without_a_json_form_is_refused() -> None:
    with pytest.raises(TypeError, match="set has no JSON form"):
        to_json({1})


def test_a_search_is_one_line_with_the_agreed_names() -> None:
    result = Result(
        b"src/auth.py",
        15,
        42,
        12.345678,
        "Auth.check",
        "method",
        "python",
        "a\nb",
        [16, 15],
        ["a"],
        ["test"],
        {"x": 1.0},
        "5ca1ab1e",
        True,
    )
    response = Response([result], 135, 3.14159, b"/p", ["a note"], indexed_at=1_767_781_830_123_999_999)
    assert render(response, 'a "query"') == (
        '{"results":[{"path":"src/auth.py","start_line":15,"end_line":42,"content":"a\\nb","symbol_name":"Auth.check",'
        '"symbol_kind":"method","language":"python","score":12.3457,"flags":["test"],"matched_lines":[16,15],"oid":"5ca1ab1e",'
        '"dirty":true,"freshness":{"indexed_at":"2026-01-07T10:30:30.123Z","stale":false}}],'
        '"total":135,"took_ms":3.1,"index":"full","query":"a \\"query\\"","notes":["a note"]}\n'
    )
    assert json.loads(render(response, "q", content=False))["results"][0]["content"] == ""


def test_an_error_has_code_message_and_hint() -> None:
    assert render_error(NoProject("no project", "go elsewhere")) == (
        '{"error":{"code":"NO_PROJECT","message":"no project","hint":"go elsewhere"}}\n'
    )
