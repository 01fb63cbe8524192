"""The trigram index: the layout spelled out, an oracle in plain sets, merging, damage, and equality of the twins."""

from __future__ import annotations

from array import array
from collections import defaultdict
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.reference.bits import BitReader, BitWriter
from greppy.kernels.reference.trigrams import GONE, every_list

Index = tuple[bytes, bytes]
Additions = list[tuple[int, bytes]]

pieces = st.sampled_from([b"a", b"b", b"ab", b"abc", b"xyz", b"\n", b"\0", b"\xff", "é".encode(), b"\x01\x02"])
texts = st.lists(pieces, max_size=12).map(b"".join)
additions = st.lists(st.tuples(st.integers(0, 3), texts), max_size=12)


def index_of(twin: ModuleType, added: Additions) -> Index:
    """The index of texts whose documents are numbered by the sums of the steps."""
    inverter, doc = twin.TrigramInverter(), 0
    for step, text in added:
        doc += step
        inverter.add(doc, text)
    blocks, lists = inverter.finish()
    return blocks, lists


def oracle(added: Additions) -> dict[bytes, set[int]]:
    found: dict[bytes, set[int]] = defaultdict(set)
    doc = 0
    for step, text in added:
        doc += step
        for at in range(len(text) - 2):
            found[text[at : at + 3]].add(doc)
    docs = doc + 1 if added else 0
    return {
        trigram: set(range(docs)) if 8 * len(numbers) > 7 * docs else numbers
        for trigram, numbers in found.items()
        if not {0, 10} & set(trigram)
    }


def lists_of(index: Index) -> dict[bytes, set[int]]:
    return {trigram.to_bytes(3, "big"): set(docs) for trigram, docs in every_list(*index)}


def spread(count: int, every: int) -> Additions:
    """Documents of which only each `every`-th has its own trigrams and `xyz`, and every one has `abc`."""
    return [(min(doc, 1), b"abc" if doc % every else b"abc\nxyz\n%c%c%c" % (doc % 256, 1, 2)) for doc in range(count)]


def test_an_index_is_laid_out_as_specified(twin: ModuleType) -> None:
    blocks, lists = index_of(twin, [(0, b"abc"), (1, b"abcd"), (1, b""), (1, b"bcd")])
    assert blocks == b"".join(
        [
            b"\x04\0\0\0\x02\0\0\0",  # four documents, two trigrams
            b"\x63\x62\x61\0\0\0\0\0",  # a block that begins with abc
            b"\0\0\0\x01\x06\0\0\0",  # the end of the lists
        ]
    )
    bits = "0100" + "0" * 16 + "1" + "1000000010000000" + "0101110" + "0000"
    assert lists == int(bits[::-1], 2).to_bytes(6, "little") == bytes.fromhex("020030204007")


def test_an_empty_index_has_no_blocks(twin: ModuleType) -> None:
    assert index_of(twin, []) == (bytes(8) + b"\0\0\0\x01\0\0\0\0", b"")


@given(added=additions)
def test_each_trigram_has_its_documents_or_all_when_most_have_it(twin: ModuleType, added: Additions) -> None:
    assert lists_of(index_of(twin, added)) == oracle(added)


@given(added=additions)
def test_the_twins_build_equal_indexes(fast: ModuleType, added: Additions) -> None:
    assert index_of(fast, added) == index_of(reference, added)


@pytest.mark.parametrize(("count", "every"), [(300, 2), (300, 3), (300, 7), (130, 1), (64, 3), (1000, 31)])
def test_long_lists_and_many_blocks_are_equal_too(fast: ModuleType, count: int, every: int) -> None:
    added = spread(count, every)
    index = index_of(fast, added)
    assert index == index_of(reference, added)
    assert lists_of(index) == oracle(added)


def test_a_document_may_be_added_in_pieces_whose_seams_make_no_trigrams(twin: ModuleType) -> None:
    index = index_of(twin, [(0, b"abc"), (0, b"dabc"), (1, b"xyz")])
    assert lists_of(index) == {b"abc": {0}, b"dab": {0}, b"xyz": {1}}


def test_line_feeds_and_nuls_are_in_no_trigram(twin: ModuleType) -> None:
    assert lists_of(index_of(twin, [(0, b"ab\ncd\0ef\r\nx")])) == {b"ef\r": {0}}


@pytest.mark.parametrize("doc", [-1, 0, 2**24, 10**30])
def test_documents_out_of_order_or_range_are_refused(twin: ModuleType, doc: int) -> None:
    inverter = twin.TrigramInverter()
    inverter.add(1, b"abc")
    with pytest.raises(ValueError, match="non-decreasing"):
        inverter.add(doc, b"abc")


def test_a_finished_inverter_is_refused(twin: ModuleType) -> None:
    inverter = twin.TrigramInverter()
    inverter.finish()
    with pytest.raises(RuntimeError, match="finished"):
        inverter.add(0, b"abc")
    with pytest.raises(RuntimeError, match="finished"):
        inverter.finish()


def test_an_inverter_takes_no_arguments(twin: ModuleType) -> None:
    with pytest.raises(TypeError, match="argument"):
        twin.TrigramInverter(1)


@given(numbers=st.sets(st.integers(0, 200), max_size=80).map(sorted), spare=st.integers(0, 90))
def test_ascending_numbers_survive_their_coding(numbers: list[int], spare: int) -> None:
    high = (numbers[-1] if numbers else 0) + spare
    bits = BitWriter()
    bits.put_ascending(numbers, 0, high)
    reader = BitReader(bits.finish())
    assert reader.take_ascending(len(numbers), 0, high) == numbers
    assert reader.at == bits.used


@given(data=st.binary(max_size=20), count=st.integers(0, 40), spare=st.integers(0, 40))
def test_whatever_the_bits_are_decoded_numbers_ascend_within_their_range(data: bytes, count: int, spare: int) -> None:
    numbers = BitReader(data).take_ascending(count, 5, 4 + count + spare)
    assert len(set(numbers)) == count
    assert sorted(numbers) == numbers
    assert all(5 <= number < 5 + count + spare for number in numbers)


@st.composite
def renumberings(draw: st.DrawFn) -> tuple[list[Additions], list[list[int]], int]:
    parts = draw(st.lists(additions, max_size=3))
    docs = draw(st.integers(1, 20))
    new = st.one_of(st.integers(0, docs - 1), st.just(GONE))
    counts = [sum(step for step, _ in added) + 1 if added else 0 for added in parts]
    return parts, [draw(st.lists(new, min_size=count, max_size=count)) for count in counts], docs


@given(case=renumberings())
def test_merging_renumbers_and_drops_documents(
    twin: ModuleType, case: tuple[list[Additions], list[list[int]], int]
) -> None:
    parts, numbers, docs = case
    expected: dict[bytes, set[int]] = defaultdict(set)
    for added, new in zip(parts, numbers, strict=True):
        for trigram, old in oracle(added).items():
            expected[trigram] |= {new[doc] for doc in old} - {GONE}
    merged = twin.merge_trigrams(
        [(*index_of(reference, added), array("I", new)) for added, new in zip(parts, numbers, strict=True)], docs
    )
    everywhere = set(range(docs))
    assert lists_of(merged) == {
        trigram: everywhere if 8 * len(found) > 7 * docs else found for trigram, found in expected.items() if found
    }


def test_an_index_merged_alone_stays_as_it_is(twin: ModuleType) -> None:
    index = index_of(reference, spread(300, 5))
    assert twin.merge_trigrams([(*index, array("I", range(300)))], 300) == index


def test_numbers_that_do_not_fit_are_refused_in_a_merge(twin: ModuleType) -> None:
    index = index_of(twin, [(0, b"abc"), (1, b"abc")])
    with pytest.raises(ValueError, match="one new number"):
        twin.merge_trigrams([(*index, array("I", [0]))], 2)
    with pytest.raises(ValueError, match="beyond the documents"):
        twin.merge_trigrams([(*index, array("I", [0, 2]))], 2)
    with pytest.raises(ValueError, match="numbered"):
        twin.merge_trigrams([], -1)
    with pytest.raises(ValueError, match="numbered"):
        twin.merge_trigrams([], 2**24 + 1)


def head(*numbers: int) -> bytes:
    return array("I", numbers).tobytes()


@pytest.mark.parametrize(
    ("blocks", "lists", "problem"),
    [
        (b"", b"", "wrong length"),
        (head(1, 0), b"", "wrong length"),
        (head(1, 1, 1 << 24, 0), b"", "wrong length"),
        (head(1, 0, 1 << 24, 0, 0), b"", "wrong length"),
        (head((1 << 24) + 1, 0, 1 << 24, 0), b"", "wrong length"),
        (head(1, 1, 7, 0, 1 << 24, 9), b"\1", "truncated"),
        (head(1, 1, 7, 2, 1 << 24, 1), b"\1\1", "out of order"),
        (head(1, 65, 7, 0, 70, 16, 1 << 24, 17), b"\xff" * 17, "out of order"),
        (head(1, 1, 7, 0, 1 << 24, 1), b"\0", "truncated"),
        (head(1, 1, 7, 0, 1 << 24, 8), bytes(8), "32 bits"),
        (head(1, 1, 7, 0, 1 << 24, 1), b"\2", "beyond its range"),
        (head(1, 1, 1 << 24, 0, 1 << 24, 1), b"\1", "beyond its range"),
        (head(80, 1, 7, 0, 1 << 24, 42), b"\x20\x08" + bytes(40), "wrong size"),
    ],
)
def test_a_damaged_index_is_refused(twin: ModuleType, blocks: bytes, lists: bytes, problem: str) -> None:
    docs = int.from_bytes(blocks[:4], "little")
    new = array("I", [0] * (docs if docs < 1 << 24 else 0))
    with pytest.raises(ValueError, match=problem):
        twin.merge_trigrams([(blocks, lists, new)], 1)


@given(
    added=additions,
    flips=st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 255)), max_size=4),
    first_flips=st.lists(st.tuples(st.integers(8, 10**6), st.integers(1, 255)), max_size=1),
)
def test_the_twins_agree_on_damage(
    fast: ModuleType, added: Additions, flips: list[tuple[int, int]], first_flips: list[tuple[int, int]]
) -> None:
    blocks, lists = map(bytearray, index_of(reference, added))
    for at, bits in flips if lists else ():
        lists[at % len(lists)] ^= bits
    for at, bits in first_flips:
        blocks[max(8, at % len(blocks))] ^= bits
    docs = memoryview(blocks).cast("I")[0]
    part = [(bytes(blocks), bytes(lists), array("I", range(docs)))]
    try:
        expected = reference.merge_trigrams(part, docs)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem)):
            fast.merge_trigrams(part, docs)
        return
    assert fast.merge_trigrams(part, docs) == expected


@pytest.mark.parametrize("texts", [12, 13, 40])
def test_the_twins_write_many_trigrams_equally(fast: ModuleType, texts: int) -> None:
    numbers = [b"".join(b"%05d " % (7919 * (at + step) % 99_991) for at in range(4_000)) for step in range(texts)]
    added = [(at % 3, text) for at, text in enumerate(numbers)]
    assert index_of(fast, added) == index_of(reference, added)
