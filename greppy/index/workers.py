"""Looking at files in parallel processes, each writing shards of its own. Cold path.

In: a job and its batches. Out: what the processes have done. A process is given the next batch when it has finished
one, so that fast and slow files even out; nothing is shared but a slot each for the file in hand, so that no process
can die with a lock that another waits for. A file that kills a process (a grammar may crash) costs only itself: what
the process had not yet answered for is done again by a successor, that file without its grammar. A process whose parent
has gone ends by itself.
"""

from __future__ import annotations

import gc
import hashlib  # noqa: F401  (loaded, it is what hash_blob takes: five times as fast as CPython's own)
import multiprocessing
import os
import signal
import sys
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

import greppy.analysis.chunks  # noqa: F401  (loaded once, before there are several processes)
from greppy.errors import GreppyError, IndexFailure
from greppy.index.examine import NOTHING, Done, Job, Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from ctypes import Array, c_int64
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

    from greppy.index.examine import Progress

    Message = int | Done | GreppyError
    """From a process: the number of a batch that it has finished, a shard that it has written, why it cannot go on."""

    Order = tuple[int, frozenset[bytes], frozenset[bytes]]
    """To a process: a batch, and the files that have crashed with their grammar, and without."""

AHEAD = 2
"""Batches that a process holds at once, so that it never waits for the next one."""

MOST_DEATHS = 64
_POLL_SECONDS = 0.05
_PARENT_SECONDS = 1.0
_TERMINATION_SECONDS = 2.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def examine_in_processes(
    job: Job, batches: Sequence[range], workers: int, progress: Progress, context: BaseContext | None = None
) -> list[Done]:
    """What `workers` processes make of the batches. Raises `GreppyError`s, theirs too."""
    crew = _Crew(job, batches, workers, context or _context())
    try:
        crew.work(progress)
    finally:
        crew.dismiss()
    return crew.done


def _context() -> BaseContext:
    """Forking shares the table of known blobs and costs 5 ms; spawning, where forking is unsafe, 100."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class _Worker:
    """One process: its end of the pipe, its slot, and the batches that it has not yet answered for."""

    def __init__(self, process: BaseProcess, connection: Connection, slot: int) -> None:
        self.process = process
        self.connection = connection
        self.slot = slot
        self.batches: list[int] = []
        self.finished: list[int] = []
        self.told = False

    def give(self, left: list[int], job: Job) -> None:
        """Hand over the next batch with what has crashed so far, or say once that there are no more."""
        if self.told:
            return
        order: Order | None = None
        if left:
            order = left.pop(), job.plain, job.refused
            self.batches.append(order[0])
        self.told = order is None
        try:
            self.connection.send(order)
        except OSError:
            return  # it has died; its end of the pipe says so next


class _Crew:
    """The processes of one job, and what is left to do."""

    def __init__(self, job: Job, batches: Sequence[range], workers: int, context: BaseContext) -> None:
        self.done: list[Done] = []
        self._job = job
        self._batches = batches
        self._context = context
        self._left = list(range(len(batches) - 1, -1, -1))
        # No lock around it: each slot has one writer, and is read when that one is dead.
        self._in_hand: Array[c_int64] = multiprocessing.RawArray("q", [NOTHING] * workers)
        self._workers: dict[Connection, _Worker] = {}
        self._deaths = 0
        self._files = 0

    def work(self, progress: Progress) -> None:
        for slot in range(len(self._in_hand)):
            self._hire(slot)
        while self._workers:
            for connection in wait(list(self._workers), _POLL_SECONDS):
                assert isinstance(connection, Connection)
                self._hear(self._workers[connection])
            progress(self._files, len(self._job.tasks), "indexing")

    def _hire(self, slot: int) -> None:
        ours, theirs = self._context.Pipe()
        self._in_hand[slot] = NOTHING
        arguments = (self._job, self._batches, self._in_hand, slot, theirs, os.getpid())
        process = self._context.Process(target=_work, args=arguments, daemon=True)  # type: ignore[attr-defined]
        with _uninterrupted():
            try:
                process.start()
            except OSError as error:
                raise IndexFailure(
                    f"cannot start a process: {error.strerror}", "try [index] workers = 1 in config.toml"
                ) from None
            worker = self._workers[ours] = _Worker(process, ours, slot)
        theirs.close()
        for _ in range(AHEAD):
            worker.give(self._left, self._job)

    def _hear(self, worker: _Worker) -> None:
        try:
            message: Message = worker.connection.recv()
        except (EOFError, OSError):
            self._part_with(worker)
            return
        if isinstance(message, GreppyError):
            raise message
        if isinstance(message, int):
            worker.finished.append(message)
            self._files += len(self._batches[message])
            worker.give(self._left, self._job)
            return
        self.done.append(message)
        worker.batches = [batch for batch in worker.batches if batch not in message.batches]
        worker.finished = [batch for batch in worker.finished if batch not in message.batches]

    def _part_with(self, worker: _Worker) -> None:
        """A process has ended, having done what it was given, or having died of the file in hand."""
        del self._workers[worker.connection]
        worker.connection.close()
        worker.process.join()
        if not worker.batches:
            return
        self._deaths += 1
        if self._deaths > MOST_DEATHS:
            raise IndexFailure(
                "the indexing processes keep dying", "is the memory exhausted? try [index] workers = 1 in config.toml"
            )
        self._files -= sum(len(self._batches[batch]) for batch in worker.finished)
        self._left += sorted(worker.batches, reverse=True)
        # Smaller shards, so that the next death costs less.
        self._job = self._job.without(self._in_hand[worker.slot])
        self._job = self._job._replace(shard_bytes=max(self._job.shard_bytes // 4, 1 << 16))
        self._hire(worker.slot)

    def dismiss(self) -> None:
        """End every process. One that a signal does not reach (it may have had another handler still) is killed."""
        for worker in self._workers.values():
            worker.process.terminate()
        for worker in self._workers.values():
            worker.process.join(_TERMINATION_SECONDS)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.connection.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Signals wait: a child shall have said first what they mean to it, and the parent have written down the child."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(
    job: Job, batches: Sequence[range], in_hand: Array[c_int64], slot: int, connection: Connection, parent: int
) -> None:
    """The life of one process."""
    # Ctrl-C reaches the whole group; the parent alone decides what it means, and terminates us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    try:
        _serve(job, batches, in_hand, slot, connection, parent)
    except GreppyError as error:
        connection.send(error)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent has gone


def _serve(
    job: Job, batches: Sequence[range], in_hand: Array[c_int64], slot: int, connection: Connection, parent: int
) -> None:
    # Nothing that is made on the way from a file to a shard refers to itself.
    gc.disable()
    part = Part(job)
    while (order := _next_order(connection, parent)) is not None:
        number, plain, refused = order
        part.avoid(plain, refused)
        for at in batches[number]:
            if os.getppid() != parent:
                return
            in_hand[slot] = at
            part.look_at(job.tasks[at])
        in_hand[slot] = NOTHING
        part.end_batch(number)
        connection.send(number)
        if part.full():
            connection.send(part.flush())
    connection.send(part.flush())


def _next_order(connection: Connection, parent: int) -> Order | None:
    """Raises EOFError when the parent has gone; other processes may hold its end of the pipe open."""
    while not connection.poll(_PARENT_SECONDS):
        if os.getppid() != parent:
            raise EOFError
    order: Order | None = connection.recv()
    return order
