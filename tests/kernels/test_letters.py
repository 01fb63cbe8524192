"""Words in scripts of two-byte letters: the twins agree, and say what the analysis of a run would have said."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.tokens import _normalized_terms
from greppy.kernels import reference

CHARACTERS = [chr(code) for code in (*range(0x30, 0x7B), *range(0xA0, 0x700), 0x900, 0x1EA1, 0x4E00, 0x1F600)]
RUNS = st.lists(st.sampled_from(CHARACTERS), min_size=1, max_size=40).map("".join).map(str.encode)


def is_right(word: bytes, run: bytes) -> bool:
    return not word or run.isascii() or _normalized_terms(run) == (word,)


def test_every_letter_alone_and_beside_others_is_its_only_term(fast: ModuleType) -> None:
    letters = [letter.encode() for letter in CHARACTERS if letter.isalpha()]
    known = [letter for letter in letters if fast.fold_word(letter)]
    assert len(known) > 500
    for letter in letters:
        for run in (letter, letter + "é".encode(), b"a" + letter, "й".encode() + letter + "ش".encode()):
            word = fast.fold_word(run)
            assert word == reference.fold_word(run)
            assert is_right(word, run)


@given(RUNS | st.binary(max_size=70))
def test_the_twins_agree_and_are_right(fast: ModuleType, run: bytes) -> None:
    word = fast.fold_word(run)
    assert word == reference.fold_word(run)
    assert is_right(word, run)


@pytest.mark.parametrize(
    ("run", "word"),
    [
        ("Überprüfung", "überprüfung"),
        ("ΑΒΓ", ""),
        ("Λόγου", "λόγου"),
        ("λόγος", ""),
        ("Ёлка", "ёлка"),
        ("שלום", "שלום"),
        ("سلام", "سلام"),
        ("Straße", ""),
        ("İstanbul", ""),
        ("naïve_case", ""),
        ("é9", ""),
        ("e\u0301", ""),
        ("日本", ""),
        ("é" * 32, "é" * 32),
        ("é" * 32 + "a", ""),
    ],
)
def test_what_is_such_a_word(twin: ModuleType, run: str, word: str) -> None:
    assert twin.fold_word(run.encode()) == word.encode()
