"""What was analysed once is never analysed again, and an index does not grow with its history."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence

import pytest

from greppy.config import Config
from greppy.git import listing
from greppy.git.project import Project
from greppy.index import examine, tiers
from greppy.index.ledger import Ledger, Row, Signature
from greppy.index.maintenance import update
from greppy.index.shelf import Shelf
from greppy.index.tiers import is_settled, merge_tiers
from greppy.index.writer import ShardWriter

from .conftest import Work, files_with, reasons, silent, snapshot
from .test_shard import analysis_of


def fill(work: Work, count: int = 12) -> None:
    for number in range(count):
        work.write(f"src/m{number}.py", f"def zebra{number}quartz():\n    return {number}\n")
    work.commit()


def test_a_first_build_analyses_every_blob_once_and_twins_together(work: Work) -> None:
    fill(work)
    work.write("src/twin.py", (work.path / "src/m0.py").read_bytes())
    report = work.build()
    assert (report.files, report.analysed, report.reused, report.skipped) == (13, 12, 1, 0)
    assert files_with(work.view(), "zebra0quartz") == ["src/m0.py", "src/twin.py"]


def test_a_second_build_finds_nothing_to_do(work: Work) -> None:
    fill(work)
    time.sleep(0.05)  # what is written within a tick of a build is read again by the next one
    work.build()
    files = {path: path.stat().st_mtime_ns for path in work.index_files()}
    report = work.build()
    assert not report.changed
    assert report.analysed == 0
    assert {path: path.stat().st_mtime_ns for path in work.index_files()} == files


def test_an_edit_analyses_one_blob_and_its_revert_none(work: Work) -> None:
    fill(work)
    before = (work.path / "src/m3.py").read_bytes()
    work.build()
    work.write("src/m3.py", "def lemonquartz():\n    pass\n")
    assert work.build().analysed == 1
    assert files_with(work.view(), "lemonquartz") == ["src/m3.py"]
    assert files_with(work.view(), "zebra3quartz") == []
    work.write("src/m3.py", before)
    assert work.build().analysed == 0
    assert files_with(work.view(), "zebra3quartz") == ["src/m3.py"]
    assert files_with(work.view(), "lemonquartz") == []


def test_a_rename_analyses_nothing_and_another_language_does(work: Work) -> None:
    fill(work)
    work.build()
    work.git("mv", "src/m3.py", "renamed.py")
    report = work.build()
    assert (report.analysed, report.removed) == (0, 1)
    assert files_with(work.view(), "zebra3quartz") == ["renamed.py"]
    work.git("mv", "renamed.py", "renamed.txt")
    assert work.build().analysed == 1


def test_a_branch_switch_and_the_way_back_analyse_only_what_is_new(work: Work) -> None:
    fill(work)
    work.build()
    work.git("checkout", "-q", "-b", "other")
    for number in range(5):
        work.write(f"src/m{number}.py", f"def lemon{number}quartz():\n    pass\n")
    shutil.rmtree(work.path / "src" / "none", ignore_errors=True)
    work.commit()
    assert work.build().analysed == 5
    work.git("checkout", "-q", "main")
    assert work.build().analysed == 0
    assert files_with(work.view(), "zebra1quartz") == ["src/m1.py"]
    assert files_with(work.view(), "lemon1quartz") == []
    work.git("checkout", "-q", "other")
    assert work.build().analysed == 0
    assert files_with(work.view(), "lemon1quartz") == ["src/m1.py"]


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The roots that were listed, in order."""
    listed: list[bytes] = []
    real = listing.list_project

    def noted(project: Project, ignore: Sequence[str] = ()) -> listing.Listing:
        listed.append(project.root)
        return real(project, ignore)

    monkeypatch.setattr(listing, "list_project", noted)
    return listed


def test_staging_and_committing_known_files_lists_nothing_anew(work: Work, listings: list[bytes]) -> None:
    fill(work)
    time.sleep(0.05)  # git's configuration, just written, would not be trusted yet
    work.build()
    listings.clear()
    for text in ("def lemonquartz():\n    pass\n", "def grapequartz():\n    pass\n"):
        work.write("src/m3.py", text)
        work.git("add", "src/m3.py")
        assert files_with(work.view(), text[4:].partition("(")[0]) == ["src/m3.py"]
        work.git("commit", "-q", "-m", "c")
        assert snapshot(work.view()) == work.expected()
    work.git("checkout", "-q", "HEAD~1", "--", "src/m3.py")
    assert snapshot(work.view()) == work.expected()
    assert listings == []
    time.sleep(0.05)
    work.view()
    assert not work.build().changed


def test_whatever_changes_which_files_are_tracked_or_ignored_lists_anew(work: Work, listings: list[bytes]) -> None:
    fill(work)
    work.write(".gitignore", "*.log\n")
    work.write("kept.log", "zebraquartz\n")
    work.commit()
    work.build()
    for args in (
        ("add", "-f", "kept.log"),
        ("rm", "-q", "--cached", "kept.log"),
        ("rm", "-q", "src/m3.py"),
        ("update-index", "--chmod=+x", "src/m4.py"),
        ("sparse-checkout", "set", "--no-cone", "/src/m1.py"),
        ("sparse-checkout", "disable"),
    ):
        listings.clear()
        work.git(*args)
        assert snapshot(work.view()) == work.expected(), args
        assert listings, args


def test_a_second_worktree_analyses_nothing_and_has_a_manifest_of_its_own(
    work: Work, make: Callable[..., Work]
) -> None:
    fill(work)
    work.build()
    work.git("worktree", "add", "-q", "-b", "wt", "../linked")
    linked = Work(work.path.parent / "linked", work.home)
    assert linked.store.directory == work.store.directory
    report = linked.build()
    assert (report.files, report.analysed) == (12, 0)
    linked.write("src/m1.py", "def lemonquartz():\n    pass\n")
    assert files_with(linked.view(), "lemonquartz") == ["src/m1.py"]
    assert files_with(work.view(), "lemonquartz") == []
    for number in range(30):  # one worktree merges its shards; the other must keep what it needs
        work.write("src/m2.py", f"def round{number}():\n    pass\n")
        work.view()
    assert snapshot(linked.view(refresh=False)) == linked.expected()
    assert files_with(linked.view(), "lemonquartz") == ["src/m1.py"]


def test_hundreds_of_edits_leave_few_shards_little_disk_and_the_answers_of_a_fresh_index(work: Work) -> None:
    fill(work, 40)
    fresh_bytes = work.build().index_bytes
    most = 0
    for number in range(250):
        path = f"src/m{number % 40}.py"
        work.write(path, f"def lemon{number}quartz():\n    return {number}\n")
        if number % 50 == 49:
            work.write(f"new/n{number}.py", f"def grape{number}quartz():\n    pass\n")
        most = max(most, len(work.view().shards))
    assert most <= 3 * tiers.FACTOR
    report = work.build()
    assert report.index_bytes < 6 * fresh_bytes
    view = work.view()
    fresh = Work(work.path, work.home.with_name("fresh"))
    fresh.build()
    fresh_view = fresh.view()
    assert snapshot(view) == snapshot(fresh_view)
    for number in range(250):
        assert files_with(view, f"lemon{number}quartz") == files_with(fresh_view, f"lemon{number}quartz")
    for name in ("chunks", "body", "comment", "text_bytes"):
        assert getattr(view.manifest.meta, name) == getattr(fresh_view.manifest.meta, name)


def test_forcing_analyses_everything_again(work: Work) -> None:
    fill(work)
    work.build()
    assert work.build(force=True).analysed == 12
    assert snapshot(work.view()) == work.expected()


def test_a_parallel_build_says_the_same_as_one_process(
    make: Callable[..., Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examine, "PARALLEL_BYTES", 1)
    monkeypatch.setattr(examine, "BATCH_FILES", 3)
    work = make(config=Config(workers=2, shard_bytes=1 << 13))
    text = b"".join(b"def word%d():\n    return other%d\n" % (number, number * 7) for number in range(40))
    for number in range(20):
        work.write(f"f{number}.py", text + b"def only%d(): pass\n" % number)
        work.write(f"twin{number}.py", text)
    report = work.build()
    assert (report.files, report.analysed) == (40, 21)
    view = work.view()
    assert snapshot(view) == work.expected()
    alone = Work(work.path, work.home.with_name("alone"))
    assert alone.build().analysed == 21
    alone_meta, meta = alone.view().manifest.meta, view.manifest.meta
    assert [meta.chunks, meta.body, meta.comment] == [alone_meta.chunks, alone_meta.body, alone_meta.comment]
    for number in range(20):
        assert files_with(view, f"only{number}") == [f"f{number}.py"]


def test_a_lower_size_limit_takes_files_out_and_a_higher_one_brings_them_back(work: Work) -> None:
    work.write("small.txt", "zebraquartz\n")
    work.write("large.txt", "zebraquartz\n" * 100)
    work.build()
    work.config = Config(workers=1, max_file_size=500)
    assert reasons(work.view()) == {b"small.txt": "", b"large.txt": "too large"}
    work.config = Config(workers=1)
    assert work.build().analysed == 0
    assert files_with(work.view(), "zebraquartz") == ["large.txt", "small.txt"]


def test_ignore_patterns_of_the_configuration_count_and_cost_no_listing_later(work: Work) -> None:
    fill(work)
    work.config = Config(workers=1, ignore_patterns=("m1.py", "*.tmp"))
    assert b"src/m1.py" not in snapshot(work.view())
    assert b"src/m2.py" in snapshot(work.view())
    work.write("src/x.tmp", "zebraquartz\n")
    assert b"src/x.tmp" not in snapshot(work.view())


def test_files_beyond_the_limit_are_named_and_move_up_when_others_go(work: Work) -> None:
    fill(work, 5)
    work.config = Config(workers=1, max_files=3)
    assert list(reasons(work.view()).values()) == ["", "", "", "beyond the file limit", "beyond the file limit"]
    (work.path / "src/m0.py").unlink()
    work.write("src/m4.py", "def zebraquartz(): pass\n")
    assert list(reasons(work.view()).values()) == ["", "", "", "beyond the file limit"]
    assert files_with(work.view(), "zebraquartz") == []


def test_git_init_in_an_indexed_folder_is_noticed(make: Callable[..., Work]) -> None:
    work = make(git=False)
    (work.path / ".greppy").unlink()
    work.write("pyproject.toml", "[project]\n")
    work.write(".gitignore", "hidden.py\n")
    work.write("hidden.py", "def zebraquartz(): pass\n")
    assert files_with(work.view(), "zebraquartz") == []
    work.git("init", "-q")
    work.git("add", "-f", "hidden.py")
    assert files_with(work.view(), "zebraquartz") == ["hidden.py"]
    shutil.rmtree(work.path / ".git")
    assert files_with(work.view(), "zebraquartz") == []


def test_a_repository_made_anew_with_another_hash_is_indexed_anew(work: Work) -> None:
    fill(work)
    work.build()
    shutil.rmtree(work.path / ".git")
    work.git("init", "-q", "--object-format=sha256")
    view = work.view()
    assert view.manifest.meta.algorithm == "sha256"
    assert files_with(view, "zebra3quartz") == ["src/m3.py"]
    work.write("src/m3.py", "def lemonquartz(): pass\n")
    assert files_with(work.view(), "lemonquartz") == ["src/m3.py"]
    assert {shard.oid_bytes for shard in work.view().shards} == {32}


def test_a_file_whose_clock_is_ahead_costs_a_look_but_no_error_and_no_staleness(work: Work) -> None:
    path = work.write("a.py", "def zebraquartz(): pass\n")
    ahead = 4_000_000_000_000_000_000
    for word in ("first", "secon", "third"):
        path.write_text(f"def {word}quartz(): pass\n")
        os.utime(path, ns=(ahead, ahead))
        assert files_with(work.view(), f"{word}quartz") == ["a.py"]


def one_blob_shards(work: Work, count: int) -> tuple[Shelf, list[Row]]:
    shelf = Shelf(work.store, in_memory=True)
    signature: Signature = (1, 2, 3, 4)
    rows = []
    for number in range(count):
        writer = ShardWriter()
        text = b"word%d\n" % number
        writer.add(number.to_bytes(20, "big"), "text", analysis_of((text, "text")), text)
        rows.append(
            Row(b"f%05d" % number, signature, number.to_bytes(20, "big"), 0, "", shelf.write(writer.finish()), 0)
        )
    return shelf, rows


def test_mostly_dead_shards_are_written_anew_without_their_dead(work: Work) -> None:
    shelf, rows = one_blob_shards(work, 60)
    ledger, shards = merge_tiers(Ledger(rows, [], []), shelf, [row.shard for row in rows])
    assert sum(shard.blobs for shard in shards) == 60
    assert len(shards) < tiers.FACTOR
    shelf.ours = [shard.file for shard in shards]
    assert not is_settled(shards, 3)
    kept, shards = merge_tiers(ledger._replace(rows=ledger.rows[:3]), shelf, [])
    assert sum(shard.blobs for shard in shards) <= 2 * 3 + tiers.FACTOR
    by_name = {shard.file: shard for shard in shards}
    assert all(by_name[row.shard].oid(row.blob) == row.oid for row in kept.rows)
    assert is_settled(shards, 3)


def test_nothing_alive_leaves_no_shard(work: Work) -> None:
    shelf, rows = one_blob_shards(work, 30)
    shelf.ours = [row.shard for row in rows]
    assert merge_tiers(Ledger([], [], []), shelf, []) == (Ledger([], [], []), [])


@pytest.mark.parametrize("count", [1, 7, 8, 9, 64])
def test_merging_keeps_every_row_at_its_own_blob(work: Work, count: int) -> None:
    shelf, rows = one_blob_shards(work, count)
    ledger, shards = merge_tiers(Ledger(rows, [], []), shelf, [row.shard for row in rows])
    by_name = {shard.file: shard for shard in shards}
    assert [by_name[row.shard].oid(row.blob) for row in ledger.rows] == [row.oid for row in rows]
    assert len(shards) < tiers.FACTOR or count < tiers.FACTOR


def test_updating_under_the_lock_gives_the_view_without_opening_it_again(work: Work) -> None:
    from greppy.git.project import find_project

    fill(work)
    with work.store.lock() as held:
        assert held
        made = update(find_project(os.fsencode(work.path)), work.store, work.config, silent)
    assert made.outcome is not None
    assert bytes(made.manifest.container.buffer) == work.manifest_file().read_bytes()
