"""Posting lists and codes: the layout spelled out, round trips, damage, and equality of the twins."""

from __future__ import annotations

from array import array
from math import floor, log2
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.codes import COMMENT_LEVELS, FREQUENT, LENGTHS, LEVELS, length_code, posting_code
from greppy.kernels.reference import postings

documents = st.one_of(
    st.sets(st.integers(0, 300), max_size=60),
    st.sets(st.integers(0, 2**31 - 1), max_size=20),
).map(sorted)
damaged = st.lists(st.sampled_from([0, 1, 2, 3, 8, 0x0F, 0x7F, 0x80, 0x81, 0xFF]), max_size=16).map(bytes)


def codes_for(docs: list[int]) -> bytes:
    return bytes(FREQUENT[doc % 8] if doc % 3 else doc % 256 for doc in docs)


def test_a_list_is_laid_out_as_specified(twin: ModuleType) -> None:
    layout = [
        b"\x01",  # document 0: none skipped, kind 1, once in the body
        b"\x00\x81",  # document 1: none skipped, kind 0, in the name and once in the body
        b"\x1b",  # document 5: three skipped, kind 3, in the signature
        b"\xc8\xff\xff\xff\x3f\x41",  # document 2**31 - 1: 2**31 - 7 skipped, kind 0, signature and body
    ]
    docs = [0, 1, 5, 2**31 - 1]
    assert twin.encode_postings(docs, b"\x01\x81\x40\x41") == b"".join(layout)
    assert twin.decode_postings(b"".join(layout)) == (array("I", docs), b"\x01\x81\x40\x41")


def test_the_worked_example_of_the_docstring_is_what_is_encoded(twin: ModuleType) -> None:
    lines = (postings.__doc__ or "").split("::\n\n")[1].split("\n\n")[0].splitlines()
    spelled = bytes.fromhex("".join(line[4:14].strip() for line in lines))
    assert twin.encode_postings([0, 1, 5, 17], b"\x01\x81\x40\x01") == spelled


def test_every_code_is_its_own_whether_frequent_or_not(twin: ModuleType) -> None:
    codes = bytes(range(256))
    encoded = twin.encode_postings(list(range(256)), codes)
    assert twin.decode_postings(encoded)[1] == codes
    assert len(encoded) == 2 * 256 - 7


def test_a_list_without_postings_has_no_bytes(twin: ModuleType) -> None:
    assert twin.encode_postings([], b"") == b""
    assert twin.decode_postings(b"") == (array("I"), b"")
    assert twin.count_postings(b"", None) == twin.count_postings(b"", b"") == 0


@given(docs=documents)
def test_what_was_encoded_is_decoded(twin: ModuleType, docs: list[int]) -> None:
    encoded = twin.encode_postings(docs, codes_for(docs))
    assert twin.decode_postings(encoded) == (array("I", docs), codes_for(docs))
    assert twin.count_postings(encoded, None) == len(docs)


@given(docs=documents)
def test_the_twins_encode_equally(fast: ModuleType, docs: list[int]) -> None:
    assert fast.encode_postings(docs, codes_for(docs)) == reference.encode_postings(docs, codes_for(docs))


@pytest.mark.parametrize("docs", [[1, 1], [2, 1], [-1], [2**31], [10**30]])
def test_documents_that_do_not_ascend_within_31_bits_are_refused(twin: ModuleType, docs: list[int]) -> None:
    with pytest.raises(ValueError, match="ascend strictly"):
        twin.encode_postings(docs, b"\x01" * len(docs))


def test_documents_and_codes_must_be_equally_many(twin: ModuleType) -> None:
    with pytest.raises(ValueError, match="as many codes"):
        twin.encode_postings([1, 2], b"\x01")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\x80", "truncated"),
        (b"\x01\x00", "truncated"),
        (b"\x01\x80", "truncated"),
        (b"\xff\xff\xff\xff", "truncated"),
        (b"\x81\x80\x80\x80\x80\x00", "five bytes"),
        (b"\xff\xff\xff\xff\xff\x01", "five bytes"),
        (b"\x81\x80\x80\x80\x40", "beyond"),
        (b"\xff\xff\xff\xff\x7f", "beyond"),
        (b"\xf9\xff\xff\xff\x3f\x01", "beyond"),
    ],
)
def test_a_damaged_list_is_refused(twin: ModuleType, data: bytes, problem: str) -> None:
    for read in (twin.decode_postings, lambda data: twin.count_postings(data, None)):
        with pytest.raises(ValueError, match=problem):
            read(data)


@given(data=st.one_of(damaged, st.binary(max_size=40)))
def test_the_twins_agree_on_any_bytes(fast: ModuleType, data: bytes) -> None:
    try:
        expected = reference.decode_postings(data)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem).replace("*", r"\*")):
            fast.decode_postings(data)
        return
    assert fast.decode_postings(data) == expected


@given(docs=documents.filter(bool), cut=st.integers(0, 200))
def test_a_list_cut_off_has_the_first_postings_or_is_refused(twin: ModuleType, docs: list[int], cut: int) -> None:
    whole = twin.encode_postings(docs, codes_for(docs))
    try:
        found, codes = twin.decode_postings(whole[: min(cut, len(whole) - 1)])
    except ValueError:
        return
    assert len(found) < len(docs)
    assert (list(found), codes) == (docs[: len(found)], codes_for(docs)[: len(found)])


@given(docs=st.sets(st.integers(0, 300), max_size=60).map(sorted), dead=st.sets(st.integers(0, 300)))
def test_only_live_documents_are_counted(twin: ModuleType, docs: list[int], dead: set[int]) -> None:
    live = bytes(0 if doc in dead else 1 + doc % 255 for doc in range(301))
    assert twin.count_postings(twin.encode_postings(docs, codes_for(docs)), live) == len(set(docs) - dead)


def test_a_document_beyond_the_live_ones_is_refused(twin: ModuleType) -> None:
    with pytest.raises(ValueError, match="beyond the live"):
        twin.count_postings(twin.encode_postings([3], b"\x01"), b"\x01\x01\x01")


def test_posting_codes_hold_fields_and_levels() -> None:
    assert posting_code(0, 0, 0, 1) == 0x01
    assert posting_code(3, 1, 0, 0) == 0xC0
    assert [posting_code(0, 0, tf, 0) >> 4 for tf in range(6)] == [0, 1, 2, 2, 3, 3]
    assert [posting_code(0, 0, 0, tf) for tf in LEVELS] == list(range(16))
    assert posting_code(0, 0, 10**6, 10**6) == 0x3F
    assert COMMENT_LEVELS == (0, 1, 2, 4)


def test_length_codes_are_logarithms_to_an_eighth_of_a_doubling() -> None:
    assert length_code(0) == 0
    for length in range(1, 5000):
        if length & (length - 1):  # At powers of two a float's logarithm may fall to either side.
            assert length_code(length) == floor(8 * log2(length)) + 1
    assert [length_code(1 << octave) for octave in range(33)] == [min(255, 8 * octave + 1) for octave in range(33)]


def test_lengths_are_the_smallest_of_their_codes() -> None:
    assert len(LENGTHS) == 256
    assert LENGTHS[:2] == (0, 1)
    for code in range(1, 256):
        assert length_code(LENGTHS[code] - 1) < code <= length_code(LENGTHS[code])
