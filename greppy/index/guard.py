"""Looking at a few files in one forked process, so that a grammar that crashes cannot take a search with it. Cold path.

In: a `Job` whose text fits into one shard. Out: what `Part` makes of it. This costs some 4 ms (a bare fork 1) where
starting processes by `multiprocessing` (`greppy.index.workers`) costs 30, so a refresh after an edit can afford it.
Before the child looks at a file it sends the file's number (8 bytes, little-endian), then -2, and with -1 its shard
and its rows.
"""

from __future__ import annotations

import marshal
import os
import signal
from typing import TYPE_CHECKING, NamedTuple

from greppy.errors import IndexFailure
from greppy.index.examine import NOTHING, Done, Part
from greppy.index.ledger import Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from greppy.index.examine import Job

MOST_DEATHS = 64
_NUMBER = 8
_LOOKED = -2
"""Sent when every file has been looked at: what kills the child now is no file's fault."""

_NEW = "new"
"""The name of a shard that the parent has yet to publish."""


class _End(NamedTuple):
    """How a child ended: its exit status (negative: the signal that killed it), the file in hand, what it sent last."""

    status: int
    in_hand: int
    answer: bytes


def examine_guarded(job: Job) -> Done | None:
    """What a child makes of the tasks; None when it met an error, which the caller shall meet itself.

    Raises `IndexFailure` when children keep dying.
    """
    for _ in range(MOST_DEATHS):
        end = _run(job)
        if end.status > 0:
            return None
        if end.status == 0:
            return _published(end.answer, job)
        job = job.without(end.in_hand)
    raise IndexFailure("the indexing process keeps dying", "is the memory exhausted?")


def _run(job: Job) -> _End:
    ours, theirs = os.pipe()
    # Signals wait until the child has said what they mean to it, and the parent is ready to end it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    child = os.fork()
    if not child:
        _live(job, theirs)
    received = b""
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(theirs)
        received = _read_all(ours)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.close(ours)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return _End(status, *_last_words(received))


def _read_all(pipe: int) -> bytes:
    parts = []
    while part := os.read(pipe, 1 << 16):
        parts.append(part)
    return b"".join(parts)


def _last_words(received: bytes) -> tuple[int, bytes]:
    """The last whole number, and what followed -1."""
    in_hand = NOTHING
    for at in range(0, len(received) - _NUMBER + 1, _NUMBER):
        in_hand = int.from_bytes(received[at : at + _NUMBER], "little", signed=True)
        if in_hand == NOTHING:
            return NOTHING, received[at + _NUMBER :]
    return in_hand, b""


def _live(job: Job, pipe: int) -> None:
    """The child's life; it never returns."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
        _look(job, lambda data: _send(pipe, data))
        status = 0
    finally:
        os._exit(status)


def _look(job: Job, send: Callable[[bytes], None]) -> None:
    shards: list[bytes] = []

    def keep(content: bytes) -> str:
        shards.append(content)
        return _NEW

    part = Part(job._replace(sink=keep))
    for at, task in enumerate(job.tasks):
        send(at.to_bytes(_NUMBER, "little", signed=True))
        part.look_at(task)
    send(_LOOKED.to_bytes(_NUMBER, "little", signed=True))
    rows = part.flush().rows
    # marshal knows no named tuples; pickle's import costs more than all this.
    send(NOTHING.to_bytes(_NUMBER, "little", signed=True) + marshal.dumps((shards, [tuple(row) for row in rows])))


def _send(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


def _published(answer: bytes, job: Job) -> Done:
    shards, plain_rows = marshal.loads(answer)
    rows = [Row(*row) for row in plain_rows]
    if not shards:
        return Done("", rows, [])
    name = job.sink(shards[0])
    return Done(name, [row._replace(shard=name) if row.shard == _NEW else row for row in rows], [])
