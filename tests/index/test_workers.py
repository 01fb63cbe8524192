"""Parallel processes: what one of them dies of costs one file, and none of them outlives its parent."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable

import pytest

from greppy.analysis import chunks
from greppy.analysis.chunks import Analysis, analyze
from greppy.config import Config
from greppy.errors import GreppyError, IndexFailure
from greppy.git.project import find_project
from greppy.index import examine as examine_module
from greppy.index import format as layout
from greppy.index import workers
from greppy.index.blobs import Scope, Task
from greppy.index.examine import Job, cut_into_batches, examine
from greppy.index.known import Known
from greppy.index.store import Store, Unwritable
from greppy.index.view import View
from greppy.index.writer import ShardWriter

from .conftest import Work, files_with, reasons, silent, snapshot

CRASH = b"zebraquartzcrash"
FILLER = b"".join(b"def word%d():\n    return other%d\n" % (number, number * 7) for number in range(30))


def fill(work: Work, count: int = 80) -> None:
    """Files for several processes; `crowd` sees to it that they are started for so few."""
    for number in range(count):
        work.write(f"f{number:02}.py", FILLER + b"def only%d(): pass\n" % number)


def fatal(when_plain: bool, death: Callable[[], object]) -> Callable[[bytes, str], Analysis | None]:
    def analyze_or_die(data: bytes, language: str) -> Analysis | None:
        if CRASH in data and (when_plain or language != "text"):
            death()
        return analyze(data, language)

    return analyze_or_die


def by_signal() -> None:
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)


def by_exit() -> None:
    os._exit(3)


def by_kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def crowd(make: Callable[..., Work], monkeypatch: pytest.MonkeyPatch) -> Work:
    monkeypatch.setattr(examine_module, "PARALLEL_BYTES", 1)
    monkeypatch.setattr(examine_module, "BATCH_FILES", 5)
    work = make(config=Config(workers=3, shard_bytes=1 << 14))
    fill(work)
    return work


@pytest.mark.parametrize("death", [by_signal, by_exit, by_kill])
def test_a_file_that_crashes_its_grammar_is_cut_into_plain_windows_and_nothing_else_is_lost(
    crowd: Work, monkeypatch: pytest.MonkeyPatch, death: Callable[[], object]
) -> None:
    for number in (3, 40, 41):
        crowd.write(f"f{number:02}.py", FILLER + CRASH + b"\ndef only%d(): pass\n" % number)
    monkeypatch.setattr(chunks, "analyze", fatal(False, death))
    report = crowd.build()
    assert (report.files, report.skipped) == (80, 0)
    view = crowd.view()
    assert snapshot(view) == crowd.expected()
    kinds = {path: kind_of_first_chunk(view, path) for path in snapshot(view)}
    assert {path for path, kind in kinds.items() if kind == "text"} == {b"f03.py", b"f40.py", b"f41.py"}
    assert {language for shard in view.shards for _, language in shard.blob_keys()} == {"python"}
    for number in range(80):
        assert files_with(view, f"only{number}") == [f"f{number:02}.py"]


def kind_of_first_chunk(view: View, path: bytes) -> str:
    file = view.manifest.paths.index(path)
    shard = view.shards[view.manifest.column(layout.FILE_SHARD, "I")[file]]
    return shard.kind(shard.chunk_range(view.manifest.column(layout.FILE_BLOB, "I")[file])[0])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere forking is not safe")
@pytest.mark.parametrize("death", [by_signal, by_kill])
def test_an_edit_that_crashes_its_grammar_does_not_take_the_search_with_it(
    make: Callable[..., Work], monkeypatch: pytest.MonkeyPatch, death: Callable[[], object]
) -> None:
    work = make(config=Config(workers=2))
    for number in range(5):
        work.write(f"f{number}.py", f"def only{number}(): pass\n")
    work.build()
    monkeypatch.setattr(chunks, "analyze", fatal(False, death))
    work.write("f2.py", CRASH + b"\ndef lemonquartz(): pass\n")
    work.write("f3.py", "def grapequartz(): pass\n")
    assert files_with(work.view(), "lemonquartz") == ["f2.py"]
    assert files_with(work.view(), "grapequartz") == ["f3.py"]
    with work.store.lock():
        work.write("f2.py", CRASH + b"\ndef plumquartz(): pass\n")
        view = work.view()
        assert view.mode == "memory"
        assert files_with(view, "plumquartz") == ["f2.py"]
    assert snapshot(work.view()) == work.expected()
    monkeypatch.setattr(chunks, "analyze", fatal(True, death))
    work.write("f2.py", CRASH)
    assert reasons(work.view())[b"f2.py"] == "analysis fails"


def test_an_error_in_the_process_beside_is_met_as_if_it_had_happened_here(
    make: Callable[..., Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(data: bytes, language: str) -> Analysis | None:
        raise Unwritable("no")

    work = make(config=Config(workers=2))
    work.write("a.py", "x = 1\n")
    monkeypatch.setattr(chunks, "analyze", refuse)
    with pytest.raises(Unwritable):
        work.build()


def test_a_process_beside_that_keeps_dying_ends_in_an_error(
    make: Callable[..., Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(self: ShardWriter) -> bytes:
        by_kill()
        return b""

    work = make(config=Config(workers=2))
    work.write("a.py", "x = 1\n")
    monkeypatch.setattr(ShardWriter, "finish", die)
    with pytest.raises(IndexFailure, match="keeps dying"):
        work.build()


def test_a_file_that_crashes_without_its_grammar_too_is_left_out_with_a_reason(
    crowd: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd.write("f40.py", FILLER + CRASH)
    monkeypatch.setattr(chunks, "analyze", fatal(True, by_signal))
    report = crowd.build()
    assert (report.files, report.skipped) == (79, 1)
    assert reasons(crowd.view())[b"f40.py"] == "analysis fails"
    assert files_with(crowd.view(), "only79") == ["f79.py"]


def test_processes_that_keep_dying_end_in_an_error_that_says_what_to_do(
    crowd: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(data: bytes, language: str) -> Analysis | None:
        os._exit(1)

    monkeypatch.setattr(chunks, "analyze", die)
    monkeypatch.setattr(workers, "MOST_DEATHS", 5)
    with pytest.raises(IndexFailure, match="keep dying") as caught:
        crowd.build()
    assert "workers" in caught.value.hint
    assert not multiprocessing.active_children()


def test_what_a_process_cannot_write_is_the_error_of_the_build(crowd: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Store, content: bytes) -> str:
        raise Unwritable("the disk is full", "free some space")

    monkeypatch.setattr(Store, "write_shard", refuse)
    with pytest.raises(Unwritable, match="the disk is full") as caught:
        crowd.build()
    assert caught.value.hint == "free some space"
    assert not multiprocessing.active_children()


def test_progress_rises_to_the_number_of_files(crowd: Work) -> None:
    seen: list[tuple[int, int]] = []
    tasks = tasks_of(crowd)
    examine(job_of(crowd, tasks), 3, lambda done, total, what: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (80, 80)


def tasks_of(work: Work) -> list[Task]:
    paths = [os.fsencode(path.name) for path in sorted(work.path.glob("*.py"))]
    return [Task(path, len(FILLER), 0) for path in paths]


def job_of(work: Work, tasks: list[Task], known: Known | None = None) -> Job:
    store = work.store
    store.create()
    root = find_project(os.fsencode(work.path)).root
    return Job(tasks, Scope(root, "sha1", 1 << 20, 0), known or Known(), store.write_shard, 1 << 18)


def test_processes_that_are_spawned_do_what_forked_ones_do(crowd: Work) -> None:
    known_part = crowd.build()
    assert known_part.analysed == 80
    crowd.write("f79.py", FILLER + b"def lemonquartz(): pass\n")
    tasks = tasks_of(crowd)
    view = crowd.view(refresh=False)
    job = job_of(crowd, tasks, Known(view.shards, view.manifest))
    context = multiprocessing.get_context("spawn")
    done = workers.examine_in_processes(job, cut_into_batches(tasks), 2, silent, context)
    rows = {row.path: row for part in done for row in part.rows}
    assert rows.keys() == {task.path for task in tasks}
    assert [part.shard for part in done if part.shard] == [rows[b"f79.py"].shard]
    assert all(rows[path].oid == oid for path, oid in crowd.expected().items())


def test_batches_hold_every_task_once_and_not_too_many() -> None:
    tasks = [Task(b"%d" % number, number * 1000 % 700_001, 0) for number in range(1_000)]
    batches = cut_into_batches(tasks)
    assert [at for batch in batches for at in batch] == list(range(1_000))
    assert max(map(len, batches)) <= 64
    assert cut_into_batches([]) == []


def test_batches_shrink_so_that_processes_end_together() -> None:
    tasks = [Task(b"%d" % number, 10_000, 0) for number in range(3_000)]
    sizes = [10_000 * len(batch) for batch in cut_into_batches(tasks)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 500_000
    assert sum(sizes[-4:]) < 150_000


def test_a_process_whose_parent_was_killed_ends_by_itself(crowd: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(data: bytes, language: str) -> Analysis | None:
        time.sleep(0.1)
        return analyze(data, language)

    monkeypatch.setattr(chunks, "analyze", slow)
    group = start_build(crowd)
    time.sleep(0.6)
    os.kill(group, signal.SIGKILL)
    os.waitpid(group, 0)
    assert ends_within(group, 4.0)
    assert_whole(crowd, monkeypatch)


def test_ctrl_c_ends_a_parallel_build_and_all_its_processes(crowd: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(data: bytes, language: str) -> Analysis | None:
        time.sleep(0.05)
        return analyze(data, language)

    monkeypatch.setattr(chunks, "analyze", slow)
    for delay in (0.03, 0.1, 0.4):
        group = start_build(crowd)
        time.sleep(delay)
        os.killpg(group, signal.SIGINT)
        _, status = os.waitpid(group, 0)
        assert os.waitstatus_to_exitcode(status) == 130
        assert ends_within(group, 2.0)
    assert_whole(crowd, monkeypatch)


def test_a_handler_of_sigterm_in_the_parent_keeps_no_process_alive(
    crowd: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Store, content: bytes) -> str:
        raise Unwritable("no")

    before = signal.signal(signal.SIGTERM, lambda *_: None)
    monkeypatch.setattr(Store, "write_shard", refuse)
    try:
        for _ in range(20):
            with pytest.raises(Unwritable):
                crowd.build()
            assert not multiprocessing.active_children()
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere forking is not safe")
def test_ctrl_c_ends_a_refresh_and_the_process_beside_it(
    make: Callable[..., Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(data: bytes, language: str) -> Analysis | None:
        time.sleep(0.3)
        return analyze(data, language)

    work = make(config=Config(workers=2))
    for number in range(3):
        work.write(f"f{number}.py", f"def only{number}(): pass\n")
    monkeypatch.setattr(chunks, "analyze", slow)
    for only_the_leader in (False, True):
        group = start_build(work)
        time.sleep(0.4)
        (os.kill if only_the_leader else os.killpg)(group, signal.SIGINT)
        assert os.waitstatus_to_exitcode(os.waitpid(group, 0)[1]) == 130
        assert ends_within(group, 1.0)
    assert_whole(work, monkeypatch)


def start_build(work: Work) -> int:
    """A build in a process group of its own; it ends with 130 when it is interrupted, as the command line does."""
    child = os.fork()
    if child:
        return child
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    status = 1
    try:
        work.build()
        status = 0
    except KeyboardInterrupt:
        status = 130
    except GreppyError:
        status = 3
    finally:
        os._exit(status)


def ends_within(group: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def assert_whole(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "analyze", analyze)
    work.build()
    assert snapshot(work.view()) == work.expected()
    assert not [path for path in work.index_files() if ".tmp-" in path.name]
