"""Damage of every kind to the files of an index: the next search is right, says so in one line, and repairs it."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from greppy.errors import DamagedIndex, NoIndex
from greppy.git.project import find_project
from greppy.index import format as layout
from greppy.index import tiers
from greppy.index.maintenance import repair
from greppy.index.view import View

from .conftest import Work, files_with, snapshot

SOURCE = str(Path(__file__).resolve().parents[2])


def fill(work: Work, count: int = 30) -> None:
    for number in range(count):
        filler = "".join(f"    value{number}x{line} = other{line}y{number}\n" for line in range(60))
        work.write(f"src/m{number}.py", f"def zebra{number}quartz():\n{filler}")
    work.commit()
    work.build()
    work.build()


def search(work: Work, word: str) -> list[str]:
    """What a search does: look, and when pages turn out damaged have them repaired and look again."""
    for _ in range(4):
        view = work.view()
        try:
            return files_with(view, word)
        except DamagedIndex as error:
            repair(view.store, error)
    raise AssertionError("not repaired")


def check_repaired(work: Work, capfd: pytest.CaptureFixture[str]) -> None:
    """All answers are right, one line at most was said, and after that there is nothing left to say."""
    for number in (0, 17, 29):
        assert search(work, f"zebra{number}quartz") == [f"src/m{number}.py"]
    assert len(capfd.readouterr().err.splitlines()) <= 1
    view = work.view()
    assert snapshot(view) == work.expected()
    for shard in view.shards:
        shard.container.verify()
    assert not work.build().changed
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_anywhere_in_a_shard_is_never_used_and_repaired(
    work: Work, capfd: pytest.CaptureFixture[str], seed: int
) -> None:
    fill(work)
    file = work.shard_files()[0]
    data = bytearray(file.read_bytes())
    place = random.Random(seed).randrange(len(data)) if seed else len(data) - 1
    data[place] ^= 1 << seed % 8
    file.write_bytes(data)
    check_repaired_or_untouched(work, capfd, place)


def check_repaired_or_untouched(work: Work, capfd: pytest.CaptureFixture[str], place: int) -> None:
    """A page that nobody reads stays as it is until a merge reads it; every answer is right all the same."""
    for number in (0, 17, 29):
        assert search(work, f"zebra{number}quartz") == [f"src/m{number}.py"], place
    assert len(capfd.readouterr().err.splitlines()) <= 1
    assert snapshot(work.view()) == work.expected()


@pytest.mark.parametrize("length", [0, 1, 100, 5000, -1, -9])
def test_a_shard_cut_short_is_repaired(work: Work, capfd: pytest.CaptureFixture[str], length: int) -> None:
    fill(work)
    file = work.shard_files()[0]
    os.truncate(file, length if length >= 0 else file.stat().st_size + length)
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    assert "is damaged" in capfd.readouterr().err
    check_repaired(work, capfd)


def test_a_removed_shard_is_made_again(work: Work, capfd: pytest.CaptureFixture[str]) -> None:
    fill(work)
    work.shard_files()[0].unlink()
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    err = capfd.readouterr().err
    assert "1 shards of the index are gone" in err
    assert len(err.splitlines()) == 1
    check_repaired(work, capfd)


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_manifest_is_rebuilt_and_the_shards_are_used(
    work: Work, capfd: pytest.CaptureFixture[str], seed: int
) -> None:
    fill(work)
    file = work.manifest_file()
    data = bytearray(file.read_bytes())
    generator = random.Random(seed)
    if seed % 2:
        del data[generator.randrange(len(data)) :]
    else:
        data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    file.write_bytes(data)
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    err = capfd.readouterr().err
    assert err.startswith("greppy: ")
    assert len(err.splitlines()) == 1
    check_repaired(work, capfd)


@pytest.mark.parametrize(("at", "value"), [(8, layout.FORMAT + 1), (12, 250)])
def test_a_manifest_of_another_version_is_rebuilt(
    work: Work, capfd: pytest.CaptureFixture[str], at: int, value: int
) -> None:
    fill(work)
    data = bytearray(work.manifest_file().read_bytes())
    data[at] = value
    work.manifest_file().write_bytes(data)
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    assert "another version" in capfd.readouterr().err
    check_repaired(work, capfd)


def test_a_shard_of_another_version_than_its_manifest_is_repaired(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(work)
    file = work.shard_files()[0]
    data = bytearray(file.read_bytes())
    data[12] = 250
    file.write_bytes(data)
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    check_repaired(work, capfd)


@pytest.mark.parametrize("kind", ["folder", "fifo", "link", "short"])
def test_something_else_in_the_place_of_a_shard_is_repaired(
    work: Work, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    fill(work)
    file = work.shard_files()[0]
    content = file.read_bytes()
    file.unlink()
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "link":
        file.with_name("elsewhere").write_bytes(content)
        file.symlink_to("elsewhere")
    elif kind == "short":
        file.write_bytes(content[:100])
    else:
        file.mkdir()
    word = "zebra3quartz"
    assert search(work, word) == ["src/m3.py"]
    capfd.readouterr()
    assert search(work, word) == ["src/m3.py"]


def test_damage_that_only_a_merge_reads_is_repaired_by_the_refresh_that_meets_it(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(work, 3)
    for number in range(tiers.FACTOR - 2):
        work.write("src/m0.py", f"def lemon{number}quartz(): pass\n")
        work.view()
    for file in work.shard_files():
        data = bytearray(file.read_bytes())
        pages = -(-(len(data) - 8) // (layout.PAGE + 8))
        data[len(data) - 8 - 8 * pages - 1] ^= 1  # the last byte of the postings
        file.write_bytes(data)
    words = []
    for number in range(2 * tiers.FACTOR):
        work.write("src/m1.py", f"def grape{number}quartz(): pass\n")
        assert search(work, f"grape{number}quartz") == ["src/m1.py"]
        words.append(f"grape{number}quartz")
    assert snapshot(work.view()) == work.expected()
    assert [word for word in words if search(work, word)] == words[-1:]
    assert search(work, "zebra2quartz") == ["src/m2.py"]
    assert capfd.readouterr().err.count("is damaged") >= 1


def test_all_shards_gone_and_the_manifest_left_is_an_index_again(work: Work) -> None:
    fill(work)
    for file in work.shard_files():
        file.unlink()
    with pytest.raises(NoIndex):
        work.view(refresh=False)
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    assert files_with(work.view(refresh=False), "zebra3quartz") == ["src/m3.py"]


def test_repairing_leaves_a_shard_alone_that_somebody_has_made_again(work: Work) -> None:
    fill(work)
    file = work.shard_files()[0]
    repair(work.store, DamagedIndex(str(file), "said so by a reader of the old one"))
    assert file.exists()


def test_damage_met_by_one_worktree_leaves_the_others_manifest(work: Work) -> None:
    fill(work)
    work.git("worktree", "add", "-q", "-b", "wt", "../linked")
    linked = Work(work.path.parent / "linked", work.home)
    linked.build()
    data = bytearray(linked.manifest_file().read_bytes())
    data[100] ^= 1
    linked.manifest_file().write_bytes(data)
    work.write("src/m1.py", "def lemonquartz(): pass\n")
    assert search(work, "lemonquartz") == ["src/m1.py"]
    assert linked.manifest_file().exists()
    assert search(linked, "zebra1quartz") == ["src/m1.py"]
    assert snapshot(linked.view()) == linked.expected()


def test_a_damaged_shard_in_a_home_that_cannot_be_written_is_answered_from_memory(work: Work) -> None:
    if os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"):
        pytest.skip("root may write everywhere, and there is no setpriv here")
    fill(work)
    file = work.shard_files()[0]
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    command = [sys.executable, "-c", ANSWER, str(work.path), str(work.home)]
    if os.geteuid() == 0:
        drop = "-dac_override,-dac_read_search"
        command = ["setpriv", "--bounding-set", drop, "--inh-caps", drop, *command]
    subprocess.run(["chmod", "-R", "a-w", work.home], check=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": SOURCE})
    finally:
        subprocess.run(["chmod", "-R", "u+w", work.home], check=True)
    assert done.stdout == "memory ['src/m17.py']\n", done.stderr
    assert "is damaged" in done.stderr
    assert "cannot be written" in done.stderr
    assert file.read_bytes() == bytes(data)


ANSWER = """
import os, sys
from pathlib import Path
from tests.index.conftest import Work, files_with
work = Work(Path(sys.argv[1]), Path(sys.argv[2]))
view = work.view()
print(view.mode, files_with(view, "zebra17quartz"))
"""


def test_a_view_stays_whole_while_its_files_are_removed_and_replaced(work: Work) -> None:
    fill(work)
    view: View = work.view()
    for file in work.shard_files():
        file.unlink()
    work.manifest_file().unlink()
    assert files_with(view, "zebra17quartz") == ["src/m17.py"]
    assert find_project(os.fsencode(work.path)).root == view.manifest.meta.root


def test_the_program_answers_right_over_a_damaged_page_says_one_line_and_the_next_run_none(work: Work) -> None:
    fill(work)
    file = work.shard_files()[0]
    data = bytearray(file.read_bytes())
    for at in range(0, len(data) - layout.PAGE, layout.PAGE):
        data[at + layout.PAGE - 1] ^= 1
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    command = [sys.executable, "-m", "greppy", "search", "-p", str(work.path), "zebra17quartz"]
    environment = {**os.environ, "PYTHONPATH": SOURCE, "GREPPY_HOME": str(work.home)}
    runs = [subprocess.run(command, capture_output=True, text=True, env=environment) for _ in range(2)]
    assert [run.returncode for run in runs] == [0, 0], runs[0].stderr
    assert all(run.stdout.startswith("src/m17.py:1-") for run in runs)
    assert len(runs[0].stderr.splitlines()) == 1
    assert runs[1].stderr == ""


def put_in_its_place(path: Path, kind: str) -> None:
    """Something that is no file where one was."""
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        os.mknod(path, stat.S_IFSOCK | 0o600)
    elif kind == "link":
        path.symlink_to("/etc/passwd")
    else:
        path.mkdir()
        if kind == "full folder":
            (path / "precious").write_text("kept\n")


KINDS = ["folder", "full folder", "fifo", "socket", "link"]


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_else_is_in_a_shards_place_is_repaired(
    work: Work, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    fill(work)
    file = work.shard_files()[0]
    put_in_its_place(file, kind)
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    assert "is damaged" in capfd.readouterr().err
    check_repaired(work, capfd)
    kept = list(work.home.rglob("precious"))
    assert [path.read_text() for path in kept] == ["kept\n"] * (kind == "full folder")


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_else_is_in_a_manifests_place_is_repaired(
    work: Work, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    fill(work)
    put_in_its_place(work.manifest_file(), kind)
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    assert "is damaged" in capfd.readouterr().err
    check_repaired(work, capfd)


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_else_is_in_the_locks_place_makes_room_for_it(
    work: Work, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    fill(work)
    lock = work.manifest_file().parent.parent / "lock"
    put_in_its_place(lock, kind)
    work.write("src/new.py", "def zebra99quartz(): pass\n")
    assert search(work, "zebra99quartz") == ["src/new.py"]
    assert capfd.readouterr().err == ""
    assert (work.build().files, capfd.readouterr().err) == (31, "")


@pytest.mark.parametrize("name", ["shards", "manifests", "revisions", "history", ""])
def test_a_file_in_a_folders_place_makes_room_for_it(work: Work, capfd: pytest.CaptureFixture[str], name: str) -> None:
    fill(work)
    folder = work.manifest_file().parent.parent / name
    if folder.exists():
        shutil.rmtree(folder)
    folder.write_text("no folder\n")
    assert search(work, "zebra3quartz") == ["src/m3.py"]
    capfd.readouterr()
    check_repaired(work, capfd)
