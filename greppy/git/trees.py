"""What a revision's files are: names that the user gave → trees → files with their flags (cold).

In: a project and revisions (a branch, a tag, `HEAD~2`, `stash@{0}`, a tree; `:0` for the staging area). Out: for each a
`Tree`, and its regular files with what its own `.gitattributes` say. Nothing is checked out and nothing is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from greppy.errors import BadArguments
from greppy.git.attributes import attributes_by_rules
from greppy.git.blobs import Blobs
from greppy.git.plumbing import run
from greppy.git.project import Project
from greppy.git.replaced import followed
from greppy.git.revisions import Entry, Resolved, absent, not_here, resolve, staged_entries, tree_entries
from greppy.git.rules import rules_of

STAGED = (b":", b":0")
"""How the staging area is called; `:0` is git's own name for its stage."""

_ATTRIBUTES = b".gitattributes"


class Tree(NamedTuple):
    """One revision: how the user called it, and the tree's hash in hexadecimal, b"" for the staging area."""

    name: str
    oid: bytes


class File(NamedTuple):
    """A regular file of a tree. `oid` is that of its content (a replaced blob's replacement); `attributes` as
    `git.attributes` has them."""

    path: bytes
    oid: bytes
    attributes: int


def resolve_trees(project: Project, names: Sequence[bytes]) -> list[Tree]:
    """The trees of revisions, in their order, each name once. Raises BadArguments for one that names none."""
    unique = list(dict.fromkeys(names))
    objects = resolve(project, unique)
    # By the object's hash, since in HEAD:folder^{tree} all behind the colon is a path.
    inner = resolve(project, [found.oid + b"^{tree}" if found.kind else b"" for found in objects])
    return [_tree(project, *found) for found in zip(unique, objects, inner, strict=True)]


def _tree(project: Project, name: bytes, named: Resolved, tree: Resolved) -> Tree:
    shown = name.decode("utf-8", "replace")
    if name in STAGED:
        return Tree(shown, b"")
    if tree.kind == "tree":
        return Tree(shown, tree.oid)
    if named.kind == "blob":
        raise BadArguments(f'"{shown}" is a file', "name the revision, and the file by --path")
    if named.kind:
        raise BadArguments(f'the tree of "{shown}" is not here', "fetch it first: nothing is fetched for a search")
    oid = absent(project, name)
    if oid:
        raise not_here(shown, oid)
    why = f": {named.said}" if named.said else ""
    raise BadArguments(f'"{shown}" names no revision{why}', "see 'git help revisions', or fetch it first")


def branches(project: Project) -> list[bytes]:
    """The names of the local branches, in git's order."""
    out = run(project.root, ["for-each-ref", "--format=%(refname:short)", "refs/heads"], work_tree=project.work_tree)
    return out.splitlines()


def tree_files(
    project: Project, tree: Tree, ignore: Sequence[str], most: int, instead: Mapping[bytes, bytes]
) -> list[File]:
    """The files of a revision below the project's root, sorted by path, at most `most`; `ignore` are further gitignore
    patterns as `git.listing.list_project` has them, `instead` is what `git.replaced.replacements` gave."""
    entries = tree_entries(project, tree.oid) if tree.oid else staged_entries(project)
    extra = rules_of(ignore)
    if extra is not None:
        entries = [entry for entry in entries if not extra.excludes(entry.path, False)]
    entries = sorted(entries, key=lambda entry: entry.path)[:most]
    attributes = attributes_by_rules([entry.path for entry in entries], _attribute_texts(project, entries))
    return [File(path, followed(oid, instead), attributes.get(path, 0)) for oid, path in entries]


def _attribute_texts(project: Project, entries: Sequence[Entry]) -> dict[bytes, bytes]:
    """The content of every `.gitattributes` by its folder."""
    chosen = [entry for entry in entries if os.path.basename(entry.path) == _ATTRIBUTES]
    if not chosen:
        return {}
    with Blobs(project) as blobs:
        texts = list(blobs.read([entry.oid for entry in chosen]))
    return {os.path.dirname(entry.path): text or b"" for entry, text in zip(chosen, texts, strict=True)}
