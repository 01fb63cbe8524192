"""The lexicons that are shipped, and how words are looked up in them."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.tokens import terms_of_run
from greppy.domains.lexicon import FOLDER, MEANS, SAME, Lexicon, read_lexicon

NAMES = sorted(name.removesuffix(".txt") for name in os.listdir(FOLDER))


def lines(name: str) -> list[str]:
    with open(os.path.join(FOLDER, name + ".txt"), encoding="ascii") as file:
        return [line for line in file.read().splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("name", NAMES)
def test_every_line_is_a_concept(name: str) -> None:
    for line in lines(name):
        words = line.split(" ")
        assert words.count(SAME) + words.count(MEANS) == 1, line
        assert words.index(SAME) == 1 if SAME in words else words.index(MEANS) >= 1, line
        assert all(re.fullmatch(r"[a-z0-9_]+", word) for word in words if word not in (SAME, MEANS)), line
        assert len(set(words)) == len(words), line


@pytest.mark.parametrize("name", NAMES)
def test_every_concept_is_found_by_its_word(name: str) -> None:
    lexicon = read_lexicon([name])
    for line in lines(name):
        word = line.split(" ")[0].encode()
        assert line.split(" ")[-1].encode() in {related for related, _ in lexicon.relatives(terms_of_run(word)[0])}


def test_there_are_a_few_hundred_concepts() -> None:
    assert 500 <= sum(len(lines(name)) for name in NAMES) <= 1500


def naive(text: str, stem: bytes) -> list[tuple[bytes, bytes]]:
    """Look-up by reading every line."""
    found = []
    for line in text.encode().split(b"\n"):
        words = line.split()
        for entry in words:
            if line.startswith(b"#") or b"_" in entry or stem not in terms_of_run(entry)[:1]:
                continue
            if b"=" in words[1:2]:
                found += [(word, entry) for word in (words[0], *words[2:]) if word != entry]
            elif b">" in words and entry in words[: words.index(b">")]:
                found += [(word, entry) for word in words[words.index(b">") + 1 :]]
    return found


WORDS = st.sampled_from(
    ["auth", "config", "configs", "policy", "policies", "hoping", "hope", "key", "keys", "x", "user_name", "able"]
)
LINES = st.lists(WORDS, min_size=1, max_size=3, unique=True).flatmap(
    lambda left: st.sampled_from("=>").flatmap(
        lambda sign: st.lists(WORDS, min_size=1, max_size=4, unique=True).map(
            lambda right: " ".join([*(left if sign == ">" else left[:1]), sign, *right])
        )
    )
)


@given(st.lists(LINES | st.just("# auth > x") | st.just(""), max_size=6), WORDS)
def test_a_look_up_finds_what_reading_every_line_finds(concepts: list[str], word: str) -> None:
    stem = terms_of_run(word.encode())[0]
    text = "\n".join(concepts)
    assert sorted(Lexicon(text.encode()).relatives(stem)) == sorted(naive(text, stem))
