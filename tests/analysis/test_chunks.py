"""The promises of `analyze`: chunks cover every line once, spans lie inside them, and nothing makes it fail or hang."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greppy.analysis import grammars, languages
from greppy.analysis.chunks import BODY, COMMENT, MINIFIED, NAME, PARSE_ERROR, SIGNATURE, Analysis, analyze

SAMPLES = Path(__file__).parent / "samples"


def _analysis(data: bytes, language: str) -> Analysis:
    analysis = analyze(data, language)
    assert analysis is not None
    return analysis


def _texts(analysis: Analysis, field: int) -> list[bytes]:
    return [analysis.text[a:b].strip() for chunk in analysis.chunks for f, a, b in chunk.spans if f == field]


def _check(analysis: Analysis) -> None:
    """Lines covered once and in order; spans increasing, inside their chunk's lines, and white space only between."""
    text = analysis.text
    offsets = [0]
    for line in text.split(b"\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    offsets = [min(offset, len(text)) for offset in offsets]
    assert analysis.lines == text.count(b"\n") + (not text.endswith(b"\n") and text != b"")
    following = 1
    for chunk in analysis.chunks:
        assert chunk.start_line == following
        assert chunk.end_line >= chunk.start_line
        following = chunk.end_line + 1
        at, stop = offsets[chunk.start_line - 1], offsets[chunk.end_line]
        for field, start, end in chunk.spans:
            assert field in (NAME, SIGNATURE, COMMENT, BODY)
            assert at <= start < end <= stop
            assert not text[at:start].strip()
            at = end
        assert not text[at:stop].strip()
    assert following == analysis.lines + 1


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_chunks_cover_every_line_of_damaged_source_once(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(sorted(path.stem for path in SAMPLES.glob("*.source"))))
    source = (SAMPLES / f"{language}.source").read_bytes()
    a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(source))] * 2)))
    middle = data.draw(st.sampled_from([b"", b"\n", b"(", b"{", b"}", b'"', b"/*", b" \xff\xe9", "\u2028é".encode()]))
    _check(_analysis(source[:a] + middle + source[b:], language))


@given(st.binary(max_size=300), st.sampled_from(languages.NAMES))
@settings(max_examples=150, deadline=None)
def test_chunks_cover_every_line_of_arbitrary_bytes_once(data: bytes, language: str) -> None:
    analysis = analyze(data, language)
    if analysis is not None:
        _check(analysis)


@given(st.lists(st.sampled_from(["# A", "## B", "Title", "=====", "-----", "```", "text", "", "    code", "== C"])))
@settings(max_examples=150, deadline=None)
def test_sections_cover_every_line_of_prose_once(rows: list[str]) -> None:
    for language in ("markdown", "rst", "asciidoc", "org"):
        _check(_analysis("\n".join(rows).encode(), language))


def test_an_empty_file_has_no_chunks() -> None:
    assert _analysis(b"", "python") == Analysis(b"", "utf-8", 0, [], 0)


def test_a_file_of_blank_lines_is_covered() -> None:
    _check(_analysis(b"\n\n\n", "python"))


def test_a_binary_file_has_no_analysis() -> None:
    assert analyze(b"\x7fELF\0\0", "c") is None


def test_spans_say_in_which_field_words_stand() -> None:
    analysis = _analysis((SAMPLES / "python.source").read_bytes(), "python")
    expired = next(chunk for chunk in analysis.chunks if chunk.symbol == "Session.expired")
    texts = [(field, analysis.text[a:b].strip()) for field, a, b in expired.spans]
    assert texts == [
        (SIGNATURE, b"def"),
        (NAME, b"expired"),
        (SIGNATURE, b"(self) -> bool:"),
        (COMMENT, b'"""Whether it is too old."""'),
        (BODY, b"return age(self) > SESSION_AGE"),
    ]


def test_a_nested_function_in_its_parents_chunk_still_has_its_name_marked() -> None:
    analysis = _analysis((SAMPLES / "python.source").read_bytes(), "python")
    assert b"wrapper" in _texts(analysis, NAME)


def test_a_long_function_is_windowed_and_keeps_its_symbol() -> None:
    source = b"def long(a):\n" + b"".join(b"    step(%d)\n" % number for number in range(100))
    chunks = _analysis(source, "python").chunks
    assert [(chunk.start_line, chunk.end_line, chunk.kind, chunk.symbol) for chunk in chunks] == [
        (1, 40, "function", "long"),
        (41, 80, "function", "long"),
        (81, 101, "function", "long"),
    ]
    assert [[field for field, _, _ in chunk.spans] for chunk in chunks] == [
        [SIGNATURE, NAME, SIGNATURE, BODY],
        [BODY],
        [BODY],
    ]


def test_a_parse_error_costs_only_its_region() -> None:
    source = b"def good():\n    return 1\n\n\ndef bad(:\n    (((\n\n\ndef fine():\n    return 2\n"
    analysis = _analysis(source, "python")
    assert analysis.flags == PARSE_ERROR
    assert "good" in [chunk.symbol for chunk in analysis.chunks]


def test_definitions_on_one_line_share_a_chunk() -> None:
    analysis = _analysis(b"function a() { return 1; } function b() {\n  return 2;\n}\nfunction c() {}\n", "javascript")
    assert [(chunk.start_line, chunk.end_line, chunk.symbol) for chunk in analysis.chunks] == [(1, 3, "a"), (4, 4, "c")]


def test_a_minified_file_is_flagged_and_its_line_is_one_chunk() -> None:
    analysis = _analysis(b"/* minified */\n" + b"function f(a){return a}" * 2000 + b"\n", "javascript")
    assert analysis.flags & MINIFIED
    assert [(chunk.start_line, chunk.end_line) for chunk in analysis.chunks] == [(1, 1), (2, 2)]


def test_text_is_cut_at_blank_lines() -> None:
    paragraph = b"word\n" * 11 + b"\n"
    chunks = _analysis(paragraph * 6, "text").chunks
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [(1, 24), (25, 48), (49, 72)]


def test_no_line_is_cut_in_two() -> None:
    analysis = _analysis(b"x" * 10_000 + b"\n" + b"y" * 3000 + b"\n" + b"z" * 3000 + b"\n", "json")
    assert [(chunk.start_line, chunk.end_line) for chunk in analysis.chunks] == [(1, 1), (2, 2), (3, 3)]


def test_only_line_feeds_end_lines() -> None:
    analysis = _analysis("a\rb\x0cc\u2028d\x85e\r\nf".encode(), "text")
    assert analysis.lines == 2


DEEP = 60_000
DEEP_CASES = {
    "javascript": b"zebraquartz=" + b"(" * DEEP + b"1" + b")" * DEEP,
    "rust": b"fn zebraquartz(){ " + b"(" * DEEP,
    "python": b"x = " + b"[" * DEEP + b"1" + b"]" * DEEP + b" # zebraquartz\n",
    "ocaml": b"(* " * DEEP + b"zebraquartz",
    "haskell": b"x = " + b"(" * DEEP,
    "java": b"class A{" * DEEP,
    "elixir": b"a->" * 15_000,
    "vue": b"<script>" + b"`${" * 5000,
    "html": b"<div>" * DEEP + b"zebraquartz",
    "json": b"[" * DEEP + b'"zebraquartz"' + b"]" * DEEP,
}


@pytest.mark.parametrize("language", DEEP_CASES)
def test_bottomless_nesting_neither_crashes_nor_hangs(language: str) -> None:
    _check(_analysis(DEEP_CASES[language], language))


@pytest.mark.parametrize("language", ["c", "javascript", "go", "ruby", "kotlin"])
def test_tokens_without_any_structure_cost_bounded_time(language: str) -> None:
    """An error node with 100,000 children would cost a query ten seconds and more."""
    _check(_analysis(b") 1 ] 'a " * 25_000, language))


def test_a_comment_that_ends_a_perl_file_without_a_line_end_does_not_hang() -> None:
    _check(_analysis(b"a # b # c", "perl"))


def test_many_comments_before_a_class_body_cost_no_definition() -> None:
    source = b"class A < B\n" + b"  # Documented at length.\n" * 700 + b"  def f\n  end\nend\n"
    assert {chunk.symbol for chunk in _analysis(source, "ruby").chunks} == {"A", "A.f"}


def test_deeply_indented_python_keeps_its_lines() -> None:
    _check(_analysis(b"".join(b" " * i + b"if a:\n" for i in range(900)) + b" " * 900 + b"zebraquartz()\n", "python"))


def test_a_parse_that_takes_too_long_falls_back_to_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "SHORTEST_LIMIT", 0.0)
    monkeypatch.setattr(grammars, "SECONDS_PER_MEGABYTE", 0.0)
    analysis = _analysis(b"def f(a):\n    return a\n" * 2000, "python")
    assert analysis.flags == PARSE_ERROR
    assert {chunk.kind for chunk in analysis.chunks} == {"code"}
    _check(analysis)


def test_a_grammar_that_does_not_load_costs_only_its_language(monkeypatch: pytest.MonkeyPatch) -> None:
    grammars.load.cache_clear()
    monkeypatch.setitem(grammars.GRAMMARS, "lua", "no-such-grammar")
    try:
        assert [chunk.kind for chunk in _analysis(b"local function f()\nend\n", "lua").chunks] == ["code"]
        assert "lua" in grammars.failures()
        assert _analysis(b"def f():\n    pass\n", "python").chunks[0].symbol == "f"
    finally:
        grammars.failures().pop("lua", None)
        grammars.load.cache_clear()


def test_the_same_bytes_give_the_same_analysis() -> None:
    source = (SAMPLES / "cpp.source").read_bytes()
    assert _analysis(source, "cpp") == _analysis(source, "cpp")
