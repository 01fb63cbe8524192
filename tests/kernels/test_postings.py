"""Posting lists and codes: the layout spelled out, round trips, damage, and equality of the twins."""

from __future__ import annotations

from array import array
from itertools import accumulate
from math import floor, log2
from struct import pack
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.codes import COMMENT_LEVELS, LENGTHS, LEVELS, TERM_BLOCK, length_code, posting_code
from greppy.kernels.reference import postings

UNIVERSE = 301
documents = st.one_of(
    st.sets(st.integers(0, UNIVERSE - 1), max_size=60).map(lambda docs: (sorted(docs), UNIVERSE)),
    st.sets(st.integers(0, 2**31 - 1), max_size=20).map(lambda docs: (sorted(docs), 2**31)),
    st.integers(0, 90).map(lambda count: (list(range(count)), count)),
)
heads = st.tuples(st.sampled_from([0, 1, 2, 40, 2**31, 2**31 + 1]), st.integers(0, 45))
damaged = st.tuples(heads, st.binary(max_size=40)).map(lambda parts: pack("<II", *parts[0]) + parts[1])
Documents = tuple[list[int], int]


def codes_for(docs: list[int]) -> bytes:
    return bytes((1, 2, 0x40, 0x80, 0x10, 3, 7)[doc % 7] if doc % 5 else doc % 256 for doc in docs)


def test_the_worked_example_of_the_docstring_is_what_is_encoded(twin: ModuleType) -> None:
    lines = (postings.__doc__ or "").split("::\n\n")[2].split("\n\nOn disk")[0].splitlines()
    spelled = bytes.fromhex("".join(line[4:31].strip() for line in lines[:2]))
    assert twin.encode_postings([0, 1, 5, 17], b"\x01\x81\x40\x01", 20) == spelled
    bits = "".join("".join(line[4:31].split()) for line in lines[3:])
    assert "".join(f"{byte:08b}"[::-1] for byte in spelled[8:]) == bits


def test_every_code_can_follow_every_other(twin: ModuleType) -> None:
    codes = bytes(number for one in range(0, 256, 5) for other in range(256) for number in (one, other))
    encoded = twin.encode_postings(list(range(len(codes))), codes, len(codes))
    assert twin.decode_postings(encoded)[1] == codes


def test_a_list_without_postings_is_its_head(twin: ModuleType) -> None:
    assert twin.encode_postings([], b"", 7) == pack("<II", 7, 0)
    assert twin.decode_postings(bytes(8)) == (array("I"), b"")
    assert twin.count_postings(bytes(8), None) == twin.count_postings(bytes(8), b"") == 0


@given(asked=documents)
def test_what_was_encoded_is_decoded(twin: ModuleType, asked: Documents) -> None:
    docs, universe = asked
    encoded = twin.encode_postings(docs, codes_for(docs), universe)
    assert twin.decode_postings(encoded) == (array("I", docs), codes_for(docs))
    assert twin.count_postings(encoded, None) == len(docs)


@given(asked=documents)
def test_the_twins_encode_equally(fast: ModuleType, asked: Documents) -> None:
    docs, universe = asked
    expected = reference.encode_postings(docs, codes_for(docs), universe)
    assert fast.encode_postings(docs, codes_for(docs), universe) == expected


@pytest.mark.parametrize("docs", [[1, 1], [2, 1], [-1], [9], [10**30]])
def test_documents_that_do_not_ascend_below_their_number_are_refused(twin: ModuleType, docs: list[int]) -> None:
    with pytest.raises((ValueError, OverflowError), match=r"ascend strictly|cannot fit"):
        twin.encode_postings(docs, b"\x01" * len(docs), 9)


@pytest.mark.parametrize("universe", [-1, 2**31 + 1])
def test_there_are_at_most_two_to_the_31_documents(twin: ModuleType, universe: int) -> None:
    with pytest.raises(ValueError, match="at most"):
        twin.encode_postings([], b"", universe)
    with pytest.raises(ValueError, match="as many documents"):
        twin.pack_lists(twin.encode_postings([1], b"\x01", 5), [9], universe)


def test_documents_and_codes_must_be_equally_many(twin: ModuleType) -> None:
    with pytest.raises(ValueError, match="as many codes"):
        twin.encode_postings([1, 2], b"\x01", 9)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "truncated"),
        (bytes(7), "truncated"),
        (pack("<II", 9, 1), "truncated"),
        (pack("<II", 9, 9), "truncated"),
        (pack("<II", 9, 9) + b"\xff", "truncated"),
        (pack("<II", 2**31, 2**31) + b"\0", "truncated"),
        (pack("<II", 2**31 + 1, 1) + b"\0", "more documents"),
        (pack("<II", 1, 2) + b"\0", "more documents"),
        (pack("<II", 5, 2) + b"\x07\x00", "beyond the last"),
    ],
)
def test_a_damaged_list_is_refused(twin: ModuleType, data: bytes, problem: str) -> None:
    for read in (twin.decode_postings, lambda data: twin.count_postings(data, bytes(64))):
        with pytest.raises(ValueError, match=problem):
            read(data)


@given(data=damaged)
def test_the_twins_agree_on_any_bytes(fast: ModuleType, data: bytes) -> None:
    try:
        expected = reference.decode_postings(data)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem)):
            fast.decode_postings(data)
        return
    assert fast.decode_postings(data) == expected


@given(asked=documents.filter(lambda asked: bool(asked[0])), cut=st.integers(0, 200))
def test_a_list_cut_off_is_refused(twin: ModuleType, asked: Documents, cut: int) -> None:
    docs, universe = asked
    whole = twin.encode_postings(docs, codes_for(docs), universe)
    with pytest.raises(ValueError, match=r"truncated|beyond"):
        twin.decode_postings(whole[: min(cut, len(whole) - 1)])


@given(docs=st.sets(st.integers(0, 300), max_size=60).map(sorted), dead=st.sets(st.integers(0, 300)))
def test_only_live_documents_are_counted(twin: ModuleType, docs: list[int], dead: set[int]) -> None:
    live = bytes(0 if doc in dead else 1 + doc % 255 for doc in range(301))
    assert twin.count_postings(twin.encode_postings(docs, codes_for(docs), 301), live) == len(set(docs) - dead)


def test_a_document_beyond_the_live_ones_is_refused(twin: ModuleType) -> None:
    with pytest.raises(ValueError, match="beyond the live"):
        twin.count_postings(twin.encode_postings([3], b"\x01", 4), b"\x01\x01\x01")


many_lists = st.lists(st.sets(st.integers(0, UNIVERSE - 1), min_size=1, max_size=70).map(sorted), max_size=140)


@given(lists=many_lists)
def test_stored_lists_are_taken_out_as_they_were_put_in(twin: ModuleType, lists: list[list[int]]) -> None:
    encoded = [twin.encode_postings(docs, codes_for(docs), UNIVERSE) for docs in lists]
    index, blocks = twin.pack_lists(b"".join(encoded), list(accumulate(map(len, encoded))), UNIVERSE)
    universe, count, *starts = memoryview(index).cast("I")
    assert (universe, count, starts[-1]) == (UNIVERSE, len(lists), len(blocks))
    for ordinal in range(0, len(lists), 9):
        block, place = divmod(ordinal, TERM_BLOCK)
        assert twin.take_list(blocks[starts[block] : starts[block + 1]], place, UNIVERSE) == encoded[ordinal]


@given(lists=many_lists)
def test_the_twins_store_equally(fast: ModuleType, lists: list[list[int]]) -> None:
    encoded = [reference.encode_postings(docs, codes_for(docs), UNIVERSE) for docs in lists]
    ends = list(accumulate(map(len, encoded)))
    expected = reference.pack_lists(b"".join(encoded), ends, UNIVERSE)
    assert fast.pack_lists(b"".join(encoded), ends, UNIVERSE) == expected


@given(data=st.binary(max_size=60), place=st.integers(0, 4), universe=st.sampled_from([1, 5, 400, 2**31]))
def test_the_twins_take_the_same_out_of_any_bytes(fast: ModuleType, data: bytes, place: int, universe: int) -> None:
    try:
        expected = reference.take_list(data, place, universe)
    except ValueError:
        with pytest.raises(ValueError, match="list"):
            fast.take_list(data, place, universe)
        return
    assert fast.take_list(data, place, universe) == expected


def test_a_list_of_other_documents_or_without_postings_is_not_stored(twin: ModuleType) -> None:
    for stored in (twin.encode_postings([1], b"\x01", 8), twin.encode_postings([], b"", 9)):
        with pytest.raises(ValueError, match="as many documents"):
            twin.pack_lists(stored, [len(stored)], 9)


@pytest.mark.parametrize("ends", [[10, 9], [-1], [11]])
def test_ends_that_descend_or_pass_the_end_are_refused(twin: ModuleType, ends: list[int]) -> None:
    one = twin.encode_postings([1], b"\x80", 900)
    assert len(one) == 10
    with pytest.raises(ValueError, match="must not descend"):
        twin.pack_lists(one, ends, 900)


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
