"""`gc` removes what nobody needs and nothing else, under everybody's eyes, and when it is killed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from greppy.cli.main import main
from greppy.config import Config
from greppy.errors import NoIndex
from greppy.index import admin, store
from greppy.index.gc import Report, collect_garbage
from greppy.index.lock import Lock
from greppy.index.tend import BUSY, GONE, TOO_MUCH
from tests.index.conftest import Work, files_with, snapshot

DAY = 86_400


def gc(work: Work, keep_days: int = 14, max_size: int = 0, dry_run: bool = False) -> Report:
    return collect_garbage(os.fsencode(work.home), Config(gc_keep_days=keep_days, gc_max_size=max_size), None, dry_run)


def edited(work: Work, times: int) -> None:
    """A project whose index got a shard at each edit of one file, and one more at the beginning."""
    work.write("still.py", "def still():\n    return quiet\n")
    for edit in range(times):
        work.write("a.py", f"def edit{edit}():\n    return edit{edit}\n")
        work.settle()
        work.write("trigger.txt", str(edit))
        work.view()


def let_pass(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the clock stand that much later."""
    now = time.time() + seconds
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "time_ns", lambda: int(now * 1e9))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_many_small_shards_become_one_and_nothing_is_analysed_again(work: Work) -> None:
    edited(work, 5)
    before = snapshot(work.view())
    assert len(work.view().shards) > 3
    report = gc(work)
    assert report.freed > 0
    assert len(work.shard_files()) == 1
    assert snapshot(work.view()) == before
    assert files_with(work.view(), "edit4") == ["a.py"]
    assert work.build().analysed == 0
    assert gc(work).freed == 0


def test_an_analysis_that_no_file_has_is_kept_for_a_while(work: Work) -> None:
    edited(work, 3)
    gc(work, keep_days=14)
    work.write("a.py", "def edit0():\n    return edit0\n")
    assert work.build().analysed == 0


def test_an_analysis_that_no_file_has_goes_in_the_end(work: Work) -> None:
    edited(work, 3)
    dropped = gc(work, keep_days=0).indexes[0].compacted.dropped
    assert dropped == 4
    assert sum(shard.blobs for shard in work.view().shards) == 3
    work.write("a.py", "def edit0():\n    return edit0\n")
    assert work.build().analysed == 1


def test_the_time_counts_from_when_gc_first_saw_it_unused(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(work, 3)
    assert gc(work, keep_days=2).indexes[0].compacted.dropped == 0
    let_pass(monkeypatch, 1.5 * DAY)
    work.write("b.py", "def b():\n    pass\n")
    work.view()
    assert gc(work, keep_days=2).indexes[0].compacted.dropped == 0
    let_pass(monkeypatch, DAY)
    work.write("b.py", "def bb():\n    pass\n")
    work.view()
    assert gc(work, keep_days=2).indexes[0].compacted.dropped == 4
    assert (work.home / "indexes").exists()


def test_an_index_that_lay_idle_needs_no_second_run(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(work, 3)
    let_pass(monkeypatch, 20 * DAY)
    assert gc(work).indexes[0].compacted.dropped == 4


def test_the_index_of_a_folder_that_is_gone_goes(make: Callable[..., Work]) -> None:
    gone, here = make("gone"), make("here")
    for work in (gone, here):
        work.write("a.py", "def f():\n    pass\n")
        work.build()
    directory = gone.store.directory
    shutil.rmtree(gone.path)
    report = gc(here)
    assert [(each.removed, list(each.roots)) for each in report.indexes if each.removed] == [
        (GONE, [os.fsencode(gone.path)])
    ]
    assert not os.path.exists(directory)
    assert here.build().analysed == 0


def test_a_worktree_that_is_gone_takes_along_only_what_it_alone_needed(work: Work) -> None:
    work.write("a.py", "def shared():\n    pass\n")
    work.commit()
    work.build()
    other = Work(work.path.with_name("other"), work.home)
    work.git("worktree", "add", "-q", str(other.path), "HEAD", "--detach")
    other.write("b.py", "def alone():\n    pass\n")
    other.build()
    assert len(work.shard_files()) == 2
    shutil.rmtree(other.path)
    report = gc(work)
    assert [list(each.gone) for each in report.indexes] == [[os.fsencode(other.path)]]
    assert len(work.shard_files()) == 1
    assert len(store.manifests(work.store.directory)) == 1
    assert work.build().analysed == 0


def test_worktrees_share_what_gc_puts_together(work: Work) -> None:
    edited(work, 3)
    work.commit()
    other = Work(work.path.with_name("other"), work.home)
    work.git("worktree", "add", "-q", str(other.path), "HEAD", "--detach")
    for edit in range(3):
        other.write("b.py", f"def other{edit}():\n    pass\n")
        other.view()
    seen = snapshot(work.view()), snapshot(other.view())
    gc(work, keep_days=0)
    assert len(work.shard_files()) == 1
    assert (snapshot(work.view()), snapshot(other.view())) == seen
    assert (work.build().analysed, other.build().analysed) == (0, 0)


def test_a_dry_run_says_the_same_and_changes_nothing(make: Callable[..., Work]) -> None:
    work, gone = make(), make("gone")
    edited(work, 3)
    gone.write("a.py", "x = 1\n")
    gone.build()
    shutil.rmtree(gone.path)
    before = contents(work.home)
    foretold = gc(work, keep_days=0, dry_run=True)
    assert contents(work.home) == before
    done = gc(work, keep_days=0)
    assert [each.compacted for each in foretold.indexes] == [each.compacted for each in done.indexes]
    assert [each.removed for each in foretold.indexes] == [each.removed for each in done.indexes]
    assert abs(foretold.freed - done.freed) < 2000  # manifests change by the names of their shards


def test_an_index_that_is_being_changed_is_left_alone(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greppy.index.tend._PATIENCE_SECONDS", 0.1)
    edited(work, 3)
    before = contents(work.home)
    with Lock(work.store.directory):
        report = gc(work, keep_days=0, max_size=1)
    assert [each.trouble for each in report.indexes] == [BUSY]
    assert contents(work.home) == before


def test_the_size_cap_takes_what_was_not_searched_for_longest(make: Callable[..., Work]) -> None:
    works = [make(name) for name in ("a", "b", "c")]
    for age, work in enumerate(works):
        work.write("a.py", f"def f{age}():\n    pass\n")
        work.build()
        for path in (work.store.directory + store.LOCK, work.store.manifest):
            os.utime(path, (1_700_000_000 + age,) * 2)
    works[0].view()
    sizes = [work.store.bytes_on_disk() for work in works]
    report = gc(works[0], max_size=sum(sizes) - 1)
    assert {each.roots[0]: each.removed for each in report.indexes} == {
        os.fsencode(works[0].path): "",
        os.fsencode(works[1].path): TOO_MUCH,
        os.fsencode(works[2].path): "",
    }
    assert report.left <= sum(sizes) - 1
    assert gc(works[0], max_size=1).left == 0


def test_a_search_leaves_a_mark_once_an_hour(work: Work) -> None:
    work.write("a.py", "x = 1\n")
    work.build()
    lock = work.store.directory + store.LOCK
    os.utime(lock, (1_700_000_000,) * 2)
    work.view()
    first = os.stat(lock).st_mtime_ns
    assert time.time() - first / 1e9 < 600
    work.view()
    assert os.stat(lock).st_mtime_ns == first


def test_temporary_files_go_unless_somebody_may_be_writing_them(work: Work) -> None:
    work.write("a.py", "x = 1\n")
    work.build()
    index = Path(os.fsdecode(work.store.directory))
    (work.home / "hooks").mkdir()
    left = [index / "shards" / ".tmp-1-x", index / "progress", work.home / "indexes" / ".tmp-old" / "shards" / "x"]
    left += [work.home / "config.cache.12", work.home / "hooks" / "refresh.greppy-7"]
    fresh, other = work.home / "config.cache.13", work.home / "notes"
    for path in (*left, fresh, other):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * 100)
    for path in left:
        os.utime(path, (1_700_000_000,) * 2)
    report = gc(work)
    assert not any(path.exists() for path in left)
    assert fresh.exists() and other.exists()
    assert (report.beside, report.indexes[0].temporary) == (300, 2)


def test_a_reader_goes_on_while_gc_removes_what_he_reads(work: Work) -> None:
    edited(work, 4)
    view = work.view()
    before = snapshot(view)
    gc(work, keep_days=0)
    assert snapshot(view) == before
    assert files_with(view, "still") == ["still.py"]


def test_a_shard_that_is_damaged_is_left_to_those_who_repair(work: Work) -> None:
    edited(work, 3)
    shard = max(work.shard_files(), key=lambda path: path.stat().st_size)
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    report = gc(work, keep_days=0)
    assert "damaged" in report.indexes[0].trouble
    assert snapshot(work.view()) == work.expected()


@pytest.mark.parametrize("call", range(8))
def test_killed_anywhere_the_index_is_whole(work: Work, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    edited(work, 3)
    work.commit()
    other = Work(work.path.with_name("other"), work.home)
    work.git("worktree", "add", "-q", str(other.path), "HEAD", "--detach")
    other.view()
    before = snapshot(work.view()), snapshot(other.view())
    calls = 0
    real = os.rename

    def rename(source: bytes, target: bytes) -> None:
        nonlocal calls
        calls += 1
        if calls > call:
            raise KeyboardInterrupt
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", rename)
        try:
            gc(work, keep_days=0)
        except KeyboardInterrupt:
            pass
        else:
            assert call >= 3
    assert (snapshot(work.view()), snapshot(other.view())) == before
    gc(work, keep_days=0)
    assert (snapshot(work.view()), snapshot(other.view())) == before
    assert len(work.shard_files()) == 1


def test_searches_beside_gc_lose_nothing(work: Work) -> None:
    edited(work, 4)
    code = (
        "import sys, os; from greppy.config import Config; from greppy.index.gc import collect_garbage\n"
        "for _ in range(30): collect_garbage(os.fsencode(sys.argv[1]), Config(gc_keep_days=0))"
    )
    source = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": source}
    running = subprocess.Popen([sys.executable, "-c", code, str(work.home)], env=environment)
    edits = 0
    while running.poll() is None or edits < 5:
        edits += 1
        work.write("a.py", f"def round{edits}():\n    pass\n")
        assert files_with(work.view(), f"round{edits}") == ["a.py"]
    assert running.returncode == 0


def test_the_command_says_what_it_did(
    work: Work, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    edited(work, 3)
    monkeypatch.setenv("GREPPY_HOME", str(work.home))
    assert main(["gc", "-n", str(work.path)]) == 0
    said = capfdbinary.readouterr().out.decode()
    assert said.startswith(f"{work.path}: ") and "shards made 1" in said
    assert "Would free" in said
    assert main(["gc", "--json"]) == 0
    document = json.loads(capfdbinary.readouterr().out)
    assert document["dry_run"] is False
    assert document["indexes"][0]["paths"] == [str(work.path)]
    assert document["freed_bytes"] == document["indexes"][0]["freed_bytes"] > 0
    with pytest.raises(NoIndex):
        admin.index_of(os.fsencode(work.path.with_name("nowhere")), os.fsencode(work.home))


def test_a_home_that_does_not_exist_is_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("GREPPY_HOME", str(tmp_path / "none"))
    assert main(["gc"]) == 0
    assert capfdbinary.readouterr().out == b"Freed 0 bytes, 0 bytes left\n"
    assert not (tmp_path / "none").exists()


def test_a_revision_that_was_searched_lately_keeps_its_analyses(
    work: Work, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("GREPPY_HOME", str(work.home))
    monkeypatch.chdir(work.path)
    work.write("a.py", "def former():\n    pass\n")
    work.commit()
    work.write("a.py", "def latter():\n    pass\n")
    work.commit()
    edited(work, 3)

    def ask() -> bytes:
        capfdbinary.readouterr()
        assert main(["search", "--json", "--rev", "HEAD~1", "former"]) == 0
        return bytes(capfdbinary.readouterr().out.partition(b'"freshness"')[0])

    before = ask()
    (revision,) = store.revisions(work.store.directory)
    report = gc(work, keep_days=14)
    assert (report.indexes[0].revisions, len(work.shard_files())) == (0, 1)
    assert ask() == before
    os.utime(revision, (1_700_000_000,) * 2)
    assert gc(work, keep_days=14).indexes[0].revisions == 1
    assert store.revisions(work.store.directory) == []
    assert ask() == before
