"""Scores: BM25F worked by hand, the best of many, blobs by their chunks, refusals, and equality of the twins."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference

DOCS = 40
numbers = st.floats(0, 1e6)
small = st.integers(0, 4).map(lambda number: number / 2)


def floats(count: int, value: float = 0.0) -> array[float]:
    return array("d", [value]) * count


def marks(count: int) -> array[int]:
    return array("Q", [0]) * count


def arguments(**changes: Any) -> dict[str, Any]:
    """A call of `accumulate` that fits together: documents 0 and 2 of three."""
    call = {
        "buf": reference.encode_postings([0, 2], b"\x01\x93", 3),
        "live": None,
        "code_tables": floats(768, 1.0),
        "lengths": b"\x01\x02\x03\x04\x05\x06",
        "norm_tables": floats(512, 1.0),
        "k1": 1.2,
        "weight": 2.0,
        "bit": 0,
        "scores": floats(3),
        "masks": marks(3),
    }
    return {**call, **changes}


def test_a_posting_adds_the_bm25f_score_of_its_fields(twin: ModuleType) -> None:
    tables, norms, scores, masks = floats(768), floats(512), floats(3, 0.5), marks(3)
    tables[0x93], tables[256 + 0x93], tables[512 + 0x93] = 5.0, 1.0, 3.0
    norms[5], norms[256 + 6] = 0.5, 0.25
    masks[2] = 1
    twin.accumulate(**arguments(code_tables=tables, norm_tables=norms, scores=scores, masks=masks, bit=63))
    x = 5.0 + 1.0 * 0.25 + 3.0 * 0.5
    assert list(scores) == [0.5, 0.5, 0.5 + 2.0 * x / (1.2 + x)]
    assert list(masks) == [1 << 63, 0, 1 << 63 | 1]


def test_dead_documents_are_passed_over(twin: ModuleType) -> None:
    call = arguments(live=b"\x00\x01\xff")
    twin.accumulate(**call)
    assert (call["scores"][0], call["masks"][0]) == (0.0, 0)
    assert call["scores"][2] > 0.0


@given(
    docs=st.sets(st.integers(0, DOCS - 1)).map(sorted),
    seed=st.integers(0, 2**32),
    alive=st.booleans(),
    weight=numbers,
    k1=st.floats(0.01, 10),
    bit=st.integers(0, 63),
)
def test_the_twins_accumulate_to_the_last_bit(
    fast: ModuleType, docs: list[int], seed: int, alive: bool, weight: float, k1: float, bit: int
) -> None:
    dice = random.Random(seed)
    shared = {
        "buf": reference.encode_postings(docs, bytes(dice.choice([1, 1, dice.randrange(256)]) for _ in docs), DOCS),
        "live": None if alive else bytes(dice.randrange(3) for _ in range(DOCS)),
        "code_tables": array("d", [dice.random() * 9 for _ in range(768)]),
        "lengths": dice.randbytes(2 * DOCS),
        "norm_tables": array("d", [dice.random() for _ in range(512)]),
        "k1": k1,
        "weight": weight,
        "bit": bit,
    }
    results = []
    for twin in (fast, reference):
        scores, masks = floats(DOCS, 0.1), marks(DOCS)
        twin.accumulate(**shared, scores=scores, masks=masks)
        results.append((scores.tobytes(), masks))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"buf": b"\x01\x00"}, "truncated"),
        ({"buf": b"\x80"}, "truncated"),
        ({"buf": bytes(4) + b"\x01\x00\x00\x00"}, "more documents"),
        ({"live": b"\x01\x01"}, "beyond the buffers"),
        ({"lengths": b"\x00" * 5}, "beyond the buffers"),
        ({"scores": floats(2)}, "beyond the buffers"),
        ({"masks": marks(2)}, "beyond the buffers"),
        ({"code_tables": floats(767)}, "256 numbers each"),
        ({"norm_tables": floats(513)}, "256 numbers each"),
        ({"scores": bytearray(23)}, "whole number"),
        ({"masks": bytearray(23)}, "whole number"),
        ({"code_tables": bytes(6145)}, "whole number"),
        ({"k1": 0.0}, "k1 must be positive"),
        ({"k1": math.nan}, "k1 must be positive"),
        ({"code_tables": floats(768, -0.5), "k1": 1.5}, "must not be zero"),
        ({"bit": 64}, "bit must be"),
        ({"bit": -1}, "bit must be"),
    ],
)
def test_what_does_not_fit_together_is_refused(twin: ModuleType, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        twin.accumulate(**arguments(**changes))


@given(data=st.one_of(st.binary(max_size=30), st.lists(st.integers(0, 9)).map(bytes)))
def test_the_twins_agree_on_damaged_lists(fast: ModuleType, data: bytes) -> None:
    outcomes = [_outcome(twin.accumulate, arguments(buf=data)) for twin in (fast, reference)]
    assert outcomes[0] == outcomes[1]


def _outcome(accumulate: Callable[..., None], call: dict[str, Any]) -> Any:
    try:
        accumulate(**call)
    except ValueError:
        return "refused"
    return call["scores"], call["masks"]


def test_buffers_may_lie_at_any_address(twin: ModuleType) -> None:
    expected, call = arguments(), arguments()
    reference.accumulate(**expected)
    for name in ("code_tables", "norm_tables", "scores", "masks"):
        call[name] = memoryview(bytearray(b"?" + call[name].tobytes()))[1:]
    twin.accumulate(**call)
    assert bytes(call["scores"]) == expected["scores"].tobytes()
    assert bytes(call["masks"]) == expected["masks"].tobytes()


def test_scores_that_cannot_be_written_are_refused(twin: ModuleType) -> None:
    with pytest.raises((TypeError, BufferError)):
        twin.accumulate(**arguments(scores=bytes(24)))


@pytest.mark.parametrize(
    ("values", "k", "best"),
    [
        ([1.0, 3.0, 2.0, 3.0], 3, [1, 3, 2]),
        ([1.0, 3.0, 2.0, 3.0], 99, [1, 3, 2, 0]),
        ([0.0, -1.0, math.nan, math.inf, 1e-300], 5, [3, 4]),
        ([1.0], 0, []),
        ([1.0], -1, []),
        ([], 5, []),
    ],
)
def test_the_best_are_those_above_zero_ties_by_index(
    twin: ModuleType, values: list[float], k: int, best: list[int]
) -> None:
    assert twin.top_k(array("d", values), k) == best


@given(values=st.lists(st.one_of(small, st.floats())), k=st.integers(-1, 30))
def test_the_twins_choose_the_same_best(fast: ModuleType, values: list[float], k: int) -> None:
    assert fast.top_k(array("d", values), k) == reference.top_k(array("d", values), k)


def test_values_must_be_whole_numbers_of_eight_bytes(twin: ModuleType) -> None:
    with pytest.raises(ValueError, match="whole number"):
        twin.top_k(bytes(9), 1)


def test_a_blob_is_scored_by_its_best_chunks_and_has_all_their_marks(twin: ModuleType) -> None:
    scores, masks = array("d", [1.0, 4.0, 2.0, 3.0, 5.0, 9.0]), array("Q", [1, 2, 4, 8, 16, 1 << 63])
    out, unions = floats(4, 7.0), array("Q", [7, 7, 7, 7])
    scored = twin.blob_scores(scores, masks, array("I", [0, 5, 5, 6, 6]), (0.5, 0.25, 0.125), out, unions)
    assert scored == 6
    assert list(out) == [5.0 + 0.5 * 4.0 + 0.25 * 3.0 + 0.125 * 2.0, 0.0, 9.0, 0.0]
    assert list(unions) == [31, 0, 1 << 63, 0]


def test_without_factors_only_the_best_chunk_counts(twin: ModuleType) -> None:
    out, unions = floats(1), marks(1)
    twin.blob_scores(array("d", [1.0, 2.0]), marks(2), array("I", [0, 2]), (), out, unions)
    assert list(out) == [2.0]


@given(
    blobs=st.lists(st.lists(st.one_of(small, st.floats(-9, 9)), max_size=7), max_size=6),
    follow=st.lists(numbers, max_size=3).map(tuple),
)
def test_the_twins_score_blobs_to_the_last_bit(
    fast: ModuleType, blobs: list[list[float]], follow: tuple[float, ...]
) -> None:
    scores = array("d", [score for blob in blobs for score in blob])
    masks = array("Q", [1 << index % 64 for index in range(len(scores))])
    first = array("I", [sum(map(len, blobs[:count])) for count in range(len(blobs) + 1)])
    results = []
    for twin in (fast, reference):
        out, unions = floats(len(blobs)), marks(len(blobs))
        scored = twin.blob_scores(scores, masks, first, follow, out, unions)
        results.append((out.tobytes(), unions, scored))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"first": array("I", [0, 2, 1])}, "must not descend"),
        ({"first": array("I", [0, 1, 4])}, "pass the last"),
        ({"first": array("I", [0, 3])}, "fit together"),
        ({"first": array("I")}, "fit together"),
        ({"first": bytes(11)}, "whole number"),
        ({"masks": marks(2)}, "fit together"),
        ({"out": floats(3)}, "fit together"),
        ({"out_masks": marks(1)}, "fit together"),
        ({"follow": (1.0, 1.0, 1.0, 1.0)}, "at most three"),
    ],
)
def test_chunks_and_blobs_that_do_not_fit_are_refused(twin: ModuleType, changes: dict[str, Any], problem: str) -> None:
    call: dict[str, Any] = {
        "scores": floats(3, 1.0),
        "masks": marks(3),
        "first": array("I", [0, 1, 3]),
        "follow": (0.5,),
        "out": floats(2),
        "out_masks": marks(2),
    }
    with pytest.raises(ValueError, match=problem):
        twin.blob_scores(**{**call, **changes})


def impacts_of(twin: ModuleType, docs: list[int], seed: int, alive: bytes | None) -> bytes:
    """Of a list with arbitrary codes and lengths."""
    dice = random.Random(seed)
    made: bytes = twin.impacts(
        reference.encode_postings(docs, bytes(dice.randrange(256) for _ in docs), DOCS),
        alive,
        array("d", [dice.random() * 9 for _ in range(768)]),
        bytes(dice.randrange(256) for _ in range(2 * DOCS)),
        array("d", [dice.random() for _ in range(512)]),
    )
    return made


ALIKE = array("d", [1.0]) * 256

docs_lists = st.lists(st.sets(st.integers(0, DOCS - 1)).map(sorted), max_size=5)


@given(docs=st.sets(st.integers(0, DOCS - 1)).map(sorted), seed=st.integers(0, 2**32), dead=st.booleans())
def test_the_twins_make_the_same_impacts(fast: ModuleType, docs: list[int], seed: int, dead: bool) -> None:
    alive = bytes(number % 3 for number in range(DOCS)) if dead else None
    assert impacts_of(fast, docs, seed, alive) == impacts_of(reference, docs, seed, alive)


def columns_of(found: Any) -> list[bytes]:
    return [bytes(column) for column in found[0]]


@given(docs=docs_lists, seed=st.integers(0, 2**32), sizes=st.lists(st.integers(0, 9), max_size=9))
def test_the_twins_score_lists_to_the_last_bit_also_in_columns_that_were_used(
    fast: ModuleType, docs: list[list[int]], seed: int, sizes: list[int]
) -> None:
    dice = random.Random(seed)
    first = array("I", [min(sum(sizes[:count]), DOCS) for count in range(len(sizes) + 1)] + [DOCS])
    made: tuple[bytes | None, ...] = tuple(impacts_of(reference, one, seed, None) if one else None for one in docs)
    weights = tuple(dice.random() for _ in made)
    allowed = bytes(dice.randrange(2) for _ in range(DOCS)) if dice.randrange(2) else None
    kinds, rates = bytes(dice.randrange(256) for _ in range(DOCS)), array("d", [dice.random() for _ in range(256)])
    used = {
        twin: twin.score_lists(made[::-1], weights, None, 1.2, first, (0.5,), kinds, rates, None)[0]
        for twin in (fast, reference)
    }
    results = []
    for twin in (fast, reference):
        for columns in (None, used[twin]):
            found = twin.score_lists(made, weights, allowed, 1.2, first, (0.8, 0.6), kinds, rates, columns)
            results.append((columns_of(found), *found[1:]))
    assert all(result == results[0] for result in results)


def test_lists_add_up_as_accumulating_one_after_the_other_does(twin: ModuleType) -> None:
    call, first = arguments(), array("I", [0, 1, 3])
    twin.accumulate(**call)
    out, unions = floats(2), marks(2)
    scored = twin.blob_scores(call["scores"], call["masks"], first, (0.5,), out, unions)
    made = twin.impacts(*(call[name] for name in ("buf", "live", "code_tables", "lengths", "norm_tables")))
    found = twin.score_lists((made,), (2.0,), None, 1.2, first, (0.5,), bytes(3), ALIKE, None)
    expected = call["scores"], call["masks"], out, unions, array("Q", [0b101])
    assert (columns_of(found), *found[1:]) == ([each.tobytes() for each in expected], scored, max(out))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"lists": (bytes(13),)}, "12 bytes each"),
        ({"lists": ()}, "fit together"),
        ({"lists": (None,) * 65, "weights": (1.0,) * 65}, "64 bits"),
        ({"first": array("I")}, "fit together"),
        ({"first": array("I", [0, 2, 1, 3])}, "must not descend"),
        ({"first": array("I", [0, 0])}, "beyond the last"),
        ({"allowed": b"\1"}, "fit together"),
        ({"kinds": b"\1"}, "fit together"),
        ({"rates": array("d", [1.0])}, "fit together"),
        ({"k1": 0.0}, "must be positive"),
        ({"follow": (1.0,) * 4}, "at most three"),
    ],
)
def test_lists_that_do_not_fit_are_refused(twin: ModuleType, changes: dict[str, Any], problem: str) -> None:
    call: dict[str, Any] = {
        "lists": (array("d", [1.0]).tobytes() + array("I", [2]).tobytes(),),
        "weights": (1.0,),
        "allowed": None,
        "k1": 1.2,
        "first": array("I", [0, 3]),
        "follow": (0.5,),
        "kinds": bytes(9),
        "rates": ALIKE,
        "columns": None,
    }
    with pytest.raises(ValueError, match=problem):
        twin.score_lists(**{**call, **changes})
    with pytest.raises(ValueError, match="fit together"):
        twin.score_lists(**{**call, "columns": twin.score_lists(**{**call, "first": array("I", [0, 9])})[0]})
