"""Revisions or paths: what the words behind the pattern mean (cold).

In: words, and whether `--` stood among them. Out: revisions and pathspecs, decided as git decides: words are revisions
up to the first one that is none, then paths, which must exist; before a `--` all are revisions.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from greppy.errors import BadArguments
from greppy.git.project import BARE, Project
from greppy.git.revisions import STAGED_FILES, Resolved, absent, not_here, peeled, resolve

if TYPE_CHECKING:
    from greppy.search.exact.engine import Request

_GLOB = frozenset(b"*?[")


def sort_words(request: Request, takes_revisions: bool) -> tuple[list[Resolved], list[bytes]]:
    """(revisions, pathspecs). Raises BadArguments for what is neither, both, or not possible here."""
    named, words = list(request.revisions), list(request.words)
    project = request.project
    if not takes_revisions or project is None or project.git_dir is None:
        if named or (words and request.specs is not None):
            raise BadArguments(
                f'"{os.fsdecode((named + words)[0])}" is a revision, which has no place here', _NO_REVISIONS
            )
        return [], [*(_existing(word, request.cwd) for word in words), *(request.specs or ())]
    found = resolve(project, [*named, *words])
    revisions = [_certain(project, one) for one in found[: len(named)]]
    rest = found[len(named) :]
    if request.specs is not None:
        revisions += [_certain(project, one) for one in rest]
        return _peeled(project, revisions), list(request.specs)
    while rest and rest[0].kind:
        revisions.append(_no_file(rest.pop(0), request.cwd, project))
    if rest and (project.marker == BARE or not _exists(rest[0].name, request.cwd)):
        _refuse_absent(project, rest[0])
    return _peeled(project, revisions), [_existing(one.name, request.cwd) for one in rest]


_NO_REVISIONS = "revisions need a git repository, and neither --cached nor --untracked nor --no-index"


def _peeled(project: Project, revisions: Sequence[Resolved]) -> list[Resolved]:
    return [peeled(project, revision) for revision in revisions]


def _certain(project: Project, found: Resolved) -> Resolved:
    if found.name in (b":", b":0"):
        return found._replace(kind=STAGED_FILES)
    if not found.kind:
        _refuse_absent(project, found)
        raise BadArguments(
            f'"{os.fsdecode(found.name)}" is no revision', "name a branch, tag or commit; put paths behind --"
        )
    return found


def _refuse_absent(project: Project, found: Resolved) -> None:
    oid = absent(project, found.name)
    if oid:
        raise not_here(os.fsdecode(found.name), oid)


def _no_file(found: Resolved, cwd: bytes, project: Project) -> Resolved:
    """A word that is a revision, which must not be a file too; where there is no working tree nothing is one."""
    if project.marker != BARE and os.path.lexists(os.path.join(cwd, found.name)):
        name = os.fsdecode(found.name)
        raise BadArguments(f'"{name}" is both a revision and a file', f"write '{name} --' or '-- {name}'")
    return found


def _existing(word: bytes, cwd: bytes) -> bytes:
    """A word that is taken for a path."""
    if _exists(word, cwd):
        return word
    name = os.fsdecode(word)
    raise BadArguments(
        f'"{name}" is neither a revision nor a file', f"put paths behind --; quote the pattern: '{name}'"
    )


def _exists(word: bytes, cwd: bytes) -> bool:
    return word.startswith(b":") or not _GLOB.isdisjoint(word) or os.path.lexists(os.path.join(cwd, word))
