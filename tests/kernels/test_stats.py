"""The stat scan, over real files: each way in which a path can differ, and equality of the twins."""

from __future__ import annotations

import os
import shutil
from array import array
from pathlib import Path
from types import ModuleType

import pytest

from greppy.kernels import reference

Recorded = tuple[bytes, bytes, "array[int]", int]


def signed(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def record(root: Path, names: list[str], folders: tuple[str, ...] = ()) -> Recorded:
    """The arguments of `changed_stats` for paths as they are now."""
    stats = array("q")
    for name in names:
        now = (root / name).lstat()
        stats.extend([-1 if name in folders else now.st_size, now.st_mtime_ns, now.st_ctime_ns, signed(now.st_ino)])
    return os.fsencode(root), b"".join(os.fsencode(name) + b"\0" for name in names), stats, len(names)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name in ("a", "b", "c", "sub/d"):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_what_did_not_change_is_not_listed(twin: ModuleType, tree: Path) -> None:
    assert twin.changed_stats(*record(tree, ["a", "b", "sub/d"])) == []


def test_an_edited_a_replaced_and_a_deleted_file_are_listed_in_order(twin: ModuleType, tree: Path) -> None:
    recorded = record(tree, ["a", "b", "c", "sub/d"])
    (tree / "a").write_text("longer")
    (tree / "new").write_text("c")
    (tree / "new").rename(tree / "c")
    (tree / "sub/d").unlink()
    assert twin.changed_stats(*recorded) == [0, 2, 3]


def test_an_edit_that_keeps_size_and_mtime_is_seen_by_its_ctime(twin: ModuleType, tree: Path) -> None:
    before = (tree / "a").stat()
    recorded = record(tree, ["a"])
    while (tree / "a").stat().st_ctime_ns == before.st_ctime_ns:
        (tree / "a").write_text("z")
        os.utime(tree / "a", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert twin.changed_stats(*recorded) == [0]


def test_a_file_that_became_a_link_to_its_copy_is_listed(twin: ModuleType, tree: Path) -> None:
    recorded = record(tree, ["a"])
    (tree / "a").rename(tree / "moved")
    (tree / "a").symlink_to("moved")
    assert twin.changed_stats(*recorded) == [0]


def test_a_link_is_compared_itself_even_when_it_leads_nowhere(twin: ModuleType, tree: Path) -> None:
    (tree / "link").symlink_to("nowhere")
    assert twin.changed_stats(*record(tree, ["link"])) == []


def test_a_folder_is_listed_when_an_entry_came_or_it_is_no_folder_any_more(twin: ModuleType, tree: Path) -> None:
    os.utime(tree / "sub", ns=(0, 0))
    recorded = record(tree, ["sub"], folders=("sub",))
    assert twin.changed_stats(*recorded) == []
    (tree / "sub/new").write_text("")
    assert twin.changed_stats(*recorded) == [0]
    shutil.rmtree(tree / "sub")
    (tree / "sub").write_text("")
    assert twin.changed_stats(*recorded) == [0]


def test_a_file_recorded_as_a_folder_is_listed(twin: ModuleType, tree: Path) -> None:
    assert twin.changed_stats(*record(tree, ["a"], folders=("a",))) == [0]


def test_a_folder_with_another_mode_is_not_listed(twin: ModuleType, tree: Path) -> None:
    recorded = record(tree, ["sub"], folders=("sub",))
    (tree / "sub").chmod(0o700)
    (tree / "sub").chmod(0o755)
    assert twin.changed_stats(*recorded) == []


def test_an_empty_path_is_the_root_itself(twin: ModuleType, tree: Path) -> None:
    recorded = record(tree, [""], folders=("",))
    assert recorded[1] == b"\0"
    assert twin.changed_stats(*recorded) == []


def test_a_path_cannot_leave_the_root_by_a_leading_slash(twin: ModuleType, tree: Path) -> None:
    root, _, stats, n = record(tree, ["a"])
    assert twin.changed_stats(root, b"//a\0", stats, n) == []


def test_every_path_is_listed_when_the_root_is_gone(twin: ModuleType, tree: Path) -> None:
    recorded = record(tree, ["a", "b"])
    shutil.rmtree(tree)
    assert twin.changed_stats(*recorded) == [0, 1]


def test_times_before_1970_and_odd_names_are_compared_too(twin: ModuleType, tree: Path) -> None:
    name = os.fsdecode(b"odd \xff\nname")
    (tree / name).write_text("")
    os.utime(tree / name, ns=(-1_500_000_001, -1_500_000_001))
    assert twin.changed_stats(*record(tree, [name])) == []


def test_the_twins_list_the_same_of_thousands_of_paths_in_order(fast: ModuleType, tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(2501)]
    for name in names:
        (tmp_path / name).touch()
    recorded = record(tmp_path, names)
    gone = [0, 7, 1249, 1250, 1251, 2499, 2500]
    for number in gone:
        (tmp_path / names[number]).unlink()
    assert fast.changed_stats(*recorded) == reference.changed_stats(*recorded) == gone


@pytest.mark.parametrize(
    ("table", "words", "n"),
    [(b"a\0", 4, 2), (b"a\0b\0", 8, 1), (b"a\0", 3, 1), (b"a", 4, 1), (b"a\0b", 4, 1), (b"", 4, 1), (b"", 0, -1)],
)
def test_tables_that_do_not_fit_together_are_refused(
    twin: ModuleType, tree: Path, table: bytes, words: int, n: int
) -> None:
    with pytest.raises(ValueError, match="fit together"):
        twin.changed_stats(os.fsencode(tree), table, array("q", [0] * words), n)


@pytest.mark.parametrize("root", [b"", b"a\0b"])
def test_a_root_without_a_name_is_refused(twin: ModuleType, root: bytes) -> None:
    with pytest.raises(ValueError, match=r"named|null byte"):
        twin.changed_stats(root, b"", array("q"), 0)


def test_no_paths_are_no_changes(twin: ModuleType, tree: Path) -> None:
    assert twin.changed_stats(os.fsencode(tree), b"", array("q"), 0) == []
