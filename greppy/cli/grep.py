"""`greppy grep` begins: what is on disk is looked at while the rest of the program is imported. HOT.

In: a `Parsed`. Out: what `greppy.cli.exact` makes of it.
"""

from __future__ import annotations

import os

from greppy.cli.environment import current_folder
from greppy.errors import GreppyError
from greppy.git.project import find_project
from greppy.index.look import begin_look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.cli.environment import Environment
    from greppy.cli.parse import Parsed
    from greppy.index.look import Look

_ELSEWHERE = ("no_refresh", "no_index", "cached", "all_branches", "recurse_submodules")


def run(parsed: Parsed, environment: Environment) -> int:
    """Search, print, and say by the exit status what came of it."""
    ahead = _begin(parsed, environment)
    from greppy.cli import exact

    return exact.run(parsed, environment, ahead)


def _begin(parsed: Parsed, environment: Environment) -> Look | None:
    """None where another snapshot than the working tree is wanted, where a daemon knows already, or where something is
    wrong, which will be told later."""
    elsewhere = any(map(parsed.flag, _ELSEWHERE)) or bool(parsed.texts("rev")) or len(parsed.words) > 1
    if elsewhere or environment.warm is not None:
        return None
    try:
        folder = parsed.text("project")
        project = find_project(os.path.realpath(current_folder() if folder is None else os.fsencode(folder)))
        return begin_look(project, environment.home)
    except GreppyError:
        return None
