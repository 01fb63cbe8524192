"""Literal search, over real files: lines and files that hold a needle, what is refused, and equality of the twins."""

from __future__ import annotations

import errno
import os
import re
import socket
from array import array
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference

LIMIT = 1 << 20
Lines = list[tuple[int, int, int]]

letters = st.sampled_from([b"a", b"B", b"b", b"_", b" ", b"\n", b"\0", b"\xe9", b"ab", b"aab_", b"x" * 17, b"\r\n"])
texts = st.lists(letters, max_size=40).map(b"".join)
needles = st.lists(texts.map(lambda text: text.replace(b"\n", b"")[:20]), max_size=4).map(tuple)


def lines_of(twin: ModuleType, text: bytes, wanted: tuple[bytes, ...], fold: bool = False) -> Lines:
    return list(zip(*twin.matching_lines(text, wanted, fold), strict=True))


def read(
    twin: ModuleType, root: Path, names: list[str], *wanted: bytes, fold: bool = False, limit: int = LIMIT
) -> list[bytes | int | None]:
    """What `read_matching` gives for all of the names."""
    table = b"".join(os.fsencode(name) + b"\0" for name in names)
    ordinals = array("I", range(len(names)))
    found: list[bytes | int | None] = twin.read_matching(
        os.fsencode(root), table, twin.path_starts(table), ordinals, wanted, fold, limit
    )
    return found


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "sub/deeper").mkdir(parents=True)
    for name in ("a.txt", "sub/b.txt", "sub/deeper/c.txt"):
        (tmp_path / name).write_text(f"content of {name}\n")
    return tmp_path


def test_the_lines_of_a_text_are_numbered_from_one(twin: ModuleType) -> None:
    text = b"foo\n\nbar foo\r\nbar\nfoofoo"
    assert lines_of(twin, text, (b"foo",)) == [(1, 0, 3), (3, 5, 13), (5, 18, 24)]


def test_an_empty_needle_is_in_every_line_but_not_behind_the_last(twin: ModuleType) -> None:
    assert lines_of(twin, b"\na\n", (b"",)) == [(1, 0, 0), (2, 1, 2)]
    assert lines_of(twin, b"", (b"",)) == []


def test_a_line_with_several_needles_is_given_once(twin: ModuleType) -> None:
    assert lines_of(twin, b"x\nab ba\nb", (b"b", b"a", b"q")) == [(2, 2, 7), (3, 8, 9)]


def test_no_needle_is_in_no_line(twin: ModuleType) -> None:
    assert lines_of(twin, b"a\n", ()) == []


def test_folding_is_of_ascii_letters_only(twin: ModuleType) -> None:
    assert lines_of(twin, b"@FOO[\n`foo{\n", (b"@foo[",), fold=True) == [(1, 0, 5)]
    assert lines_of(twin, "É\né".encode(), ("é".encode(),), fold=True) == [(2, 3, 5)]
    assert lines_of(twin, b"fOo", (b"FoO",), fold=True) == [(1, 0, 3)]
    assert lines_of(twin, b"fOo", (b"FoO",)) == []


@pytest.mark.parametrize("size", [1, 2, 3, 15, 16, 17, 31, 32, 33, 40])
@pytest.mark.parametrize("before", [0, 1, 15, 16, 17, 31, 32, 100])
def test_a_needle_is_found_wherever_it_stands(twin: ModuleType, size: int, before: int) -> None:
    needle = bytes(97 + (at * 7) % 26 for at in range(size))
    text = b"." * before + needle
    assert lines_of(twin, text, (needle,)) == [(1, 0, len(text))]
    assert lines_of(twin, text + b"." * 40, (needle.upper(),), fold=True) == [(1, 0, len(text) + 40)]
    assert lines_of(twin, text[:-1], (needle,)) == []


@given(text=texts, wanted=needles, fold=st.booleans())
def test_lines_are_those_that_a_regular_expression_finds(
    twin: ModuleType, text: bytes, wanted: tuple[bytes, ...], fold: bool
) -> None:
    pattern = re.compile(b"|".join(map(re.escape, wanted)) if wanted else b"(?!)", re.IGNORECASE if fold else 0)
    expected = []
    start = 0
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n") if text else [], 1):
        if pattern.search(line):
            expected.append((number, start, start + len(line)))
        start += len(line) + 1
    assert lines_of(twin, text, wanted, fold) == expected


@pytest.mark.parametrize("wanted", [(b"a\nb",), (b"x", b"\n")])
def test_a_needle_with_a_line_feed_is_refused(twin: ModuleType, tree: Path, wanted: tuple[bytes, ...]) -> None:
    with pytest.raises(ValueError, match="line feed"):
        twin.matching_lines(b"", wanted, False)
    with pytest.raises(ValueError, match="line feed"):
        read(twin, tree, ["a.txt"], *wanted)


def test_needles_must_be_a_tuple_of_bytes(twin: ModuleType) -> None:
    for wanted in ([b"a"], ("a",), b"a"):
        with pytest.raises(TypeError):
            twin.matching_lines(b"", wanted, False)


def test_the_starts_of_paths_are_found(twin: ModuleType) -> None:
    assert list(twin.path_starts(b"a\0\0bc/d\0")) == [0, 2, 3]
    assert list(twin.path_starts(b"")) == []
    with pytest.raises(ValueError, match="end with a NUL"):
        twin.path_starts(b"a\0b")


def test_files_without_the_needle_are_none(twin: ModuleType, tree: Path) -> None:
    names = ["a.txt", "sub/b.txt", "sub/deeper/c.txt"]
    assert read(twin, tree, names, b"sub/") == [None, b"content of sub/b.txt\n", b"content of sub/deeper/c.txt\n"]
    assert read(twin, tree, names, b"A.TXT", b"deeper") == [None, None, b"content of sub/deeper/c.txt\n"]
    assert read(twin, tree, names, b"A.TXT", fold=True) == [b"content of a.txt\n", None, None]


def test_without_needles_every_file_is_given(twin: ModuleType, tree: Path) -> None:
    (tree / "empty").touch()
    assert read(twin, tree, ["empty", "a.txt"]) == [b"", b"content of a.txt\n"]


def test_only_the_wanted_ordinals_are_read_in_their_order(twin: ModuleType, tree: Path) -> None:
    table = b"a.txt\0missing\0sub/b.txt\0"
    found = twin.read_matching(
        os.fsencode(tree), table, twin.path_starts(table), array("I", [2, 0, 2]), (), False, LIMIT
    )
    assert found == [b"content of sub/b.txt\n", b"content of a.txt\n", b"content of sub/b.txt\n"]


def test_a_link_is_not_followed_wherever_in_the_path_it_is(twin: ModuleType, tree: Path) -> None:
    (tree / "link").symlink_to("a.txt")
    (tree / "folder").symlink_to("sub")
    (tree / "sub/up").symlink_to("../sub")
    names = ["link", "folder/b.txt", "sub/up/b.txt", "sub/b.txt"]
    assert read(twin, tree, names) == [errno.ELOOP, errno.ELOOP, errno.ELOOP, b"content of sub/b.txt\n"]


def test_what_is_no_regular_file_is_refused_without_waiting(
    twin: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)  # a socket's name has at most a hundred bytes
    os.mkfifo(tree / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        assert read(twin, tree, ["pipe", "socket", "sub"]) == [errno.ENXIO, errno.ENXIO, errno.EISDIR]


def test_a_missing_file_or_folder_is_told(twin: ModuleType, tree: Path) -> None:
    names = ["gone", "gone/a", "a.txt/b", "sub/deeper/gone", "sub/b.txt"]
    assert read(twin, tree, names) == [
        *(errno.ENOENT, errno.ENOENT, errno.ENOTDIR, errno.ENOENT),
        b"content of sub/b.txt\n",
    ]


def test_paths_that_lead_out_of_the_root_are_refused(twin: ModuleType, tree: Path) -> None:
    root = tree / "sub"
    names = ["../a.txt", "deeper/../b.txt", "/etc/passwd", "deeper//c.txt", "./b.txt", "deeper/.."]
    assert read(twin, root, names) == [errno.EINVAL] * 5 + [errno.EISDIR]


def test_a_file_over_the_limit_is_told(twin: ModuleType, tree: Path) -> None:
    (tree / "large").write_bytes(b"x" * 100)
    assert read(twin, tree, ["large"], limit=99) == [errno.EFBIG]
    assert read(twin, tree, ["large"], limit=100) == [b"x" * 100]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
def test_a_file_that_gives_more_than_its_size_is_read_whole(twin: ModuleType) -> None:
    found = read(twin, Path("/proc/sys/kernel"), ["ostype"])
    assert found == [b"Linux\n"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_told(twin: ModuleType, tree: Path) -> None:
    (tree / "a.txt").chmod(0)
    assert read(twin, tree, ["a.txt"]) == [errno.EACCES]


def test_every_file_is_told_when_the_root_is_gone(twin: ModuleType, tree: Path) -> None:
    assert read(twin, tree / "gone", ["a", "b/c"]) == [errno.ENOENT, errno.ENOENT]


def test_folders_deeper_than_are_kept_open_are_reached(twin: ModuleType, tmp_path: Path) -> None:
    deep = "/".join(f"d{level}" for level in range(60))
    names = [f"{deep}/x", f"{deep}/y", "d0/z", f"{deep}/x"]
    (tmp_path / deep).mkdir(parents=True)
    for name in names:
        (tmp_path / name).write_text(name[-1])
    assert read(twin, tmp_path, names) == [b"x", b"y", b"z", b"x"]


def test_a_path_too_long_for_one_step_is_walked_by_the_same_rules(
    fast: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for level in range(30):
        name = f"{level:200}"
        Path(name).mkdir()
        os.chdir(name)
    Path("sub").mkdir()
    Path("sub/a").write_text("found")
    Path("sub/link").symlink_to("a")
    Path("folder").symlink_to("sub")
    os.mkfifo("pipe")
    deep = "/".join(f"{level:200}" for level in range(30))
    names = [
        f"{deep}/{name}" for name in ("sub/a", "sub/link", "folder/a", "gone/a", "sub/a/b", "pipe", "sub", "sub/a")
    ]
    expected = [b"found", *(errno.ELOOP, errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.ENXIO, errno.EISDIR), b"found"]
    assert read(fast, tmp_path, [*names, "x" * 300 + "/a"]) == [*expected, errno.ENAMETOOLONG]
    assert read(reference, tmp_path, names) == expected


def test_folders_whose_names_begin_alike_are_told_apart(twin: ModuleType, tmp_path: Path) -> None:
    names = ["ab/x", "abc/x", "a/x", "ab/c/x", "ab/x"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert read(twin, tmp_path, names) == [name.encode() for name in names]


def test_the_twins_read_the_same_of_hundreds_of_files_in_order(fast: ModuleType, tmp_path: Path) -> None:
    names = [f"f{number % 11}/{number}" for number in range(300)]
    for number, name in enumerate(names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        if number % 13:
            (tmp_path / name).write_bytes(b"%d " % number * (number % 40))
    expected = read(reference, tmp_path, names, b"77", b"12")
    assert errno.ENOENT in expected
    assert None in expected
    assert read(fast, tmp_path, names, b"77", b"12") == expected


@pytest.mark.parametrize(
    ("table", "starts", "wanted", "problem"),
    [
        (b"a", [0], [0], "end with a NUL"),
        (b"a\0", [0], [1], "not in the table"),
        (b"a\0", [2], [0], "not in the table"),
        (b"", [0], [0], "not in the table"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(
    twin: ModuleType, tree: Path, table: bytes, starts: list[int], wanted: list[int], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        twin.read_matching(os.fsencode(tree), table, array("I", starts), array("I", wanted), (), False, LIMIT)


def test_roots_and_limits_that_mean_nothing_are_refused(twin: ModuleType, tree: Path) -> None:
    with pytest.raises(ValueError, match=r"named|null byte"):
        twin.read_matching(b"", b"", b"", b"", (), False, LIMIT)
    with pytest.raises(ValueError, match="negative"):
        read(twin, tree, ["a.txt"], limit=-1)
    with pytest.raises(ValueError, match="whole number"):
        twin.read_matching(os.fsencode(tree), b"a\0", b"abc", b"", (), False, LIMIT)
