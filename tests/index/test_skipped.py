"""What is not indexed is recorded with its reason, and costs nothing else its place."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from greppy.config import Config
from greppy.index import admin

from .conftest import Work, files_with, reasons, snapshot

SOURCE = str(Path(__file__).resolve().parents[2])


def check_only(work: Work, expected: dict[bytes, str]) -> None:
    """Just these are left out, for these reasons, and the sound file beside them is found."""
    work.write("sound.py", "def zebraquartz():\n    pass\n")
    view = work.view()
    assert {path: reason for path, reason in reasons(view).items() if reason} == expected
    assert files_with(view, "zebraquartz") == ["sound.py"]
    assert dict(admin.skipped(os.fsencode(work.path), os.fsencode(work.home), work.config)) == expected
    time_of_second = work.view()
    assert reasons(time_of_second) == reasons(view)


def test_a_binary_file_is_left_out_and_a_nul_late_in_a_text_is_not(work: Work) -> None:
    work.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    work.write("late.txt", b"lemonquartz\n" * 1000 + b"\0\nfinalquartz\n")
    check_only(work, {b"picture.png": "binary"})
    assert files_with(work.view(), "finalquartz") == ["late.txt"]
    work.write("picture.png", "now grapequartz\n")
    assert files_with(work.view(), "grapequartz") == ["picture.png"]


def test_files_over_the_size_limit_are_left_out_until_they_shrink(make: Callable[..., Work]) -> None:
    work = make(config=Config(workers=1, max_file_size=1000))
    work.write("large.txt", "lemonquartz " * 100)
    work.write("exact.txt", "x" * 988 + "\ngrapequartz")
    check_only(work, {b"large.txt": "too large"})
    assert files_with(work.view(), "grapequartz") == ["exact.txt"]
    work.write("large.txt", "lemonquartz\n")
    assert files_with(work.view(), "lemonquartz") == ["large.txt"]


def test_links_pipes_and_sockets_are_named_and_never_read(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    (work.path / "link.py").symlink_to("sound.py")
    (work.path / "out").symlink_to("/etc")
    (work.path / "nowhere").symlink_to("missing")
    os.mkfifo(work.path / "pipe")
    monkeypatch.chdir(work.path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock")
        check_only(
            work,
            {
                b"link.py": "symlink",
                b"out": "symlink",
                b"nowhere": "symlink",
                b"pipe": "special file",
                b"sock": "special file",
            },
        )


def test_a_file_that_becomes_a_pipe_a_folder_or_a_link_is_noticed(work: Work) -> None:
    path = work.write("a.py", "def lemonquartz(): pass\n")
    assert files_with(work.view(), "lemonquartz") == ["a.py"]
    path.unlink()
    os.mkfifo(path)
    assert reasons(work.view()) == {b"a.py": "special file"}
    path.unlink()
    work.write("a.py/inner.py", "def grapequartz(): pass\n")
    assert reasons(work.view()) == {b"a.py/inner.py": ""}
    assert files_with(work.view(), "grapequartz") == ["a.py/inner.py"]
    shutil.rmtree(path)
    path.symlink_to("elsewhere")
    assert reasons(work.view()) == {b"a.py": "symlink"}


def test_a_folder_that_becomes_a_link_to_itself_elsewhere_is_no_longer_read(work: Work) -> None:
    work.write("src/a.py", "def lemonquartz(): pass\n")
    work.view()
    outside = work.path.parent / "outside"
    (work.path / "src").rename(outside)
    (work.path / "src").symlink_to(outside)
    assert reasons(work.view()) == {b"src": "symlink"}


def test_nested_repositories_and_submodules_are_named_and_not_entered(work: Work) -> None:
    work.write("inner/a.py", "def lemonquartz(): pass\n")
    work.git("init", "-q", where=work.path / "inner")
    check_only(work, {b"inner": "nested repository"})
    work.write("inner/b.py", "x = 1\n")
    assert reasons(work.view())[b"inner"] == "nested repository"
    shutil.rmtree(work.path / "inner" / ".git")
    assert files_with(work.view(), "lemonquartz") == ["inner/a.py"]


def test_a_submodule_stays_named_when_its_folder_changes(work: Work) -> None:
    inner = work.path.parent / "inner"
    inner.mkdir()
    work.git("init", "-q", where=inner)
    work.git("commit", "-q", "--allow-empty", "-m", "c", where=inner)
    work.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "../inner", "sub")
    assert reasons(work.view())[b"sub"] == "submodule"
    work.write("sub/new.py", "x = 1\n")
    assert reasons(work.view())[b"sub"] == "submodule"
    assert snapshot(work.view()) == work.expected()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("utf16.txt", "Die Größe lemonquartz\n".encode("utf-16")),
        ("utf16be.txt", b"\xfe\xff" + "lemonquartz\n".encode("utf-16-be")),
        ("bom.txt", b"\xef\xbb\xbflemonquartz\n"),
        ("latin1.txt", "Größe lemonquartz\n".encode("latin-1")),
        ("bytes.txt", bytes(range(1, 256)) + b" lemonquartz\n"),
        ("crlf.txt", b"one\r\nlemonquartz\r\n"),
        ("noend.txt", b"lemonquartz"),
        ("oneline.js", b"var a=1;" * 20_000 + b"lemonquartz()"),
    ],
)
def test_no_encoding_and_no_long_line_costs_a_file_its_place(work: Work, name: str, data: bytes) -> None:
    work.write(name, data)
    check_only(work, {})
    assert files_with(work.view(), "lemonquartz") == [name]


def test_a_line_of_five_megabytes_is_indexed_where_the_limit_allows_it(make: Callable[..., Work]) -> None:
    work = make(config=Config(workers=1, max_file_size=1 << 23))
    work.write("one.json", b'{"a":"' + b"word " * 1_000_000 + b'lemonquartz"}')
    check_only(work, {})
    assert files_with(work.view(), "lemonquartz") == ["one.json"]


def test_names_that_are_odd_bytes_are_paths_like_others(work: Work) -> None:
    names = [b"caf\xe9.py", b"new\nline.py", b"tab\t.py", b"-rf.py", b"\xff\xfe", b" .py", b":(top)x.py"]
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(work.path), name))).write_text("def lemonquartz(): pass\n")
    check_only(work, {})
    assert sorted(map(os.fsencode, files_with(work.view(), "lemonquartz"))) == sorted(names)


UNREADABLE = """
import os, sys
from pathlib import Path
from tests.index.conftest import Work, files_with, reasons
work = Work(Path(sys.argv[1]), Path(sys.argv[2]))
for _ in range(2):
    view = work.view()
    left_out = {os.fsdecode(path): reason for path, reason in reasons(view).items() if reason}
    print(left_out, files_with(view, "zebraquartz"))
"""


def test_unreadable_files_and_folders_are_named_until_they_can_be_read(work: Work) -> None:
    work.write("sound.py", "def zebraquartz(): pass\n")
    secret = work.write("secret.py", "def zebraquartz(): pass\n")
    hidden = work.write("hidden/a.py", "def zebraquartz(): pass\n").parent
    work.git("add", "sound.py", "secret.py")
    secret.chmod(0)
    hidden.chmod(0)
    try:
        seen = as_nobody_special(work)
    finally:
        secret.chmod(0o644)
        hidden.chmod(0o755)
    line = "{'hidden': 'unreadable folder', 'secret.py': 'permission denied'} ['sound.py']\n"
    assert seen == line * 2
    assert as_nobody_special(work) == "{} ['hidden/a.py', 'secret.py', 'sound.py']\n" * 2
    hidden.chmod(0)
    try:
        seen = as_nobody_special(work)
    finally:
        hidden.chmod(0o755)
    assert seen.count("['secret.py', 'sound.py']") == 2
    assert as_nobody_special(work) == "{} ['hidden/a.py', 'secret.py', 'sound.py']\n" * 2


LISTINGS = """
import sys
from pathlib import Path
from greppy.git import listing
from tests.index.conftest import Work, files_with, reasons
work = Work(Path(sys.argv[1]), Path(sys.argv[2]))
real, listings = listing.list_project, []
listing.list_project = lambda *args: listings.append(args) or real(*args)
for _ in range(3):
    view = work.view()
    print(len(listings), {path.decode(): why for path, why in reasons(view).items() if why}, files_with(view, "zebra"))
"""


@pytest.mark.parametrize("git", [True, False], ids=["git", "plain"])
@pytest.mark.parametrize("mode", [0o000, 0o444])
@pytest.mark.parametrize("tracked", [True, False])
def test_a_folder_that_cannot_be_entered_costs_one_listing_and_none_as_long_as_it_stays(
    make: Callable[..., Work], git: bool, mode: int, tracked: bool
) -> None:
    work = make(git=git)
    for path in ("sound.py", "shut/a.py", "shut/in/b.py", "shut/.gitignore"):
        work.write(path, "zebra = 1\n" if path.endswith(".py") else "")
    (work.path / "shut/link").symlink_to("a.py")
    if git and tracked:
        work.commit()
    whole = ["shut/a.py", "shut/in/b.py", "sound.py"]
    work.settle()
    assert files_with(work.view(), "zebra") == whole
    (work.path / "shut").chmod(mode)
    try:
        lines = as_nobody_special(work, LISTINGS).splitlines()
    finally:
        (work.path / "shut").chmod(0o755)
    assert lines == ["1 {'shut': 'unreadable folder'} ['sound.py']"] * 3
    lines = as_nobody_special(work, LISTINGS).splitlines()
    assert lines == [f"1 {{'shut/link': 'symlink'}} {whole}"] * 3


def as_nobody_special(work: Work, code: str = UNREADABLE) -> str:
    """What a process sees that may not do what modes forbid, also where the tests run as root."""
    command = [sys.executable, "-c", code, str(work.path), str(work.home)]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may read everything, and there is no setpriv here")
        drop = "-dac_override,-dac_read_search"
        command = ["setpriv", "--bounding-set", drop, "--inh-caps", drop, *command]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": SOURCE})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_repository_without_a_commit_and_an_empty_one_are_indexed(work: Work) -> None:
    assert reasons(work.view()) == {}
    assert work.build().files == 0
    check_only(work, {})
