"""The first index of a second worktree or a clone: nothing is read that git says is clean, and it is as true as any."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from greppy.config import Config
from greppy.index import format as layout
from greppy.index import maintenance
from greppy.index.ledger import Ledger, read_ledger

from .conftest import Work, files_with, reasons, snapshot

BINARY = b"\0\1\2" * 100
LARGE = b"# large\n" * 200
CONFIG = Config(workers=1, max_file_size=1500)


@pytest.fixture
def first(make: Callable[..., Work]) -> Work:
    """An indexed worktree with a file of every kind, all of it old enough to be trusted."""
    work = make("first", config=CONFIG)
    for number in range(8):
        work.write(f"src/m{number}.py", f"def zebra{number}quartz():\n    return {number}\n")
    work.write("first/core.py", "def core(): pass\n")
    work.write("tests/test_m.py", "def test_m(): pass\n")
    work.write("data.bin", BINARY)
    work.write("large.txt", LARGE)
    work.write("empty.py", "")
    work.write(".gitignore", "*.tmp\nbuild/\n")
    work.write("src/.gitattributes", "m1.py linguist-generated\n")
    (work.path / "link").symlink_to("src/m0.py")
    work.settle()
    work.commit()
    wait()
    work.build()
    return work


def wait() -> None:
    """Until what has been written is no longer racy."""
    time.sleep(0.06)


def beside(first: Work, *options: str) -> Work:
    """A second worktree, not indexed yet."""
    path = first.path.parent / "second"
    first.git("worktree", "add", "-q", *(options or ("--detach",)), str(path))
    return Work(path, first.home, first.config)


def clean_beside(first: Work) -> Work:
    """One that git has had the time to find clean."""
    work = beside(first)
    wait()
    work.git("read-tree", "HEAD")
    work.git("update-index", "--refresh", "-q")
    wait()
    work.git("update-index", "--force-write-index")
    return work


def anew(work: Work) -> Work:
    """The same worktree with an index of its own, built without any help."""
    home = work.home.parent / "another-home"
    shutil.rmtree(home, ignore_errors=True)
    other = Work(work.path, home, work.config)
    other.build()
    return other


def told(work: Work) -> tuple[object, ...]:
    """What an index says of a worktree, but for where its analyses lie."""
    manifest = work.view(refresh=False).manifest
    ledger = read_ledger(manifest)
    rows = [(row.path, row.oid, row.flags, row.reason) for row in ledger.rows]
    named = manifest.container.section(layout.TERMS)
    meta = manifest.meta
    counts = (meta.chunks, meta.body, meta.comment, meta.text_bytes)
    return rows, counts, bytes(named), meta.root, meta.digest, ledger.tracked, *_watched(ledger)


def _watched(ledger: Ledger) -> tuple[list[bytes], list[bytes]]:
    return sorted(folder.path for folder in ledger.folders), [item.path for item in ledger.inputs]


def assert_true(work: Work) -> None:
    """The index is what one made without help is, and what is on disk."""
    assert told(work) == told(anew(work))
    view = work.view()
    found = snapshot(view)
    kept_out = {path for path, reason in reasons(view).items() if reason in ("too large", "beyond the file limit")}
    assert found == {path: oid for path, oid in work.expected().items() if path not in kept_out}


def not_called(*_args: object, **_named: object) -> NoReturn:
    raise AssertionError("nothing had to be built")


def test_a_clean_second_worktree_is_ready_without_a_look_into_a_file(
    first: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = clean_beside(first)
    with monkeypatch.context() as patch:
        patch.setattr(maintenance, "build", not_called)
        report = second.build()
    assert (report.analysed, report.removed, report.changed) == (0, 0, True)
    assert_true(second)
    assert not second.build().changed
    assert files_with(second.view(), "zebra3quartz") == ["src/m3.py"]


def test_one_that_was_checked_out_this_instant_is_read_as_far_as_its_files_are_racy(first: Work) -> None:
    second = beside(first)
    assert second.build().analysed == 0
    assert_true(second)


def edit_keeping_size_and_mtime(work: Work) -> None:
    path = work.path / "src/m2.py"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"zebra", b"lemon"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def new_file(work: Work) -> None:
    work.write("src/new.py", "def new(): pass\n")


def new_folder(work: Work) -> None:
    work.write("other/new.py", "def new(): pass\n")


def ignored_files(work: Work) -> None:
    work.write("src/x.tmp", "tmp")
    work.write("build/y.py", "y = 1\n")


def deleted(work: Work) -> None:
    (work.path / "src/m5.py").unlink()


def deleted_and_removed(work: Work) -> None:
    work.git("rm", "-q", "-r", "tests", "src/m5.py")


def renamed(work: Work) -> None:
    work.git("mv", "src/m5.py", "src/n5.py")


def other_rules(work: Work) -> None:
    work.write(".gitignore", "*.py\n")
    work.write("a.tmp", "no longer ignored")


def other_attributes(work: Work) -> None:
    work.write("src/.gitattributes", "m2.py linguist-generated\n")


def more_attributes(work: Work) -> None:
    work.write("first/.gitattributes", "core.py linguist-generated\n")


def ignored_attributes(work: Work) -> None:
    work.write(".gitignore", "*.tmp\nbuild/\n.gitattributes\n")
    work.write("first/.gitattributes", "core.py linguist-generated\n")


def link_to_file(work: Work) -> None:
    (work.path / "link").unlink()
    work.write("link", "now a file\n")


def file_to_link(work: Work) -> None:
    (work.path / "src/m4.py").unlink()
    (work.path / "src/m4.py").symlink_to("m3.py")


def folder_to_link(work: Work) -> None:
    (work.path / "tests").rename(work.path / "elsewhere")
    (work.path / "tests").symlink_to("elsewhere")


def folder_to_file(work: Work) -> None:
    shutil.rmtree(work.path / "tests")
    work.write("tests", "now a file\n")


def large_to_small(work: Work) -> None:
    work.write("large.txt", "small\n")


def small_to_large(work: Work) -> None:
    work.write("src/m6.py", LARGE)


def intended(work: Work) -> None:
    work.write("src/later.py", "def later(): pass\n")
    work.git("add", "--intent-to-add", "src/later.py")


def assumed(work: Work) -> None:
    work.git("update-index", "--assume-unchanged", "src/m1.py")
    work.write("src/m1.py", "def lemon(): pass\n")


def sparse(work: Work) -> None:
    work.git("sparse-checkout", "set", "--no-cone", "/src/", "/.gitignore")


def another_commit(work: Work) -> None:
    work.git("checkout", "-q", "-b", "another")
    for number in range(3):
        work.write(f"src/m{number}.py", f"def pear{number}(): pass\n")
    work.write("src/more.py", "def more(): pass\n")
    work.commit()


def unmerged(work: Work) -> None:
    another_commit(work)
    work.git("checkout", "-q", "-b", "one", "HEAD~1")
    work.write("src/m0.py", "def plum(): pass\n")
    work.commit()
    shutil.rmtree(work.path / "tests")
    merge = subprocess.run(["git", "merge", "-q", "another"], cwd=work.path, capture_output=True, check=False)
    assert b"CONFLICT" in merge.stdout


CHANGES = [
    *(edit_keeping_size_and_mtime, new_file, new_folder, ignored_files, deleted, deleted_and_removed, renamed),
    *(other_rules, other_attributes, more_attributes, ignored_attributes, link_to_file, file_to_link, folder_to_link),
    *(folder_to_file, large_to_small, small_to_large, intended, assumed, sparse, another_commit, unmerged),
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_otherwise_in_a_second_worktree_is_seen(first: Work, change: Callable[[Work], None]) -> None:
    second = clean_beside(first)
    change(second)
    second.build()
    assert_true(second)


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_otherwise_in_the_first_one_does_not_show_in_the_second(
    first: Work, change: Callable[[Work], None]
) -> None:
    second = clean_beside(first)
    change(first)
    wait()
    first.build()
    second.build()
    assert_true(second)


def test_a_file_that_a_filter_makes_another_of_the_same_size_is_read(first: Work) -> None:
    first.write(".gitattributes", "src/*.py filter=rot\n")
    first.commit()
    wait()
    first.build()
    for direction in ("clean", "smudge"):
        first.git("config", f"filter.rot.{direction}", "tr a-z n-za-m")
    second = clean_beside(first)
    assert (second.path / "src/m0.py").read_bytes() != (first.path / "src/m0.py").read_bytes()
    second.build()
    assert_true(second)


def test_ends_of_lines_that_a_checkout_changed_are_read(first: Work) -> None:
    first.git("config", "core.autocrlf", "true")
    second = clean_beside(first)
    assert b"\r\n" in (second.path / "src/m0.py").read_bytes()
    second.build()
    assert_true(second)


def test_a_clone_shares_the_shards_of_the_index_that_is_there(first: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    path = first.path.parent / "clone"
    first.git("clone", "-q", str(first.path), str(path))
    clone = Work(path, first.home, first.config)
    wait()
    clone.git("update-index", "--refresh", "-q", "--force-write-index")
    with monkeypatch.context() as patch:
        patch.setattr(maintenance, "build", not_called)
        assert clone.build().analysed == 0
    assert_true(clone)
    shared = {path.stat().st_ino for path in clone.shard_files()}
    assert shared == {path.stat().st_ino for path in first.shard_files()}
    shutil.rmtree(first.store.directory)
    assert files_with(clone.view(), "zebra3quartz") == ["src/m3.py"]


def test_a_clone_of_another_name_has_its_own_main_package(first: Work) -> None:
    path = first.path.parent / "src"
    first.git("clone", "-q", str(first.path), str(path))
    clone = Work(path, first.home, first.config)
    clone.build()
    assert_true(clone)
    assert told(clone)[0] != told(first)[0]


def test_another_repository_shares_nothing(first: Work, make: Callable[..., Work]) -> None:
    other = make("unrelated", config=first.config)
    other.write("a.py", "def a(): pass\n")
    other.commit()
    assert other.build().analysed == 1
    assert_true(other)
    assert len(other.shard_files()) == 1


def test_where_links_cannot_be_made_a_clone_is_analysed(first: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    path = first.path.parent / "clone"
    first.git("clone", "-q", str(first.path), str(path))
    clone = Work(path, first.home, first.config)

    def no_links(_one: object, _other: object) -> NoReturn:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    assert clone.build().analysed > 0
    assert_true(clone)


def test_a_damaged_manifest_of_another_worktree_helps_nobody_and_harms_nobody(first: Work) -> None:
    second = clean_beside(first)
    path = Path(os.fsdecode(first.store.manifest))
    path.write_bytes(path.read_bytes()[:-100])
    second.build()
    assert_true(second)


def test_another_limit_of_size_is_obeyed(first: Work) -> None:
    second = clean_beside(first)
    second.config = Config(workers=1, max_file_size=1 << 20)
    second.build()
    assert_true(second)
    assert reasons(second.view())[b"large.txt"] == ""


def test_a_submodule_is_one_in_the_second_worktree_too(first: Work, make: Callable[..., Work]) -> None:
    part = make("part")
    part.write("p.py", "def p(): pass\n")
    part.commit()
    first.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part.path), "sub")
    first.commit()
    wait()
    first.build()
    second = clean_beside(first)
    second.build()
    assert_true(second)
    assert reasons(second.view())[b"sub"] == "submodule"


def test_of_a_file_that_git_wrote_with_another_blobs_bytes_nothing_is_taken_over(first: Work) -> None:
    # So that git writes its index well after the file, which is then clean without being read.
    first.git("config", "filter.slow.smudge", "sleep 0.1; cat")
    (first.path / ".git/info/attributes").write_text("z.txt filter=slow\n")
    first.write("z.txt", "z\n")
    first.commit()
    wait()
    first.build()
    old = first.git("rev-parse", "HEAD:src/m0.py").decode().strip()
    first.git("replace", old, first.git("rev-parse", "HEAD:src/m1.py").decode().strip())
    work = beside(first)
    assert (work.path / "src/m0.py").read_bytes() == (work.path / "src/m1.py").read_bytes()
    work.build()
    assert snapshot(work.view())[b"src/m0.py"] == work.expected()[b"src/m0.py"]
    assert files_with(work.view(), "zebra0quartz") == []
    assert files_with(work.view(), "zebra1quartz") == ["src/m0.py", "src/m1.py"]
