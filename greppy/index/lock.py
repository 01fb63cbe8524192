"""The lock of an index: held by whoever changes its folders, freed by the kernel when its holder dies. Cold path.

In: an index's directory, and what makes it where it is missing. Out: a context manager. Readers need no lock. Since
`forget` removes the file together with the index, whoever gets a lock makes sure that it is still the file's.
"""

from __future__ import annotations

import fcntl
import os
import stat
from typing import TYPE_CHECKING

from greppy.index.store import Unwritable, refused, set_aside

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_TRIES = 100
"""How often the index may be removed under somebody who waits for its lock, before he gives up."""


class Lock:
    """An exclusive lock on an index. Entering yields True when it is held, False when `wait` is false and somebody else
    has it. Raises `Unwritable`."""

    __slots__ = ("_create", "_descriptor", "_path", "_wait")

    def __init__(self, directory: bytes, create: Callable[[], None] | None = None, wait: bool = True) -> None:
        self._path = directory + b"/lock"
        self._create = create
        self._wait = wait
        self._descriptor = -1

    def __enter__(self) -> bool:
        for _ in range(_TRIES):
            if self._create is not None:
                self._create()
            if not self._open():
                continue
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX if self._wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._close()
                return False
            except OSError as error:
                self._close()
                raise refused("lock", self._path, error) from None
            except BaseException:
                self._close()
                raise
            if self._is_the_file():
                return True
            self._close()
        raise Unwritable(f"{os.fsdecode(os.path.dirname(self._path))} keeps being removed", "try again")

    def _open(self) -> bool:
        try:
            self._descriptor = open_lock(self._path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise refused("lock", self._path, error) from None
        return True

    def _is_the_file(self) -> bool:
        try:
            there = os.lstat(self._path)
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(self._descriptor))

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()


def open_lock(path: bytes) -> int:
    """A descriptor of a lock file, made where there is none, also where a folder or a link is. Raises OSError."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags, 0o600)
    except OSError:
        if stat.S_ISREG(os.lstat(path).st_mode):
            raise
    set_aside(path)
    return os.open(path, flags, 0o600)
