"""What git's own index file says of the files of a working tree: names, blobs, and what they looked like (cold).

In: a project. Out: a `Staging`, or None where the file is of a kind that is not read here (split or sparse index, an
unknown version, or damaged): then git is asked, or the files themselves. Reading it takes a twentieth of the time that
`git ls-files` takes, and it alone has stat data: those of the moment when git last found file and blob to be the same.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh3_128_digest

from greppy import kernels
from greppy.git.project import open_regular

if TYPE_CHECKING:
    from greppy.git.project import Project

REGULAR, SYMLINK, SUBMODULE = 0o10, 0o12, 0o16
"""Kinds of entries: the bits of a mode above its permissions (`mode >> 12`)."""

CUT = 0xFFFF_FFFF
"""git cuts sizes and inodes to these bits."""


class Staging(NamedTuple):
    """Columns by entry, of every stage, sorted by path; `greppy.kernels.staged_files` tells more.

    `table` are the paths, each followed by a NUL, `stats` four numbers an entry, `oids` of `width` bytes. An entry is
    `plain` where it is merged, checked out, and not only assumed to be valid. The file was written at `written_ns`.
    """

    table: bytes
    modes: memoryview
    stats: memoryview
    oids: bytes
    plain: bytes
    width: int
    written_ns: int

    @property
    def entries(self) -> int:
        """How many there are."""
        return len(self.plain)

    @property
    def paths(self) -> list[bytes]:
        return self.table.split(b"\0")[:-1]

    @property
    def is_plain(self) -> bool:
        """Whether all entries are."""
        return b"\0" not in self.plain


def staging_file(project: Project) -> bytes | None:
    """The one input that changes with every `git add` and commit, mostly without changing the listing."""
    return None if project.git_dir is None else os.path.join(project.git_dir, b"index")


def read_staging(project: Project, algorithm: str) -> Staging | None:
    """What the file says now; `algorithm` is "sha1" or "sha256"."""
    path = staging_file(project)
    if path is None:
        return None
    try:
        with open(open_regular(path), "rb") as file:
            written = os.fstat(file.fileno())
            data = file.read()
    except OSError:
        return None
    width = 32 if algorithm == "sha256" else 20
    columns = kernels.staged_files(data, width)
    return None if columns is None else Staging(*columns, width, written.st_mtime_ns)


def tracked_digest(project: Project, algorithm: str) -> bytes:
    """16 bytes that are others when the staging area names other paths, of other types, than it did. Raises
    IndexFailure."""
    staging = read_staging(project, algorithm) if project.root == project.work_tree else None
    return digest_of(project, staging)


def digest_of(project: Project, staging: Staging | None) -> bytes:
    """The same for what was read of a project whose root is its working tree's."""
    if staging is not None and staging.is_plain:
        return names_digest(staging.table, staging.modes)
    from greppy.git.listing import asked_digest

    return asked_digest(project)


def names_digest(table: bytes, modes: memoryview | bytes) -> bytes:
    """The digest of entries that are all plain: their paths, and their modes as u32."""
    return xxh3_128_digest(table + bytes(modes))
