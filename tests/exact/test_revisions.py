"""Exact search of revisions and of what differs from one, with and without an index that knows their blobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from greppy.search.exact import stored
from greppy.search.exact.receipt import Receipt

from .conftest import Repository

BRANCHES = ("main", "old")


@pytest.fixture
def grown(repository: Repository) -> Repository:
    """Two branches: `old` lacks what the second commit brought; the working tree has more."""
    repository.write("a.txt", b"zebra one\n")
    repository.write("b/b.txt", b"nothing\nhere\n")
    repository.write("utf16.txt", "zebra wide\n".encode("utf-16"))
    repository.commit()
    repository.git("branch", "old")
    repository.write("a.txt", b"zebra two\nzebra three\n")
    repository.write("big.txt", b"zebra" + b"x" * 70_000)
    repository.commit()
    return repository


PATTERNS = [["zebra"], ["-c", "zebra"], ["-v", "zebra"], ["-L", "zebra"], ["-i", "ZEBRA t"], ["e.*e"], ["x{50}"]]


@pytest.mark.parametrize("build", [False, True], ids=["no index", "index"])
@pytest.mark.parametrize("args", PATTERNS, ids=" ".join)
def test_revisions_give_what_git_grep_gives(grown: Repository, args: list[str], build: bool) -> None:
    if build:
        grown.grep("--no-refresh", "x")
        grown.run("index")
        grown.run("search", "--rev", "old", "zebra")
    for revisions in (["old"], ["main", "old"], ["HEAD~1"]):
        assert grown.grep(*args, *revisions).out == grown.git_grep(*args, *revisions).out
    assert grown.grep("--cached", *args).out == grown.git_grep("--cached", *args).out
    assert grown.grep("--all-branches", *args).out == grown.git_grep(*args, *BRANCHES).out


def test_what_the_index_rules_out_is_not_read_but_counts_as_searched(
    grown: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown.run("index")
    receipts: list[Receipt] = []
    read: list[bytes] = []
    real = stored._read_blobs

    def noted(project, entries, label, receipt, ruled_out):  # type: ignore[no-untyped-def]
        receipts.append(receipt)
        read.extend(entry.path for entry in entries if entry.oid not in ruled_out)
        return real(project, entries, label, receipt, ruled_out)

    monkeypatch.setattr(stored, "_read_blobs", noted)
    assert grown.grep("quagga", "main").status == 1
    assert read == []
    assert receipts[0].searched == 4


def test_a_blob_that_another_stands_in_for_is_searched_as_that_one(grown: Repository) -> None:
    grown.run("index")
    grown.write("../instead", b"quagga\n")
    instead = grown.git("hash-object", "-w", "../instead").out.strip()
    replaced = grown.git("rev-parse", "main:b/b.txt").out.strip()
    assert grown.git("replace", replaced, instead).status == 0
    assert grown.grep("quagga", "main").out == grown.git_grep("quagga", "main").out == b"main:b/b.txt:1:quagga\n"


def test_changed_and_since_show_only_files_that_differ(grown: Repository) -> None:
    assert grown.grep("--changed", "zebra").status == 1
    assert grown.grep("-l", "--since", "old", "zebra").out == b"a.txt\nbig.txt\n"
    grown.write("new.txt", b"zebra\n")
    grown.write("a.txt", b"zebra four\n")
    assert grown.grep("--changed", "zebra").out == b"a.txt:1:zebra four\nnew.txt:1:zebra\n"
    assert grown.grep("-l", "--since", "old", "zebra", "main").out == b"main:a.txt\nmain:big.txt\n"
    assert grown.grep("--changed", "--since", "old", "zebra").status == 4
    assert grown.grep("--since", "nope", "zebra").status == 4


def test_the_staging_area_is_a_revision(grown: Repository) -> None:
    grown.write("a.txt", b"zebra staged\n")
    grown.git("add", "a.txt")
    grown.write("a.txt", b"zebra unstaged\n")
    assert grown.grep("--rev", ":0", "zebra s").out == b"a.txt:1:zebra staged\n"
    both = grown.grep("--rev", "HEAD", "--rev", ":0", "-l", "zebra", "--", "a.txt")
    assert both.out == b"HEAD:a.txt\n:0:a.txt\n"


def test_in_a_bare_repository_no_word_is_a_file_too(
    grown: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    for folder in ("bare", "bare/refs"):
        monkeypatch.chdir(tmp_path / folder)
        for words in (["HEAD"], ["HEAD", "main"], ["HEAD", "--", "a.txt"], ["HEAD", "--", "*.txt"], ["main", "HEAD"]):
            assert grown.grep("zebra", *words).out == grown.git_grep("zebra", *words, cwd=tmp_path / folder).out != b""


def test_where_the_git_folder_says_that_it_is_bare_no_word_is_a_file_too(
    grown: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown.git("config", "core.bare", "true")
    grown.write("HEAD", b"zebra\n")
    assert grown.grep("zebra", "HEAD").out == grown.git_grep("zebra", "HEAD").out != b""
    monkeypatch.chdir(grown.root / "b")
    assert grown.grep("here", "HEAD").out == grown.git_grep("here", "HEAD").out != b""


def test_in_a_working_tree_a_word_that_is_both_is_refused_as_by_git(grown: Repository) -> None:
    grown.write("main", b"zebra\n")
    assert (grown.grep("zebra", "main").status, grown.git_grep("zebra", "main").status) == (4, 128)


def test_a_revision_whose_objects_are_gone_is_no_file(
    grown: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("--bare", "--no-checkout"):
        folder = tmp_path / kind.strip("-")
        grown.git("clone", "-q", "--shared", kind, ".", str(folder))
        objects = folder / ("objects" if kind == "--bare" else ".git/objects")
        (objects / "info/alternates").write_text("/nowhere\n")
        monkeypatch.chdir(folder)
        for words in (["HEAD"], ["main~1"], ["HEAD", "--"]):
            ran = grown.grep("zebra", *words)
            assert (ran.status, "is not here" in ran.err) == (4, True), ran.err


def test_replacements_count_from_when_they_come_until_they_go(grown: Repository) -> None:
    grown.run("index")
    blob = grown.git("rev-parse", "main:a.txt").out.strip()
    instead = grown.git("rev-parse", "old:b/b.txt").out.strip()
    changes: list[list[str | bytes]] = [[blob, instead], ["--delete", blob], [instead, blob]]
    for change in changes:
        assert grown.git("replace", *change).status == 0
        for words in (["zebra", "main", "old"], ["nothing", "main", "old"], ["--cached", "zebra"]):
            assert grown.grep(*words).out == grown.git_grep(*words).out
