"""Runs, parts of identifiers and starts of lines: golden tables, simple oracles, and equality of the twins."""

# ruff: noqa: RUF001
from __future__ import annotations

import re
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.reference.words import SEPARATORS

# Bytes that look like UTF-8 often enough to reach every branch of a decoder, cut at any place.
PIECES = [
    b"a",
    b"Z9_",
    b" ",
    b"\x00",
    b"\x80",
    b"\xbf",
    b"\xc0\x80",
    b"\xc2",
    b"\xc3\xa9",
    b"\xc2\xab",
    b"\xc2\xaa",
    b"\xe2\x80",
]
PIECES += [
    b"\xe2\x82\xac",
    b"\xe0\x80\x80",
    b"\xed\xa0\x80",
    b"\xed\x9f\xbf",
    b"\xef\xbf\xbd",
    b"\xe6\x97\xa5",
    b"\xe3\x80\x82",
]
PIECES += [
    b"\xf0\x9f\x98\x80",
    b"\xf0\x90\x90\x80",
    b"\xf0\x8f\xbf\xbf",
    b"\xf4\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80",
    b"\xf5",
    b"\xff",
]
hostile = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)), max_size=30).map(b"".join)
offsets = st.integers(-5, 80)
identifiers = st.lists(st.sampled_from([b"a", b"B", b"7", b"_", b"\xc3", b"-", b"Ab", b"XY"]), max_size=12).map(
    b"".join
)

RUNS = {
    "def get_url(self):": ["def", "get_url", "self"],
    "naïve café": ["naïve", "café"],
    "日本語、テスト。": ["日本語", "テスト"],
    "«x»·y×z÷w": ["x", "y", "z", "w"],
    "10µm 1ª 2º": ["10µm", "1ª", "2º"],
    "a—b…c“d”": ["a", "b", "c", "d"],
    "Ａ＿Ｂ！ｃ": ["Ａ", "Ｂ", "ｃ"],
    "ok😀ok": ["ok", "ok"],
    "\ufeffx\ue000y": ["\ufeffx", "y"],
    "𐐀𐐁": ["𐐀𐐁"],
    "々 〆 〇": ["々", "〆", "〇"],
    "": [],
}

PARTS = {
    "HTTPServerV2": "http server v2",
    "getURLForID": "get url for id",
    "XMLHttpRequest": "xml http request",
    "__init__": "init",
    "MAX_SIZE": "max size",
    "iOS": "i os",
    "utf8": "utf8",
    "UTF8Decoder": "utf8 decoder",
    "sha256sum": "sha256 sum",
    "V2": "v2",
    "v2alpha1": "v2 alpha1",
    "2to3": "2to3",
    "3d": "3d",
    "3DView": "3d view",
    "2fa": "2fa",
    "base64_encode": "base64 encode",
    "IOError": "io error",
    "A": "a",
    "x": "x",
    "42": "42",
    "0xFF": "0x ff",
    "kebab-case": "kebab case",
    "naïveBayes": "naïve bayes",
    "___": "",
    "": "",
}


@pytest.mark.parametrize("text", RUNS)
def test_runs_are_the_words_of_the_text(twin: ModuleType, text: str) -> None:
    data = text.encode()
    assert twin.runs(data, 0, len(data)) == [run.encode() for run in RUNS[text]]


def test_bytes_that_are_not_utf8_separate(twin: ModuleType) -> None:
    bad = [
        b"\xff",
        b"\x80",
        b"\xc0\x80",
        b"\xe2\x82",
        b"\xe0\x80\x80",
        b"\xed\xa0\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
    ]
    for piece in bad:
        assert twin.runs(b"ab" + piece + b"cd", 0, 99) == [b"ab", b"cd"], piece


def test_a_code_point_cut_by_the_end_of_the_range_separates(twin: ModuleType) -> None:
    data = "xé".encode()
    assert twin.runs(data, 0, 2) == [b"x"]
    assert twin.runs(data, 2, 3) == []


def test_the_range_of_runs_is_clipped(twin: ModuleType) -> None:
    assert twin.runs(b"one two", -(10**30), 10**30) == [b"one", b"two"]
    assert twin.runs(b"one two", 5, 2) == twin.runs(b"one two", 50, 60) == twin.runs(b"", 0, 0) == []


def test_runs_reads_any_buffer(twin: ModuleType) -> None:
    assert twin.runs(memoryview(b"-one two")[1:], 1, 6) == twin.runs(bytearray(b"ne tw"), 0, 5) == [b"ne", b"tw"]


def test_every_code_point_is_classified_as_the_table_says(twin: ModuleType) -> None:
    for code in [*range(0x80, 0x3100), *range(0xD700, 0x10000), *range(0x1EF00, 0x1FC00), 0x10FFFF]:
        word = chr(code).encode("utf-8", "surrogatepass")
        separates = any(first <= code <= last for first, last in SEPARATORS)
        assert twin.runs(word, 0, 4) == ([] if separates else [word]), hex(code)


@given(data=hostile, start=offsets, end=offsets)
@example(data=b"\xf0\x9f\x98", start=0, end=3)
def test_the_twins_find_equal_runs(fast: ModuleType, data: bytes, start: int, end: int) -> None:
    assert fast.runs(data, start, end) == reference.runs(data, start, end)


@given(data=hostile)
def test_runs_are_what_a_regular_expression_finds(twin: ModuleType, data: bytes) -> None:
    separators = "".join(f"{chr(first)}-{chr(last)}" for first, last in SEPARATORS)
    word = re.compile(f"(?:[0-9A-Za-z_]|[^\0-\x7f{separators}])+")
    text = data.decode("utf-8", "surrogateescape")
    assert twin.runs(data, 0, len(data)) == [run.encode() for run in word.findall(text)]


@pytest.mark.parametrize("identifier", PARTS)
def test_identifiers_split_into_their_parts(twin: ModuleType, identifier: str) -> None:
    assert twin.split_identifier(identifier.encode()) == [part.encode() for part in PARTS[identifier].split()]


@given(run=st.one_of(identifiers, hostile))
def test_the_twins_split_identifiers_equally(fast: ModuleType, run: bytes) -> None:
    assert fast.split_identifier(run) == reference.split_identifier(run)


@given(run=identifiers)
def test_parts_keep_every_letter_and_digit_in_order(twin: ModuleType, run: bytes) -> None:
    parts = twin.split_identifier(run)
    assert b"".join(parts) == re.sub(rb"[^0-9A-Za-z\x80-\xff]", b"", run).lower()
    assert b"" not in parts


def test_splitting_leaves_one_letter_constants_alone(twin: ModuleType) -> None:
    assert twin.split_identifier(b"A") == [b"a"]
    assert bytes([65]) == b"A"


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        (b"", [0]),
        (b"a", [0]),
        (b"\n", [0]),
        (b"\n\n", [0, 1]),
        (b"a\nb", [0, 2]),
        (b"a\nb\n", [0, 2]),
        (b"a\r\n\nb\n", [0, 3, 4]),
    ],
)
def test_lines_start_at_0_and_after_each_line_feed_but_the_last_byte(
    twin: ModuleType, text: bytes, starts: list[int]
) -> None:
    found = twin.line_starts(text)
    assert (found.format, list(found)) == ("I", starts)


@given(text=st.lists(st.sampled_from([b"\n", b"a", b"\r", b"\x00"])).map(b"".join))
def test_line_starts_are_where_a_regular_expression_finds_them(twin: ModuleType, text: bytes) -> None:
    after = [match.end() for match in re.finditer(rb"\n", text) if match.end() < len(text)]
    assert list(twin.line_starts(text)) == [0, *after]
