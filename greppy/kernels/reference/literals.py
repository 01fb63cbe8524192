"""Literal strings in, the lines and files that hold them out: exact search where no regular expression is needed.

A *needle* is a literal string without line feed; with `fold` the case of ASCII letters, and of no others, does not
count. A text matches when any needle stands in it. Offsets and ordinals are u32.
"""

from __future__ import annotations

import errno
import os
import stat
from array import array

from greppy.kernels.reference.scores import integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def matching_lines(
    buf: ReadableBuffer, needles: tuple[bytes, ...], fold: bool
) -> tuple[memoryview, memoryview, memoryview]:
    """The lines in which a needle stands: their numbers from 1 on, where they start, where they end (views of u32).

    A line ends before its line feed, or with the buffer. A buffer of more than 4 GiB raises OverflowError, a needle
    with a line feed ValueError.
    """
    wanted = _checked(needles, fold)
    numbers, starts, ends = array("I"), array("I"), array("I")
    start = 0
    for number, line in enumerate(bytes(buf).split(b"\n"), 1):
        end = start + len(line)
        if _holds(line, wanted, fold) and (line or start < memoryview(buf).nbytes):
            numbers.append(number)
            starts.append(start)
            ends.append(end)
        start = end + 1
    return memoryview(numbers), memoryview(starts), memoryview(ends)


def path_starts(table: ReadableBuffer, /) -> memoryview:
    """Where the paths of a table, each ended by a NUL, start in it (a view of u32). ValueError for an unended path."""
    paths = bytes(table)
    starts = array("I")
    at = 0
    while at < len(paths):
        starts.append(at)
        at = paths.find(b"\0", at) + 1
        if at == 0:
            raise ValueError("the last path of the table must end with a NUL")
    return memoryview(starts)


def read_matching(
    root: bytes,
    table: ReadableBuffer,
    starts: ReadableBuffer,
    wanted: ReadableBuffer,
    needles: tuple[bytes, ...],
    fold: bool,
    limit: int,
) -> list[bytes | int | None]:
    """Reads the files with the ordinals `wanted` and gives for each, in order, its bytes, or None when no needle
    stands in it, or the errno for which it was not read. Without needles every file is given.

    `table` is paths relative to `root`, each ended by a NUL, and `starts` where each begins (`path_starts`). No
    component may be a link (ELOOP), the file must be a regular one (EISDIR; ENXIO for any other) and have at most
    `limit` bytes (EFBIG); nothing blocks. A path with a folder that is empty, `.` or `..` is EINVAL. A file that
    changes while it is read may be given half old, half new. All results are held at once: pass ordinals in batches.
    Not for Windows. ValueError when table, starts and ordinals do not fit together.
    """
    paths = _paths(bytes(table), integers(starts, "I"), integers(wanted, "I"))
    searched = _checked(needles, fold)
    if not root or b"\0" in root:
        raise ValueError("the root must be named")
    if limit < 0:
        raise ValueError("the limit must not be negative")
    return [_read_matching(root, path, searched, fold, limit) for path in paths]


def _checked(needles: tuple[bytes, ...], fold: bool) -> tuple[bytes, ...]:
    if not isinstance(needles, tuple) or not all(isinstance(needle, bytes) for needle in needles):
        raise TypeError("needles must be bytes")
    if any(b"\n" in needle for needle in needles):
        raise ValueError("a needle must not hold a line feed")
    return tuple(needle.lower() for needle in needles) if fold else needles


def _holds(text: bytes, needles: tuple[bytes, ...], fold: bool) -> bool:
    searched = text.lower() if fold else text
    return any(needle in searched for needle in needles)


def _paths(table: bytes, starts: memoryview[int], wanted: memoryview[int]) -> list[bytes]:
    if table[-1:] not in (b"", b"\0"):
        raise ValueError("the last path of the table must end with a NUL")
    if any(path >= len(starts) or starts[path] >= len(table) for path in wanted):
        raise ValueError("a wanted path is not in the table")
    return [table[starts[path] : table.index(b"\0", starts[path])] for path in wanted]


def _read_matching(root: bytes, path: bytes, needles: tuple[bytes, ...], fold: bool, limit: int) -> bytes | int | None:
    try:
        fd = _open(root, path)
        try:
            text = _read(fd, limit)
        finally:
            os.close(fd)
    except OSError as error:
        return error.errno or errno.EIO
    return text if not needles or _holds(text, needles, fold) else None


def _open(root: bytes, path: bytes) -> int:
    """A descriptor of the file; the rules are those of `greppy.git.files`."""
    *folders, name = path.split(b"/")
    if not {b"", b".", b".."}.isdisjoint(folders):
        raise OSError(errno.EINVAL, "a folder is empty or leads up")
    flags = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
    folder = os.open(root, flags)
    try:
        for step in folders:
            parent, folder = folder, _step_into(folder, step, flags)
            os.close(parent)
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    finally:
        os.close(folder)


def _step_into(parent: int, name: bytes, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=parent)
    except NotADirectoryError:
        if stat.S_ISLNK(os.lstat(name, dir_fd=parent).st_mode):
            raise OSError(errno.ELOOP, "a folder is a link") from None
        raise


def _read(fd: int, limit: int) -> bytes:
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.ENXIO, "not a regular file")
    text = b"" if found.st_size > limit else b"".join(iter(lambda: os.read(fd, found.st_size + 1), b""))
    if max(len(text), found.st_size) > limit:
        raise OSError(errno.EFBIG, "the file is too large")
    return text
