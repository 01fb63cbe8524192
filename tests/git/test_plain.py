"""Projects without git: the walk, its ignore rules and attributes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from greppy.git.attributes import DOCUMENTATION, GENERATED, NEGATED_SHIFT, VENDORED
from greppy.git.listing import Listing, check_ignored, list_project
from greppy.git.project import find_project
from greppy.git.rules import Rules, split_lines


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = Path(os.path.realpath(tmp_path)) / "p"
    made.mkdir()
    (made / "go.mod").touch()
    return made


def write(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def listing_of(root: Path, ignore: tuple[str, ...] = ()) -> Listing:
    return list_project(find_project(os.fsencode(root)), ignore)


def names(root: Path, ignore: tuple[str, ...] = ()) -> list[str]:
    return [os.fsdecode(file.path) for file in listing_of(root, ignore).files]


@contextmanager
def without_root(root: Path) -> Iterator[None]:
    """Run as somebody whom permission bits bind."""
    if os.geteuid() != 0:
        yield
        return
    for path in (root, *root.parents):
        if path.stat().st_mode & 0o005 != 0o005 and "pytest" in str(path):
            path.chmod(0o755)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_nothing_is_tracked_and_everything_is_listed(root: Path) -> None:
    write(root, "a/b.py")
    listing = listing_of(root)
    assert [tuple(file) for file in listing.files] == [(b"a/b.py", False, 0), (b"go.mod", False, 0)]
    assert listing.directories == [b"", b"a"]
    assert listing.inputs == []


def test_a_file_below_an_excluded_folder_cannot_come_back(root: Path) -> None:
    write(root, ".gitignore", "out/\n!out/keep.py\n")
    write(root, "out/.gitignore", "!keep.py\n")
    write(root, "out/keep.py")
    assert names(root) == [".gitignore", "go.mod"]


def test_a_deeper_file_overrules_a_higher_one_and_ignore_overrules_gitignore(root: Path) -> None:
    write(root, ".gitignore", "*.log\n*.txt\n")
    write(root, ".ignore", "!b.txt\nc.py\n")
    write(root, "sub/.gitignore", "!*.log\n")
    for path in ("a.log", "b.txt", "c.py", "sub/a.log", "sub/c.py", "d.txt"):
        write(root, path)
    assert names(root) == [".gitignore", ".ignore", "b.txt", "go.mod", "sub/.gitignore", "sub/a.log"]
    inputs = [os.path.relpath(os.fsdecode(path), root) for path in listing_of(root).inputs]
    assert inputs == [".gitignore", ".ignore", "sub/.gitignore"]


def test_caches_and_installed_packages_are_left_out_unless_asked_back(root: Path) -> None:
    for path in ("node_modules/x.js", "a/__pycache__/y.pyc", ".venv/z.py", ".svn/w", "keep.py"):
        write(root, path)
    assert names(root) == ["go.mod", "keep.py"]
    write(root, ".gitignore", "!node_modules/\n")
    assert names(root) == [".gitignore", "go.mod", "keep.py", "node_modules/x.js"]


def test_links_pipes_and_nested_repositories_are_skipped(root: Path) -> None:
    write(root, "nested/.git/HEAD", "ref: refs/heads/main\n")
    (root / "nested/.git/objects").mkdir()
    (root / "nested/.git/refs").mkdir()
    write(root, "nested/a.py")
    (root / "link").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    listing = listing_of(root)
    assert [file.path for file in listing.files] == [b"go.mod"]
    assert listing.skipped == [(b"link", "symlink"), (b"nested", "nested repository"), (b"pipe", "special file")]


def test_an_unreadable_folder_is_reported_and_watched(root: Path) -> None:
    write(root, "shut/a.py")
    (root / "shut").chmod(0)
    with without_root(root):
        listing = listing_of(root)
    (root / "shut").chmod(0o755)
    assert listing.skipped == [(b"shut", "unreadable folder")]
    assert b"shut" in listing.directories


def test_the_users_patterns_apply(root: Path) -> None:
    write(root, "data/a.py")
    write(root, "b.py")
    assert names(root, ("/data",)) == ["b.py", "go.mod"]
    found = check_ignored(find_project(os.fsencode(root)), [b"data/a.py", b"b.py"], ("/data",))
    assert found == {b"data/a.py"}


def test_ignored_names_are_known_with_the_folders_above_them(root: Path) -> None:
    write(root, ".gitignore", "out/\n.*\n")
    write(root, "out/deep/a.py")
    write(root, "a.py")
    asked = [b"out", b"out/deep", b"out/deep/a.py", b"a.py", b".gitignore", b"gone"]
    assert check_ignored(find_project(os.fsencode(root)), asked) == {b"out", b"out/deep", b"out/deep/a.py"}


def test_attributes_without_git_follow_gits_precedence(root: Path) -> None:
    lines = [
        '"with space.py" linguist-generated',
        '"\\303\\251.py" linguist-vendored',
        "gen/** linguist-generated=true text",
        "gen/own.py !linguist-generated",
        "*.md linguist-documentation=false",
        "docs/ linguist-vendored",
        "# comment linguist-vendored",
        "!a.py linguist-vendored",
    ]
    write(root, ".gitattributes", "\n".join(lines) + "\n")
    write(root, "gen/sub/.gitattributes", "*.py -linguist-generated\nb.py linguist-vendored\n")
    for path in ("with space.py", "é.py", "gen/a.py", "gen/own.py", "gen/sub/b.py", "r.md", "docs/x.py", "a.py"):
        write(root, path)
    found = {os.fsdecode(file.path): file.attributes for file in listing_of(root).files if file.attributes}
    assert found == {
        "with space.py": GENERATED,
        "é.py": VENDORED,
        "gen/a.py": GENERATED,
        "gen/sub/.gitattributes": GENERATED,
        "gen/sub/b.py": GENERATED << NEGATED_SHIFT | VENDORED,
        "r.md": DOCUMENTATION << NEGATED_SHIFT,
    }


@pytest.mark.parametrize(
    ("pattern", "path", "is_folder", "expected"),
    [
        (b"foo", b"foo", False, True),
        (b"foo", b"a/foo", True, True),
        (b"foo", b"foo/a", False, None),
        (b"foo/", b"foo", False, None),
        (b"foo/", b"foo", True, True),
        (b"/foo", b"a/foo", False, None),
        (b"a/foo", b"b/a/foo", False, None),
        (b"a/**/b", b"a/b", False, True),
        (b"a/**/b", b"a/x/y/b", False, True),
        (b"a/**", b"a", True, None),
        (b"a/**", b"a/b/c", False, True),
        (b"**/b", b"a/b", False, True),
        (b"a[!b]c", b"a/c", False, None),
        (b"x/a[!b]c", b"x/a/c", False, None),
        (b"[[:digit:]]", b"7", False, True),
        (b"[[:nonsense:]]", b"n", False, None),
        (b"[a-\\c]", b"b", False, True),
        (b"[\\]]", b"]", False, True),
        (b"[a/b]", b"a", False, None),
        (b"[", b"[", False, None),
        (b"a\\", b"a\\", False, None),
        (b"a\\ ", b"a ", False, True),
        (b"a ", b"a", False, True),
        (b"a\t", b"a\t", False, True),
        (b"caf\xc3\xa0", b"caf\xc3\xa0", False, True),
        (b"\\#a", b"#a", False, True),
        (b"#a", b"#a", False, None),
        (b"!a", b"a", False, False),
        (b"\\!a", b"!a", False, True),
        (b"/", b"a", True, None),
        (b"", b"a", True, None),
        (b"a*", b"a\nb", False, True),
        (b"a", b"a\n", False, None),
        (b"?", b"\xff", False, True),
    ],
)
def test_a_pattern_means_what_git_means(pattern: bytes, path: bytes, is_folder: bool, expected: bool | None) -> None:
    assert Rules([pattern]).decide(path, is_folder) is expected


def test_a_byte_order_mark_and_line_ends_are_not_part_of_a_pattern() -> None:
    assert split_lines(b"\xef\xbb\xbfa\r\nb\n") == [b"a", b"b", b""]
