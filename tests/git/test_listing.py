"""What a git project's listing holds, against git's own commands on real repositories."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greppy.errors import IndexFailure
from greppy.git.attributes import DOCUMENTATION, GENERATED, NEGATED_SHIFT, VENDORED
from greppy.git.files import is_racy, signature
from greppy.git.listing import Listing, check_ignored, list_project
from greppy.git.plumbing import IgnoreOracle, OracleEnded
from greppy.git.project import find_project

if TYPE_CHECKING:
    from tests.git.conftest import Repository


def listing_of(path: Path | bytes, ignore: tuple[str, ...] = ()) -> Listing:
    return list_project(find_project(os.fsencode(path)), ignore)


def names(path: Path | bytes, ignore: tuple[str, ...] = ()) -> list[str]:
    return [os.fsdecode(file.path) for file in listing_of(path, ignore).files]


def test_tracked_and_untracked_files_are_listed_in_byte_order(repository: Repository) -> None:
    for path in ("a.py", "b/c.py", "b.py"):
        repository.write(path)
    repository.commit()
    repository.write("new.py")
    listing = listing_of(repository.path)
    assert [tuple(file) for file in listing.files] == [
        (b"a.py", True, 0),
        (b"b.py", True, 0),
        (b"b/c.py", True, 0),
        (b"new.py", False, 0),
    ]
    assert listing.directories == [b"", b"b"]
    assert listing.skipped == []


def test_names_of_any_bytes_are_listed_exactly(repository: Repository) -> None:
    odd = [
        b"new\nline",
        b"tab\t",
        b'quo"te',
        b"back\\slash",
        b"-rf",
        b"[ab]*?",
        b" lead and trail ",
        b"cr\r",
        b"\xff\xfe",
    ]
    for name in odd:
        repository.write(b"tracked " + name)
    repository.commit()
    for name in [*odd, b":(exclude)d", b":!x", b"*", b"!keep", b"#c", b"~", b"\\"]:
        repository.write(name)
        repository.write(name + b".d/" + name)
    listed = [file.path for file in listing_of(repository.path).files]
    assert listed == sorted(oracle(repository))
    assert len(listed) == 9 + 2 * 16


def oracle(repository: Repository) -> list[bytes]:
    """What git lists, as far as it is on disk as regular files, none of them behind a link."""
    tracked = repository.git("ls-files", "-z").split(b"\0")
    others = repository.git("ls-files", "-z", "-o", "--exclude-standard").split(b"\0")
    found = {path for path in tracked + others if path and not path.endswith(b"/")}
    return [path for path in found if on_disk(repository.root, path)]


def on_disk(root: bytes, path: bytes) -> bool:
    full = root + b"/" + path
    try:
        return os.path.realpath(full) == full and stat.S_ISREG(os.lstat(full).st_mode)
    except OSError:
        return False


def test_ignore_rules_are_gits_own(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\n")
    repository.write("sub/.gitignore", "gen/\n!keep.log\n")
    repository.write(".git/info/exclude", "secret.txt\n")
    repository.write("../ex", "*.tmpx\n")
    repository.git("config", "core.excludesFile", str(repository.path.parent / "ex"))
    for path in (
        "a.log",
        "sub/gen/g.py",
        "sub/keep.log",
        "secret.txt",
        "e.tmpx",
        "ok.py",
        "sub/deep/ok2.py",
        "sub/t.log",
    ):
        repository.write(path)
    repository.git("add", "-f", "sub/t.log", "ok.py")
    expected = [".gitignore", "ok.py", "sub/.gitignore", "sub/deep/ok2.py", "sub/keep.log", "sub/t.log"]
    assert names(repository.path) == expected
    listing = listing_of(repository.path)
    assert listing.directories == [b"", b"sub", b"sub/deep"]
    assert os.fsencode(repository.path.parent / "ex") in listing.inputs


def test_a_tracked_but_ignored_file_is_listed_and_its_folder_watched(repository: Repository) -> None:
    repository.write(".gitignore", "gen/\n")
    for path in ("gen/a.py", "gen/b.py", "gen/c/d.py"):
        repository.write(path)
    repository.git("add", "-f", "gen/a.py")
    listing = listing_of(repository.path)
    assert [file.path for file in listing.files] == [b".gitignore", b"gen/a.py"]
    assert listing.directories == [b"", b"gen"]


def test_a_folder_of_ignored_files_only_and_an_empty_one_are_watched(repository: Repository) -> None:
    repository.write(".gitignore", "*.o\nout/\n")
    repository.write("objects/x.o")
    repository.write("out/x.c")
    (repository.path / "empty/er").mkdir(parents=True)
    assert listing_of(repository.path).directories == [b"", b"empty", b"empty/er", b"objects"]


def test_an_unmerged_path_is_listed_once(repository: Repository) -> None:
    repository.write("f.py", "base\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "o")
    repository.write("f.py", "ours\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("f.py", "mine\n")
    repository.commit()
    subprocess.run(["git", "merge", "-q", "o"], cwd=repository.path, capture_output=True, check=False)
    assert repository.git("ls-files", "-u").count(b"\n") == 3
    assert names(repository.path) == ["f.py"]


def test_an_intent_to_add_counts_as_tracked(repository: Repository) -> None:
    repository.write("n.py")
    repository.git("add", "-N", "n.py")
    assert [tuple(file) for file in listing_of(repository.path).files] == [(b"n.py", True, 0)]


def test_each_worktree_lists_its_own_files(repository: Repository) -> None:
    repository.write("a.py")
    repository.commit()
    other = repository.path.parent / "w2"
    repository.git("worktree", "add", "-q", "-b", "two", str(other))
    (other / "b.py").touch()
    (repository.path / "a.py").unlink()
    assert names(other) == ["a.py", "b.py"]
    assert names(repository.path) == []
    assert repository.root + b"/.git/worktrees/w2/index" in listing_of(other).inputs


def test_a_worktree_inside_the_working_tree_is_a_boundary(repository: Repository) -> None:
    repository.commit()
    repository.git("worktree", "add", "-q", "trees/w")
    listing = listing_of(repository.path)
    assert listing.skipped == [(b"trees/w", "nested repository")]
    assert listing.directories == [b"", b"trees", b"trees/w"]


@pytest.mark.parametrize("option", ["--object-format=sha256", "--object-format=sha1"])
def test_both_object_formats_and_an_unborn_branch_are_listed(tmp_path: Path, option: str) -> None:
    if subprocess.run(["git", "init", "-q", option, str(tmp_path / "x")], check=False).returncode:
        pytest.skip("this git has no SHA-256")
    assert names(tmp_path / "x") == []
    (tmp_path / "x/a.py").touch()
    (tmp_path / "x/b.py").touch()
    subprocess.run(["git", "add", "a.py"], cwd=tmp_path / "x", check=True)
    assert names(tmp_path / "x") == ["a.py", "b.py"]


@pytest.mark.parametrize(
    "command",
    [
        ("update-index", "--index-version", "4"),
        ("update-index", "--split-index"),
        ("update-index", "--assume-unchanged", "a.py"),
        ("update-index", "--skip-worktree", "a.py"),
        ("update-index", "--untracked-cache"),
        ("update-index", "--force-write-index"),
    ],
)
def test_every_form_of_the_staging_area_is_understood(repository: Repository, command: tuple[str, ...]) -> None:
    repository.write("a.py")
    repository.write("d/b.py")
    repository.commit()
    repository.git(*command)
    assert names(repository.path) == ["a.py", "d/b.py"]


@pytest.mark.parametrize("mode", [("--cone",), ("--cone", "--sparse-index"), ("--no-cone",)])
def test_a_sparse_checkout_lists_what_is_on_disk(repository: Repository, mode: tuple[str, ...]) -> None:
    for path in ("a/x.py", "b/y.py", "root.py"):
        repository.write(path)
    repository.commit()
    repository.git("sparse-checkout", "init", *mode)
    repository.git("sparse-checkout", "set", *(["a"] if "--cone" in mode else ["/a/"]))
    assert names(repository.path) == (["a/x.py", "root.py"] if "--cone" in mode else ["a/x.py"])


def test_a_gitignore_that_a_sparse_checkout_leaves_out_still_counts(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\n")
    repository.write("a/x.py")
    repository.commit()
    repository.git("sparse-checkout", "set", "--no-cone", "/a/")
    assert not (repository.path / ".gitignore").exists()
    repository.write("a/y.log")
    repository.write("a/z.py")
    assert names(repository.path) == ["a/x.py", "a/z.py"]
    assert check_ignored(find_project(repository.root), [b"a/y.log", b"a/z.py", b"a/x.py"]) == {b"a/y.log"}


def test_links_pipes_and_nested_repositories_are_skipped_with_their_reason(repository: Repository) -> None:
    repository.write("real/a.py")
    repository.write("d/tracked.py")
    (repository.path / "tracked-link").symlink_to("real")
    repository.write("was-file.py")
    repository.commit()
    (repository.path / "was-file.py").unlink()
    os.mkfifo(repository.path / "was-file.py")
    os.mkfifo(repository.path / "pipe")
    (repository.path / "link").symlink_to("/etc")
    repository.git("init", "-q", "nested")
    repository.write("nested/n.py")
    os.rename(repository.path / "d", repository.path / "moved")
    (repository.path / "d").symlink_to("moved")
    listing = listing_of(repository.path)
    assert [file.path for file in listing.files] == [b"moved/tracked.py", b"real/a.py"]
    assert listing.skipped == [
        (b"d", "symlink"),
        (b"link", "symlink"),
        (b"nested", "nested repository"),
        (b"pipe", "special file"),
        (b"tracked-link", "symlink"),
        (b"was-file.py", "special file"),
    ]
    assert b"nested" in listing.directories


def test_a_submodule_is_skipped_checked_out_or_not(repository: Repository) -> None:
    repository.write("a.py")
    repository.commit()
    outer = repository.path.parent / "outer"
    subprocess.run(["git", "init", "-q", str(outer)], check=True)
    repository.git("submodule", "--quiet", "add", repository.root, "sub", where=outer)
    assert listing_of(outer).skipped == [(b"sub", "submodule")]
    repository.git("submodule", "--quiet", "deinit", "-f", "sub", where=outer)
    (outer / "sub/stray.py").touch()
    assert listing_of(outer).skipped == [(b"sub", "submodule")]
    assert names(outer) == [".gitmodules"]


def test_a_repository_made_inside_a_tracked_folder_does_not_hide_it(repository: Repository) -> None:
    repository.write("d/a.py")
    repository.commit()
    repository.git("init", "-q", "d")
    repository.write("d/b.py")
    assert names(repository.path) == ["d/a.py", "d/b.py"]


def test_a_greppy_root_lists_its_part_of_the_working_tree(repository: Repository) -> None:
    repository.write(".gitignore", "/pkg/x/out\n*.log\n")
    for path in ("a.py", "pkg/x/.greppy", "pkg/x/m.py", "pkg/x/out/o.py", "pkg/x/n/b.log"):
        repository.write(path)
    repository.commit()
    repository.write("pkg/x/n/new.py")
    listing = listing_of(repository.path / "pkg/x")
    assert [file.path for file in listing.files] == [b".greppy", b"m.py", b"n/new.py"]
    assert {repository.root + b"/.gitignore", repository.root + b"/pkg/.gitignore"} <= set(listing.inputs)
    assert listing.directories == [b"", b"n"]


def test_the_users_patterns_hide_tracked_files_too(repository: Repository) -> None:
    for path in ("a.py", "b.min.js", "data/x.py", "data/keep/y.py", "sub/data/z.py"):
        repository.write(path)
    repository.commit()
    assert names(repository.path, ("*.min.js", "/data/")) == ["a.py", "sub/data/z.py"]
    assert b"data" not in listing_of(repository.path, ("/data/",)).directories
    assert check_ignored(find_project(repository.root), [b"a.py", b"data/keep/y.py"], ("/data/",)) == {
        b"data/keep/y.py"
    }


def test_linguist_attributes_are_read_set_and_negated(repository: Repository) -> None:
    lines = "gen/** linguist-generated=true\nv/** linguist-vendored\n*.md linguist-documentation=false\n"
    repository.write(".gitattributes", lines + "gen/own.py -linguist-generated\n")
    repository.write("sub/.gitattributes", "x.py linguist-vendored linguist-generated\n")
    for path in ("gen/a.py", "gen/own.py", "v/b.py", "r.md", "sub/x.py", "z.py"):
        repository.write(path)
    repository.git("add", "gen")
    found = {os.fsdecode(file.path): file.attributes for file in listing_of(repository.path).files if file.attributes}
    assert found == {
        "gen/a.py": GENERATED,
        "gen/own.py": GENERATED << NEGATED_SHIFT,
        "v/b.py": VENDORED,
        "r.md": DOCUMENTATION << NEGATED_SHIFT,
        "sub/x.py": VENDORED | GENERATED,
    }


@pytest.mark.parametrize("place", [".git/info/attributes", "../attributes"])
def test_attributes_outside_the_tree_count_and_are_inputs(repository: Repository, place: str) -> None:
    path = Path(os.path.normpath(repository.write(place, "*.py linguist-generated\n")))
    repository.git("config", "core.attributesFile", str(repository.path.parent / "attributes"))
    repository.write("a.py")
    listing = listing_of(repository.path)
    assert listing.files[0].attributes == GENERATED
    assert os.fsencode(path) in listing.inputs


def test_attributes_of_a_deleted_file_count_while_they_are_staged(repository: Repository) -> None:
    repository.write(".gitattributes", "*.py linguist-generated\n")
    repository.write("a.py")
    repository.commit()
    (repository.path / ".gitattributes").unlink()
    assert listing_of(repository.path).files[0].attributes == GENERATED


def test_inputs_name_what_can_change_the_listing_even_when_absent(repository: Repository, isolated: Path) -> None:
    repository.write(".gitignore", ".*\n")
    repository.write("sub/.gitignore", "")
    inputs = set(listing_of(repository.path).inputs)
    expected = [
        ".git/index",
        ".git/config",
        ".git/info/exclude",
        ".git/info/attributes",
        ".gitignore",
        "sub/.gitignore",
    ]
    assert {os.fsencode(repository.path / path) for path in expected} <= inputs
    assert {os.fsencode(isolated / path) for path in (".gitconfig", ".config/git/ignore")} <= inputs


def test_an_included_configuration_file_is_an_input(repository: Repository, isolated: Path) -> None:
    (isolated / "more").write_text("[core]\n\texcludesFile = ~/ignored\n")
    (isolated / "ignored").write_text("*.log\n")
    repository.git("config", "include.path", str(isolated / "more"))
    repository.write("a.log")
    listing = listing_of(repository.path)
    assert listing.files == []
    assert {os.fsencode(isolated / "more"), os.fsencode(isolated / "ignored")} <= set(listing.inputs)


def test_ignored_names_alone_need_no_new_listing(repository: Repository) -> None:
    repository.write(".gitignore", "*.o\nout/\n.*\n")
    for path in ("a.o", "a.c", "out/x", ".git2/y", ":(exclude)d.o", "t.o"):
        repository.write(path)
    repository.git("add", "-f", "t.o")
    (repository.path / "link").symlink_to("out")
    asked = [b"a.o", b"a.c", b"out", b".git2", b":(exclude)d.o", b"t.o", b".gitignore", b"gone.o", b"link/x", b"link"]
    assert check_ignored(find_project(repository.root), asked) == {b"a.o", b"out", b".git2", b":(exclude)d.o"}


def test_git_may_be_asked_about_thousands_of_names(repository: Repository) -> None:
    repository.write(".gitignore", "*.o\n")
    for number in range(1500):
        repository.write(f"{'long' * 20}{number}.{'o' if number % 2 else 'c'}")
    assert len(names(repository.path)) == 751


def test_a_deep_tree_is_listed_without_recursion(repository: Repository) -> None:
    deep = b"/".join([b"d"] * 1200) + b"/x.py"
    subprocess.run([b"mkdir", b"-p", os.path.dirname(deep)], cwd=repository.path, check=True)
    (repository.path / os.fsdecode(deep)).touch()
    listed = [file.path for file in listing_of(repository.path).files]
    # pytest's own clearing up would recurse.
    subprocess.run(["rm", "-rf", "d"], cwd=repository.path, check=True)
    assert listed == [deep]


def test_a_folder_that_changes_after_the_listing_began_is_not_trusted(repository: Repository) -> None:
    (repository.path / "old").mkdir()
    os.utime(repository.path / "old", ns=(0, 5))
    time.sleep(0.1)
    listing = listing_of(repository.path)
    (repository.path / "new").mkdir()
    assert is_racy(signature(os.lstat(repository.path)), listing.observed_ns)
    assert not is_racy(signature(os.lstat(repository.path / "old")), listing.observed_ns)


def test_a_broken_staging_area_is_reported_with_gits_words(repository: Repository) -> None:
    repository.write(".git/index", "junk")
    with pytest.raises(IndexFailure, match="ls-files") as raised:
        listing_of(repository.path)
    assert raised.value.hint


def test_a_core_worktree_elsewhere_leads_nowhere(repository: Repository) -> None:
    outside = repository.path.parent / "outside"
    outside.mkdir()
    (outside / "secret").touch()
    repository.write("a.py")
    repository.git("config", "core.worktree", str(outside))
    assert names(repository.path) == ["a.py"]


def test_nothing_is_written_and_a_held_lock_does_not_matter(repository: Repository) -> None:
    repository.write("a.py")
    repository.commit()
    os.utime(repository.path / "a.py", ns=(5, 5))
    (repository.path / ".git/index.lock").touch()
    before = snapshot(repository.path)
    assert names(repository.path) == ["a.py"]
    check_ignored(find_project(repository.root), [b"a.py"])
    assert snapshot(repository.path) == before


def snapshot(path: Path) -> list[tuple[str, int, bytes]]:
    files = [found for found in sorted(path.rglob("*")) if found.is_file()]
    return [(str(found), found.stat().st_mtime_ns, found.read_bytes()) for found in files]


def test_no_program_that_the_repository_names_is_run(repository: Repository) -> None:
    mark = repository.path.parent / "PWNED"
    evil = repository.path.parent / "evil.sh"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> "{mark}"\nexec cat\n')
    evil.chmod(0o755)
    repository.write("a.py")
    repository.write(".gitattributes", "* filter=x diff=x linguist-vendored\n")
    repository.commit()
    for key in (
        "core.fsmonitor",
        "filter.x.clean",
        "filter.x.process",
        "core.pager",
        "core.sshCommand",
        "diff.x.command",
    ):
        repository.git("config", key, str(evil))
    for name in ("post-index-change", "fsmonitor-watchman", "post-checkout"):
        evil_hook = repository.write(f".git/hooks/{name}", evil.read_bytes())
        evil_hook.chmod(0o755)
    os.utime(repository.path / "a.py", ns=(5, 5))
    mark.unlink(missing_ok=True)
    assert names(repository.path) == [".gitattributes", "a.py"]
    check_ignored(find_project(repository.root), [b"b.py"])
    assert not mark.exists()


def test_the_environment_of_a_hook_leads_to_no_other_repository(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoy = repository.path.parent / "decoy"
    subprocess.run(["git", "init", "-q", str(decoy)], check=True)
    (decoy / "d.py").touch()
    subprocess.run(["git", "add", "d.py"], cwd=decoy, check=True)
    repository.write("r.py")
    before = snapshot(decoy)
    values = {
        "GIT_DIR": ".git",
        "GIT_WORK_TREE": "",
        "GIT_INDEX_FILE": ".git/index",
        "GIT_OBJECT_DIRECTORY": ".git/objects",
    }
    for name, below in values.items():
        monkeypatch.setenv(name, str(decoy / below))
    monkeypatch.setenv("GIT_PREFIX", "")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.path.parent))
    monkeypatch.setenv("GIT_TRACE", "1")
    assert names(repository.path) == ["r.py"]
    assert snapshot(decoy) == before


def test_files_below_a_folder_that_may_only_be_passed_through_are_listed(
    repository: Repository, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    for path in ("pass/a.py", "pass/in/b.py", "pass/gone.py", "pass/min.js"):
        repository.write(path)
    (repository.path / "pass/in/link").symlink_to("b.py")
    repository.commit()
    (repository.path / "pass/gone.py").unlink()
    subprocess.run(["chown", "-R", "65534", str(repository.path)], check=True)
    (repository.path / "pass").chmod(0o311)
    for path_above in repository.path.parents:
        if "pytest" in str(path_above):
            path_above.chmod(0o755)
    monkeypatch.setattr(subprocess, "Popen", partial(subprocess.Popen, user=65534))
    listing_of(repository.path, ("*.js",))  # imports what the other user may not read
    os.seteuid(65534)
    try:
        listing = listing_of(repository.path, ("*.js",))
    finally:
        os.seteuid(0)
    assert [file.path for file in listing.files] == [b"pass/a.py", b"pass/in/b.py"]
    assert listing.skipped == [(b"pass", "unreadable folder")]


def test_a_listing_that_git_gives_up_on_is_made_anew(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("f.py")
    excluded, calls = IgnoreOracle.excluded, 0

    def refuse_once(oracle: IgnoreOracle, paths: Sequence[bytes]) -> set[bytes]:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OracleEnded("ended")
        return excluded(oracle, paths)

    monkeypatch.setattr(IgnoreOracle, "excluded", refuse_once)
    assert names(repository.path) == ["f.py"]


def test_where_git_cannot_judge_nothing_counts_as_ignored(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write(".gitignore", "*.o\n")
    repository.write("a.o")

    def refuse(oracle: IgnoreOracle, paths: Sequence[bytes]) -> set[bytes]:
        raise OracleEnded("ended")

    monkeypatch.setattr(IgnoreOracle, "excluded", refuse)
    assert check_ignored(find_project(repository.root), [b"a.o"]) == set()


def test_a_folder_that_vanishes_during_the_walk_is_left_out(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository.path / "d").mkdir()
    repository.write("a.py")
    scandir = os.scandir

    def meddle(path: bytes) -> object:
        if path.endswith(b"/d"):
            (repository.path / "d").rmdir()
        return scandir(path)

    monkeypatch.setattr(os, "scandir", meddle)
    listing = listing_of(repository.path)
    assert listing.directories == [b""]
    assert listing.skipped == []


@pytest.mark.start_up
def test_listing_a_git_project_does_not_import_pathspec(repository: Repository) -> None:
    repository.write("a.py")
    code = (
        "import sys, os; from greppy.git.listing import list_project; from greppy.git.project import find_project; "
        "print(len(list_project(find_project(os.fsencode(sys.argv[1]))).files), 'pathspec' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(repository.path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=os.getcwd())
    assert out.stdout.split() == ["1", "False"]
