"""Find the projects below a folder, for `index --recursive` (cold).

In: a folder. Out: the projects at or below it, sorted by root. One for each root that `find_project` would give
somewhere below, except that markers such as package.json count only outside every project: a git repository, or the
outermost marked folder, stands for all its packages. Repositories nested in others have a project each, since a listing
of the outer one passes them over; so does every `.greppy`.
"""

from __future__ import annotations

import os

from greppy.errors import NoProject
from greppy.git.project import OWN_MARKER, Project, find_project, git_dirs, is_git_dir, marker_of
from greppy.git.rules import DEFAULT_PATTERNS, Rules

DEPTH = 5


def find_projects(top: bytes, depth: int = DEPTH) -> list[Project]:
    """The projects at or at most `depth` folders below `top`; links and `rules.DEFAULT_PATTERNS` are not followed.

    A folder that cannot be read counts as empty. Raises NoProject where `top` does not exist.
    """
    top = _existing(top)
    passed_over = Rules(DEFAULT_PATTERNS)
    found: list[Project] = []
    level = [(top, _has_project(top))]
    for _ in range(depth + 1):
        below: list[tuple[bytes, bool]] = []
        for folder, inside in level:
            if is_git_dir(folder):
                continue
            project = _project_at(folder, inside)
            if project is not None:
                found.append(project)
            below += [(child, inside or project is not None) for child in _subfolders(folder, passed_over)]
        level = below
    return sorted(found, key=lambda project: project.root)


def _existing(top: bytes) -> bytes:
    try:
        return os.path.realpath(top, strict=True)
    except OSError:
        find_project(top)
        raise


def _has_project(folder: bytes) -> bool:
    """Whether `folder` lies in a project whose root is above it."""
    try:
        return find_project(folder).root != folder
    except NoProject:
        return False


def _project_at(folder: bytes, inside: bool) -> Project | None:
    marker = marker_of(folder)
    if git_dirs(folder) is None and (not marker or (inside and marker != OWN_MARKER)):
        return None
    try:
        return find_project(folder)
    except NoProject:
        return None


def _subfolders(folder: bytes, passed_over: Rules) -> list[bytes]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name != b".git" and not passed_over.decide(name, True)]
