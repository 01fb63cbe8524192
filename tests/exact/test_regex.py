"""Patterns: what they mean, what RE2 is told, and that the filters before it never lose a match."""

from __future__ import annotations

import os

import pytest
import re2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from greppy.errors import BadArguments
from greppy.query.regex.emit import emit
from greppy.query.regex.formula import of_literal
from greppy.query.regex.needles import needles_of, texts_of
from greppy.query.regex.required import required
from greppy.query.regex.syntax import Unsupported, literal_tree, parse
from greppy.search.exact import sieve
from greppy.search.exact.lines import find_hits
from greppy.search.exact.question import Reading, make_question

PIECES = [
    *(
        "a",
        "b",
        "ab",
        "abc",
        "k",
        "s",
        "S",
        "é",
        ".",
        "[ab]",
        "[^a]",
        "[é-ü]",
        r"\w",
        r"\s",
        r"\d",
        r"\W",
        "^",
        "$",
        r"\b",
    ),
    *(
        "(a|bc)",
        "(abc|abd)",
        "(?:ab)",
        "(?i:ab)",
        "(|a)",
        "a*",
        "b+",
        "c?",
        "a{2}",
        "(ab){2,3}",
        "(abc)*",
        "[[:alpha:]]",
    ),
    *("|", "xyz", "k{0}", "[k-s]", r"\x61", r"\Qa.b\E"),
]
PATTERNS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
LINES = st.text("abckszKSéü .xyd1\u212a\u017f", max_size=12)


def matches(pattern: bytes, text: bytes, single_bytes: bool = False) -> bool:
    options = re2.Options()
    options.log_errors = False
    if single_bytes:
        options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern, options).search(text) is not None


def trigrams(text: bytes) -> set[bytes]:
    return {text[at : at + 3] for at in range(len(text) - 2)}


@settings(max_examples=800, deadline=None)
@given(PATTERNS, st.booleans(), st.lists(LINES, min_size=1, max_size=8))
@example("(a|b)(?i:sk)y", False, ["a\u017f\u212ay"])
def test_no_filter_loses_a_line_that_matches(pattern: str, fold: bool, lines: list[str]) -> None:
    tree = parse(pattern, fold)
    formula, needles, texts = required(tree), needles_of(tree), texts_of(tree)
    for line in lines:
        text = line.encode()
        if matches(emit(tree), text):
            assert formula.holds(trigrams(text).__contains__), str(formula)
            searched = text.lower() if needles.fold else text
            assert not needles.texts or any(needle in searched for needle in needles.texts)
        if texts is not None and text.isascii():
            searched = text.lower() if texts.fold else text
            assert matches(emit(tree), text) == any(each in searched for each in texts.texts)


@settings(max_examples=500, deadline=None)
@given(PATTERNS, st.booleans(), st.lists(st.binary(max_size=10), min_size=1, max_size=8))
def test_no_filter_loses_a_line_of_single_bytes(pattern: str, fold: bool, lines: list[bytes]) -> None:
    tree = parse(pattern.encode().decode("latin-1"), fold, unicode=False)
    formula = required(tree, single_bytes=True)
    for line in lines:
        text = line.replace(b"\n", b"a")
        if matches(emit(tree, single_bytes=True), text, single_bytes=True):
            assert formula.holds(trigrams(text).__contains__), str(formula)


@settings(max_examples=500, deadline=None)
@given(PATTERNS, st.lists(LINES, min_size=2, max_size=6))
def test_a_pattern_never_leaves_its_line(pattern: str, lines: list[str]) -> None:
    tree = parse(pattern)
    options = re2.Options()
    options.log_errors = False
    text = "\n".join(lines).encode()
    for found in re2.compile(emit(tree), options).finditer(text):
        assert b"\n" not in found.group()


@pytest.mark.parametrize(
    ("pattern", "fold", "formula"),
    [
        ("hello", False, '"ell" "hel" "llo"'),
        ("ab", False, "*"),
        ("a.b", False, "*"),
        ("func.*error", False, '"err" "fun" "ror" "rro" "unc"'),
        ("abc|xyz", False, '("abc"|"xyz")'),
        ("(abc|xyz)d", False, '("abc" "bcd"|"xyz" "yzd")'),
        ("ab[cd]e", False, '("abc" "bce"|"abd" "bde")'),
        ("(abc)*", False, "*"),
        ("(abc)+", False, '"abc"'),
        ("abc?d", False, '("abc" "bcd"|"abd")'),
        ("foo|b", False, "*"),
        ("ab\\n", False, "!"),
        ("bad", True, '("BAD"|"BAd"|"BaD"|"Bad"|"bAD"|"bAd"|"baD"|"bad")'),
    ],
)
def test_required_trigrams_print_canonically(pattern: str, fold: bool, formula: str) -> None:
    assert str(required(parse(pattern, fold))) == formula


def test_a_text_requires_its_trigrams_as_its_tree_does() -> None:
    assert of_literal("straße".encode()) == required(literal_tree("straße"))


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"(a)\1", "back-reference"),
        ("a(?=b)", "look-around"),
        ("(?<!a)b", "look-around"),
        ("(?>a)", "a group of this kind"),
        (r"\yx", r"the escape \y"),
        (r"\<-", r"\< is only there beside a word"),
    ],
)
def test_what_re2_has_not_is_refused_with_a_suggestion(pattern: str, message: str) -> None:
    with pytest.raises(Unsupported) as refused:
        parse(pattern)
    assert message in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    "pattern", ["(a", "[a", "*a", "a|*", "a{3,1}", "a{1001}", "\\", "[[:x:]]", "[b-a]", "[[.a.]]", "(" * 300]
)
def test_a_pattern_that_is_none_is_refused_with_a_hint(pattern: str) -> None:
    with pytest.raises(BadArguments) as refused:
        parse(pattern)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("a{3,1}", "give the lower number first"),
        ("a{1,1001}", "give at most 1000"),
        ("a{1001}", "give at most 1000"),
        ("a{1001,}", "give at most 1000"),
        ("a{2000,1001}", "give at most 1000"),
    ],
)
def test_the_hint_for_a_repetition_says_what_is_wrong_with_it(pattern: str, hint: str) -> None:
    with pytest.raises(BadArguments) as refused:
        parse(pattern)
    assert refused.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\<word\>", "a word.", True),
        (r"\<word\>", "swords", False),
        ("a{,2}b", "aab", True),
        ("x{", "x{", True),
        (")", "a)", True),
        ("a**", "", True),
        (r"\`a\'", "a", True),
        ("[[:alpha:]]é", "éé", True),
        (r"[^\w]", "é", False),
        (r"[\d.]+$", "v1.2", True),
        ("(?i)É", "é", True),
        ("(?P<name>x)y", "xy", True),
        (r"\x41\t\101", "A\tA", True),
        (r"\pL", "é", True),
        (r"\PL", "é", False),
    ],
)
def test_a_pattern_means_what_git_or_re2_say(pattern: str, text: str, found: bool) -> None:
    assert matches(emit(parse(pattern)), text.encode()) == found


@settings(max_examples=200, deadline=None)
@given(PATTERNS.filter(bool), st.lists(st.lists(LINES, max_size=4).map("\n".join), max_size=12), st.booleans())
def test_the_sieve_keeps_every_file_with_a_line_to_show(pattern: str, texts: list[str], small: bool) -> None:
    question = make_question([pattern.encode()], Reading())
    contents = [text.encode() for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sieve, "THREAD_BYTES", 10 if small else 1 << 20)
        patch.setattr(os, "cpu_count", lambda: 3)
        kept = list(sieve.sieved(question, list(enumerate(contents))))
    for content, (_, left) in zip(contents, kept, strict=True):
        assert left == content or next(find_hits(question, content), None) is None
