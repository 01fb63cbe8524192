"""Opening a project's view before it is known what for: stat data is compared while the rest of a search goes on. HOT.

In: a folder, the home folder, the configuration. Out: an `Ahead`, whose `find_project` and `open_view` stand for those
of `greppy.git.project` and `greppy.index.view`. Its first view may turn out not to be true: `View.check` tells when the
answer is there, and the next view is true. The comparison takes about as long as all else that a search does.
"""

from __future__ import annotations

from greppy.errors import DamagedIndex
from greppy.git.project import find_project
from greppy.index.freshness import find_changes
from greppy.index.look import begin_look
from greppy.index.store import Vanished
from greppy.index.view import View, open_view, store_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from greppy.config import Config
    from greppy.git.project import Project

    Progress = Callable[[int, int, str], None]


class Ahead:
    """The project around a folder, being opened."""

    __slots__ = ("_look", "_project", "_start")

    def __init__(self, start: bytes, home: bytes) -> None:
        self._start = start
        self._project = find_project(start)
        self._look = begin_look(self._project, home)

    def find_project(self, start: bytes, bare: bool = False) -> Project:
        """The project of a folder."""
        return self._project if start == self._start and not bare else find_project(start, bare)

    def open_view(self, project: Project, home: bytes, config: Config, refresh: bool, progress: Progress) -> View:
        """The view that is being opened, which is still to be checked; later on, and of other projects, a true one."""
        look, self._look = self._look, None
        if look is None or project is not self._project or not refresh:
            return open_view(project, home, config, refresh, progress)
        store = store_of(project, home)
        store.note_use()
        try:
            shards = [store.open_shard(name) for name in look.manifest.shards]
        except (Vanished, DamagedIndex):
            return open_view(project, home, config, refresh, progress)
        view = View(project, store, look.manifest, shards)
        view.check = lambda: find_changes(look.manifest, project, config, look.different())
        return view
