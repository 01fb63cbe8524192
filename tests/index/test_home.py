"""Homes that cannot hold an index: full, read-only, foreign, no folder; and the modes of those that can."""

from __future__ import annotations

import os
import resource
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from greppy.errors import IoFailure
from greppy.index.home import refusal
from greppy.index.store import Unwritable

from .conftest import Work, files_with, snapshot

SOURCE = str(Path(__file__).resolve().parents[2])
NOT_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def fill(work: Work, count: int = 20) -> None:
    for number in range(count):
        work.write(f"f{number:02}.py", f"def zebra{number}quartz():\n    return {number}\n" * 50)


def check_answered_from_memory(work: Work, capfd: pytest.CaptureFixture[str], what: str) -> None:
    view = work.view()
    assert view.mode == "memory"
    assert snapshot(view) == work.expected()
    assert files_with(view, "zebra3quartz") == ["f03.py"]
    err = capfd.readouterr().err
    assert what in err
    assert str(work.home) in err
    assert "searching without it" in err
    assert len(err.splitlines()) == 1
    with pytest.raises(IoFailure, match="cannot"):
        work.build()


def modes(folder: Path) -> set[tuple[str, int]]:
    """Kind and mode of everything in a folder, itself included."""
    paths = [folder, *folder.rglob("*")]
    return {("folder" if path.is_dir() else "file", stat.S_IMODE(path.lstat().st_mode)) for path in paths}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_whatever_the_umask_folders_are_0700_and_files_0600(work: Work, mask: int) -> None:
    fill(work)
    before = os.umask(mask)
    try:
        work.build()
        os.umask(0o022)
        work.write("f01.py", "x = 1\n")
        os.umask(mask)
        work.view()
    finally:
        os.umask(before)
    assert modes(work.home) <= {("folder", 0o700), ("file", 0o600)} or mask == 0o777
    assert not any(mode & 0o077 for _, mode in modes(work.home))


def test_a_loose_home_of_ours_is_tightened(work: Work) -> None:
    fill(work)
    work.build()
    work.home.chmod(0o777)
    (work.home / "indexes").chmod(0o755)
    work.view()
    assert modes(work.home) == {("folder", 0o700), ("file", 0o600)}


def test_a_folder_that_holds_other_things_keeps_its_mode_and_the_index_is_closed_all_the_same(work: Work) -> None:
    work.home.mkdir()
    work.home.chmod(0o755)
    (work.home / "letters.txt").write_text("x")
    fill(work)
    work.build()
    assert stat.S_IMODE(work.home.stat().st_mode) == 0o755
    assert modes(work.home / "indexes") == {("folder", 0o700), ("file", 0o600)}


def test_a_folder_that_others_may_write_to_is_refused_and_left_alone(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    work.home.mkdir()
    (work.home / "letters.txt").write_text("x")
    work.home.chmod(0o1777)
    fill(work)
    check_answered_from_memory(work, capfd, "others may write to it")
    assert stat.S_IMODE(work.home.stat().st_mode) == 0o1777
    assert os.listdir(work.home) == ["letters.txt"]


def test_a_home_that_is_a_file_is_refused(work: Work, capfd: pytest.CaptureFixture[str]) -> None:
    fill(work)
    work.home.write_text("x")
    check_answered_from_memory(work, capfd, "not a folder")
    work.home = work.home / "below"
    check_answered_from_memory(work, capfd, "is not a folder")


def test_a_home_whose_indexes_is_a_file_is_refused(work: Work, capfd: pytest.CaptureFixture[str]) -> None:
    fill(work)
    work.home.mkdir(mode=0o700)
    (work.home / "indexes").write_text("x")
    check_answered_from_memory(work, capfd, "not a folder")


def test_a_home_several_folders_deep_is_made(work: Work) -> None:
    fill(work)
    work.home = work.home / "a" / "b"
    work.build()
    assert stat.S_IMODE((work.home.parent).stat().st_mode) == 0o700
    assert files_with(work.view(refresh=False), "zebra3quartz") == ["f03.py"]


@NOT_ROOT
@pytest.mark.parametrize("below", ["", "indexes"])
def test_a_home_of_somebody_else_is_neither_written_nor_believed(
    work: Work, capfd: pytest.CaptureFixture[str], below: str
) -> None:
    fill(work)
    work.build()
    os.chown(work.home / below, 65534, 65534)
    before = {path: path.read_bytes() for path in work.index_files()}
    work.manifest_file().write_bytes(b"planted")
    check_answered_from_memory(work, capfd, "belongs to another user")
    assert {path: path.read_bytes() for path in work.index_files()} == {**before, work.manifest_file(): b"planted"}


@contextmanager
def tiny_disk(at: Path, kilobytes: int) -> Iterator[None]:
    at.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=0700", "none", at], check=False)
    if mounted.returncode:
        pytest.skip("cannot mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", at], check=True)


@NOT_ROOT
def test_on_a_full_disk_answers_come_from_memory_and_the_old_index_stays(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    with tiny_disk(work.home, 64):
        fill(work, 5)
        work.build()
        old = snapshot(work.view(refresh=False))
        free = os.statvfs(work.home)
        (work.home / "config.big").write_bytes(bytes(free.f_bavail * free.f_frsize))
        fill(work, 20)
        check_answered_from_memory(work, capfd, "No space left on device")
        assert snapshot(work.view(refresh=False)) == old
        assert not [path for path in work.index_files() if ".tmp-" in path.name]
        (work.home / "config.big").unlink()
        assert work.view().mode == "full"


@NOT_ROOT
def test_a_disk_too_small_for_any_index_is_said_and_answered_from_memory(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    with tiny_disk(work.home, 8):
        fill(work, 200)
        check_answered_from_memory(work, capfd, "No space left on device")


@NOT_ROOT
def test_a_read_only_disk_with_an_index_that_is_true_is_simply_read(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    with tiny_disk(work.home, 4096):
        fill(work)
        work.build()
        work.build()
        work.view()
        subprocess.run(["mount", "-o", "remount,ro", work.home], check=True)
        view = work.view()
        assert view.mode == "full"
        assert snapshot(view) == work.expected()
        assert capfd.readouterr().err == ""
        work.write("f01.py", "def lemonquartz(): pass\n")
        check_answered_from_memory(work, capfd, "cannot be written")
        assert files_with(work.view(), "lemonquartz") == ["f01.py"]


def test_a_limit_on_file_sizes_is_met_like_a_full_disk(work: Work, capfd: pytest.CaptureFixture[str]) -> None:
    fill(work)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        view = work.view()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert view.mode == "memory"
    assert files_with(view, "zebra3quartz") == ["f03.py"]
    assert "File too large" in capfd.readouterr().err


WITHOUT_RIGHTS = [
    "setpriv",
    "--bounding-set",
    "-dac_override,-dac_read_search",
    "--inh-caps",
    "-dac_override,-dac_read_search",
]
ANSWER = """
import sys
from pathlib import Path
from tests.index.conftest import Work, files_with, snapshot
work = Work(Path(sys.argv[1]), Path(sys.argv[2]))
view = work.view()
print(view.mode, files_with(view, "zebra3quartz"), snapshot(view) == work.expected())
"""


def as_nobody_special(work: Work) -> subprocess.CompletedProcess[str]:
    """A view in a process that may not do what modes forbid, also where the tests run as root."""
    command = [sys.executable, "-c", ANSWER, str(work.path), str(work.home)]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may write everywhere, and there is no setpriv here")
        command = WITHOUT_RIGHTS + command
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": SOURCE})


@pytest.mark.parametrize(
    ("which", "mode"), [("home", "full"), ("stale", "memory"), ("none", "memory"), ("deep", "memory")]
)
def test_a_home_without_write_permission_is_read_or_answered_without(
    make: Callable[..., Work], which: str, mode: str
) -> None:
    work = make()
    fill(work)
    if which == "none":
        work.home.mkdir()
    else:
        work.build()
        work.build()
        work.view()
    if which in ("stale", "deep"):
        work.write("f04.py", "def lemonquartz(): pass\n")
    top = Path(os.fsdecode(work.store.directory)) if which == "deep" else work.home
    locked = [top, *top.rglob("*")]
    for path in locked:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        done = as_nobody_special(work)
    finally:
        for path in locked:
            path.chmod(path.stat().st_mode | 0o200)
    assert done.stdout == f"{mode} ['f03.py'] True\n", done.stderr
    assert len(done.stderr.splitlines()) == (mode == "memory")


def test_the_reason_of_a_refusal_names_the_folder(tmp_path: Path) -> None:
    assert refusal(os.fsencode(tmp_path / "new" / "home")) == ""
    (tmp_path / "file").touch()
    assert str(tmp_path / "file") in refusal(os.fsencode(tmp_path / "file" / "home"))


def test_an_unwritable_index_is_an_error_that_says_what_to_do(work: Work) -> None:
    work.home.write_text("x")
    with pytest.raises(Unwritable) as caught:
        work.build()
    assert "GREPPY_HOME" in caught.value.hint
