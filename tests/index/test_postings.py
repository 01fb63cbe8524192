"""The dictionaries of a shard against a sorted dict."""

from __future__ import annotations

from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.errors import DamagedIndex
from greppy.index import format as layout
from greppy.index import postings
from greppy.index.format import Container, pack
from greppy.index.postings import BLOCK, Terms, pack_terms

STRINGS = st.binary(max_size=6) | st.sampled_from([b"a" * 255, b"a" * 254 + b"b", b"\xff" * 255, b"aa", b"ab", b"b"])


def dictionary(terms: list[bytes], sizes: list[int]) -> Terms:
    ends = [sum(sizes[: at + 1]) for at in range(len(sizes))]
    blocks, data = pack_terms(terms, ends)
    sections = [(layout.TERM_BLOCKS, blocks), (layout.TERMS, data)]
    return Terms(Container(memoryview(pack(layout.SHARD_MAGIC, 1, sections)), layout.SHARD_MAGIC, 1, "d"))


@given(st.dictionaries(STRINGS, st.integers(0, 300), max_size=60), st.lists(STRINGS, max_size=8))
def test_a_dictionary_finds_what_a_sorted_dict_finds(sizes: dict[bytes, int], asked: list[bytes]) -> None:
    terms = sorted(sizes)
    found = dictionary(terms, [sizes[term] for term in terms])
    starts = {term: sum(sizes[before] for before in terms[:at]) for at, term in enumerate(terms)}
    for term in [*terms, *asked]:
        expected = (starts[term], starts[term] + sizes[term]) if term in sizes else None
        assert found.find(term) == expected
    for term in [b"", *terms[::7], *asked]:
        rest = terms[bisect_left(terms, term) :]
        assert list(found.since(term)) == [(each, starts[each], starts[each] + sizes[each]) for each in rest]
    for ordinal, term in enumerate(terms):
        assert found[ordinal] == term
    for ordinal in (-1, len(terms), len(terms) + BLOCK):
        with pytest.raises(DamagedIndex):
            found[ordinal]


def test_the_worked_example_of_the_docstring_is_what_pack_terms_makes() -> None:
    lines = (postings.__doc__ or "").splitlines()
    spelled = bytes.fromhex("".join(line[4:36].strip() for line in lines if line.startswith(("    00", "    06"))))
    assert pack_terms([b"author", b"authors"], [3, 203])[1] == spelled


def test_a_dictionary_that_ends_in_the_middle_of_a_term_is_damage() -> None:
    blocks, data = pack_terms([b"author", b"authors"], [3, 203])
    for length in (1, 5, 8, 10, len(data) - 1):
        sections = [(layout.TERM_BLOCKS, blocks), (layout.TERMS, data[:length])]
        terms = Terms(Container(memoryview(pack(layout.SHARD_MAGIC, 1, sections)), layout.SHARD_MAGIC, 1, "d"))
        with pytest.raises(DamagedIndex):
            list(terms.since(b""))


def test_a_look_up_reads_one_block_and_not_the_others() -> None:
    terms = [b"%05d" % number for number in range(60_000)]
    blocks, data = pack_terms(terms, list(range(1, len(terms) + 1)))
    packed = bytearray(pack(layout.SHARD_MAGIC, 1, [(layout.TERM_BLOCKS, blocks), (layout.TERMS, data)]))
    packed[packed.rindex(b"59984")] ^= 1
    found = Terms(Container(memoryview(bytes(packed)), layout.SHARD_MAGIC, 1, "d"))
    assert found.find(b"00017") == (17, 18)
    with pytest.raises(DamagedIndex):
        found.find(b"59990")
