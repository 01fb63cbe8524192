"""Words of text → terms: golden tables, and what holds for any text."""

# ruff: noqa: RUF001
from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy import kernels
from greppy.analysis.tokens import terms_of_run, terms_of_text
from greppy.kernels.reference.terms import ascii_terms


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
        ("приветМир", "приветмир привет мир"),
        ("привет_мир", "приветмир привет мир"),
        ("مرحبا", "مرحبا"),
        ("नमस्ते", "नमस्ते"),
        ("Ærø42", "ærø42"),
        ("한국어로", "한국 국어 어로"),
    ],
)
def test_a_run_has_these_terms(run: str, terms: str) -> None:
    assert sorted(b" ".join(terms_of_run(run.encode())).decode().split()) == sorted(terms.split())


def test_the_whole_comes_first() -> None:
    assert terms_of_run(b"getUserName")[0] == b"getusernam"


def test_kebab_case_and_punctuation_part_words() -> None:
    text = b"content-type: text/html; a.b->c::d()"
    assert [run for run, _ in terms_of_text(text)] == [b"content", b"type", b"text", b"html", b"a", b"b", b"c", b"d"]


@given(st.text(max_size=200))
def test_terms_are_short_distinct_and_never_empty(text: str) -> None:
    for _, terms in terms_of_text(text.encode("utf-8", "replace")):
        assert len(set(terms)) == len(terms)
        assert all(0 < len(term) <= kernels.LONGEST and term.decode() for term in terms)


@given(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,300}", fullmatch=True))
def test_an_identifier_is_found_in_any_writing_of_its_parts(name: str) -> None:
    snake = terms_of_run(name.encode())
    assert set(terms_of_run(name.strip("_").encode())) == set(snake)
    assert all(len(term) <= kernels.LONGEST for term in snake)


# Letters of every kind that are treated differently: with and without case, capitals whose case folding is themselves
# (Cherokee), compatibility forms, CJK, combining marks.
LETTERS = "aBéÉßſΣςдДЖ_0٣مनĀǅﬁＡᎣᏏꭰ東京ーあ한ﾃ\u0301\u093f𐐀𐐨𝐀"


def slow_terms(run: str) -> set[bytes]:
    """The same in the fewest words: cut character by character, then folded."""
    text = unicodedata.normalize("NFKC", run)
    words, before = [""], ""
    for here in text:
        capital = here.isupper() and before.isalnum() and not before.isupper()
        if before and (is_cjk(before) != is_cjk(here) or capital or "_" in (before, here)):
            words.append("")
        words[-1] += here
        before = here
    words = [word for word in words if word.strip("_")]
    wholes = [] if any(map(is_cjk, text)) or len(words) < 2 else ["".join(words)]
    pairs = [word[at : at + 2] for word in words if is_cjk(word[0]) for at in range(max(len(word) - 1, 1))]
    return {folded(word) for word in wholes + [word for word in words if not is_cjk(word[0])]} | set(
        map(str.encode, pairs)
    )


def folded(word: str) -> bytes:
    encoded = word.casefold().encode()
    if encoded.isascii() and encoded.isalpha():
        return ascii_terms(encoded)[0]
    return encoded[: kernels.LONGEST].decode("utf-8", "ignore").encode()


def is_cjk(character: str) -> bool:
    name = unicodedata.name(character, "")
    return name.startswith(("CJK UNIFIED", "HIRAGANA", "KATAKANA", "HANGUL SYLLABLE"))


@given(st.text(LETTERS, min_size=1, max_size=40).filter(lambda run: not run.isascii() and "ー" not in run))
def test_runs_of_other_scripts_are_cut_and_folded_as_by_the_simplest_means(run: str) -> None:
    assert set(terms_of_run(run.encode())) == slow_terms(run)


def test_what_lower_leaves_alone_has_no_capital() -> None:
    for point in [*range(0x80, 0xD800), *range(0xE000, 0x1F000), *range(0x1FB00, 0x30000)]:
        for character in unicodedata.normalize("NFKC", chr(point)):
            assert not character.isupper() or character.lower() != character


@given(st.from_regex(r"[A-Za-z0-9_]{1,80}", fullmatch=True))
def test_ascii_has_the_terms_of_the_reference(run: str) -> None:
    assert terms_of_run(run.encode()) == ascii_terms(run.encode())
