"""Files whose bytes are known already → their rows, many at once: what a branch switch, a second worktree and a touched
file leave to be looked at has mostly been analysed. Cold path.

In: a `Job`. Out: the rows of the files that need no analysis, and the tasks that are left for processes of their own.
The files are read by a few threads in C, between two looks at their stat data: where both are the same, so is what was
read. A sample tells whether that is worth it, since whatever is not known is read once more.
"""

from __future__ import annotations

import stat
from array import array
from typing import TYPE_CHECKING

from greppy import kernels
from greppy.index.batches import batches
from greppy.index.blobs import known_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.blobs import Task
    from greppy.index.examine import Job
    from greppy.index.ledger import Row

SLAB_BYTES = 1 << 25
SLAB_FILES = 1 << 10
"""Text, and files, that are held at once."""

SAMPLE = 32
"""Files that are looked at first; of more than these all are looked at only when half of the sample is known."""


def recognised(job: Job) -> tuple[list[Row], Sequence[Task]]:
    """The rows of the tasks that are known, and the other tasks, both in order."""
    tasks = job.tasks
    if len(tasks) > SAMPLE:
        import hashlib  # noqa: F401  (loaded, it is what hash_blob takes: five times as fast as CPython's own)

        sample = tasks[:: len(tasks) // SAMPLE]
        if 2 * len(_rows(job, sample)) < len(sample):
            return [], tasks
    rows: dict[bytes, Row] = {}
    for slab in batches(tasks, SLAB_BYTES, SLAB_FILES):
        rows.update(_rows(job, slab))
    return list(rows.values()), [task for task in tasks if task.path not in rows]


def _rows(job: Job, tasks: Sequence[Task]) -> dict[bytes, Row]:
    """The rows of those tasks that are known, by path."""
    scope = job.scope
    table = b"".join([task.path + b"\0" for task in tasks])
    _, before = kernels.stats_now(scope.root, table, len(tasks))
    wanted = array("I", range(len(tasks)))
    starts = kernels.path_starts(table)
    contents = kernels.read_matching(scope.root, table, starts, wanted, (), False, scope.max_file_size)
    modes, after = kernels.stats_now(scope.root, table, len(tasks))
    numbers = memoryview(before).cast("q")
    rows: dict[bytes, Row] = {}
    for at, (task, data) in enumerate(zip(tasks, contents, strict=True)):
        size, mtime, ctime, inode = numbers[4 * at : 4 * at + 4]
        same = before[32 * at : 32 * at + 32] == after[32 * at : 32 * at + 32] and stat.S_ISREG(modes[at])
        if same and isinstance(data, bytes) and len(data) == size:
            row = known_row(scope, job.known, task, data, (size, mtime, ctime, inode))
            if row is not None:
                rows[task.path] = row
    return rows
