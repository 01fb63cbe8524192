"""What the sieve lets pass: everything that holds a term, however it is written."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greppy.analysis.encoding import to_text
from greppy.analysis.tokens import terms_of_run, terms_of_text
from greppy.query.plan import make_plan
from greppy.search.scan.sieve import Sieve, needle_of

SUFFIXES = ["", "s", "es", "ies", "ed", "ing", "ation", "ization", "bility", "ability", "ly", "y", "e", "ational"]
SUFFIXES += ["er", "izer", "ement", "ness", "fulness", "ousness", "iveness", "ency", "ogy", "icity", "able", "ally"]
PIECES = ["session", "Session", "SESSION", "valid", "ate", "usab", "ility", "user", "_", "__", " ", "\n", "(", "é", "Ω"]
PIECES += [
    "\u017fe\u017f\u017fion",
    "\uff53\uff45\uff53\uff53\uff49\uff4f\uff4e",
    "ﬁle",
    "東京",
    "都",
    "STRASSE",
    "straße",
    "256",
    "sha",
    "happy",
    "hopp",
]


def has_a_term(data: bytes, terms: set[bytes]) -> bool:
    decoded = to_text(data)
    return decoded is not None and any(terms.intersection(found) for _, found in terms_of_text(decoded[0]))


@settings(max_examples=500)
@given(
    st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=9),
    st.lists(st.sampled_from(SUFFIXES), max_size=3),
)
def test_every_word_begins_with_the_needle_of_its_stem(root: str, suffixes: list[str]) -> None:
    word = root + "".join(suffixes)
    assert word.encode().startswith(needle_of(terms_of_run(word.encode())[0]))


@settings(max_examples=400)
@given(
    st.lists(st.sampled_from(PIECES), max_size=12),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4),
    st.sampled_from(["utf-8", "utf-16", "utf-8-sig", "latin-1"]),
)
def test_no_file_that_holds_a_term_is_held_back(text: list[str], query: list[str], encoding: str) -> None:
    plan = make_plan("".join(query))
    data = "".join(text).encode(encoding, "replace")
    sieve = Sieve(plan)
    if has_a_term(data, {term.term for term in plan.terms}):
        assert sieve.takes(data)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=16), st.lists(st.sampled_from(PIECES), min_size=1, max_size=4))
def test_no_line_that_holds_a_term_is_passed_over(text: list[str], query: list[str]) -> None:
    plan = make_plan("".join(query))
    sieve, terms = Sieve(plan), {term.term for term in plan.terms}
    data = "".join(text).encode()
    lines = sieve.lines(data)
    for number, line in enumerate(data.split(b"\n"), 1):
        assert lines is None or number in list(lines) or not has_a_term(line, terms)


def test_every_character_that_becomes_an_ascii_letter_passes() -> None:
    sieve = Sieve(make_plan("q"))
    for point in range(0x80, sys.maxunicode + 1):
        if 0xD800 <= point < 0xE000:
            continue
        folded = unicodedata.normalize("NFKC", chr(point)).casefold()
        if any(char.isascii() and char.isalnum() for char in folded) and terms_of_run(chr(point).encode()):
            found = terms_of_text(chr(point).encode())
            assert not found or sieve.takes(chr(point).encode()), hex(point)


@pytest.mark.parametrize("byte", [b"\xaa", b"\xba", b"\xdf"])
def test_a_lone_latin_1_letter_that_becomes_ascii_passes(byte: bytes) -> None:
    assert Sieve(make_plan("qqqq")).takes(b"x = 'm" + byte + b"n'\n")


def test_text_without_a_term_is_held_back() -> None:
    sieve = Sieve(make_plan("where are sessions validated"))
    assert not sieve.takes(b"def open_file(path): pass\n" * 100)
    assert not sieve.takes("naïve Grün 東京\n".encode())
    assert sieve.takes(b"user_ses_sion")


def test_lines_are_counted_by_term_whatever_their_case_and_underscores() -> None:
    plan = make_plan("username größe")
    bits = {term.term.decode(): term.bit for term in plan.terms}
    counts = Sieve(plan).counts("usernames\nUSERNAME username\nGRÖSSE Größe\n".encode())
    assert (counts[bits["usernam"]], counts[bits["grösse"]]) == (2, 2)
    assert Sieve(plan).counts(b"user_name = 1\nUserName = 2\nx = 3\n")[bits["usernam"]] == 1
    assert Sieve(plan).counts(b"user_name = 1\nuser_NAME = 2\nx = 3\n")[bits["usernam"]] == 2


def test_a_query_without_words_takes_nothing() -> None:
    assert not Sieve(make_plan("???")).takes(b"anything ???")
