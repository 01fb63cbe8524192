"""Whatever state a repository is in, the program's answers are what the files and the objects say."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.model.git import Repository
from tests.model.oracle import check_exact, check_ranked, check_revision, committed, files, run
from tests.model.run import inside

WORD = "zebraquartz"


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[Repository]:
    """A repository with two commits; the environment of this process is its."""
    top = Path(os.path.realpath(tmp_path))
    made = Repository(top / "r", top / "greppy")
    made.root.mkdir()
    made.git("init", "-q", "-b", "main")
    for name in ("a.txt", "src/b.py", "src/deep/c.py", "docs/d.md"):
        put(made, name, f"def {WORD}():\n    return '{name}'\n")
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "one")
    put(made, "a.txt", f"{WORD} again\n")
    made.git("commit", "-q", "-a", "-m", "two")
    with inside(made):
        yield made


def put(repository: Repository, name: str | bytes, data: str | bytes) -> None:
    path = repository.root / os.fsdecode(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def elsewhere(repository: Repository, name: str = "other") -> Repository:
    """A working tree beside it that git has just made; the process is there from now on."""
    other = Repository(repository.root.with_name(name), repository.home)
    os.chdir(other.root)
    return other


def unborn(r: Repository) -> Repository:
    (r.root.with_name("other")).mkdir()
    other = elsewhere(r)
    other.git("init", "-q")
    put(other, "new.txt", f"{WORD}\n")
    return other


def detached(r: Repository) -> Repository:
    r.git("checkout", "-q", "--detach", "HEAD~1")
    return r


def shallow(r: Repository) -> Repository:
    r.git("clone", "-q", "--depth", "1", f"file://{r.root}", "../other")
    return elsewhere(r)


def sparse_by_folders(r: Repository) -> Repository:
    r.git("sparse-checkout", "set", "--cone", "src/deep")
    return r


def sparse_with_a_sparse_index(r: Repository) -> Repository:
    """`ls-files` would write the trees of what was staged."""
    r.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs")
    put(r, "docs/staged.txt", f"{WORD} staged\n")
    r.git("add", "docs/staged.txt")
    return r


def sparse_by_patterns(r: Repository) -> Repository:
    r.git("sparse-checkout", "set", "--no-cone", "/*", "!src/")
    return r


def partial(r: Repository) -> Repository:
    r.git("config", "uploadpack.allowFilter", "true")
    r.git("clone", "-q", "--filter=blob:none", f"file://{r.root}", "../other")
    r.root.rename(r.root.with_name("gone"))
    return elsewhere(r)


def sha256(r: Repository) -> Repository:
    r.git("init", "-q", "--object-format=sha256", "../other")
    other = elsewhere(r)
    put(other, "a.txt", f"{WORD} 256\n")
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "one")
    return other


def separate_git_folder(r: Repository) -> Repository:
    r.git("clone", "-q", "--separate-git-dir", "../kept.git", str(r.root), "../other")
    return elsewhere(r)


def named_by_the_environment(r: Repository) -> Repository:
    r.git("clone", "-q", "--bare", str(r.root), "../kept.git")
    r.root.with_name("other").mkdir()
    other = elsewhere(r)
    for environment in (other.environment, os.environ):
        environment["GIT_DIR"], environment["GIT_WORK_TREE"] = str(r.root.with_name("kept.git")), str(other.root)
    other.git("config", "core.bare", "false")
    other.git("checkout", "-q", "-f")
    return other


def borrowing_objects(r: Repository) -> Repository:
    r.git("clone", "-q", "--shared", str(r.root), "../other")
    return elsewhere(r)


def linked_worktree(r: Repository) -> Repository:
    r.git("worktree", "add", "-q", "--detach", "../other", "HEAD~1")
    return elsewhere(r)


def worktree_inside(r: Repository) -> Repository:
    r.git("worktree", "add", "-q", "--detach", "inner", "HEAD~1")
    return r


def worktree_of_a_bare_repository(r: Repository) -> Repository:
    r.git("clone", "-q", "--bare", str(r.root), "../kept.git")
    r.git("-C", "../kept.git", "worktree", "add", "-q", "--detach", "../other")
    return elsewhere(r)


def nested_repository(r: Repository) -> Repository:
    r.git("clone", "-q", str(r.root), "vendored")
    return r


def submodule(r: Repository) -> Repository:
    r.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(r.root), "part")
    r.git("commit", "-q", "-m", "part")
    return r


def replaced_commit(r: Repository) -> Repository:
    r.git("replace", "HEAD", "HEAD~1")
    return r


def merging_with_conflicts(r: Repository) -> Repository:
    r.git("checkout", "-q", "-b", "side", "HEAD~1")
    put(r, "a.txt", f"{WORD} on the side\n")
    r.git("commit", "-q", "-a", "-m", "side")
    r.git("merge", "-q", "main", check=False)
    assert r.git("ls-files", "-u")
    return r


def excluded_in_three_ways(r: Repository) -> Repository:
    (r.root / ".git/info/exclude").write_text("*.one\n")
    r.root.with_name("excludes").write_text("*.two\n")
    r.git("config", "core.excludesFile", str(r.root.with_name("excludes")))
    put(r, "src/.gitignore", "*.three\n!kept.three\n")
    for name in ("x.one", "x.two", "x.three", "src/x.three", "src/kept.three", "src/x.two"):
        put(r, name, f"{WORD} in {name}\n")
    return r


def odd_names(r: Repository) -> Repository:
    for name in (
        b"new\nline.txt",
        b'quo"te.txt',
        b"back\\slash.txt",
        b"caf\xe9.txt",
        b"-dash.txt",
        b":(top)x.txt",
        b" ",
    ):
        put(r, name, f"{WORD}\n")
    r.git("add", "-A")
    r.git("commit", "-q", "-m", "odd")
    return r


def decomposed_and_equal_but_for_case(r: Repository) -> Repository:
    for name in ("e\u0301.txt", "\u00e9.txt", "README", "readme", "SRC/b.py"):
        put(r, name, f"{WORD} in {name}\n")
    r.git("add", "-A")
    r.git("commit", "-q", "-m", "names")
    r.git("config", "core.ignoreCase", "true")
    r.git("config", "core.precomposeUnicode", "true")
    return r


def converted_by_attributes(r: Repository) -> Repository:
    put(
        r,
        ".gitattributes",
        "*.crlf text eol=crlf\n*.u16 working-tree-encoding=UTF-8 text\n*.bin binary\n*.lock -diff\n",
    )
    for name in ("x.crlf", "x.u16"):
        put(r, name, f"{WORD} in {name}\n")
    for name in ("x.bin", "x.lock"):
        put(r, name, "nothing here\n")
    r.git("add", "-A")
    r.git("commit", "-q", "-m", "attributes")
    return r


def generated_and_not_exported(r: Repository) -> Repository:
    put(
        r,
        ".gitattributes",
        "src/** linguist-generated export-ignore\ndocs/** linguist-documentation linguist-vendored\n",
    )
    r.git("add", "-A")
    r.git("commit", "-q", "-m", "attributes")
    return r


def flagged_in_the_staging_area(r: Repository) -> Repository:
    r.git("update-index", "--assume-unchanged", "a.txt")
    r.git("update-index", "--skip-worktree", "src/b.py")
    put(r, "a.txt", f"{WORD} assumed\n")
    put(r, "src/b.py", f"{WORD} skipped\n")
    return r


def split_staging_area(r: Repository) -> Repository:
    r.git("update-index", "--split-index")
    return r


def fourth_version(r: Repository) -> Repository:
    r.git("update-index", "--index-version", "4")
    return r


def packed_away(r: Repository) -> Repository:
    r.git("gc", "-q", "--aggressive", "--prune=now")
    r.git("multi-pack-index", "write")
    r.git("commit-graph", "write", "--reachable")
    return r


def programs_named_everywhere(r: Repository) -> Repository:
    """Hooks, fsmonitor, filters, textconv, external diff, pager and editor, each of which would leave a trace."""
    trace = r.root.with_name("ran")
    program = r.root.with_name("program")
    program.write_text(f"#!/bin/sh\ntouch '{trace}'\ncat\n")
    program.chmod(0o755)
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "diff.external", "filter.f.clean"),
        *("filter.f.smudge", "diff.f.textconv", "diff.f.command", "pager.grep", "gpg.program", "core.askPass"),
    ):
        r.git("config", key, str(program))
    r.git("config", "core.hooksPath", str(r.root / "hooks"))
    for name in ("post-index-change", "reference-transaction", "post-checkout"):
        put(r, f"hooks/{name}", f"#!/bin/sh\ntouch '{trace}'\n")
        (r.root / "hooks" / name).chmod(0o755)
    put(r, ".gitattributes", "*.txt filter=f diff=f\n")
    put(r, "a.txt", f"{WORD} to be filtered\n")
    trace.unlink(missing_ok=True)
    return r


STATES: list[Callable[[Repository], Repository]] = [
    unborn, detached, shallow, sparse_by_folders, sparse_with_a_sparse_index, sparse_by_patterns, partial, sha256,
    separate_git_folder, named_by_the_environment, borrowing_objects, linked_worktree, worktree_inside,
    worktree_of_a_bare_repository, nested_repository, submodule, replaced_commit, merging_with_conflicts,
    excluded_in_three_ways, odd_names, decomposed_and_equal_but_for_case, converted_by_attributes,
    generated_and_not_exported, flagged_in_the_staging_area, split_staging_area, fourth_version, packed_away,
    programs_named_everywhere,
]  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_answers_are_what_files_and_objects_say(origin: Repository, state: Callable[[Repository], Repository]) -> None:
    repository = state(origin)
    names = set(snapshot(repository.root))
    for command in (("grep", WORD), ("search", WORD), ("grep", "--rev", ":0", WORD)):
        assert run(*command)[0] in (0, 1)
    assert set(snapshot(repository.root)) == names
    revisions = [
        *([] if state is unborn else ["HEAD"]),
        *([] if state in (unborn, merging_with_conflicts) else [":0"]),
    ]
    told = {revision: committed(repository, revision) for revision in revisions}
    contents = files(repository)
    trace = repository.root.with_name("ran")
    trace.unlink(missing_ok=True)
    before = snapshot(repository.root)
    for _ in range(2):
        assert check_exact(repository, WORD, contents) and check_ranked(repository, WORD, contents)
        for revision, those in told.items():
            assert check_exact(repository, WORD, those, ("--rev", revision))
            assert check_ranked(repository, WORD, those, ("--rev", revision))
        assert state is unborn or run("history", "-S", WORD)[0] == 0
    assert snapshot(repository.root) == before
    assert not trace.exists()


def snapshot(root: Path) -> dict[str, object]:
    """Every name below, with its mode, size and times: nothing is written there."""
    found: dict[str, object] = {}
    for folder, folders, names in os.walk(root):
        for name in (*folders, *names):
            stat = os.lstat(os.path.join(folder, name))
            # git touches some of its own at a look, so that nobody removes them meanwhile: what it splits off from the
            # staging area, and the trees of a sparse one.
            touched = name.startswith("sharedindex.") or "/objects/" in folder
            times = () if touched else (stat.st_mtime_ns, stat.st_ctime_ns)
            found[os.path.join(folder, name)] = (stat.st_mode, stat.st_size, *times)
    return found


def test_a_format_that_git_does_not_know_is_told_in_gits_words(origin: Repository) -> None:
    origin.git("config", "core.repositoryFormatVersion", "1")
    origin.git("config", "extensions.nonsense", "true")
    status, out, err = run("search", WORD)
    assert status == 3
    assert not out
    assert b"nonsense" in err


def test_references_in_tables_are_left_to_git(origin: Repository) -> None:
    """reftable: a git that knows it answers, one that does not is quoted."""
    made = subprocess.run(["git", "init", "-q", "--ref-format=reftable", "../other"], capture_output=True)
    if made.returncode:
        origin.git("config", "core.repositoryFormatVersion", "1")
        origin.git("config", "extensions.refStorage", "reftable")
        status, _, err = run("grep", WORD)
        assert status == 3
        assert b"refstorage" in err.lower()
        return
    other = elsewhere(origin)
    put(other, "a.txt", f"{WORD}\n")
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "one")
    assert check_exact(other, WORD) and check_ranked(other, WORD) and check_revision(other, "HEAD", WORD)
