"""Random trees: our listing against git's, and the listing without git against the one with it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greppy.git.listing import check_ignored, list_project
from greppy.git.project import Project, find_project

NAMES = ["a", "b", "ab", "c.o", "d.log", "x y", "é", "[a]", "!a", "-n", "n\nl"]
FRAGMENTS = [
    "a",
    "b",
    "ab",
    "*",
    "?",
    "*.o",
    "*.log",
    "a*",
    "[ab]",
    "[!a]",
    "[^a]*",
    "c.[no]",
    "**",
    "x\\ y",
    "\\!a",
    "é",
    "??",
]
FRAGMENTS += ["[[:alpha:]]", "[]a]", "[a", "\\[a\\]", "[\\[]a]", "[a-c].o", "n?l", "-n", "d.*g", "x y "]


class Node(NamedTuple):
    """Something at a path: file, forced (tracked whatever is ignored), deleted, link, folder, repository, submodule."""

    path: str
    kind: str


paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
kinds = st.sampled_from(["file", "file", "file", "forced", "staged", "deleted", "link", "folder", "repository"])
nodes = st.lists(st.builds(Node, paths, kinds), min_size=1, max_size=14)
patterns = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "", "!", "/", "!/", "**/"]),
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "", "/", "/**", "/*"]),
    st.sampled_from(["", "", "", " ", "\r", "\t"]),
)
ignore_files = st.dictionaries(
    st.sampled_from(["", "a/", "b/", "a/b/", "ab/"]), st.lists(patterns, min_size=1, max_size=5), max_size=3
)


@contextmanager
def folder() -> Iterator[Path]:
    made = Path(os.path.realpath(tempfile.mkdtemp()))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def git(root: Path, *args: str) -> bytes:
    return subprocess.run(["git", *args], cwd=root, capture_output=True, check=True).stdout


def build(root: Path, tree: list[Node], ignored: dict[str, list[str]]) -> list[Node]:
    """Make what can be made of `tree`; a node in the way of another is left out."""
    made = []
    for node in tree:
        try:
            make(root / node.path, node.kind)
        except OSError:
            continue
        made.append(node)
    for where, lines in ignored.items():
        if where == "" or ((root / where).is_dir() and not (root / where).is_symlink()):
            (root / where / ".gitignore").write_text("\n".join(lines) + "\n", newline="")
    return made


def make(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        path.symlink_to("a")
    elif kind in ("folder", "repository"):
        path.mkdir()
        if kind == "repository":
            (path / ".git/objects").mkdir(parents=True)
            (path / ".git/refs").mkdir()
            (path / ".git/HEAD").write_text("ref: refs/heads/main\n")
            (path / "inner.py").touch()
    else:
        path.open("x").close()


def stage(root: Path, made: list[Node]) -> None:
    for node in made:
        if node.kind in ("forced", "deleted", "staged"):
            subprocess.run(["git", "add", "-f", "--", f"./{node.path}"], cwd=root, capture_output=True, check=False)
        if node.kind == "deleted":
            (root / node.path).unlink()


def on_disk(root: Path, path: bytes) -> bool:
    full = os.path.join(os.fsencode(root), path)
    try:
        return os.path.realpath(full) == full and stat.S_ISREG(os.lstat(full).st_mode)
    except OSError:
        return False


def oracle(root: Path) -> list[bytes]:
    listed = git(root, "ls-files", "-z") + git(root, "ls-files", "-z", "-o", "--exclude-standard")
    return sorted({path for path in listed.split(b"\0") if path and on_disk(root, path)})


limits = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


@given(nodes, ignore_files)
@limits
def test_a_listing_is_what_git_lists_and_is_on_disk(tree: list[Node], ignored: dict[str, list[str]]) -> None:
    with folder() as root:
        git(root, "init", "-q")
        stage(root, build(root, tree, ignored))
        listing = list_project(find_project(os.fsencode(root)))
        assert [file.path for file in listing.files] == oracle(root)
        tracked = set(git(root, "ls-files", "-z").split(b"\0"))
        assert [file.tracked for file in listing.files] == [file.path in tracked for file in listing.files]
        watched = set(listing.directories)
        assert {os.path.dirname(file.path) for file in listing.files} <= watched
        assert all(os.path.isdir(os.path.join(os.fsencode(root), path)) for path in watched)


@given(nodes, ignore_files)
@limits
def test_a_look_at_what_is_tracked_and_a_walk_through_every_folder_list_the_same(
    tree: list[Node], ignored: dict[str, list[str]]
) -> None:
    with folder() as root:
        git(root, "init", "-q")
        stage(root, build(root, tree, ignored))
        project = find_project(os.fsencode(root))
        listed = list_project(project)
        git(root, "config", "core.ignorecase", "true")  # then every folder is walked through
        walked = list_project(project)
        assert listed._replace(observed_ns=0) == walked._replace(observed_ns=0)


@given(nodes, ignore_files, st.lists(paths, min_size=1, max_size=3))
@limits
def test_a_new_file_that_git_lists_changes_a_watched_folder(
    tree: list[Node], ignored: dict[str, list[str]], new: list[str]
) -> None:
    with folder() as root:
        git(root, "init", "-q")
        stage(root, build(root, tree, ignored))
        project = find_project(os.fsencode(root))
        before = list_project(project)
        entries = {path: set(os.listdir(os.path.join(project.root, path))) for path in before.directories}
        build(root, [Node(path, "file") for path in new], {})
        news = set(oracle(root)) - {file.path for file in before.files}
        changed = {
            os.path.join(path, name)
            for path, names in entries.items()
            for name in set(os.listdir(os.path.join(project.root, path))) - names
        }
        telling = changed - check_ignored(project, sorted(changed))
        assert all(any(path == name or path.startswith(name + b"/") for name in telling) for path in news)


@given(nodes, ignore_files)
@limits
def test_without_git_the_same_tree_has_the_same_listing(tree: list[Node], ignored: dict[str, list[str]]) -> None:
    with folder() as root:
        git(root, "init", "-q")
        build(root, [node for node in tree if node.kind != "deleted"], ignored)
        project = find_project(os.fsencode(root))
        plain = Project(project.root, "pyproject.toml")
        with_git, without = list_project(project), list_project(plain)
        assert [file.path for file in without.files] == [file.path for file in with_git.files]
        assert without.directories == with_git.directories
        assert without.skipped == with_git.skipped
        everything = [
            os.path.relpath(path, root) for path in root.rglob("*") if ".git" not in path.relative_to(root).parts
        ]
        asked = [os.fsencode(path) for path in everything if not inside(root / path)]
        assert check_ignored(plain, asked) == check_ignored(project, asked)


def inside(path: Path) -> bool:
    return path.name == "inner.py"
