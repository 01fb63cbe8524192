"""Reading working-tree files: what is refused and why, what a signature tells, git's hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.git import files
from greppy.git.files import Folders, Unreadable, hash_blob, is_racy, read_file, read_with_signature, signature

if TYPE_CHECKING:
    from tests.git.conftest import Repository

LIMIT = 1000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = Path(os.path.realpath(tmp_path)) / "p"
    (made / "a/b").mkdir(parents=True)
    (made / "a/b/f.py").write_bytes(b"text\0\xff")
    return made


def reason(root: Path, path: bytes, limit: int = LIMIT) -> str:
    with pytest.raises(Unreadable) as raised:
        read_file(os.fsencode(root), path, limit)
    return raised.value.reason


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_file_is_read_with_the_signature_that_stat_gives(root: Path) -> None:
    data, sig = read_with_signature(os.fsencode(root), b"a/b/f.py", LIMIT)
    st_of = (root / "a/b/f.py").stat()
    assert data == b"text\0\xff"
    assert sig == signature(st_of) == (6, st_of.st_mtime_ns, st_of.st_ctime_ns, st_of.st_ino)


def test_an_empty_file_and_one_of_exactly_the_limit_are_read(root: Path) -> None:
    (root / "empty").touch()
    (root / "full").write_bytes(b"x" * LIMIT)
    assert read_file(os.fsencode(root), b"empty", LIMIT) == b""
    assert read_file(os.fsencode(root), b"full", LIMIT) == b"x" * LIMIT
    assert reason(root, b"full", LIMIT - 1) == "too large"


def test_a_file_of_the_kernel_that_has_no_size_is_read_up_to_the_limit() -> None:
    if not os.path.exists("/proc/self/status"):
        pytest.skip("no /proc")
    assert read_file(b"/proc/%d" % os.getpid(), b"status", 100_000).startswith(b"Name:")
    with pytest.raises(Unreadable, match="too large"):
        read_file(b"/proc/%d" % os.getpid(), b"status", 1)


def test_no_component_of_a_path_may_be_a_link(root: Path) -> None:
    (root / "link").symlink_to("a/b/f.py")
    (root / "folder-link").symlink_to("a")
    (root / "a/up").symlink_to("..")
    assert reason(root, b"link") == "symlink"
    assert reason(root, b"folder-link/b/f.py") == "symlink"
    assert reason(root, b"a/up/a/b/f.py") == "symlink"


def test_what_is_missing_or_became_a_folder_is_missing(root: Path) -> None:
    assert reason(root, b"gone") == "missing"
    assert reason(root, b"gone/f.py") == "missing"
    assert reason(root, b"a/b/f.py/g") == "missing"
    assert reason(root, b"a/b") == "missing"
    assert reason(root / "nowhere", b"f") == "missing"


def test_pipes_sockets_and_devices_are_refused_without_waiting(root: Path) -> None:
    import socket

    os.mkfifo(root / "pipe")
    assert reason(root, b"pipe") == "special file"
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(root / "socket"))
        assert reason(root, b"socket") == "special file"
    with pytest.raises(Unreadable, match="special file"):
        read_file(b"/dev", b"null", LIMIT)


def test_a_name_too_long_is_an_io_error(root: Path) -> None:
    assert reason(root, b"x" * 300) == "io error"


def test_permissions_are_reported_and_an_unlistable_folder_is_passed_through(root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    for path in (root, *root.parents):
        if "pytest" in str(path):
            path.chmod(0o755)
    (root / "secret").write_text("x")
    (root / "secret").chmod(0o600)
    (root / "a/b").chmod(0o711)
    os.seteuid(65534)
    try:
        assert reason(root, b"secret") == "permission denied"
        assert read_file(os.fsencode(root), b"a/b/f.py", LIMIT) == b"text\0\xff"
    finally:
        os.seteuid(0)


def test_one_open_folder_serves_many_files_and_nothing_stays_open(root: Path) -> None:
    for number in range(3):
        (root / f"a/{number}").write_text(str(number))
    before = open_descriptors()
    with Folders(os.fsencode(root)) as folders:
        for number in range(3):
            assert read_file(folders.root, b"a/%d" % number, LIMIT, folders) == b"%d" % number
        with pytest.raises(Unreadable):
            read_file(folders.root, b"gone/x", LIMIT, folders)
        assert read_file(folders.root, b"a/b/f.py", LIMIT, folders) == b"text\0\xff"
    assert open_descriptors() == before


def test_a_deep_path_is_read(root: Path) -> None:
    fd = os.open(root, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=fd)
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    made = os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=fd)
    os.write(made, b"deep")
    os.close(made)
    os.close(fd)
    data = read_file(os.fsencode(root), b"d/" * 3000 + b"f", LIMIT)
    # pytest's own clearing up would recurse.
    subprocess.run(["rm", "-rf", "d"], cwd=root, check=True)
    assert data == b"deep"


def test_a_file_that_changes_while_it_is_read_is_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_all, calls = files._read_all, 0

    def meddle(fd: int, size: int, limit: int) -> bytes:
        nonlocal calls
        calls += 1
        data = read_all(fd, size, limit)
        if calls == 1:
            (root / "a/b/f.py").write_bytes(b"something else")
        return data

    monkeypatch.setattr(files, "_read_all", meddle)
    data, sig = read_with_signature(os.fsencode(root), b"a/b/f.py", LIMIT)
    assert (data, calls) == (b"something else", 2)
    assert sig == signature((root / "a/b/f.py").stat())


def test_a_file_that_never_rests_is_given_under_a_signature_that_is_already_old(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_all = files._read_all

    def meddle(fd: int, size: int, limit: int) -> bytes:
        data = read_all(fd, size, limit)
        with (root / "a/b/f.py").open("ab") as file:
            file.write(b"+")
        return data

    monkeypatch.setattr(files, "_read_all", meddle)
    data, sig = read_with_signature(os.fsencode(root), b"a/b/f.py", LIMIT)
    assert data == b"text\0\xff++"
    assert sig != signature((root / "a/b/f.py").stat())


def test_a_file_that_grows_beyond_the_limit_while_it_is_read_is_too_large(root: Path) -> None:
    fd = os.open(root / "a/b/f.py", os.O_RDONLY)
    try:
        assert files._read_all(fd, 2, 10) == b"text\0\xff"
        os.lseek(fd, 0, os.SEEK_SET)
        with pytest.raises(Unreadable, match="too large"):
            files._read_all(fd, 4, 4)
    finally:
        os.close(fd)


@given(st.binary(max_size=300))
def test_hashes_are_the_same_with_and_without_hashlib(data: bytes) -> None:
    import hashlib

    header = b"blob %d\0" % len(data)
    for algorithm in ("sha1", "sha256"):
        expected = hashlib.new(algorithm, header + data).digest()
        assert hash_blob(data, algorithm) == expected
        built_in = files._built_in(algorithm)(header, usedforsecurity=False)
        built_in.update(data)
        assert built_in.digest() == expected


def test_a_hash_is_what_git_hash_object_prints(repository: Repository) -> None:
    text = b"zebra\r\nquartz\0\xff"
    assert repository.git("hash-object", "--stdin", stdin=text).strip() == hash_blob(text).hex().encode()


@pytest.mark.start_up
def test_hashing_does_not_import_openssl() -> None:
    code = "import sys; from greppy.git.files import hash_blob; print(hash_blob(b'').hex(), 'hashlib' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=os.getcwd())
    assert out.stdout.split() == ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "False"]


NOW = 1_700_000_000_123_456_789
MS = 1_000_000


@pytest.mark.parametrize(
    ("mtime", "ctime", "racy"),
    [
        (NOW - 500 * MS, NOW - 500 * MS, False),
        (NOW - 5 * MS, NOW - 500 * MS, True),
        (NOW - 500 * MS, NOW - 5 * MS, True),
        (NOW - 500 * MS, NOW + 500 * MS, True),
        (NOW + 10**18, NOW - 500 * MS, False),
        (5, NOW - 500 * MS, False),
        (NOW // 10**9 * 10**9, NOW // 10**9 * 10**9, True),
        (NOW // 10**9 * 10**9 - 3 * 10**9, NOW // 10**9 * 10**9 - 3 * 10**9, False),
        (NOW // 10**9 * 10**9, NOW - 90 * MS, False),
    ],
)
def test_what_was_stamped_just_before_it_was_observed_is_racy(mtime: int, ctime: int, racy: bool) -> None:
    assert is_racy((1, mtime, ctime, 1), NOW) is racy
