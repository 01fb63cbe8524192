"""git's index file, written by git itself in each of its versions, and damaged ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greppy.kernels import reference

WIDTH = 20


def git(where: Path, *args: str) -> bytes:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return subprocess.run(["git", *args], cwd=where, check=True, capture_output=True, env=environment).stdout


@pytest.fixture(scope="session", params=[2, 3, 4])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose index file has the version."""
    where = tmp_path_factory.mktemp("staging")
    git(where, "init", "-q")
    for name in ("a", "b/c d", "b/ce", "b/\xff", "b.c/x" * 30, "z" * 200):
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(name)
    (where / "link").symlink_to("a")
    git(where, "add", "-A")
    if request.param == 3:
        (where / "later").write_text("x")
        git(where, "add", "--intent-to-add", "later")
    if request.param == 4:
        git(where, "update-index", "--index-version", "4")
        git(where, "update-index", "--assume-unchanged", "a")
    data = (where / ".git/index").read_bytes()
    assert int.from_bytes(data[4:8], "big") == request.param
    return where


def test_the_entries_are_those_that_git_lists_with_what_lstat_says(twin: ModuleType, index: Path) -> None:
    columns = twin.staged_files((index / ".git/index").read_bytes(), WIDTH)
    assert columns is not None
    table, modes, stats, oids, plain = columns
    listed = [record.partition(b"\t") for record in git(index, "ls-files", "-s", "-z").split(b"\0")[:-1]]
    assert table == b"".join(path + b"\0" for _, _, path in listed)
    heads = [head.split() for head, _, _ in listed]
    assert [f"{mode:06o}".encode() for mode in modes] == [head[0] for head in heads]
    assert oids.hex().encode() == b"".join(head[1] for head in heads)
    not_plain = {b"later", b"a"} if modes.nbytes and int(bytes(plain).count(0)) else set()
    for at, (_, _, path) in enumerate(listed):
        now = os.lstat(os.fsencode(index) + b"/" + path)
        cut = now.st_size & 0xFFFFFFFF, now.st_mtime_ns, now.st_ctime_ns, now.st_ino & 0xFFFFFFFF
        assert plain[at] or path in not_plain
        assert path == b"later" or tuple(stats[4 * at : 4 * at + 4]) == cut


def test_an_unmerged_path_has_an_entry_a_stage_and_none_is_plain(twin: ModuleType, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    blobs = []
    for text in ("one", "two", "three"):
        (tmp_path / "f").write_text(text)
        blobs.append(git(tmp_path, "hash-object", "-w", "f").decode().strip())
    lines = "".join(f"100644 {blob} {stage}\tf\n" for stage, blob in enumerate(blobs, 1))
    subprocess.run(["git", "update-index", "--index-info"], cwd=tmp_path, input=lines.encode(), check=True)
    columns = twin.staged_files((tmp_path / ".git/index").read_bytes(), WIDTH)
    assert columns is not None
    assert (columns[0], columns[4]) == (b"f\0f\0f\0", bytes(3))


def test_a_split_index_and_a_sparse_one_are_not_read(twin: ModuleType, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "d").mkdir()
    for name in ("a", "d/b"):
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", "-A")
    git(tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.invalid", "commit", "-q", "-m", "c")
    git(tmp_path, "update-index", "--split-index")
    assert twin.staged_files((tmp_path / ".git/index").read_bytes(), WIDTH) is None
    git(tmp_path, "update-index", "--no-split-index")
    assert twin.staged_files((tmp_path / ".git/index").read_bytes(), WIDTH) is not None
    git(tmp_path, "sparse-checkout", "set", "--cone", "--sparse-index", "e")
    assert twin.staged_files((tmp_path / ".git/index").read_bytes(), WIDTH) is None


def test_nothing_and_another_format_are_not_read(twin: ModuleType, index: Path) -> None:
    data = (index / ".git/index").read_bytes()
    assert twin.staged_files(b"", WIDTH) is None
    assert twin.staged_files(data, 32) is None
    assert twin.staged_files(b"DIRX" + data[4:], WIDTH) is None
    assert twin.staged_files(data[:7] + b"\5" + data[8:], WIDTH) is None
    assert twin.staged_files(data[:8] + b"\xff\xff\xff\xff" + data[12:], WIDTH) is None
    with pytest.raises(ValueError, match="20 or 32"):
        twin.staged_files(data, 21)


def test_whatever_is_cut_off_the_file_is_not_read(twin: ModuleType, index: Path) -> None:
    data = (index / ".git/index").read_bytes()
    assert [size for size in range(len(data)) if twin.staged_files(data[:size], WIDTH) is not None] in (
        [],
        [*_tails(data)],
    )


def _tails(data: bytes) -> list[int]:
    """Where a cut leaves a file that looks whole, since hashes are not compared: at the beginnings of extensions."""
    found = []
    for name in (b"TREE", b"REUC", b"EOIE"):
        at = data.find(name)
        if at >= 0:
            found.append(at + WIDTH)
    return [size for size in found if size < len(data)]


@settings(max_examples=200)
@given(data=st.data())
def test_the_twins_read_the_same_of_damaged_files(fast: ModuleType, index: Path, data: st.DataObject) -> None:
    content = bytearray((index / ".git/index").read_bytes())
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(content[: data.draw(st.integers(0, len(content)))])
    for width in (20, 32):
        assert fast.staged_files(damaged, width) == reference.staged_files(damaged, width)
