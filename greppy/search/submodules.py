"""Searching a repository together with its submodules (`--recurse-submodules`). Cold path.

In: a request or a stream of what one project has, and a way to search one project. Out: the same over the project and,
at their places, the populated submodules below it, each with an index of its own; paths as seen from the outermost.
"""

from __future__ import annotations

import os
from copy import copy
from typing import TYPE_CHECKING

from greppy.errors import BadArguments
from greppy.git.plumbing import run
from greppy.git.project import find_project, git_dirs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from greppy.git.project import Project
    from greppy.search.exact.engine import Found
    from greppy.search.exact.engine import Request as ExactRequest
    from greppy.search.result import Request, Response

_GITLINK = b"160000 "


def populated(project: Project) -> list[bytes]:
    """The paths (relative to the root) of the submodules that the staging area names and that are checked out."""
    if project.git_dir is None:
        return []
    records = run(project.root, ["ls-files", "-s", "-z"], work_tree=project.work_tree).split(b"\0")
    paths = (record.partition(b"\t")[2] for record in records if record.startswith(_GITLINK))
    return sorted(path for path in paths if git_dirs(os.path.join(project.root, path)) is not None)


def ranked(request: Request, project: Project, search: Callable[[Request], Response]) -> Response:
    """The best results of a project and of its submodules, by score."""
    if request.revisions or request.all_branches or request.since:
        raise BadArguments("--recurse-submodules looks at working trees only", "leave out --rev, --since and the like")
    plain = copy(request)
    plain.recurse = False
    response = search(plain)
    for path in populated(project):
        inner = copy(request)
        inner.start = os.path.join(project.root, path)
        inner.top = request.top or project.root
        inner.mount = request.mount + path + b"/"
        found = search(inner)
        for result in found.results:
            result.path = path + b"/" + result.path
        response.results += found.results
        response.total += found.total
        response.took_ms += found.took_ms
        response.indexed_at = min(response.indexed_at, found.indexed_at)
    response.results.sort(key=lambda result: (-result.score, result.path, result.start_line))
    del response.results[request.limit :]
    if response.results:
        response.notes = []
    return response


def exact(
    request: ExactRequest, takes: Callable[[bytes], bool], search: Callable[[ExactRequest], Iterator[Found]]
) -> Iterator[Found]:
    """What a project has, and, where git has their names in its order, what its submodules have that `takes` allows."""
    project = request.project
    if project is None or request.revisions or request.words:
        raise BadArguments(
            "--recurse-submodules looks at working trees only", "put paths behind --, and name no revision"
        )
    plain = copy(request)
    plain.recurse = False
    waiting = populated(project)
    for found in search(plain):
        while waiting and waiting[0] < found.source.path:
            yield from _inside(request, project, waiting.pop(0), takes, search)
        yield found
    for path in waiting:
        yield from _inside(request, project, path, takes, search)


def _inside(
    request: ExactRequest,
    project: Project,
    path: bytes,
    takes: Callable[[bytes], bool],
    search: Callable[[ExactRequest], Iterator[Found]],
) -> Iterator[Found]:
    """What one submodule has."""
    folder = path + b"/"
    inner = copy(request)
    inner.cwd = os.path.join(project.root, path)
    inner.project = find_project(inner.cwd)
    inner.specs = None
    inner.globs = ()
    for found in exact(inner, lambda name: takes(folder + name), search):
        if takes(folder + found.source.path):
            yield found.below(folder)
