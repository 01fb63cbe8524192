"""Read working-tree files safely and say how fresh what was read is (hot: imported by every search).

In: a project's root and paths below it. Out: bytes with the stat signature they were read under, or `Unreadable` with
the reason. No component of a path may be a symbolic link, so nothing outside the project is ever read; nothing blocks
(a named pipe is opened without waiting and then refused); a file that changes while it is read is read again.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash as Hash
    from types import TracebackType

    Signature = tuple[int, int, int, int]

READ_TRIES = 3
# The kernel stamps files from a clock that ticks once a jiffy (1-10 ms on Linux); two ticks.
RACY_NS = 20_000_000
# FAT stamps every 2 s, old ext3 and HFS+ every second: the coarsest step in use.
COARSE_RACY_NS = 2_000_000_000
SECOND_NS = 1_000_000_000

_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# O_PATH needs no read permission on a folder, as path lookup does not either.
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_REASONS = {
    errno.ENOENT: "missing",
    errno.ENOTDIR: "missing",
    errno.ELOOP: "symlink",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENXIO: "special file",
    errno.ENODEV: "special file",
}


class Unreadable(Exception):
    """A file that is not read. `reason`: missing, symlink, special file, permission denied, too large or io error."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Folders:
    """Opens files below one root without following any link; keeps the last folder open, since paths come sorted.

    A context manager; one thread at a time.
    """

    __slots__ = ("_fd", "_folder", "root")

    def __init__(self, root: bytes) -> None:
        self.root = root
        self._folder = b""
        self._fd = -1

    def __enter__(self) -> Folders:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the open folder go; the object can be used again."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def open_file(self, path: bytes) -> int:
        """A descriptor of the file at `path` (relative to the root), of whatever type it is. Raises Unreadable."""
        folder, _, name = path.rpartition(b"/")
        try:
            return os.open(name, _FILE_FLAGS, dir_fd=self._open_folder(folder))
        except OSError as error:
            raise Unreadable(_REASONS.get(error.errno or 0, "io error")) from None

    def _open_folder(self, folder: bytes) -> int:
        if self._fd >= 0 and folder == self._folder:
            return self._fd
        self.close()
        fd = os.open(self.root, _FOLDER_FLAGS)
        for name in folder.split(b"/") if folder else ():
            fd = _step_into(fd, name)
        self._folder, self._fd = folder, fd
        return fd


def read_file(root: bytes, path: bytes, limit: int, folders: Folders | None = None) -> bytes:
    """The bytes of the regular file `path` (relative to `root`, with '/'), at most `limit`. Raises Unreadable."""
    return read_with_signature(root, path, limit, folders)[0]


def read_with_signature(
    root: bytes, path: bytes, limit: int, folders: Folders | None = None
) -> tuple[bytes, Signature]:
    """The bytes of a file and the signature that it had before they were read. Raises Unreadable.

    A file that still changes at the third reading is given as read, under the earlier signature: the next look at it
    finds another one. Pass one `Folders(root)` when reading many files; it must have the same root.
    """
    if folders is not None:
        return _read_stable(folders, path, limit)
    with Folders(root) as own:
        return _read_stable(own, path, limit)


def signature(st: os.stat_result) -> Signature:
    """What tells that a file has changed: (size, mtime ns, ctime ns, inode)."""
    return st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino


def is_racy(sig: Signature, observed_ns: int) -> bool:
    """Whether what was observed at `observed_ns` (time.time_ns()) may have changed since without `sig` changing.

    Timestamps come from a coarse clock: a write within one tick of the observation leaves the same stamps. So an entry
    that was stamped at most 20 ms before it was observed is not trusted (2 s where both stamps are whole seconds, which
    betrays a coarse file system), nor one with a ctime of the future. mtime can be set to anything, ctime only to now:
    an mtime counts only near the observation.
    """
    _, mtime, ctime, _ = sig
    margin = COARSE_RACY_NS if mtime % SECOND_NS == 0 and ctime % SECOND_NS == 0 else RACY_NS
    return ctime >= observed_ns - margin or abs(observed_ns - mtime) <= margin


def hash_blob(data: bytes, algorithm: str = "sha1") -> bytes:
    """git's object id, as raw bytes, of a blob with this content; `algorithm` is "sha1" or "sha256"."""
    digest = _constructor(algorithm)(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.digest()


def _constructor(algorithm: str) -> Callable[..., Hash]:
    """hashlib's where somebody has imported it; else CPython's own module, which loads in a tenth of OpenSSL's time."""
    if "hashlib" not in sys.modules:
        try:
            return _built_in(algorithm)
        except ImportError:
            pass
    import hashlib

    return hashlib.sha256 if algorithm == "sha256" else hashlib.sha1


def _built_in(algorithm: str) -> Callable[..., Hash]:
    if algorithm == "sha256":
        name = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
        return __import__(name).sha256  # type: ignore[no-any-return]
    return __import__("_sha1").sha1  # type: ignore[no-any-return]


def _read_stable(folders: Folders, path: bytes, limit: int) -> tuple[bytes, Signature]:
    for _ in range(READ_TRIES):
        fd = folders.open_file(path)
        try:
            before = _regular(fd, limit)
            data = _read_all(fd, before[0], limit)
            after = signature(os.fstat(fd))
        except OSError as error:
            raise Unreadable(_REASONS.get(error.errno or 0, "io error")) from None
        finally:
            os.close(fd)
        if before == after and len(data) == before[0]:
            break
    return data, before


def _regular(fd: int, limit: int) -> Signature:
    st = os.fstat(fd)
    if stat.S_ISDIR(st.st_mode):
        raise Unreadable("missing")
    if not stat.S_ISREG(st.st_mode):
        raise Unreadable("special file")
    if st.st_size > limit:
        raise Unreadable("too large")
    return signature(st)


def _read_all(fd: int, size: int, limit: int) -> bytes:
    """All of a file that is expected to have `size` bytes; one more byte is asked for, to see that it has not grown."""
    data = os.read(fd, size + 1)
    if len(data) == size:
        return data
    parts, total = [data], len(data)
    while parts[-1]:
        if total > limit:
            raise Unreadable("too large")
        parts.append(os.read(fd, 65536))
        total += len(parts[-1])
    return b"".join(parts)


def _step_into(parent: int, name: bytes) -> int:
    """A descriptor of the folder `name` in `parent`, which is closed. Raises OSError; Unreadable for a link."""
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=parent)
    except NotADirectoryError:
        if stat.S_ISLNK(os.lstat(name, dir_fd=parent).st_mode):
            raise Unreadable("symlink") from None
        raise
    finally:
        os.close(parent)
