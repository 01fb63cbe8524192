"""Several processes at one index: builders, searchers, `forget`; nobody waits without need or reads a mixture."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from functools import partial

import pytest

from greppy.config import Config
from greppy.errors import GreppyError, IoFailure, NoIndex
from greppy.index import admin, maintenance
from greppy.index.lock import Lock
from greppy.index.store import Unwritable

from .conftest import Work, files_with, snapshot


def fill(work: Work, count: int = 40) -> None:
    for number in range(count):
        work.write(f"f{number:02}.py", f"def zebra{number}quartz():\n    return {number}\n")


def beside(task: Callable[[], object]) -> int:
    """Run in a process of its own; its exit status is 0 when nothing was raised."""
    child = os.fork()
    if not child:
        status = 1
        try:
            task()
            status = 0
        except (GreppyError, AssertionError) as error:
            os.write(2, f"{error!r}\n".encode())
        finally:
            os._exit(status)
    return child


def all_well(children: list[int]) -> bool:
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * len(children)


def forget(work: Work) -> int:
    return admin.forget(os.fsencode(work.path), os.fsencode(work.home))


def test_several_indexers_and_searchers_at_once_all_answer_right(work: Work) -> None:
    fill(work)
    work.build()

    def index(number: int) -> None:
        for round_number in range(6):
            work.write(f"n{number}.py", f"def lemon{number}x{round_number}quartz(): pass\n")
            work.build(force=number == 0)

    def search() -> None:
        for _ in range(25):
            assert files_with(work.view(), "zebra17quartz") == ["f17.py"]

    children = [beside(partial(index, number)) for number in range(3)] + [beside(search), beside(search)]
    assert all_well(children)
    for number in range(3):
        assert files_with(work.view(), f"lemon{number}x5quartz") == [f"n{number}.py"]
    work.build()
    assert snapshot(work.view()) == work.expected()
    assert not [path for path in work.index_files() if ".tmp-" in path.name]


def test_forgetting_beside_searches_and_builds_breaks_neither(work: Work) -> None:
    fill(work)

    def search() -> None:
        for _ in range(30):
            assert files_with(work.view(), "zebra17quartz") == ["f17.py"]

    def index() -> None:
        for _ in range(20):
            work.build()

    def forget_often() -> None:
        for _ in range(30):
            try:
                forget(work)
            except NoIndex:
                time.sleep(0.005)

    assert all_well([beside(search), beside(index), beside(forget_often), beside(search)])
    assert files_with(work.view(), "zebra17quartz") == ["f17.py"]
    assert not list(work.home.glob("indexes/.tmp-*"))


def test_a_held_lock_does_not_make_a_search_of_few_changes_wait(work: Work) -> None:
    fill(work)
    work.build()
    with work.store.lock() as held:
        assert held
        before = work.manifest_file().read_bytes()
        work.write("f03.py", "def lemonquartz(): pass\n")
        work.write("new.py", "def grapequartz(): pass\n")
        (work.path / "f04.py").unlink()
        view = work.view()
        assert view.mode == "memory"
        assert files_with(view, "lemonquartz") == ["f03.py"]
        assert files_with(view, "grapequartz") == ["new.py"]
        assert files_with(view, "zebra4quartz") == []
        assert snapshot(view) == work.expected()
        assert work.manifest_file().read_bytes() == before
    assert work.view().mode == "full"


def test_a_held_lock_makes_a_search_wait_that_has_no_index_and_says_so(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(work)

    def hold() -> None:
        with work.store.lock():
            (work.home / "held").touch()
            time.sleep(0.3)

    child = beside(hold)
    while not (work.home / "held").exists():
        time.sleep(0.01)
    (work.home / "held").unlink()
    view = work.view()
    assert view.mode == "full"
    assert snapshot(view) == work.expected()
    assert "waiting for it" in capfd.readouterr().err
    assert all_well([child])


def test_many_changes_are_waited_for_too(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(work)
    work.build()
    monkeypatch.setattr(maintenance, "QUICK", 3)
    fill(work, 10)
    child = beside(lambda: hold_for(work, 0.3))
    time.sleep(0.1)
    fill(work, 12)
    assert work.view().mode == "full"
    assert all_well([child])


def hold_for(work: Work, seconds: float) -> None:
    with work.store.lock():
        time.sleep(seconds)


def test_a_lock_is_freed_when_its_holder_is_killed(work: Work) -> None:
    fill(work, 3)
    child = beside(lambda: hold_for(work, 60))
    time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with work.store.lock(wait=False) as held:
        assert held


def test_a_lock_whose_file_was_removed_while_it_was_waited_for_is_taken_anew(work: Work) -> None:
    fill(work, 3)
    work.build()

    def hold_and_remove() -> None:
        with work.store.lock():
            (work.home / "held").touch()
            time.sleep(0.2)
            shutil.rmtree(os.fsdecode(work.store.directory))

    child = beside(hold_and_remove)
    while not (work.home / "held").exists():
        time.sleep(0.01)
    with work.store.lock() as held:
        assert held
        with work.store.lock(wait=False) as second:
            assert not second
    assert all_well([child])


def test_a_lock_below_a_folder_that_is_gone_is_an_error_and_not_a_wait(work: Work) -> None:
    with pytest.raises(Unwritable), Lock(os.fsencode(work.home) + b"/nowhere"):
        pass


def test_forgetting_one_worktree_keeps_what_the_other_needs(work: Work) -> None:
    fill(work)
    work.commit()
    work.build()
    work.git("worktree", "add", "-q", "-b", "wt", "../linked")
    linked = Work(work.path.parent / "linked", work.home)
    linked.write("only.py", "def lemonquartz(): pass\n")
    linked.build()
    shards = len(work.shard_files())
    assert forget(linked) > 0
    assert len(work.shard_files()) < shards
    assert files_with(work.view(refresh=False), "zebra3quartz") == ["f03.py"]
    assert work.build().analysed == 0
    forget(work)
    assert work.index_files() == []
    with pytest.raises(NoIndex):
        forget(work)


def test_an_index_whose_project_is_gone_is_listed_and_forgotten(work: Work) -> None:
    fill(work)
    work.build()
    assert [info.missing for info in admin.listing(os.fsencode(work.home))] == [False]
    shutil.rmtree(work.path)
    assert [(info.root, info.missing) for info in admin.listing(os.fsencode(work.home))] == [
        (os.fsencode(work.path), True)
    ]
    forget(work)
    assert admin.listing(os.fsencode(work.home)) == []


def test_a_damaged_index_can_be_forgotten(work: Work) -> None:
    fill(work)
    work.build()
    work.manifest_file().write_bytes(b"nothing")
    forget(work)
    assert work.index_files() == []


def test_what_a_killed_forget_left_is_removed_by_the_next_one(work: Work) -> None:
    fill(work)
    work.build()
    (work.home / "indexes" / ".tmp-0123456789abcdef" / "shards").mkdir(parents=True)
    forget(work)
    assert os.listdir(work.home / "indexes") == []


def test_forgetting_in_a_home_that_is_a_file_is_an_error_that_says_so(work: Work) -> None:
    work.home.write_text("x")
    with pytest.raises((NoIndex, IoFailure)):
        forget(work)


def test_status_counts_what_is_stale_and_mends_nothing(work: Work) -> None:
    fill(work)
    work.write("picture.png", b"\x89PNG\0\0")
    time.sleep(0.05)
    work.build()
    start, home = os.fsencode(work.path), os.fsencode(work.home)
    status = admin.status(start, home, work.config)
    assert (status.indexed, status.files, status.stale, status.skipped) == (True, 40, 0, {"binary": 1})
    assert status.languages == {"python": 40}
    assert admin.skipped(start, home, work.config) == [(b"picture.png", "binary")]
    work.write("f01.py", "x = 1\n")
    assert admin.status(start, home, work.config).stale == 1
    assert admin.status(start, home, work.config).stale == 1


def test_status_of_a_damaged_or_missing_index_is_no_error(work: Work, capfd: pytest.CaptureFixture[str]) -> None:
    fill(work)
    start, home = os.fsencode(work.path), os.fsencode(work.home)
    assert not admin.status(start, home, work.config).indexed
    with pytest.raises(NoIndex):
        admin.skipped(start, home, work.config)
    work.build()
    shard = work.shard_files()[0]
    content = shard.read_bytes()
    shard.write_bytes(content[:50])
    assert admin.status(start, home, work.config).languages == {}
    assert "the next search repairs it" in capfd.readouterr().err
    shard.unlink()
    assert admin.status(start, home, work.config).languages == {}
    work.manifest_file().write_bytes(b"x")
    assert not admin.status(start, home, work.config).indexed


def test_two_projects_do_not_share_an_index(make: Callable[..., Work]) -> None:
    one, two = make("one"), make("two", config=Config(workers=1))
    fill(one, 3)
    fill(two, 4)
    one.build()
    two.build()
    assert one.store.directory != two.store.directory
    assert [info.files for info in admin.listing(os.fsencode(one.home))] == [3, 4]
