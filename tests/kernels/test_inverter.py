"""The inverter: a worked example, an oracle in plain dictionaries, refusals, and equality of the twins."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from itertools import accumulate
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.codes import LENGTHS, length_code, posting_code

Inverted = tuple[list[bytes], bytes, "array[int]", bytes, "array[int]"]

words = st.sampled_from(
    [b"a", b"getURL", b"x_y", b" ", b"\n", b"(", "é".encode(), "dé".encode(), b"\xff", b"Ab9", b"w" * 300]
)
texts = st.lists(words, max_size=25).map(b"".join)
spans = st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 60), st.integers(-2, 60)), max_size=4)
additions = st.lists(st.tuples(st.integers(0, 3), texts, spans), max_size=12)


def expand(run: bytes) -> tuple[bytes, ...]:
    return (run.lower()[:255], *reference.split_identifier(run[:200]))


def expected_terms(run: bytes) -> tuple[bytes, ...]:
    return reference.ascii_terms(run) if run.isascii() else expand(run)


def whole(run: bytes) -> tuple[bytes, ...]:
    return (run,)


def never(run: bytes) -> tuple[bytes, ...]:
    raise AssertionError(run)


def lists(inverted: Inverted) -> dict[bytes, tuple[list[int], bytes]]:
    terms, data, ends, _, _ = inverted
    starts = [0, *ends]
    found = {}
    for term, start, end in zip(terms, starts, ends, strict=False):
        docs, codes = reference.decode_postings(data[start:end])
        found[term] = (list(docs), codes)
    return found


def test_a_small_shard_comes_out_as_worked_by_hand(twin: ModuleType) -> None:
    inverter = twin.Inverter(never)
    inverter.add(0, b"def foo bar foo", [(0, 4, 7), (1, 0, 7), (3, 0, 15)])
    inverter.add(2, b"foo  # bar bar", [(3, 0, 3), (2, 5, 14)])
    terms, data, ends, lengths, totals = inverter.finish()
    layout = [
        reference.encode_postings([0, 2], b"\x01\x20", 3),  # bar: once in the body; twice in the comment
        reference.encode_postings([0], b"\x41", 3),  # def: in the signature and once in the body
        reference.encode_postings([0, 2], b"\xc2\x01", 3),  # foo: name, signature, twice in the body; once in the body
    ]
    assert terms == [b"bar", b"def", b"foo"]
    assert data == b"".join(layout)
    assert (ends.typecode, list(ends)) == ("Q", list(accumulate(map(len, layout))))
    assert lengths == bytes([length_code(4), 0, 0, 0, length_code(1), length_code(2)])
    assert (totals.typecode, list(totals)) == ("Q", [3, 1, 2, 2, 5])


def test_an_empty_inverter_has_no_documents(twin: ModuleType) -> None:
    assert twin.Inverter(whole).finish() == ([], b"", array("Q"), b"", array("Q", [0, 0, 0, 0, 0]))


def test_a_document_without_runs_counts(twin: ModuleType) -> None:
    inverter = twin.Inverter(whole)
    inverter.add(1, b"", [])
    assert inverter.finish()[3:] == (b"\0\0\0\0", array("Q", [2, 0, 0, 0, 0]))


@given(parts=additions)
def test_lists_hold_what_dictionaries_count(twin: ModuleType, parts: list[tuple[int, bytes, Any]]) -> None:
    inverter, doc = twin.Inverter(expand), 0
    counts: dict[bytes, dict[int, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    for gap, text, where in parts:
        doc += gap
        inverter.add(doc, text, where)
        for field, start, end in where:
            for run in reference.runs(text, start, end):
                for term in expected_terms(run):
                    counts[term][doc][field] += 1
    expected = {
        term: (list(docs), bytes(posting_code(*(tf[field] for field in range(4))) for tf in docs.values()))
        for term, docs in counts.items()
    }
    inverted = inverter.finish()
    assert lists(inverted) == expected
    assert inverted[0] == sorted(expected)


@given(parts=additions)
def test_the_twins_invert_equally(fast: ModuleType, parts: list[tuple[int, bytes, Any]]) -> None:
    ours, theirs, doc = fast.Inverter(expand), reference.Inverter(expand), 0
    for gap, text, where in parts:
        doc += gap
        ours.add(doc, text, where)
        theirs.add(doc, text, where)
    assert ours.finish() == theirs.finish()


def test_many_distinct_runs_keep_their_terms(twin: ModuleType) -> None:
    names = ["näme%d".encode() % number for number in range(20_000)]
    text = b" ".join(names)
    inverter = twin.Inverter(whole)
    inverter.add(0, text, [(3, 0, len(text))])
    inverter.add(7, text, [(2, 0, len(text)), (2, 0, len(text))])
    terms, data, ends, _, totals = inverter.finish()
    assert terms == sorted(names)
    one = reference.encode_postings([0, 7], b"\x01\x20", 8)
    assert data == one * 20_000
    assert list(ends) == list(range(len(one), 20_000 * len(one) + 1, len(one)))
    assert list(totals) == [8, 0, 0, 40_000, 20_000]


def test_frequencies_beyond_a_byte_stay_at_the_highest_level(twin: ModuleType) -> None:
    inverter = twin.Inverter(whole)
    inverter.add(0, b"a " * 1000, [(field, 0, 2000) for field in range(4)])
    assert lists(inverter.finish()) == {b"a": ([0], b"\xff")}


def test_length_codes_agree_with_the_table_at_every_step(twin: ModuleType) -> None:
    sizes = sorted({max(length + step, 0) for length in LENGTHS if length < 20_000 for step in (-1, 0, 1)})
    inverter = twin.Inverter(never)
    for doc, size in enumerate(sizes):
        inverter.add(doc, b"a " * size, [(3, 0, 2 * size)])
    codes = inverter.finish()[3]
    assert list(codes[::2]) == [length_code(size) for size in sizes]


def test_expand_is_called_once_for_each_distinct_run(twin: ModuleType) -> None:
    calls: list[bytes] = []

    def count(run: bytes) -> tuple[bytes, ...]:
        calls.append(run)
        return (run[:1],)

    inverter = twin.Inverter(count)
    inverter.add(0, "één twéé één".encode(), [(3, 0, 99), (2, 0, 99)])
    inverter.add(1, "twéé drié vier".encode(), [(3, 0, 99)])
    assert calls == ["één".encode(), "twéé".encode(), "drié".encode()]


def test_a_run_of_more_than_256_bytes_is_passed_on_each_time(twin: ModuleType) -> None:
    calls: list[int] = []

    def count(run: bytes) -> tuple[bytes, ...]:
        calls.append(len(run))
        return (run[:5], b"other")

    inverter = twin.Inverter(count)
    text = b"x" * 254 + "é ".encode() + b"y" * 255 + "é".encode()
    inverter.add(0, text, [(3, 0, 999), (3, 0, 999)])
    assert calls == [256, 257, 257]
    assert lists(inverter.finish()) == {b"other": ([0], b"\x04"), b"xxxxx": ([0], b"\x02"), b"yyyyy": ([0], b"\x02")}


def test_ascii_runs_of_any_length_are_expanded_without_asking(twin: ModuleType) -> None:
    inverter = twin.Inverter(never)
    text = b"get_users " + b"z" * 256 + b" " + b"z" * 257 + b" " + b"ab_" * 200
    inverter.add(0, text, [(3, 0, 9999), (3, 0, 9999)])
    found = lists(inverter.finish())
    assert set(found) == {term for run in text.split() for term in reference.ascii_terms(run)}
    assert found[b"z" * 64] == ([0], b"\x04")


def test_a_term_given_twice_counts_twice(twin: ModuleType) -> None:
    inverter = twin.Inverter(lambda run: (b"e", b"e"))
    inverter.add(0, "é".encode(), [(3, 0, 2)])
    assert lists(inverter.finish()) == {b"e": ([0], b"\x02")}


def test_what_expand_raises_comes_through_and_the_inverter_stays_usable(twin: ModuleType) -> None:
    def refuse(run: bytes) -> tuple[bytes, ...]:
        if run == "slécht".encode():
            raise LookupError("bad run")
        return (b"good",)

    inverter = twin.Inverter(refuse)
    with pytest.raises(LookupError, match="bad run"):
        inverter.add(0, "gôôd slécht never".encode(), [(3, 0, 99), (3, 0, 4)])
    inverter.add(1, b"good", [(3, 0, 4)])
    terms, data, _, lengths, totals = inverter.finish()
    assert (terms, data) == ([b"good"], reference.encode_postings([0, 1], b"\x01\x01", 2))
    assert (lengths, list(totals)) == (b"\x01\0\x01\0", [2, 0, 0, 0, 2])


@pytest.mark.parametrize("answer", [[b"a"], "a", None, (b"a", "b"), (1,)])
def test_expand_must_give_a_tuple_of_bytes(twin: ModuleType, answer: Any) -> None:
    with pytest.raises(TypeError):
        twin.Inverter(lambda run: answer).add(0, b"\xc3\xa9", [(3, 0, 2)])


@pytest.mark.parametrize("term", [b"", b"x" * 256])
def test_terms_have_1_to_255_bytes(twin: ModuleType, term: bytes) -> None:
    with pytest.raises(ValueError, match="1 to 255"):
        twin.Inverter(lambda run: (b"fine", term)).add(0, b"\xc3\xa9", [(3, 0, 2)])


@pytest.mark.parametrize("doc", [4, -1, 2**31, 10**30])
def test_documents_must_not_descend_nor_leave_31_bits(twin: ModuleType, doc: int) -> None:
    inverter = twin.Inverter(whole)
    inverter.add(5, b"", [])
    with pytest.raises(ValueError, match="non-decreasing"):
        inverter.add(doc, b"", [])


@pytest.mark.parametrize("span", [(4, 0, 1), (-1, 0, 1), (3, 0), (3, 0, 1, 2), (10**30, 0, 1)])
def test_a_malformed_span_is_refused(twin: ModuleType, span: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"field must be|start and an end|values to unpack"):
        twin.Inverter(whole).add(0, b"a", [span])


def test_spans_are_clipped_to_the_text(twin: ModuleType) -> None:
    inverter = twin.Inverter(whole)
    inverter.add(0, b"red two", [(3, -(10**30), 10**30), (3, 6, 2), (3, 100, 200)])
    assert lists(inverter.finish()) == {b"red": ([0], b"\x01"), b"two": ([0], b"\x01")}


def test_a_finished_inverter_is_unusable(twin: ModuleType) -> None:
    inverter = twin.Inverter(whole)
    inverter.finish()
    with pytest.raises(RuntimeError, match="finished"):
        inverter.add(0, b"", [])
    with pytest.raises(RuntimeError, match="finished"):
        inverter.finish()


def test_expand_cannot_reach_into_the_inverter_that_calls_it(twin: ModuleType) -> None:
    problems: list[str] = []

    def meddle(run: bytes) -> tuple[bytes, ...]:
        for call in (inverter.finish, lambda: inverter.add(0, b"x", [(3, 0, 1)])):
            with pytest.raises(RuntimeError) as problem:
                call()
            problems.append(str(problem.value))
        return (run,)

    inverter = twin.Inverter(meddle)
    inverter.add(0, b"\xc3\xa9", [(3, 0, 2)])
    assert problems == ["this inverter is in use"] * 2
    assert inverter.finish()[0] == [b"\xc3\xa9"]


def test_expand_may_change_the_text_and_the_spans_that_are_being_read(twin: ModuleType) -> None:
    text = bytearray("oné twó thréé".encode())
    where = [(3, 0, 17), (3, 0, 17)]

    def spoil(run: bytes) -> tuple[bytes, ...]:
        text[:] = b"\xf0" * len(text)
        where.clear()
        return (run,)

    inverter = twin.Inverter(spoil)
    inverter.add(0, text, where)
    assert "oné".encode() in inverter.finish()[0]
