"""The terms of ASCII runs and the stems in them: golden tables, what holds for any run, equality of the twins."""

from __future__ import annotations

import string
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.codes import LONGEST, MOST_PARTS
from greppy.kernels.reference.stem import stem

# From the examples in Porter's paper.
PORTER = """
caresses>caress ponies>poni ties>ti caress>caress cats>cat feed>feed agreed>agre plastered>plaster bled>bled
motoring>motor sing>sing conflated>conflat troubled>troubl sized>size hopping>hop tanned>tan falling>fall
hissing>hiss fizzed>fizz failing>fail filing>file happy>happi sky>sky relational>relat conditional>condit
rational>ration digitizer>digit vietnamization>vietnam predication>predic operator>oper feudalism>feudal
decisiveness>decis hopefulness>hope callousness>callous triplicate>triplic formative>form formalize>formal
electrical>electr hopeful>hope goodness>good revival>reviv allowance>allow inference>infer airliner>airlin
gyroscopic>gyroscop adjustable>adjust defensible>defens irritant>irrit replacement>replac adjustment>adjust
dependent>depend adoption>adopt communism>commun activate>activ homologous>homolog effective>effect
bowdlerize>bowdler probate>probat rate>rate cease>ceas controlling>control rolling>roll as>as is>is a>a
"""

SUFFIXES = """
s es ies sses ss ed eed ing at bl iz y ational tional enci anci izer abli bli alli entli eli ousli ization ation ator
alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible
ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll
"""
# Words of few letters with many endings reach every rule, and the conditions on what stands before an ending.
words = st.builds(
    lambda root, endings: "".join([root, *endings]),
    st.text("aeioybltswxz", max_size=6),
    st.lists(st.sampled_from(SUFFIXES.split()), max_size=4),
)
pieces = st.one_of(words, st.sampled_from(["_", "-", "0", "42", "HTTP", "Get", "x", "A", "s" * 70, "1" * 70]))
identifiers = st.lists(pieces, max_size=24).map("".join)
ascii_runs = st.one_of(identifiers, st.text(string.printable, max_size=300), st.text("aB1_", max_size=300))


@pytest.mark.parametrize("pair", PORTER.split())
def test_a_word_has_the_stem_that_porter_gives(twin: ModuleType, pair: str) -> None:
    word, expected = pair.split(">")
    assert twin.ascii_terms(word.encode()) == (expected.encode(),)
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("run", "terms"),
    [
        ("Sessions", "session"),
        ("getURLForID", "geturlforid get url for id"),
        ("user_name", "usernam user name"),
        ("USER_NAME", "usernam user name"),
        ("a_b", "ab"),
        ("ab_ab", "abab ab"),
        ("i18n", "i18n i18 18"),
        ("sha256", "sha256 sha 256"),
        ("sha256sum", "sha256sum sha256 sha 256 sum"),
        ("files2", "files2 file"),
        ("3d", "3d"),
        ("2to3", "2to3 2to"),
        ("404", "404"),
        ("x", "x"),
        ("__", ""),
        ("", ""),
    ],
)
def test_an_identifier_has_these_terms_the_whole_first(twin: ModuleType, run: str, terms: str) -> None:
    found = twin.ascii_terms(run.encode())
    assert sorted(found) == sorted(term.encode() for term in terms.split())
    assert found[:1] == tuple(terms.encode().split()[:1])


@given(run=ascii_runs)
@example(run="a" * 64 + "1")
@example(run="A1" * 130)
@example(run=("ab1_" * 64)[:256])
def test_the_twins_expand_equally(fast: ModuleType, run: str) -> None:
    data = run.encode()
    assert fast.ascii_terms(data) == reference.ascii_terms(data)


@given(word=words)
def test_the_twins_stem_equally(fast: ModuleType, word: str) -> None:
    expected = (stem(word[:LONGEST]).encode(),) if word else ()
    assert fast.ascii_terms(word.encode()) == expected


@given(run=ascii_runs)
def test_terms_are_short_distinct_lower_case_and_never_empty(twin: ModuleType, run: str) -> None:
    terms = twin.ascii_terms(run.encode())
    assert len(set(terms)) == len(terms) <= 1 + 3 * MOST_PARTS
    assert all(0 < len(term) <= LONGEST and term.isalnum() and term == term.lower() for term in terms)


def test_a_word_as_long_as_a_term_with_digits_behind_it_is_one_term_and_not_two_equal_ones(twin: ModuleType) -> None:
    assert twin.ascii_terms(b"z" * 64 + b"1") == (b"z" * 64,)


def test_parts_beyond_the_most_have_no_terms_but_belong_to_the_whole(twin: ModuleType) -> None:
    run = b"_".join(b"p%cq" % letter for letter in b"abcdefghijklmnopqrst")
    whole, *parts = twin.ascii_terms(run)
    assert whole == run.replace(b"_", b"")[:LONGEST]
    assert parts == run.split(b"_")[:MOST_PARTS]


@pytest.mark.parametrize("run", [b"\x80", "größe".encode(), b"a\xff"])
def test_other_runs_than_ascii_are_refused(twin: ModuleType, run: bytes) -> None:
    with pytest.raises(ValueError, match="must be ASCII"):
        twin.ascii_terms(run)
