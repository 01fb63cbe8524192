"""Words of text → terms: golden tables, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.stem import stem
from greppy.analysis.tokens import LONGEST, terms_of_run, terms_of_text


@pytest.mark.parametrize(
    ("run", "terms"),
    [
        ("session", "session"),
        ("Sessions", "session"),
        ("getURLForID", "geturlforid get url for id"),
        ("HTTPServerV2", "httpserverv2 http server v2"),
        ("XMLHttpRequest", "xmlhttprequest xml http request"),
        ("user_name", "usernam user name"),
        ("userName", "usernam user name"),
        ("username", "usernam"),
        ("USER_NAME", "usernam user name"),
        ("__init__", "init"),
        ("_", ""),
        ("x", "x"),
        ("i18n", "i18 i18n 18"),
        ("sha256", "sha256 sha 256"),
        ("utf8_decode", "utf8decode utf8 utf decod"),
        ("404", "404"),
        ("validated", "valid"),
        ("Größe", "grösse"),
        ("GRÖSSE", "grösse"),
        ("größeÄndern", "grösseändern grösse ändern"),
        ("naïve", "naïve"),
        ("ﬁle", "file"),
        ("東京都", "東京 京都"),
        ("東", "東"),
        ("日本語text", "日本 本語 text"),
        ("データベース", "デー ータ タベ ベー ース"),
        ("привет", "привет"),
        ("ПРИВЕТ", "привет"),
    ],
)
def test_a_run_has_these_terms(run: str, terms: str) -> None:
    assert sorted(b" ".join(terms_of_run(run.encode())).decode().split()) == sorted(terms.split())


def test_the_whole_comes_first() -> None:
    assert terms_of_run(b"getUserName")[0] == b"getusernam"


def test_kebab_case_and_punctuation_part_words() -> None:
    text = b"content-type: text/html; a.b->c::d()"
    assert [run for run, _ in terms_of_text(text)] == [b"content", b"type", b"text", b"html", b"a", b"b", b"c", b"d"]


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


@pytest.mark.parametrize("pair", PORTER.split())
def test_a_word_has_the_stem_that_porter_gives(pair: str) -> None:
    word, expected = pair.split(">")
    assert stem(word) == expected


@given(st.text(max_size=200))
def test_terms_are_short_distinct_and_never_empty(text: str) -> None:
    for _, terms in terms_of_text(text.encode("utf-8", "replace")):
        assert len(set(terms)) == len(terms)
        assert all(0 < len(term) <= LONGEST and term.decode() for term in terms)


@given(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,300}", fullmatch=True))
def test_an_identifier_is_found_in_any_writing_of_its_parts(name: str) -> None:
    snake = terms_of_run(name.encode())
    assert set(terms_of_run(name.strip("_").encode())) == set(snake)
    assert all(len(term) <= LONGEST for term in snake)
