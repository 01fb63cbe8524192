"""The dictionaries of a shard against a sorted dict."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy import kernels
from greppy.errors import DamagedIndex
from greppy.index import format as layout
from greppy.index.format import Container, pack
from greppy.index.postings import BLOCK, SYMBOL, Strings, Terms, pack_symbols, pack_terms

STRINGS = st.binary(max_size=6) | st.sampled_from([b"a" * 255, b"a" * 254 + b"b", b"\xff" * 255, b"aa", b"ab", b"b"])
DOCS = 300


def opened(sections: list[tuple[int, bytes]]) -> Container:
    return Container(memoryview(pack(layout.SHARD_MAGIC, 1, sections)), layout.SHARD_MAGIC, 1, "d")


def packed(lists: dict[bytes, list[int]]) -> list[tuple[int, bytes]]:
    encoded = [kernels.encode_postings(lists[term], bytes(len(lists[term])), DOCS) for term in sorted(lists)]
    return pack_terms(sorted(lists), b"".join(encoded), list(accumulate(map(len, encoded))), DOCS)


def docs_of(postings: memoryview[int] | None) -> list[int] | None:
    return None if postings is None else list(kernels.decode_postings(postings)[0])


@given(
    st.dictionaries(STRINGS, st.sets(st.integers(0, DOCS - 1), min_size=1, max_size=50).map(sorted), max_size=160),
    st.lists(STRINGS, max_size=8),
)
def test_a_dictionary_finds_what_a_sorted_dict_finds(lists: dict[bytes, list[int]], asked: list[bytes]) -> None:
    terms = sorted(lists)
    found = Terms(opened(packed(lists)))
    for term in [*terms, *asked]:
        assert docs_of(found.find(term)) == lists.get(term)
    for term in [b"", *terms[::7], *asked]:
        first = bisect_left(terms, term)
        assert list(found.since(term)) == list(zip(terms[first:], range(first, len(terms)), strict=True))
    for ordinal, term in enumerate(terms):
        assert found.strings[ordinal] == term
    for ordinal in (-1, len(terms), len(terms) + BLOCK):
        with pytest.raises(DamagedIndex):
            found.strings[ordinal]


@given(st.lists(STRINGS, max_size=160))
def test_symbols_come_out_by_chunk_in_any_order(symbols: list[bytes]) -> None:
    strings = Strings(opened(pack_symbols(symbols)), layout.SYMBOL_BLOCKS, layout.SYMBOLS, SYMBOL)
    assert [strings[chunk] for chunk in range(len(symbols))] == symbols
    assert list(strings.since(0)) == symbols
    assert list(strings.since(70)) == symbols[70:]


def test_a_dictionary_that_ends_in_the_middle_of_a_term_or_a_list_is_damage() -> None:
    whole = dict(packed({b"author": [3], b"authors": list(range(0, 200, 3))}))
    for section in (layout.TERMS, layout.POSTINGS):
        index = layout.TERM_BLOCKS if section == layout.TERMS else layout.LIST_BLOCKS
        for length in (0, 1, 5, len(whole[section]) - 1):
            cut = {**whole, section: whole[section][:length], index: whole[index][:-4] + length.to_bytes(4, "little")}
            terms = Terms(opened(list(cut.items())))
            with pytest.raises(DamagedIndex):
                print([terms.find(term) for term, _ in terms.since(b"")])


@pytest.mark.parametrize("section", [layout.TERM_BLOCKS, layout.LIST_BLOCKS])
def test_an_index_with_another_number_of_terms_is_damage(section: int) -> None:
    whole = dict(packed({b"author": [3], b"authors": [4]}))
    place = 0 if section == layout.TERM_BLOCKS else 4
    for number in (0, 1, 65):
        changed = whole[section][:place] + number.to_bytes(4, "little") + whole[section][place + 4 :]
        with pytest.raises(DamagedIndex):
            Terms(opened(list({**whole, section: changed}.items())))


def test_a_look_up_reads_a_few_blocks_and_not_the_others() -> None:
    terms = [b"%05d" % number for number in range(60_000)]
    whole = dict(packed({term: [1] for term in terms}))
    sections = [(layout.SYMBOLS, bytes(layout.PAGE)), (layout.TERMS, whole.pop(layout.TERMS))]
    container = bytearray(pack(layout.SHARD_MAGIC, 1, [*whole.items(), *sections]))
    container[container.index(sections[1][1]) + len(sections[1][1]) - 1] ^= 1
    found = Terms(Container(memoryview(bytes(container)), layout.SHARD_MAGIC, 1, "d"))
    assert docs_of(found.find(b"00017")) == [1]
    with pytest.raises(DamagedIndex):
        found.find(b"59990")
