"""The small parser and click read every command line alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greppy.cli.app import parse_with_click
from greppy.cli.options import VERBS, Option
from greppy.cli.parse import Parsed, parse
from greppy.errors import BadArguments

Shown = tuple[str, list[str], dict[str, object]]


def shown(parsed: Parsed | None) -> Shown | None:
    """What was parsed, as a value; the words behind `--` that some verbs keep apart are under that name."""
    if parsed is None:
        return None
    rest: dict[str, object] = {} if parsed.rest is None else {"--": parsed.rest}
    return parsed.verb, parsed.words, dict(parsed.options) | rest


def by_click(argv: list[str]) -> Shown | None:
    try:
        outcome = parse_with_click(argv)
    except BadArguments:
        return None
    assert isinstance(outcome, Parsed)
    return shown(outcome)


def forms(option: Option) -> list[str]:
    long, short = option.long, option.short
    values = ["5", "x", "100", "101", "0", "", "-", "--", "--json", "é", "\u0665", "5_0", " 5", "+5"]
    made = [long, option.negative, short, long + "=", long + "=5", long + "=x=y"]
    made += [short + value for value in values if short] + [long + "=" + value for value in values]
    return [form for form in made if form]


OPTIONS = sorted({form for verb in VERBS.values() for option in verb.options for form in forms(option)})
WORDS = [
    "5",
    "20",
    "x",
    "",
    "-",
    "--",
    "a b",
    "-z",
    "-jl5",
    "-jl",
    "-fwr",
    "-wx",
    "--nope",
    "---",
    "-=",
    "--=",
    "\udcff",
    "é",
    "-é",
    "(",
    ")",
    "-12",
    "-e",
    "grep",
]
VERB_NAMES = [name for name in VERBS if name != "help"]
words = st.one_of(st.sampled_from(OPTIONS), st.sampled_from(WORDS), st.sampled_from(VERB_NAMES))


@settings(max_examples=300, deadline=None)
@given(st.lists(words, max_size=6))
def test_both_parsers_give_the_same_result_or_both_refuse(argv: list[str]) -> None:
    if argv:
        assert shown(parse(argv)) == by_click(argv)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("-=ljpx5 ", max_size=5), min_size=1, max_size=5))
def test_both_parsers_agree_about_odd_words(argv: list[str]) -> None:
    assert shown(parse(argv)) == by_click(argv)


@pytest.mark.parametrize(
    ("argv", "words", "options"),
    [
        (["where", "are", "sessions"], ["where", "are", "sessions"], {}),
        (["search", "-l5", "x"], ["x"], {"limit": 5}),
        (["search", "-l", "5", "x"], ["x"], {"limit": 5}),
        (["search", "--limit=5", "x"], ["x"], {"limit": 5}),
        (["search", "x", "--limit", "5"], ["x"], {"limit": 5}),
        (["search", "-jl5", "x"], ["x"], {"json": True, "limit": 5}),
        (["search", "-jp", "/tmp", "x"], ["x"], {"json": True, "project": "/tmp"}),
        (["search", "x", "-l1", "-l", "2"], ["x"], {"limit": 2}),
        (["search", "--path", "a", "--path=b", "x"], ["x"], {"path": ["a", "b"]}),
        (["search", "--path", "--json", "x"], ["x"], {"path": ["--json"]}),
        (["search", "--", "--json", "-x"], ["--json", "-x"], {}),
        (["search", "a", "--", "--"], ["a", "--"], {}),
        (["search", "-"], ["-"], {}),
        (["search", ""], [""], {}),
        (["search", "x", "--content", "--no-content"], ["x"], {"content": False}),
        (["--", "list"], ["list"], {}),
        (["-j", "list"], ["list"], {"json": True}),
    ],
)
def test_a_search_is_read_as_gnu_programs_do(argv: list[str], words: list[str], options: dict[str, object]) -> None:
    assert shown(parse(argv)) == ("search", words, options) == by_click(argv)


@pytest.mark.parametrize(
    ("argv", "words", "options"),
    [
        (["x", "HEAD", "--", "a", "--"], ["x", "HEAD"], {"--": ["a", "--"]}),
        (["x", "--"], ["x"], {"--": []}),
        (["-e", "--", "y"], ["y"], {"expression": ["--regexp", "--"]}),
        (["-ie", "x"], [], {"ignore_case": True, "expression": ["--regexp", "x"]}),
        (["-ix"], None, {}),
        (["-2", "x"], ["x"], {"around": ["--context", "2"]}),
        (["-A1", "-C", "2", "x"], ["x"], {"around": ["--after-context", "1", "--context", "2"]}),
        (["-a", "-I", "x"], ["x"], {"binaries": ["--text", "--skip-binary"]}),
        (
            ["--not", "(", "-e", "(", "--or", "--regexp=b", ")"],
            [],
            {"expression": ["--not", "--open", "--regexp", "(", "--or", "--regexp", "b", "--close"]},
        ),
        (["-e", ""], [], {"expression": ["--regexp", ""]}),
        (["-h", "x"], ["x"], {"no_filename": True}),
    ],
)
def test_grep_is_read_as_git_reads_it(argv: list[str], words: list[str] | None, options: dict[str, object]) -> None:
    expected = None if words is None else ("grep", words, options)
    assert shown(parse(["grep", *argv])) == expected == by_click(["grep", *argv])


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["search", "--jsn", "x"], 'unknown option "--jsn"', 'did you mean "--json"?'),
        (["search", "--limt=3", "x"], 'unknown option "--limt"', 'did you mean "--limit"?'),
        (["-json", "x"], 'unknown option "-s"', 'did you mean "--json"?'),
        (["search", "-zebra"], 'unknown option "-z"', 'put "--" before'),
        (["search"], "QUERY is missing", "greppy search --help"),
        (["search", "x", "--limit", "101"], '"101" is not a number from 1 to 100', "greppy search --help"),
        (["search", "x", "--limit"], "requires an argument", "greppy search --help"),
        (["search", "x", "--json=1"], "does not take a value", "greppy search --help"),
        (["search", "x", "--path", ""], "--path: the value is empty", "greppy search --help"),
        (["config", "loading", "order"], 'unexpected word "loading"', "greppy search config loading order"),
        (["forget"], "PATH is missing", "greppy forget --help"),
    ],
)
def test_a_refusal_names_the_word_and_what_to_do(argv: list[str], message: str, hint: str) -> None:
    assert parse(argv) is None
    with pytest.raises(BadArguments) as refused:
        parse_with_click(argv)
    assert message in refused.value.message
    assert hint in refused.value.hint


def test_values_are_given_out_by_kind() -> None:
    parsed = Parsed("search", ["x"], {"limit": 5, "json": True, "path": ["a"], "project": "p"})
    assert (parsed.number("limit", 20), parsed.number("other", 20)) == (5, 20)
    assert (parsed.flag("json"), parsed.flag("content", True)) == (True, True)
    assert (parsed.texts("path"), parsed.texts("lang")) == (["a"], [])
    assert (parsed.text("project"), parsed.text("other")) == ("p", None)
