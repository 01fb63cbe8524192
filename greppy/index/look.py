"""Looking at the working tree while the program is still being imported. Hot path.

In: a project and the home folder. Out: a `Look`, which has the manifest and compares it with the working tree in a
thread of its own: importing leaves a processor idle, and reading stat data needs no interpreter.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread

from greppy import kernels
from greppy.errors import DamagedIndex
from greppy.git.project import store_path, view_name
from greppy.index import format as layout
from greppy.index.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.git.project import Project
    from greppy.index.manifest import Manifest


class Look:
    """A manifest that is being compared with the working tree of a project."""

    __slots__ = ("_different", "_done", "manifest", "root")

    def __init__(self, project: Project, manifest: Manifest) -> None:
        self.root = project.root
        self.manifest = manifest
        self._different: Sequence[int] | None = None
        self._done = allocate_lock()
        self._done.acquire()
        start_new_thread(self._compare, ())

    def _compare(self) -> None:
        manifest = self.manifest
        count = manifest.meta.files + manifest.meta.folders
        try:
            table, stats = manifest.container.section(layout.PATHS), manifest.column(layout.STATS, "q")
            self._different = kernels.changed_stats(self.root, table, stats, count)
        except (MemoryError, ValueError, DamagedIndex):
            return  # whoever asks will do it again, and say what is wrong
        finally:
            self._done.release()

    def different(self) -> Sequence[int] | None:
        """As `kernels.changed_stats`, once it is known; None where that failed."""
        with self._done:
            return self._different


def begin_look(project: Project, home: bytes) -> Look | None:
    """Begin; None where there is no index that could be true."""
    try:
        manifest = Store(home, store_path(project), view_name(project)).open_manifest()
        return None if manifest is None else Look(project, manifest)
    except (DamagedIndex, RuntimeError):  # no thread can be had
        return None
