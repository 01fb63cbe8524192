"""Paths and what was recorded of them in, the paths that changed out."""

from __future__ import annotations

import os
import stat

from greppy.kernels.reference.scores import integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def changed_stats(root: bytes, table: ReadableBuffer, stats: ReadableBuffer, n: int) -> list[int]:
    """The indices of those of `n` paths whose lstat differs from what is recorded, or fails, in order.

    `table` is the paths relative to `root`, each followed by a NUL; an empty path is the root itself. `stats` is, a
    path, four int64: size, mtime and ctime in nanoseconds, inode (the unsigned number's bits). A size of -1 stands
    for a folder: it must still be one, with the same mtime and inode. ValueError when `n`, `table` and `stats` do not
    fit together.
    """
    paths, recorded = bytes(table), integers(stats, "Q")
    if n < 0 or paths.count(b"\0") != n or len(recorded) != 4 * n or paths[-1:] not in (b"", b"\0"):
        raise ValueError("the path table, the stat table and their count do not fit together")
    prefix = root + b"/"
    if not root or b"\0" in root:
        raise ValueError("the root must be named")
    names = paths.split(b"\0")[:n]
    return [i for i, name in enumerate(names) if _differs(prefix + name, *recorded[4 * i : 4 * i + 4])]


def _differs(path: bytes, size: int, mtime: int, ctime: int, inode: int) -> bool:
    try:
        now = os.lstat(path)
    except OSError:
        return True
    same = _bits(now.st_mtime_ns) == mtime and _bits(now.st_ino) == inode
    if size == _bits(-1):
        return not (same and stat.S_ISDIR(now.st_mode))
    return not (same and _bits(now.st_size) == size and _bits(now.st_ctime_ns) == ctime)


def _bits(value: int) -> int:
    return value & 0xFFFF_FFFF_FFFF_FFFF
