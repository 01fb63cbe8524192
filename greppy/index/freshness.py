"""Is the manifest still true? Stat data of every file, folder and input against it, and nothing read. Hot path.

In: a manifest and the working tree. Out: `Changes`, empty when the snapshot is true. `greppy.index.builder` mends what
is not.
"""

from __future__ import annotations

import os

from xxhash import xxh3_64_digest

from greppy import kernels
from greppy.index import format as layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.manifest import Manifest


class Changes:
    """What differs: ordinals of files, ordinals of folders, and whether an input or the configuration does."""

    __slots__ = ("files", "folders", "inputs")

    def __init__(self, files: Sequence[int], folders: Sequence[int], inputs: bool) -> None:
        self.files = files
        self.folders = folders
        self.inputs = inputs

    def __bool__(self) -> bool:
        return bool(self.files or self.folders or self.inputs)

    def __len__(self) -> int:
        return len(self.files) + len(self.folders) + self.inputs


def find_changes(
    manifest: Manifest, project: Project, config: Config, different: Sequence[int] | None = None
) -> Changes:
    """Compare the working tree and what decides about it with a manifest; `different` is what `kernels.changed_stats`
    gave, where that was asked already."""
    files = manifest.meta.files
    count = files + manifest.meta.folders
    if different is None:
        table = manifest.container.section(layout.PATHS)
        different = kernels.changed_stats(project.root, table, manifest.column(layout.STATS, "q"), count)
    return Changes(
        [at for at in different if at < files],
        [at - files for at in different if at >= files],
        manifest.meta.digest != rules_digest(project, config) or inputs_differ(manifest),
    )


def rules_digest(project: Project, config: Config) -> bytes:
    """16 bytes that are others when the configuration has changed, or when it is another repository's files, or
    nobody's, that the project has."""
    return config.digest() + xxh3_64_digest(project.git_dir or b"")


def inputs_differ(manifest: Manifest) -> bool:
    """Whether a file that decides which files there are (the staging area, ignore rules, …) is another than it was."""
    stats = manifest.column(layout.INPUT_STATS, "q")
    return any(input_signature(path) != tuple(stats[4 * at : 4 * at + 4]) for at, path in enumerate(manifest.inputs))


def input_signature(path: bytes) -> tuple[int, int, int, int]:
    """size, mtime_ns, ctime_ns, inode of an input, links followed; zeros when there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0, 0, 0
    inode = found.st_ino
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, inode - (1 << 64) if inode >= 1 << 63 else inode
