"""Searching something else than the working tree. Cold path.

In: a request that names revisions, and its project. Out: a `View` of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from greppy.errors import BadArguments
from greppy.git.trees import branches, resolve_trees
from greppy.index.revision import revision_view

if TYPE_CHECKING:
    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.view import Progress, View
    from greppy.search.result import Request


def view_of_revisions(request: Request, project: Project, home: bytes, config: Config, progress: Progress) -> View:
    """A view of the revisions that a request names. Raises BadArguments where one is none, or without git."""
    if project.git_dir is None:
        raise BadArguments("there are no revisions: this is no git repository", "search without --rev")
    names = [*request.revisions, *(branches(project) if request.all_branches else ())]
    if not names:
        raise BadArguments("there is no branch yet", "commit something, or search without --all-branches")
    return revision_view(project, resolve_trees(project, names), home, config, progress)
