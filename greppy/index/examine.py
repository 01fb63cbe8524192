"""Looking at files: tasks → rows and new shards, in this process, in one beside it, or in several. Cold path.

In: a `Job`. Out: the rows of those files that are there, and the names of the new shards. Neighbouring files go
together, so that a shard holds files that lie together; when enough text has been gathered a shard is written and its
rows are given, so that memory stays bounded.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from greppy.git.files import Folders
from greppy.index.blobs import Examiner, Scope, Task
from greppy.index.recognise import recognised
from greppy.index.writer import ShardWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.index.known import Known
    from greppy.index.ledger import Row

    Progress = Callable[[int, int, str], None]

BATCH_BYTES = 1 << 19
BATCH_FILES = 64
SMALLEST_BATCH_BYTES = 1 << 15
BATCHES_LEFT = 32
"""A batch has no more than this part of the text that is left, so that no process has long to work when the others
have nothing left to do: of the two that it holds (`workers.AHEAD`) it may have to do both."""

NOTHING = -1
"""The number of no task."""

PARALLEL_BYTES = 1 << 21
"""Text from which on a second process saves more than starting it costs (some 30 ms each)."""


class Job(NamedTuple):
    """One build's work, the same for all its processes: tasks by path.

    `sink` publishes a finished shard and gives its name, in another process too if it `travels`; `plain` are files
    whose grammar crashed, `refused` those that crashed without it too.
    """

    tasks: Sequence[Task]
    scope: Scope
    known: Known
    sink: Callable[[bytes], str]
    shard_bytes: int
    travels: bool = True
    plain: frozenset[bytes] = frozenset()
    refused: frozenset[bytes] = frozenset()

    def without(self, task: int) -> Job:
        """The job after a process died with this task in hand; a negative number stands for none."""
        if task < 0:
            return self
        path = self.tasks[task].path
        refused = self.refused | {path} if path in self.plain else self.refused
        return self._replace(plain=self.plain | {path}, refused=refused)


class Done(NamedTuple):
    """What one finished shard answers for: its name ("" when nothing had to be analysed), rows, batches."""

    shard: str
    rows: list[Row]
    batches: list[int]


def examine(job: Job, workers: int, progress: Progress) -> tuple[list[Row], list[str]]:
    """The rows of all tasks whose files are there, by path, and the names of the new shards. Raises `GreppyError`s."""
    known, left = recognised(job)
    job = job._replace(tasks=left)
    batches = cut_into_batches(job.tasks)
    small = len(batches) < 2 or sum(task.size for task in job.tasks) < PARALLEL_BYTES
    if not batches:
        done = []
    elif workers > 1 and small:
        done = _examine_beside(job, batches, progress)
    elif workers < 2 or not job.travels:
        done = _examine_here(job, batches, progress)
    else:
        from greppy.index.workers import examine_in_processes

        done = examine_in_processes(job, batches, min(workers, len(batches)), progress)
    rows = sorted((*known, *(row for part in done for row in part.rows)), key=lambda row: row.path)
    return rows, list(dict.fromkeys(part.shard for part in done if part.shard))


def cut_into_batches(tasks: Sequence[Task]) -> list[range]:
    """Neighbouring tasks, up to `BATCH_BYTES` of text or `BATCH_FILES` files together; less and less towards the end,
    where the processes shall finish at the same time."""
    batches: list[range] = []
    start = size = 0
    left = sum(task.size for task in tasks)
    for at, task in enumerate(tasks):
        most = min(BATCH_BYTES, max(left // BATCHES_LEFT, SMALLEST_BATCH_BYTES))
        if at > start and (size + task.size > most or at - start >= BATCH_FILES):
            batches.append(range(start, at))
            start, left, size = at, left - size, 0
        size += task.size
    if start < len(tasks):
        batches.append(range(start, len(tasks)))
    return batches


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Part:
    """One process's part of the work: gathers rows until its shard is full."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._folders = Folders(job.scope.root)
        self._begin()

    def _begin(self) -> None:
        self._folders.close()
        self._examiner = Examiner(self._job.scope, self._job.known, ShardWriter(), self._folders)
        self._rows: list[Row] = []
        self._batches: list[int] = []

    def avoid(self, plain: frozenset[bytes], refused: frozenset[bytes]) -> None:
        """Learn what has crashed meanwhile."""
        self._job = self._job._replace(plain=plain, refused=refused)

    def look_at(self, task: Task) -> None:
        if task.path in self._job.refused:
            self._rows.append(self._examiner.left_out(task, "analysis fails"))
            return
        row = self._examiner.row(task, plain=task.path in self._job.plain)
        if row is not None:
            self._rows.append(row)

    def end_batch(self, number: int) -> None:
        self._batches.append(number)

    def full(self) -> bool:
        return self._examiner.writer.text_bytes >= self._job.shard_bytes

    def flush(self) -> Done:
        """Write the shard and give the rows, those of new analyses now with its name."""
        writer, rows, batches = self._examiner.writer, self._rows, self._batches
        name = self._job.sink(writer.finish()) if writer.blobs else ""
        named = [row if row.reason or row.shard else row._replace(shard=name) for row in rows]
        self._begin()
        return Done(name, named, batches)


def _examine_here(job: Job, batches: Sequence[range], progress: Progress) -> list[Done]:
    part = Part(job)
    done: list[Done] = []
    for number, batch in enumerate(batches):
        for at in batch:
            part.look_at(job.tasks[at])
        part.end_batch(number)
        progress(batch.stop, len(job.tasks), "indexing")
        if part.full():
            done.append(part.flush())
    done.append(part.flush())
    return done


def _examine_beside(job: Job, batches: Sequence[range], progress: Progress) -> list[Done]:
    """In one process beside this one, where that is cheap and safe; else, or when it meets an error, here."""
    if job.tasks and sys.platform == "linux":
        from greppy.index.guard import examine_guarded

        done = examine_guarded(job)
        if done is not None:
            return [done]
    return _examine_here(job, batches, progress)
