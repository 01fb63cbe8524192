"""What is at paths now, and which names nobody knew, over real files; and equality of the twins."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import ModuleType

import pytest

from greppy.kernels import reference


def table_of(names: list[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "sub/deep").mkdir(parents=True)
    for name in ("a", "sub/b", "sub/deep/c"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("nowhere")
    return tmp_path


def test_each_path_has_its_mode_and_stat_data(twin: ModuleType, tree: Path) -> None:
    names = ["a", "sub", "link", "gone", "sub/deep/c", "."]
    modes, stats = twin.stats_now(os.fsencode(tree), table_of(names), len(names))
    numbers = memoryview(stats).cast("q")
    for at, name in enumerate(names):
        found = tuple(numbers[4 * at : 4 * at + 4])
        if name == "gone":
            assert (modes[at], found) == (0, (0, 0, 0, 0))
            continue
        now = (tree / name).lstat()
        size = -1 if stat.S_ISDIR(now.st_mode) else now.st_size
        assert (modes[at], found) == (now.st_mode, (size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino))


def test_names_that_nobody_knew_are_told_in_order(twin: ModuleType, tree: Path) -> None:
    root = os.fsencode(tree)
    folders, known = [".", "sub", "sub/deep"], ["a", "sub/b", "sub/deep/c", "link", "sub", "sub/deep", "."]
    assert twin.strange_names(root, table_of(folders), table_of(known)) == []
    for name in ("sub/new", "sub/deep/b", "also"):
        (tree / name).touch()
    assert twin.strange_names(root, table_of(folders), table_of(known)) == [b"also", b"sub/deep/b", b"sub/new"]
    assert twin.strange_names(root, table_of(["sub"]), table_of(known)) == [b"sub/new"]


def test_the_folder_of_git_is_known_in_the_root_only(twin: ModuleType, tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / "sub/.git").mkdir()
    known = table_of(["a", "link", "sub", "sub/b", "sub/deep"])
    assert twin.strange_names(os.fsencode(tree), table_of([".", "sub"]), known) == [b"sub/.git"]


@pytest.mark.parametrize("folder", ["gone", "a", "link", "into"])
def test_what_is_no_folder_any_more_cannot_be_listed(twin: ModuleType, tree: Path, folder: str) -> None:
    (tree / "into").symlink_to("sub")
    assert twin.strange_names(os.fsencode(tree), table_of(["sub", folder]), table_of(["sub/b", "sub/deep"])) is None


def test_the_twins_see_the_same_in_thousands_of_folders(fast: ModuleType, tmp_path: Path) -> None:
    names = [f"d{number}/f" for number in range(1100)]
    for name in names:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    folders = [name[:-2] for name in names]
    everything = [*names, *folders]
    for name in ("d0/x", "d549/x", "d550/x", "d1099/x"):
        (tmp_path / name).touch()
    root, table = os.fsencode(tmp_path), table_of(everything)
    found = fast.strange_names(root, table_of(folders), table)
    assert found == reference.strange_names(root, table_of(folders), table) == sorted(found)
    assert len(found) == 4
    ours, theirs = fast.stats_now(root, table, 2200), reference.stats_now(root, table, 2200)
    assert (ours[0].tolist(), ours[1]) == (theirs[0].tolist(), theirs[1])


@pytest.mark.parametrize(("table", "n"), [(b"a\0", 2), (b"a", 1), (b"a\0b\0", 1), (b"", -1)])
def test_tables_that_do_not_fit_are_refused(twin: ModuleType, tree: Path, table: bytes, n: int) -> None:
    with pytest.raises(ValueError, match="fit together"):
        twin.stats_now(os.fsencode(tree), table, n)


def test_paths_that_do_not_end_and_roots_without_names_are_refused(twin: ModuleType, tree: Path) -> None:
    for folders, table in ((b"sub", b""), (b"", b"sub")):
        with pytest.raises(ValueError, match="end with a NUL"):
            twin.strange_names(os.fsencode(tree), folders, table)
    with pytest.raises(ValueError, match="named"):
        twin.strange_names(b"", b"", b"")
    with pytest.raises(ValueError, match="named"):
        twin.stats_now(b"", b"", 0)
