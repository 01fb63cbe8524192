"""Printing the lines that match in one step: what is printed of texts and of real files, what is left to others, what
is refused, and equality of the twins."""

from __future__ import annotations

import errno
import os
import re
from array import array
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference
from greppy.kernels.reference.rows import AS_GIT, AS_TEXT, COUNTS, LEAVE_OUT, LINES, NAMES
from greppy.search.exact import rows

if TYPE_CHECKING:
    from greppy.kernels.reference.rows import Chains, Style

LIMIT = 1 << 20
PLAIN: Style = (LINES, AS_GIT, True, True, False)
FOREIGN = ((b"\xe2\x84\xaa", b"k"), (b"\xc5\xbf", b"s"))
Pieces = list[bytes | tuple[int, int] | tuple[int, bytes]]

letters = st.sampled_from(
    [b"a", b"B", b"b", b"_", b" ", b"\n", b"\0", b"\xe9", "é".encode(), b"ab", b"kS", "\u017f".encode(), b"x" * 17]
)
texts = st.lists(letters, max_size=40).map(b"".join)
needles = texts.map(lambda text: text.replace(b"\n", b"")[:20] or b"a")
chains_of_several = st.lists(st.lists(needles, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
chains_of_one = st.lists(needles.map(lambda text: (text,)), max_size=3).map(tuple)
foreign = st.sampled_from([(), FOREIGN])
styles = st.tuples(
    st.integers(LINES, NAMES), st.integers(AS_GIT, LEAVE_OUT), st.booleans(), st.booleans(), st.booleans()
)
asked = st.one_of(
    st.tuples(chains_of_several, foreign, st.booleans(), st.just(False)),
    st.tuples(chains_of_one, foreign, st.booleans(), st.just(True)),
)


def one(*texts: bytes, fold: bool = False, word: bool = False) -> Chains:
    return (texts,), (), fold, word


def print_files(
    twin: ModuleType, root: Path, names: list[bytes], chains: Chains, style: Style = PLAIN, prefix: bytes = b""
) -> Pieces:
    table = b"".join(name + b"\0" for name in names)
    ordinals = array("I", range(len(names)))
    found: Pieces = twin.print_files(
        os.fsencode(root), table, twin.path_starts(table), ordinals, chains, style, prefix, LIMIT
    )
    return found


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name in ("a", "b", "sub/c", "sub/d"):
        (tmp_path / name).write_text(f"one\ntwo of {name}\n")
    return tmp_path


def test_the_constants_are_those_of_exact_search() -> None:
    assert (rows.LINES, rows.COUNTS, rows.NAMES) == (LINES, COUNTS, NAMES)
    assert (rows.AS_GIT, rows.AS_TEXT, rows.LEAVE_OUT) == (AS_GIT, AS_TEXT, LEAVE_OUT)


def test_a_line_is_printed_with_its_path_and_number(twin: ModuleType) -> None:
    text = b"foo\n\nbar foo\r\nbar\nfoofoo"
    assert twin.print_text(text, b"n", one(b"foo"), PLAIN) == b"n:1:foo\nn:3:bar foo\r\nn:5:foofoo\n"
    assert twin.print_text(text, b"n", one(b"foo"), (LINES, AS_GIT, False, False, False)) == b"foo\nbar foo\r\nfoofoo\n"
    assert twin.print_text(text, b"n", one(b"foo"), (LINES, AS_GIT, True, True, True))[:8] == b"n\x001\0foo\n"
    assert twin.print_text(text, b"n", one(b"nothing"), PLAIN) == b""
    assert twin.print_text(b"", b"n", one(b"a"), PLAIN) == b""


def test_counts_and_names_are_one_line_a_file(twin: ModuleType) -> None:
    text = b"foo\nbar\nfoo"
    assert twin.print_text(text, b"n", one(b"foo"), (COUNTS, AS_GIT, True, True, False)) == b"n:2\n"
    assert twin.print_text(text, b"n", one(b"foo"), (COUNTS, AS_GIT, False, True, True)) == b"2\n"
    assert twin.print_text(text, b"n", one(b"foo"), (NAMES, AS_GIT, False, True, False)) == b"n\n"
    assert twin.print_text(text, b"n", one(b"foo"), (NAMES, AS_GIT, True, True, True)) == b"n\0"


def test_the_texts_of_a_chain_stand_in_order_and_apart(twin: ModuleType) -> None:
    text = b"ab\nba\nabab\na\nb\n"
    assert twin.print_text(text, b"n", one(b"a", b"b"), PLAIN) == b"n:1:ab\nn:3:abab\n"
    assert twin.print_text(text, b"n", one(b"ab", b"ab"), PLAIN) == b"n:3:abab\n"
    assert twin.print_text(text, b"n", one(b"ab", b"b"), PLAIN) == b"n:3:abab\n"


def test_any_of_several_chains_will_do(twin: ModuleType) -> None:
    chains: Chains = ((b"x", b"y"), (b"z",)), (), False, False
    assert twin.print_text(b"x\nxy\nz\n", b"n", chains, PLAIN) == b"n:2:xy\nn:3:z\n"


@pytest.mark.parametrize("between", [b"\0", b"\xe9", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"])
def test_what_no_dot_matches_between_two_texts_is_left_to_an_engine(twin: ModuleType, between: bytes) -> None:
    text = b"\n" * 8000 + b"a" + between + b"b\n"
    assert twin.print_text(text, b"n", one(b"a", b"b"), PLAIN) is None
    assert twin.print_text(text, b"n", one(b"b", b"a"), PLAIN) == b""
    assert twin.print_text(b"b" + between + b"ab", b"n", one(b"a", b"b"), (NAMES, AS_TEXT, True, True, False)) == b"n\n"


@pytest.mark.parametrize("between", ["é", "ࠀ", "\ud7ff", "\ue000", "\U00010000", "\U0010ffff", "\x7f"])
def test_characters_may_stand_between_two_texts(twin: ModuleType, between: str) -> None:
    line = b"a" + between.encode() + b"b"
    assert twin.print_text(line, b"n", one(b"a", b"b"), PLAIN) == b"n:1:" + line + b"\n"


def test_a_word_stands_alone(twin: ModuleType) -> None:
    text = b"get\nget_it\n_get get\nforget get2\n(get)\n\xc3\xa9get\n"
    printed = b"n:1:get\nn:3:_get get\nn:5:(get)\nn:6:\xc3\xa9get\n"
    assert twin.print_text(text, b"n", one(b"get", word=True), PLAIN) == printed


def test_a_foreign_letter_matters_where_it_could_be_part_of_a_match(twin: ModuleType) -> None:
    chains: Chains = ((b"kiss",),), FOREIGN, True, False
    assert twin.print_text("KISS\n5 \u212a\n".encode(), b"n", chains, PLAIN) == b"n:1:KISS\n"
    assert twin.print_text("KISS\n\u212ais\u017f\n".encode(), b"n", chains, PLAIN) is None


def test_a_binary_file_is_one_line_or_none_or_text(twin: ModuleType) -> None:
    text = b"foo\0\nfoo\n"
    assert twin.print_text(text, b"n", one(b"foo"), PLAIN) == b"Binary file n matches\n"
    assert twin.print_text(text, b"n", one(b"bar"), PLAIN) == b""
    assert twin.print_text(text, b"n", one(b"foo"), (LINES, AS_TEXT, True, True, False)) == b"n:1:foo\0\nn:2:foo\n"
    assert twin.print_text(text, b"n", one(b"foo"), (LINES, LEAVE_OUT, True, True, False)) == b""
    assert twin.print_text(text, b"n", one(b"foo"), (COUNTS, AS_GIT, True, True, False)) == b"n:2\n"
    late = b"\n" * 7999 + b"\0"
    assert twin.print_text(late + b"foo", b"n", one(b"foo"), PLAIN) == b"Binary file n matches\n"
    assert twin.print_text(b"\n" + late + b"foo", b"n", one(b"foo"), PLAIN) == b"n:8001:\0foo\n"


@pytest.mark.parametrize(
    ("chains", "style"),
    [
        ((((),), (), False, False), PLAIN),
        ((((b"",),), (), False, False), PLAIN),
        ((((b"a\nb",),), (), False, False), PLAIN),
        ((((b"a", b"b"),), (), False, True), PLAIN),
        ((((b"a",),), ((b"", b"k"),), False, False), PLAIN),
        ((((b"a",),), (), False, False), (3, AS_GIT, True, True, False)),
        ((((b"a",),), (), False, False), (LINES, 3, True, True, False)),
        ((((b"a",),), (), False, False), (-1, AS_GIT, True, True, False)),
    ],
)
def test_what_makes_no_sense_is_refused(twin: ModuleType, chains: Chains, style: Style, tree: Path) -> None:
    with pytest.raises(ValueError, match=r"no such|must|only one"):
        twin.print_text(b"a", b"n", chains, style)
    with pytest.raises(ValueError, match=r"no such|must|only one"):
        print_files(twin, tree, [b"a"], chains, style)


def test_what_is_printed_of_files_is_joined_in_their_order(twin: ModuleType, tree: Path) -> None:
    found = print_files(twin, tree, [b"b", b"a", b"sub/d"], one(b"two"))
    assert found == [b"b:2:two of b\na:2:two of a\nsub/d:2:two of sub/d\n"]
    assert print_files(twin, tree, [b"a", b"b"], one(b"nothing")) == []
    assert print_files(twin, tree, [], one(b"two")) == []


def test_what_cannot_be_read_or_decided_stands_between(twin: ModuleType, tree: Path) -> None:
    (tree / "odd").write_bytes(b"one\0of two\n")
    os.symlink("a", tree / "link")
    names = [b"a", b"gone", b"sub", b"link", b"odd", b"b", b"sub/c"]
    assert print_files(twin, tree, names, one(b"one", b"two")) == [
        (1, errno.ENOENT),
        (2, errno.EISDIR),
        (3, errno.ELOOP),
        *([(4, b"one\0of two\n")]),
    ]
    assert print_files(twin, tree, names, one(b"two"))[0] == b"a:2:two of a\n"
    assert print_files(twin, tree, names, one(b"two"))[-1] == (
        b"Binary file odd matches\nb:2:two of b\nsub/c:2:two of sub/c\n"
    )


def test_names_are_without_the_prefix_and_others_are_left_to_others(twin: ModuleType, tree: Path) -> None:
    found = print_files(twin, tree, [b"sub/c", b"a", b"sub/d"], one(b"two"), prefix=b"sub/")
    assert found == [b"c:2:two of sub/c\n", (1, b"one\ntwo of a\n"), b"d:2:two of sub/d\n"]


@pytest.mark.parametrize("name", [b'quo"te', b"back\\slash", b"tab\t", b"\xc3\xa9", b"del\x7f"])
def test_a_name_that_git_quotes_is_left_to_others(twin: ModuleType, tree: Path, name: bytes) -> None:
    with open(os.path.join(os.fsencode(tree), name), "wb") as file:
        file.write(b"two\n")
    assert print_files(twin, tree, [b"a", name], one(b"two")) == [b"a:2:two of a\n", (1, b"two\n")]
    raw = print_files(twin, tree, [name], one(b"two"), (LINES, AS_GIT, True, True, True))
    assert raw == [name + b"\0" + b"1\0two\n"]


def test_a_path_that_is_not_in_the_table_is_refused(twin: ModuleType, tree: Path) -> None:
    for table, starts, wanted in ((b"a\0", [0], [1]), (b"a\0", [2], [0]), (b"a", [0], [0])):
        with pytest.raises(ValueError, match="table"):
            twin.print_files(
                os.fsencode(tree), table, array("I", starts), array("I", wanted), one(b"a"), PLAIN, b"", LIMIT
            )


@given(text=texts, chains=asked, style=styles)
def test_the_twins_print_the_same(twin: ModuleType, text: bytes, chains: Chains, style: Style) -> None:
    assert twin.print_text(text, b"n", chains, style) == reference.print_text(text, b"n", chains, style)


@given(
    text=st.lists(st.sampled_from([b"a", b"b", b"A", b"\n", b"-" * 31]), max_size=200).map(b"".join),
    wanted=st.lists(st.text("ab-", min_size=3, max_size=5).map(str.encode), min_size=4, max_size=20),
    fold=st.booleans(),
)
def test_many_texts_are_found_wherever_they_stand(
    twin: ModuleType, text: bytes, wanted: list[bytes], fold: bool
) -> None:
    pattern = re.compile(b"|".join(map(re.escape, wanted)), re.IGNORECASE if fold else 0)
    lines = text.removesuffix(b"\n").split(b"\n") if text else []
    expected = b"".join(b"%d:%b\n" % (number, line) for number, line in enumerate(lines, 1) if pattern.search(line))
    chains: Chains = tuple((one,) for one in wanted), (), fold, False
    assert twin.print_text(text, b"", chains, (LINES, AS_TEXT, False, True, False)) == expected


@given(text=texts, chain=st.lists(needles, min_size=1, max_size=3).map(tuple), fold=st.booleans())
def test_a_chain_is_what_a_regular_expression_makes_of_it(
    twin: ModuleType, text: bytes, chain: tuple[bytes, ...], fold: bool
) -> None:
    flags = re.IGNORECASE if fold else 0
    pattern = re.compile(rb"[^\n\0]*".join(map(re.escape, chain)), flags)
    lines = text.removesuffix(b"\n").split(b"\n") if text else []
    expected = b"".join(b"%d:%b\n" % (number, line) for number, line in enumerate(lines, 1) if pattern.search(line))
    printed = twin.print_text(text, b"", ((chain,), (), fold, False), (LINES, AS_TEXT, False, True, False))
    assert printed in (expected, None)
    if text.isascii() and b"\0" not in text:
        assert printed == expected
