"""What HEAD has of a project's files, for as long as it stays what it is. Cold.

In: paths. Out: what `greppy.git.committed` says of them, for which git is asked once. Whoever keeps one sees to it that
HEAD, and what else git's answer depends on, has not changed (`greppy.daemon.premises`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from greppy.git.committed import committed

if TYPE_CHECKING:
    from greppy.git.project import Project

_MOST_PATHS = 20_000


class Heads:
    """The hashes of files in HEAD, as far as they were asked for; "" for a path that it does not have."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}

    def committed(self, project: Project, paths: Sequence[bytes]) -> dict[bytes, str] | None:
        """As `greppy.git.committed.committed`."""
        missing = [path for path in paths if path not in self._known]
        found = committed(project, missing) if missing else {}
        if found is None:
            return None
        new = {path: found.get(path, "") for path in missing}
        answer = {path: oid for path in paths if (oid := new.get(path) or self._known.get(path, ""))}
        if len(self._known) + len(new) > _MOST_PATHS:
            self._known.clear()
        self._known.update(new)
        return answer
