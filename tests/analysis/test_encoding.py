"""Bytes into text: what is binary, what is kept, and that lines stay lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.encoding import to_text


def test_valid_utf8_is_returned_as_it_is() -> None:
    data = "größe = 1\n".encode()
    text, encoding = to_text(data) or (b"", "")
    assert text is data
    assert encoding == "utf-8"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"\xef\xbb\xbfa\n", b"a\n", "utf-8-bom"),
        ("aé\n".encode("utf-16"), "aé\n".encode(), "utf-16-le"),
        (b"\xfe\xff" + "aé\n".encode("utf-16-be"), "aé\n".encode(), "utf-16-be"),
        (b"\xff\xfea\0\xe9", "a\N{REPLACEMENT CHARACTER}".encode(), "utf-16-le"),
        (b"caf\xe9\n", "café\n".encode(), "latin-1"),
        ("é".encode() + b" caf\xe9\n", "é café\n".encode(), "latin-1"),
        (b"\xed\xa0\x80\n", "í\xa0\x80\n".encode(), "latin-1"),
        (b"", b"", "utf-8"),
    ],
)
def test_text_in_other_encodings_becomes_utf8(data: bytes, text: bytes, encoding: str) -> None:
    assert to_text(data) == (text, encoding)


def test_a_nul_among_the_first_8000_bytes_makes_a_file_binary() -> None:
    assert to_text(b"a" * 7999 + b"\0") is None
    assert to_text(b"a" * 8000 + b"\0") == (b"a" * 8000 + b"\0", "utf-8")


def test_a_utf16_mark_before_binary_data_is_no_text() -> None:
    assert to_text(b"\xff\xfe\0\0a\0\0\0") is None


@given(st.binary(max_size=200))
def test_text_is_valid_and_has_the_lines_of_the_data(data: bytes) -> None:
    decoded = to_text(data)
    if decoded is not None:
        text, encoding = decoded
        text.decode("utf-8")
        if not encoding.startswith("utf-16"):
            assert text.count(b"\n") == data.count(b"\n")
