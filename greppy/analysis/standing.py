"""How a file stands in its project, as far as folders' names tell: beside the main package, or superseded (cold).

In: a project's name, and the paths of its files with their other flags. Out: flags of a path. Ranking weighs these
files a little lower, since who asks about a project means the heart of it, and its newest version. A folder that is
named like the project (`src/flask` in flask) is its main package if it has a fair share of the source; `v3` beside
`v4` is superseded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from greppy.analysis.classify import SATELLITE, SUPERSEDED

OWN = SATELLITE | SUPERSEDED

MAIN_SHARE = 0.25
"""Of the project's files that nothing tells to be tests, docs or data: with less, the name is a coincidence
(`include/linux` in linux)."""

_VERSION = re.compile(rb"(.*\bv|.*_v)([0-9]{1,3})")


class Standing:
    """Flags of the paths of one project, of which `files` are all (path, flags)."""

    def __init__(self, name: bytes, files: Iterable[tuple[bytes, int]]) -> None:
        by_folder: dict[bytes, int] = {}
        for path, flags in files:
            folder = path.rpartition(b"/")[0]
            by_folder[folder] = by_folder.get(folder, 0) + (not flags & ~OWN)
        self._folders = {above for folder in by_folder for above in _upwards(folder)}
        self._superseded = _superseded(self._folders)
        self._main = self._main_folders(by_folder, _plain(name))
        self._known: dict[bytes, int] = {}

    def _main_folders(self, by_folder: dict[bytes, int], name: bytes) -> set[bytes]:
        named = {folder for folder in self._folders if _plain(folder.rpartition(b"/")[2]) == name}
        inside = sum(count for folder, count in by_folder.items() if not named.isdisjoint(_upwards(folder)))
        return named if inside >= MAIN_SHARE * sum(by_folder.values()) else set()

    def flags(self, path: bytes) -> int:
        """SATELLITE for what is outside of the main package where there is one, SUPERSEDED for an old version."""
        folder = path.rpartition(b"/")[0]
        known = self._known.get(folder)
        if known is None:
            above = _upwards(folder)
            known = SUPERSEDED if not self._superseded.isdisjoint(above) else 0
            if self._main and self._main.isdisjoint(above):
                known |= SATELLITE
            self._known[folder] = known
        return known


def _upwards(folder: bytes) -> list[bytes]:
    """A folder and those above it, without the root."""
    found = []
    while folder:
        found.append(folder)
        folder = folder.rpartition(b"/")[0]
    return found


def _superseded(folders: Iterable[bytes]) -> set[bytes]:
    """The folders beside which there is one with the same name and a higher version."""
    versions: dict[bytes, dict[int, bytes]] = {}
    for folder in folders:
        match = _VERSION.fullmatch(folder)
        if match is not None:
            versions.setdefault(match[1], {})[int(match[2])] = folder
    return {folder for found in versions.values() for version, folder in found.items() if version < max(found)}


def _plain(name: bytes) -> bytes:
    return name.lower().removesuffix(b".git").replace(b"-", b"").replace(b"_", b"")
