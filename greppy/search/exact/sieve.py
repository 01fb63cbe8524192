"""Which of many files have a match at all, for patterns that name no text to look for. HOT.

In: files and their bytes. Out: those that may have a line to show. The files of a batch are searched as one text, each
thread a part of it, since RE2 leaves the interpreter to others while it runs: on small files calling it costs more
than what it does. A file may be kept for nothing, where its end meets the next one's beginning, never be lost.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Iterable, Iterator, Sequence

    from greppy.search.exact.pattern import Pattern
    from greppy.search.exact.question import Question

    Read = tuple[int, bytes | int | None]

MOST_THREADS = 4
THREAD_BYTES = 1 << 20
"""Below that starting another thread costs more than it saves."""


def sieved(question: Question, found: Iterable[Read]) -> Iterator[Read]:
    """`found` with None for the bytes of files that have no line to show."""
    finder = question.finder
    if finder is None or question.invert:
        yield from found
        return
    files = list(found)
    kept = _kept(finder, [content if isinstance(content, bytes) else b"" for _, content in files])
    for at, (ordinal, content) in enumerate(files):
        if not isinstance(content, bytes) or kept[at]:
            yield ordinal, content
        else:
            yield ordinal, None


def _kept(finder: Pattern, contents: Sequence[bytes]) -> bytearray:
    """A byte a file: zero where it has no match."""
    kept = bytearray(b"\1") * len(contents)
    own, *others = _parts(contents)
    running = []
    for part in others:
        lock = allocate_lock()
        lock.acquire()
        running.append(lock)
        start_new_thread(_drop_and_tell, (finder, contents, part, kept, lock))
    _drop(finder, contents, own, kept)
    for lock in running:
        lock.acquire()
    return kept


def _parts(contents: Sequence[bytes]) -> list[range]:
    """Runs of files of about the same size, one a thread."""
    total = sum(map(len, contents))
    threads = max(1, min(MOST_THREADS, os.cpu_count() or 1, total // THREAD_BYTES))
    parts: list[range] = []
    start = size = 0
    for at, content in enumerate(contents):
        size += len(content)
        if size * threads >= total and len(parts) < threads - 1:
            parts.append(range(start, at + 1))
            start, size = at + 1, 0
    parts.append(range(start, len(contents)))
    return parts


def _drop_and_tell(finder: Pattern, contents: Sequence[bytes], part: range, kept: bytearray, lock: LockType) -> None:
    try:
        _drop(finder, contents, part, kept)
    except MemoryError:
        return  # what was not looked at is kept
    finally:
        lock.release()


def _drop(finder: Pattern, contents: Sequence[bytes], part: range, kept: bytearray) -> None:
    """Unmark the files of `part` in which nothing is found."""
    text = b"\n".join([contents[at] for at in part])
    end = 0
    found = -1
    for at in part:
        start, end = end, end + len(contents[at]) + 1
        if 0 <= found < start or not start:
            found = finder.locate(text, start)
        kept[at] = start <= found < end
