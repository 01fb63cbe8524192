"""Paths in, what is there now out; folders in, the names in them that nobody knew out."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def stats_now(root: bytes, table: ReadableBuffer, n: int) -> tuple[memoryview, bytes]:
    """(modes, stats) of `n` paths relative to `root`, each followed by a NUL, links not followed.

    `modes` are u32, 0 where lstat fails. `stats` are four int64 a path, as `changed_stats` takes them: size (-1 for a
    folder), mtime and ctime in nanoseconds, inode; zeros where lstat fails. ValueError when `n` and `table` do not fit
    together.
    """
    paths = bytes(table)
    if n < 0 or paths.count(b"\0") != n or paths[-1:] not in (b"", b"\0"):
        raise ValueError("the path table and its count do not fit together")
    prefix = _prefix(root)
    modes, stats = bytearray(), bytearray()
    for name in paths.split(b"\0")[:n]:
        mode, signature = _look(prefix + name)
        modes += mode.to_bytes(4, "little")
        stats += b"".join([number.to_bytes(8, "little") for number in signature])
    return memoryview(bytes(modes)).cast("I"), bytes(stats)


def strange_names(root: bytes, folders: ReadableBuffer, table: ReadableBuffer) -> list[bytes] | None:
    """The sorted paths of what lies in `folders` and not in `table`; None where a folder cannot be listed or is none.

    The root's `.git` never counts. Both are paths relative to `root`, each followed by a NUL, "." for the root itself.
    """
    prefix = _prefix(root)
    if any(bytes(paths)[-1:] not in (b"", b"\0") for paths in (folders, table)):
        raise ValueError("each path must end with a NUL")
    known = {b".git", *bytes(table).split(b"\0")[:-1]}
    strange: list[bytes] = []
    for name in bytes(folders).split(b"\0")[:-1]:
        folder = name.lstrip(b"/") or b"."
        above = b"" if folder == b"." else folder + b"/"
        try:
            if not stat.S_ISDIR(os.lstat(prefix + folder).st_mode):
                return None
            names = os.listdir(prefix + folder)
        except OSError:
            return None
        strange += [above + name for name in names if above + name not in known]
    return sorted(strange)


def _prefix(root: bytes) -> bytes:
    if not root or b"\0" in root:
        raise ValueError("the root must be named")
    return root + b"/"


def _look(path: bytes) -> tuple[int, tuple[int, int, int, int]]:
    try:
        now = os.lstat(path)
    except OSError:
        return 0, (0, 0, 0, 0)
    size = -1 if stat.S_ISDIR(now.st_mode) else now.st_size
    mtime, ctime, inode = now.st_mtime_ns, now.st_ctime_ns, now.st_ino
    return now.st_mode, (_bits(size), _bits(mtime), _bits(ctime), _bits(inode))


def _bits(value: int) -> int:
    return value & 0xFFFF_FFFF_FFFF_FFFF
