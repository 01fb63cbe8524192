"""Files without an analysis: once many were read in vain, a search reads only those that may hold what it looks for."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from greppy import kernels
from greppy.index import learning
from tests.exact.conftest import Repository

FILE_BYTES = 600_000
Read = Callable[..., list[str]]


@pytest.fixture
def reads(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Runs both programs, which must agree, and tells which files ours has read."""
    files: list[str] = []
    real = kernels.print_files

    def spy(root, table, starts, wanted, *rest):  # type: ignore[no-untyped-def]
        names = bytes(table).split(b"\0")
        files.extend(os.fsdecode(names[at]) for at in wanted)
        return real(root, table, starts, wanted, *rest)

    monkeypatch.setattr(kernels, "print_files", spy)

    def read(*args: str) -> list[str]:
        files.clear()
        repository.same(*args)
        return list(files)

    return read


@pytest.fixture
def binaries(repository: Repository) -> list[str]:
    """An indexed repository with binary files, of which each has a word of its own, and one text."""
    names = [f"b{number}" for number in range(4)]
    for number, name in enumerate(names):
        repository.write(name, b"\0" * FILE_BYTES + f"line\nzebra{number} \u0436\u0443\u043a\n".encode())
    repository.write("text", b"zebra1\n")
    time.sleep(0.1)  # what was written within the clock's tick is not trusted
    assert repository.run("index").status == 0
    return names


def stored(repository: Repository) -> list[Path]:
    return list(Path(repository.environment["GREPPY_HOME"]).glob("indexes/*/unanalysed-*"))


def test_a_search_learns_what_it_read_in_vain(repository: Repository, binaries: list[str], reads: Read) -> None:
    assert stored(repository) == []
    assert reads("zebra1") == [*binaries, "text"]
    assert len(stored(repository)) == 1
    assert reads("zebra1") == ["b1", "text"]
    assert reads("-i", "ZEBRA2") == ["b2"]
    assert reads("zebra[03]|unicorn") in ([], ["b0", "b3"])  # by another way than rows
    assert reads("unicorn") == []


def test_little_is_not_worth_learning(repository: Repository, reads: Read) -> None:
    repository.write("b", b"\0zebra")
    time.sleep(0.1)
    assert repository.run("index").status == 0
    assert reads("zebra") == reads("zebra") == ["b"]
    assert stored(repository) == []


def test_a_file_that_has_changed_is_unknown_again(repository: Repository, binaries: list[str], reads: Read) -> None:
    reads("zebra1")
    repository.write("b0", b"\0" * FILE_BYTES + b"line\nunicorn\n")
    repository.write("new", b"\0unicorn\n")
    assert reads("unicorn") == ["b0", "new"]


def test_of_other_bytes_than_printable_ones_nothing_is_known(
    repository: Repository, binaries: list[str], reads: Read
) -> None:
    reads("zebra1")
    assert reads("\u0436\u0443\u043a") == binaries
    assert reads("zebra1 \u0436") == ["b1"]


def test_files_that_are_too_many_are_given_up(
    repository: Repository, binaries: list[str], reads: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "MOST_BYTES", 2 * FILE_BYTES + 1000)
    reads("zebra1")
    assert reads("zebra1") == ["b1", "b2", "b3", "text"]
    (file,) = stored(repository)
    before = file.stat()
    reads("zebra1")
    assert file.stat().st_ino == before.st_ino


def test_damage_costs_only_time(repository: Repository, binaries: list[str], reads: Read) -> None:
    reads("zebra1")
    (file,) = stored(repository)
    content = file.read_bytes()
    for damaged in (b"", content[:40], content[:-1] + b"x", content[:200] + b"\xff" * 60 + content[260:]):
        file.write_bytes(damaged)
        assert reads("zebra1") in ([*binaries, "text"], ["b1", "text"])


def test_damage_is_found_by_doctor(repository: Repository, binaries: list[str], reads: Read) -> None:
    reads("zebra1")
    (file,) = stored(repository)
    assert repository.run("doctor").status == 0
    content = file.read_bytes()
    file.write_bytes(content[:200] + b"\xff" * 60 + content[260:])
    ran = repository.run("doctor")
    assert ran.status == 3
    assert file.name.encode() in ran.out
    assert repository.run("doctor", "--fix").status == repository.run("doctor").status == 0


def test_what_belongs_to_no_index_is_removed(repository: Repository, binaries: list[str], reads: Read) -> None:
    reads("zebra1")
    (file,) = stored(repository)
    foreign = file.with_name("unanalysed-0123456789abcdef")
    foreign.write_bytes(b"")
    file.unlink()
    reads("zebra1")
    assert stored(repository) == [file]


def test_no_refresh_learns_too(repository: Repository, binaries: list[str]) -> None:
    assert repository.grep("--no-refresh", "zebra1").status == 0
    assert len(stored(repository)) == 1


def test_all_files_are_counted_as_searched(repository: Repository, binaries: list[str], reads: Read) -> None:
    for _ in range(2):
        assert repository.grep("--coverage", "zebra1").err.startswith("searched 5 files, skipped 0, failed 0\n")


def test_pathspecs_leave_files_out_that_are_not_analysed(
    repository: Repository, binaries: list[str], reads: Read
) -> None:
    assert reads("zebra1", "--", "b1") == ["b1"]
    assert reads("zebra1", "--", "b2") == []
