"""What git grep finds beyond ASCII, and in bytes that are no UTF-8: letters, cases, edges of words."""

# ruff: noqa: RUF001

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from greppy.query.regex.syntax import parse
from greppy.query.regex.wide import Widened
from greppy.search.exact import posix
from greppy.search.exact.engines import Compiled
from greppy.search.exact.lines import find_hits, spans
from greppy.search.exact.question import Reading, make_question
from tests.exact.conftest import Repository

LETTERS = [
    *"aAkKsSiI_1 -]q`^[~",
    *"éÉßẞſKİıσςΣµμǅǆǄÅåÅ١²½",
    *"\u0301\u00a0\u2028\u0085\u0345\u200b\u0378\ue000\ufffd中€“😀ᾳᾼⅧⅷⓐԱաᲐაᎠꭰθϑΩΩﬀÿŸĀā",
]
STRAY = [b"\xff", b"\xc3", b"\xa9", b"\xed\xa0\x80", b"\xe2\x84", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xf0\x9f\x98"]
NAMED = ["alpha", "upper", "lower", "alnum", "punct", "space", "digit", "print", "graph", "cntrl", "blank", "xdigit"]
ATOMS = [
    *"aksi1_ -]éÉßſKİıσΣµǅÅⅧͅι.^$",
    *(f"[[:{name}:]]" for name in NAMED),
    *(f"[^[:{name}:]]" for name in NAMED),
    *(r"\w", r"\W", r"\s", r"\S", r"\b", r"\B", r"\bk", r"s\>", r"(\<a|\<k)", r"\<[ak]+\>"),
    *("[a-z]", "[A-Z]", "[^a]", "[]a]", "[^]a]", "[é-ü]", "[α-ω]", "[^é]", "[kK]", "[^k]", "[ꭰ]", "[Ω]"),
    *("[A-z]", "[a-~]", "[!-é]", "[+-a]", "[[:alpha:]é]", "[^[:alnum:]_]", "[\u0100-\uffff]", "[^\u0100-\uffff]"),
    *("x*", ".*", ".+", ".{2}", "é{2}", "é?", "(a|é)", "(é|ß)+", "foo|s", "[[:alpha:]]+", "q[^u]"),
]
lines = st.lists(
    st.lists(st.sampled_from([letter.encode() for letter in LETTERS] + STRAY), max_size=6).map(b"".join),
    min_size=30,
    max_size=120,
)
patterns = st.lists(
    st.builds(
        lambda atoms, stray: "".join(atoms).encode() + stray,
        st.lists(st.sampled_from(ATOMS), min_size=1, max_size=3),
        st.sampled_from([b""] * 9 + [b"\xff", b"\xc3"]),
    ),
    min_size=1,
    max_size=2,
)
flags = st.lists(st.sampled_from(["-i", "-w", "-v", "-o"]), max_size=2, unique=True)
asked = st.lists(st.tuples(patterns, flags), min_size=12, max_size=12)


def ours(texts: list[bytes], options: list[str], single_bytes: bool, data: bytes) -> bytes:
    reading = Reading(fold="-i" in options, word="-w" in options, single_bytes=single_bytes)
    question = make_question(texts, reading, "-v" in options)
    hits = [(number, data[start:end]) for number, start, end, _ in find_hits(question, data)]
    if "-o" in options and "-v" not in options:
        hits = [(number, line[low:high]) for number, line in hits for low, high in spans(question, line)]
    return b"".join(b"%d:%s\n" % hit for hit in hits)


@pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
@settings(
    max_examples=12,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rows=lines, questions=asked)
@example(rows=[b"qI", "ı".encode()], questions=[(["[A-Z]ı".encode()], ["-i"]), (["[Ā-ſ]".encode()], ["-i"])])
@example(rows=[b"x", b""], questions=[([rb"\B"], []), ([rb"\b"], ["-v"])])
@example(
    rows=["ⅷ".encode(), "prınt".encode()],
    questions=[(["Ⅷ".encode()], ["-i", "-v"]), ([b"pri.t"], ["-i"]), ([b"(pri|x)"], ["-i"])],
)
def test_every_kind_of_character_is_what_git_grep_takes_it_for(
    repository: Repository, locale: str, rows: list[bytes], questions: list[tuple[list[bytes], list[str]]]
) -> None:
    data = b"".join(row + b"\n" for row in rows)
    repository.write("f", data)
    repository.git("add", "f")
    for texts, options in questions:
        words = [word for text in texts for word in ("-e", text)]
        wanted = repository.git_grep("-ah", *options, *words, locale=locale)
        if wanted.status <= 1:
            assert ours(texts, options, locale == "C", data) == wanted.out, (texts, options)


PLACES = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=4).map("".join)


@settings(max_examples=150, deadline=None)
@given(PLACES, st.booleans(), lines)
def test_a_widened_pattern_finds_every_line_that_the_pattern_itself_does(
    pattern: str, fold: bool, rows: list[bytes]
) -> None:
    question = make_question([pattern.encode()], Reading(fold=fold))
    finder = Compiled(Widened(parse(pattern, fold)).tree, single_bytes=True)
    for row in rows:
        if question.patterns[0].span(row, 0) is not None:
            assert finder.locate(row, 0) >= 0


def test_without_the_c_library_the_tables_of_this_program_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posix, "_library", lambda: (None, None))
    data = "é1\n١ \n\u2028\nstraße\n".encode()
    assert ours([b"[[:alpha:]]+$"], [], False, data) == "4:straße\n".encode()
    assert ours([b"^[[:space:]]"], [], False, data) == "3:\u2028\n".encode()
    assert ours(["É.".encode()], ["-i"], False, data) == "1:é1\n".encode()


def test_a_line_that_git_grep_loses_behind_a_letter_with_a_longer_capital_is_found() -> None:
    data = "ʎǝʞ\n]\n".encode()
    assert ours([b"[]a]"], ["-i"], False, data) == b"2:]\n"
