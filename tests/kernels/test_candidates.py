"""Look-ups, formulas and the algebra of lists, against plain sets; only the blocks that are needed are touched."""

from __future__ import annotations

from array import array
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.reference.trigrams import every_list

WORDS = [b"abc", b"bcd", b"cde", b"xyz", b"zzz", b"\xff\xfe\xfd", b"a\nb", b"a\0b"]

texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(b" ".join), max_size=70)
formulas: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(WORDS),
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, max_size=4)).map(lambda f: (f[0], *f[1])),
    max_leaves=12,
)
numbers = st.sets(st.integers(0, 60), max_size=40).map(sorted)


class Lists:
    """LISTS as a mapped file gives it: on request, remembering the requests."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.asked: list[tuple[int, int]] = []

    def __call__(self, start: int, end: int) -> memoryview:
        self.asked.append((start, end))
        return memoryview(self._data)[start:end]


def index_of(documents: list[bytes]) -> tuple[bytes, Lists, dict[bytes, set[int]]]:
    """BLOCKS, LISTS and what is in them."""
    inverter = reference.TrigramInverter()
    for doc, text in enumerate(documents):
        inverter.add(doc, text)
    blocks, lists = inverter.finish()
    return blocks, Lists(lists), {number.to_bytes(3, "big"): set(docs) for number, docs in every_list(blocks, lists)}


def evaluate(formula: Any, lists: dict[bytes, set[int]], everything: set[int]) -> set[int]:
    if isinstance(formula, bytes):
        return everything if {0, 10} & set(formula) else lists.get(formula, set())
    parts = [evaluate(part, lists, everything) for part in formula[1:]]
    return everything.intersection(*parts) if formula[0] == "and" else set().union(*parts)


def many_blocks() -> list[bytes]:
    """Documents of several hundred trigrams together, each with a few of its own and some in common."""
    return [b"common %d" % (doc % 7) + b"\n" + bytes(range(33 + doc, 43 + doc)) for doc in range(200)]


@given(documents=texts, formula=formulas)
def test_a_formula_gives_the_documents_that_satisfy_it(
    twin: ModuleType, documents: list[bytes], formula: bytes | tuple[Any, ...]
) -> None:
    blocks, fetch, lists = index_of(documents)
    found = twin.trigram_candidates(blocks, fetch, formula)
    assert found.format == "I"
    assert list(found) == sorted(evaluate(formula, lists, set(range(len(documents)))))


def test_a_filter_never_misses_a_document(twin: ModuleType) -> None:
    documents = many_blocks()
    blocks, fetch, _ = index_of(documents)
    for word in (b"common", b"mon 3", b"KLMNO", b"common 1", b"absent"):
        formula = ("and", *(word[at : at + 3] for at in range(len(word) - 2)))
        found = set(twin.trigram_candidates(blocks, fetch, formula))
        assert found >= {doc for doc, text in enumerate(documents) if word in text}


def test_every_trigram_is_found_in_whatever_block_it_is(twin: ModuleType) -> None:
    blocks, fetch, lists = index_of(many_blocks())
    assert len(lists) > 3 * 64
    for trigram, docs in lists.items():
        assert set(twin.trigram_list(blocks, fetch, trigram)) == docs


def test_a_look_up_touches_one_block(twin: ModuleType) -> None:
    blocks, fetch, lists = index_of(many_blocks())
    twin.trigram_list(blocks, fetch, sorted(lists)[70])
    assert len(fetch.asked) == 1
    assert fetch.asked[0] == tuple(memoryview(blocks).cast("I")[at] for at in (5, 7))


def test_trigrams_before_the_first_and_behind_the_last_are_nowhere(twin: ModuleType) -> None:
    blocks, fetch, _ = index_of([b"mno", b""])
    assert list(twin.trigram_list(blocks, fetch, b"aaa")) == []
    assert fetch.asked == []
    assert list(twin.trigram_list(blocks, fetch, b"zzz")) == []


def test_a_trigram_that_is_not_indexed_may_be_anywhere(twin: ModuleType) -> None:
    blocks, fetch, _ = index_of([b"mno", b""])
    assert list(twin.trigram_list(blocks, fetch, b"a\nb")) == [0, 1]
    assert list(twin.trigram_list(blocks, fetch, b"\0mn")) == [0, 1]


def test_an_empty_conjunction_is_everything_and_an_empty_disjunction_nothing(twin: ModuleType) -> None:
    blocks, fetch, _ = index_of([b""] * 65)
    assert list(twin.trigram_candidates(blocks, fetch, ("and",))) == list(range(65))
    assert list(twin.trigram_candidates(blocks, fetch, ("or",))) == []


def test_a_conjunction_that_is_empty_already_reads_no_more(twin: ModuleType) -> None:
    blocks, fetch, _ = index_of([b"mno", b"mnp"])
    twin.trigram_candidates(blocks, fetch, ("and", b"mnx", b"mno", b"mnp"))
    assert len(fetch.asked) == 1


@pytest.mark.parametrize(
    "formula", [b"", b"ab", b"abcd", (), ("not", b"abc"), "abc", None, ("and", ["abc"]), (b"and",)]
)
def test_other_formulas_are_refused(twin: ModuleType, formula: Any) -> None:
    blocks, fetch, _ = index_of([b"abc"])
    with pytest.raises(ValueError, match=r"trigram"):
        twin.trigram_candidates(blocks, fetch, formula)


def test_a_formula_that_is_too_deep_is_refused(twin: ModuleType) -> None:
    blocks, fetch, _ = index_of([b"abc"])
    formula: Any = b"abc"
    for _ in range(100_000):
        formula = ("or", formula)
    with pytest.raises(RecursionError):
        twin.trigram_candidates(blocks, fetch, formula)


def test_what_fetch_raises_or_gives_too_little_of_is_refused(twin: ModuleType) -> None:
    blocks, _, _ = index_of([b"abc"])

    def fail(start: int, end: int) -> bytes:
        raise LookupError(start, end)

    with pytest.raises(LookupError):
        twin.trigram_list(blocks, fail, b"abc")
    with pytest.raises(ValueError, match="truncated"):
        twin.trigram_list(blocks, lambda start, end: b"", b"abc")
    with pytest.raises(TypeError):
        twin.trigram_list(blocks, lambda start, end: None, b"abc")


@given(
    documents=texts, trigram=st.sampled_from(WORDS), flips=st.lists(st.tuples(st.integers(0, 999), st.integers(1, 255)))
)
def test_the_twins_agree_on_damaged_lists(
    fast: ModuleType, documents: list[bytes], trigram: bytes, flips: list[tuple[int, int]]
) -> None:
    inverter = reference.TrigramInverter()
    for doc, text in enumerate(documents):
        inverter.add(doc, text)
    blocks, lists = inverter.finish()
    damaged = bytearray(lists)
    for at, bits in flips if lists else ():
        damaged[at % len(lists)] ^= bits
    try:
        expected = list(reference.trigram_list(blocks, Lists(bytes(damaged)), trigram))
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem)):
            fast.trigram_list(blocks, Lists(bytes(damaged)), trigram)
        return
    assert list(fast.trigram_list(blocks, Lists(bytes(damaged)), trigram)) == expected


@given(one=numbers, other=numbers)
def test_lists_are_intersected_and_united(twin: ModuleType, one: list[int], other: list[int]) -> None:
    a, b = array("I", one), array("I", other)
    assert list(twin.intersect(a, b)) == sorted(set(one) & set(other))
    assert list(twin.union(a, b)) == sorted(set(one) | set(other))


@pytest.mark.parametrize("wrong", [array("I", [1, 1]), array("I", [2, 1])])
def test_lists_that_do_not_ascend_are_refused(twin: ModuleType, wrong: array[int]) -> None:
    for operation in (twin.intersect, twin.union):
        with pytest.raises(ValueError, match="ascend"):
            operation(wrong, array("I"))
        with pytest.raises(ValueError, match="ascend"):
            operation(array("I"), wrong)
        with pytest.raises(ValueError, match="whole number"):
            operation(b"abc", b"")


def test_groups_are_replaced_by_their_members(twin: ModuleType) -> None:
    first = array("I", [0, 2, 2, 5])
    assert list(twin.members(array("I", [0, 2]), first)) == [0, 1, 2, 3, 4]
    assert list(twin.members(array("I", [1]), first)) == []
    assert list(twin.members(array("I"), array("I"))) == []


@pytest.mark.parametrize(
    ("groups", "first", "problem"),
    [
        ([3], [0, 2, 2, 5], "no such group"),
        ([0], [], "no such group"),
        ([1, 0], [0, 1, 2], "ascend"),
        ([0], [2, 1], "descend"),
        ([0], [0, 9, 5], "descend"),
        ([0, 2], [0, 5, 2, 6], "descend"),
    ],
)
def test_groups_that_do_not_exist_or_descend_are_refused(
    twin: ModuleType, groups: list[int], first: list[int], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        twin.members(array("I", groups), array("I", first))
