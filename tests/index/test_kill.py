"""Killed at any moment: the index is the old one or the new one, the next command needs no repair, leftovers go."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable

import pytest

from greppy.config import Config
from greppy.index import examine, tiers

from .conftest import Work, files_with, snapshot

CALLS = ("open", "write", "fsync", "rename", "unlink", "mkdir", "close", "fork")


def fill(work: Work, count: int, word: str) -> None:
    for number in range(count):
        work.write(f"f{number:02}.py", f"def {word}{number}quartz():\n    return {number}\n")


def in_child(work: Work, fatal_call: int, force: bool) -> int:
    """Build in a child that kills itself before its n-th system call of `CALLS`; its exit status, negative: killed."""
    child = os.fork()
    if not child:
        status = 1
        try:
            arm(fatal_call)
            work.build(force)
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def arm(fatal_call: int) -> None:
    count = 0

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **keywords: object) -> object:
            nonlocal count
            count += 1
            if count == fatal_call:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **keywords)

        return call

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))


@pytest.mark.parametrize("case", ["first build", "edit", "new file", "merge", "force"])
def test_killed_at_any_system_call_the_index_is_the_old_one_or_the_new_one(
    make: Callable[..., Work], capfd: pytest.CaptureFixture[str], case: str
) -> None:
    work = make(config=Config(workers=1))
    fill(work, 6, "zebra")
    if case != "first build":
        work.build()
    if case == "merge":
        for number in range(tiers.FACTOR - 2):
            work.write("f01.py", f"def grape{number}quartz(): pass\n")
            work.build()
    time.sleep(0.05)
    if case != "first build":
        work.build()
    for point in range(1, 400):
        old = snapshot(work.view(refresh=False)) if case != "first build" else {}
        if case in ("edit", "merge"):
            work.write("f00.py", f"def lemon{point}quartz(): pass\n")
        elif case == "new file":
            work.write(f"new{point}.py", f"def lemon{point}quartz(): pass\n")
        status = in_child(work, point, case == "force")
        assert status in (0, -signal.SIGKILL)
        new = work.expected()
        if work.manifest_file().exists():
            assert snapshot(work.view(refresh=False)) in (old, new)
        assert snapshot(work.view()) == new
        assert files_with(work.view(), "zebra3quartz") == ["f03.py"]
        assert capfd.readouterr().err == ""
        if status == 0:
            break
        if case == "first build":
            remove_index(work)
    assert status == 0, "the build never came to its end"
    work.write("last.py", "x = 1\n")
    work.build()
    assert_no_leftovers(work)


def remove_index(work: Work) -> None:
    for path in work.index_files():
        path.unlink()


def assert_no_leftovers(work: Work) -> None:
    assert not [path for path in work.index_files() if ".tmp-" in path.name]
    named = set(work.view(refresh=False).manifest.shards)
    assert {path.name for path in work.shard_files()} == named


def test_killed_with_all_its_processes_at_random_moments_a_build_leaves_nothing_to_repair(
    make: Callable[..., Work], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(examine, "PARALLEL_BYTES", 1)
    monkeypatch.setattr(examine, "BATCH_FILES", 4)
    work = make(config=Config(workers=2, shard_bytes=1 << 12))
    fill(work, 60, "zebra")
    generator = random.Random(5)
    work.build()
    for round_number in range(12):
        fill(work, 20, f"round{round_number}x")
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            try:
                work.build(force=round_number % 3 == 0)
            finally:
                os._exit(0)
        time.sleep(generator.random() * 0.25)
        kill_group(child)
        os.waitpid(child, 0)
        assert snapshot(work.view()) == work.expected()
        assert files_with(work.view(), f"round{round_number}x3quartz") == ["f03.py"]
        assert files_with(work.view(), "zebra33quartz") == ["f33.py"]
    assert capfd.readouterr().err.replace(WAITING.format(work.path), "") == ""
    work.write("last.py", "x = 1\n")
    work.build()
    assert_no_leftovers(work)


WAITING = "greppy: another process is indexing {}; waiting for it\n"


def kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(leader, signal.SIGKILL)
