"""Looking at many files in parallel processes, each writing shards of its own. Cold path.

In: tasks in path order. Out: their rows and the names of the new shards. Each process takes the next batch of
neighbouring files from a shared counter, so that fast and slow files even out and a shard holds files that lie
together; when it has gathered enough text it writes a shard and reports the rows, so memory stays bounded. A file that
kills a process (a grammar may crash) costs only itself: what the process had not reported is done again by another,
that file without its grammar. A process whose parent has gone stops at the next file.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, NamedTuple

from greppy.errors import IndexFailure, IoFailure
from greppy.index.blobs import Examiner, Known, Scope, Task
from greppy.index.ledger import Row
from greppy.index.writer import ShardWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.process import BaseProcess
    from multiprocessing.sharedctypes import Synchronized, SynchronizedArray

    Progress = Callable[[int, int, str], None]

BATCH_BYTES = 1 << 19
BATCH_FILES = 64
PARALLEL_BYTES = 1 << 21
"""Text from which on a second process saves more than starting it costs (some 30 ms each)."""

_ROUNDS = 32
_POLL_SECONDS = 0.05


class Job(NamedTuple):
    """One build's work, the same for all its processes. `sink` publishes a finished shard and gives its name."""

    tasks: Sequence[Task]
    scope: Scope
    known: Known
    sink: Callable[[bytes], str]
    shard_bytes: int
    plain: frozenset[bytes]


class Done(NamedTuple):
    """What one finished shard answers for: its name ("" when nothing had to be analysed), rows, batches."""

    shard: str
    rows: list[Row]
    batches: list[int]


class Shared(NamedTuple):
    """What the processes share: the next batch, the files done, and for each process the file in hand (-1: none)."""

    next_batch: Synchronized[int]
    files_done: Synchronized[int]
    in_hand: SynchronizedArray[int]


def examine(job: Job, workers: int, progress: Progress) -> tuple[list[Row], list[str]]:
    """The rows of all tasks whose files are there, and the names of the new shards. Raises `GreppyError`s."""
    batches = cut_into_batches(job.tasks)
    if workers < 2 or len(batches) < 2 or sum(task.size for task in job.tasks) < PARALLEL_BYTES:
        done = _examine_here(job, batches, progress)
    else:
        done = _examine_in_processes(job, batches, min(workers, len(batches)), progress)
    rows = [row for part in done for row in part.rows]
    return rows, list(dict.fromkeys(part.shard for part in done if part.shard))


def cut_into_batches(tasks: Sequence[Task]) -> list[range]:
    """Neighbouring tasks, up to `BATCH_BYTES` of text or `BATCH_FILES` files together."""
    batches: list[range] = []
    start = size = 0
    for at, task in enumerate(tasks):
        if at > start and (size + task.size > BATCH_BYTES or at - start >= BATCH_FILES):
            batches.append(range(start, at))
            start, size = at, 0
        size += task.size
    if start < len(tasks):
        batches.append(range(start, len(tasks)))
    return batches


class _Part:
    """One process's part of the work: gathers rows until its shard is full."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._begin()

    def _begin(self) -> None:
        self._examiner = Examiner(self._job.scope, self._job.known, ShardWriter())
        self._rows: list[Row] = []
        self._batches: list[int] = []

    def look_at(self, task: Task) -> None:
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
    part = _Part(job)
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


def _examine_in_processes(job: Job, batches: list[range], workers: int, progress: Progress) -> list[Done]:
    done: list[Done] = []
    left = list(range(len(batches)))
    for _ in range(_ROUNDS):
        finished, culprits = _round(job, [batches[number] for number in left], workers, progress)
        done += [part._replace(batches=[left[number] for number in part.batches]) for part in finished]
        answered = {number for part in done for number in part.batches}
        left = [number for number in left if number not in answered]
        if not left:
            return done
        if not culprits:
            break
        job = job._replace(plain=job.plain | culprits)
    raise IndexFailure(
        "the indexing processes keep dying", "is the memory exhausted? try [index] workers = 1 in config.toml"
    )


def _round(job: Job, batches: list[range], workers: int, progress: Progress) -> tuple[list[Done], frozenset[bytes]]:
    """Let processes work through the batches; what they reported, and the files in hand of those that died."""
    # Forking shares the table of known blobs and costs 5 ms; spawning, where forking is unsafe, 100.
    context = multiprocessing.get_context("fork") if sys.platform == "linux" else multiprocessing.get_context("spawn")
    shared = Shared(context.Value("q", 0), context.Value("q", 0), context.Array("q", [-1] * workers))
    processes: dict[Connection, BaseProcess] = {}
    for number in range(workers):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(job, batches, shared, number, theirs), daemon=True)
        process.start()
        theirs.close()
        processes[ours] = process
    try:
        done = _listen(list(processes), shared, len(job.tasks), progress)
    finally:
        for child in processes.values():
            child.terminate()
        for child in processes.values():
            child.join()
    crashed = frozenset(job.tasks[at].path for at in shared.in_hand[:] if at >= 0)
    return done, crashed


def _listen(connections: list[Connection], shared: Shared, total: int, progress: Progress) -> list[Done]:
    done: list[Done] = []
    open_ones: list[Connection] = list(connections)
    while open_ones:
        for connection in wait(open_ones, _POLL_SECONDS):
            assert isinstance(connection, Connection)
            try:
                message = connection.recv()
            except (EOFError, OSError):
                open_ones.remove(connection)
                continue
            if isinstance(message, IoFailure):
                raise message
            done.append(message)
        progress(shared.files_done.value, total, "indexing")
    return done


def _work(job: Job, batches: list[range], shared: Shared, number: int, connection: Connection) -> None:
    """The life of one process."""
    # Ctrl-C reaches the whole group; the parent alone decides what it means, and terminates us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    part = _Part(job)
    parent = os.getppid()
    try:
        while (batch := _take(shared)) < len(batches):
            _work_through(job, part, batches[batch], shared, number, parent)
            part.end_batch(batch)
            if part.full():
                connection.send(part.flush())
        connection.send(part.flush())
    except IoFailure as error:
        connection.send(error)
    except (BrokenPipeError, KeyboardInterrupt):
        return


def _take(shared: Shared) -> int:
    with shared.next_batch.get_lock():
        batch = shared.next_batch.value
        shared.next_batch.value += 1
        return batch


def _work_through(job: Job, part: _Part, batch: range, shared: Shared, number: int, parent: int) -> None:
    for at in batch:
        if os.getppid() != parent:
            raise BrokenPipeError
        shared.in_hand[number] = at
        part.look_at(job.tasks[at])
    shared.in_hand[number] = -1
    with shared.files_done.get_lock():
        shared.files_done.value += len(batch)
