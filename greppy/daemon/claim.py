"""Being the one daemon of a socket: the lock beside it, and the socket itself. Cold.

In: the socket's path. Out: a listening socket that is ours alone, or DaemonFailure with what to do. ::

    daemon.sock         0600, bound under a temporary name and then renamed, so that it is there only when it answers
    daemon.sock.lock    0600, locked (flock) by every process of the daemon that owns the socket; holds the number of
                        the first of them, for the case that the daemon has to be ended by force

The lock decides, not a process number: the kernel frees it when the last process of a daemon is gone, however it ended.
A socket at which nobody answers is replaced; whatever else is at the path (a living socket of another program, another
user's, a file, a link) stays as it is.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
from typing import TYPE_CHECKING

from greppy.daemon.protocol import MOST_PATH
from greppy.errors import DaemonFailure

if TYPE_CHECKING:
    from types import TracebackType

BACKLOG = 512
_ELSEWHERE = "set GREPPY_DAEMON_SOCKET to a path in a folder of your own"
_CONNECT_SECONDS = 1.0


class Running(DaemonFailure):
    """There is a daemon for this socket."""


class Claim:
    """The lock of a socket's path; a context manager. Raises Running where another process holds it, DaemonFailure."""

    __slots__ = ("_lock", "path")

    def __init__(self, path: bytes) -> None:
        self.path = path
        self._lock = -1

    def __enter__(self) -> Claim:
        check_path(self.path)
        self._lock = _open_lock(self.path)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            raise Running(f"a daemon is running at {os.fsdecode(self.path)}", "'greppy daemon stop' ends it") from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, b"%d\n" % os.getpid(), 0)
        return self

    def bind(self) -> socket.socket:
        """A listening socket at the path. Raises DaemonFailure where something is there that must stay."""
        refuse_foreign(self.path)
        folder = os.path.dirname(self.path)
        temporary = b"%s/daemon.%x" % (folder, os.getpid())
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _bind_private(listening, temporary if len(temporary) <= MOST_PATH else self.path)
            listening.listen(BACKLOG)
            listening.setblocking(False)
            if len(temporary) <= MOST_PATH:
                os.rename(temporary, self.path)
        except OSError as error:
            listening.close()
            _remove(temporary)
            raise DaemonFailure(f"cannot listen at {os.fsdecode(self.path)}: {error.strerror}", _ELSEWHERE) from None
        return listening

    def _close(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()


def _bind_private(listening: socket.socket, path: bytes) -> None:
    """Bind without a moment in which others could connect."""
    _remove(path)
    mask = os.umask(0o177)
    try:
        listening.bind(path)
    finally:
        os.umask(mask)
    os.chmod(path, 0o600)


def _remove(path: bytes) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def check_path(path: bytes) -> None:
    """Refuse a path that no socket can have, or a folder in which others could put their own."""
    if len(path) > MOST_PATH:
        raise DaemonFailure(
            f"the socket's path has {len(path)} bytes, more than the {MOST_PATH} that there is room for: "
            f"{os.fsdecode(path)}",
            "set GREPPY_DAEMON_SOCKET to a shorter path in a folder of your own",
        )
    folder = os.path.dirname(path)
    try:
        _make_folder(folder)
        found = os.stat(folder)
    except OSError as error:
        raise DaemonFailure(f"cannot use {os.fsdecode(folder)}: {error.strerror}", _ELSEWHERE) from None
    shared = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
    if found.st_uid not in (os.geteuid(), 0) or shared:
        why = "others may write to it" if shared else "it belongs to another user"
        raise DaemonFailure(f"cannot listen in {os.fsdecode(folder)}: {why}", _ELSEWHERE)


def _make_folder(folder: bytes) -> None:
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
        os.chmod(folder, 0o700)


def check_owner(home: bytes) -> None:
    """Refuse to serve, as root above all, files that belong to somebody else."""
    try:
        owner = os.stat(home).st_uid
    except OSError:
        return
    if owner != os.geteuid():
        who = "root" if os.geteuid() == 0 else "this user"
        raise DaemonFailure(
            f"{os.fsdecode(home)} belongs to another user, and a daemon of {who} would write to it",
            "start the daemon as that user, or set GREPPY_HOME to a folder of your own",
        )


def _open_lock(path: bytes) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path + b".lock", flags, 0o600)
    except OSError as error:
        raise DaemonFailure(f"cannot open {os.fsdecode(path)}.lock: {error.strerror}", _ELSEWHERE) from None


def refuse_foreign(path: bytes) -> None:
    """Raise DaemonFailure unless there is nothing at the path, or a socket of ours at which nobody listens."""
    name = os.fsdecode(path)
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise DaemonFailure(f"cannot look at {name}: {error.strerror}", _ELSEWHERE) from None
    if not stat.S_ISSOCK(found.st_mode):
        raise DaemonFailure(f"{name} is there and is no socket", f"move it away, or {_ELSEWHERE}")
    if found.st_uid != os.geteuid():
        raise DaemonFailure(f"{name} is another user's socket", _ELSEWHERE)
    if _answers(path):
        raise DaemonFailure(f"another program listens at {name}", f"end it, or {_ELSEWHERE}")


def _answers(path: bytes) -> bool:
    """Whether somebody listens; one whose queue is full does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_SECONDS)
        try:
            probe.connect(path)
        except OSError as error:
            return error.errno not in (errno.ECONNREFUSED, errno.ENOENT)
    return True


def is_held(path: bytes) -> bool:
    """Whether a daemon owns the socket's path, whether or not it answers."""
    try:
        fd = os.open(path + b".lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False
