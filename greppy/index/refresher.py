"""What a hook starts: bringing indexes up to date in a process that nobody sees. Cold.

In: the folders that hooks were called in. Out: their indexes are fresh, and `$GREPPY_HOME/hooks/log` says so, a
line for each. Only what is indexed already is refreshed, unless [hooks] first_index says otherwise. After
[hooks] max_seconds this ends, as Ctrl-C would end a build: nothing is damaged, and the next search does what is left.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, NoReturn

from greppy import log
from greppy.config import load_config
from greppy.errors import GreppyError
from greppy.git.project import find_project
from greppy.index.detached import let_go
from greppy.index.maintenance import update
from greppy.index.store import Unwritable, manifests
from greppy.index.view import store_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    from greppy.config import Config
    from greppy.git.project import Project

LOG_BYTES = 1 << 16
_TARGET = "greppy.hooks"
_GRACE_SECONDS = 10
_CONFIGURING = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")


class OutOfTime(KeyboardInterrupt):
    """The refresh has taken as long as it may; whatever is under way is left as after Ctrl-C."""


def settle(home: bytes, keep: Callable[[int], bool]) -> None:
    """Become the process that refreshes: on its own, with the log as stderr."""
    if os.getpid() != os.getsid(0) and os.getpid() != os.getpgrp():
        os.setsid()
    let_go("greppy-refresh", keep)
    for name in [name for name in os.environ if name.startswith("GIT_") and name not in _CONFIGURING]:
        del os.environ[name]
    path = home + b"/hooks/log"
    _shorten(path)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    os.dup2(fd, 2)
    os.close(fd)
    log.configure(f"{_TARGET}=info")
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def _shorten(path: bytes) -> None:
    """Keep the newer half of a log that has grown too long."""
    try:
        if os.stat(path).st_size <= LOG_BYTES:
            return
    except FileNotFoundError:
        return
    with open(path, "rb") as file:
        file.seek(-LOG_BYTES // 2, os.SEEK_END)
        newer = file.read(LOG_BYTES).partition(b"\n")[2]
    with open(path + b".new", "wb", opener=_private) as file:
        file.write(newer)
    os.rename(path + b".new", path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def refresh_all(calls: Mapping[bytes, int], home: bytes, extend: Callable[[float], None]) -> None:
    """Refresh each folder's project; `extend` is told how long one may take. Whatever fails is a line in the log."""
    for folder, count in calls.items():
        try:
            _refresh(folder, count, home, extend)
        except OutOfTime:
            log.event("warn", _TARGET, folder=folder, calls=count, failed="out of time ([hooks] max_seconds)")
        except GreppyError as error:
            log.event("error", _TARGET, folder=folder, calls=count, failed=error.message)
        except OSError as error:
            log.event("error", _TARGET, folder=folder, calls=count, failed=str(error))


def _refresh(folder: bytes, count: int, home: bytes, extend: Callable[[float], None]) -> None:
    started = time.monotonic()
    project = find_project(folder)
    config = load_config(home).for_project(project.root)
    extend(config.hook_seconds + 2 * _GRACE_SECONDS)
    previous = signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(config.hook_seconds)
    try:
        done = _update(project, home, config)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    took = round((time.monotonic() - started) * 1000, 1)
    log.event("info", _TARGET, project=project.root, calls=count, **done, took_ms=took)


def _update(project: Project, home: bytes, config: Config) -> dict[str, object]:
    """Refresh under the index's lock; the fields of the log line."""
    store = store_of(project, home)
    if store.refusal:
        raise Unwritable(store.refusal)
    if not manifests(store.directory) and not config.hook_first_index:
        return {"skipped": "not indexed"}
    with store.lock():
        outcome = update(project, store, config, _unseen).outcome
    return {"analysed": outcome.analysed, "removed": outcome.removed} if outcome else {"analysed": 0}


def _give_up(_number: int, _frame: FrameType | None) -> NoReturn:
    """End the refresh; if that takes long too, the process."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_GRACE_SECONDS)
    raise OutOfTime


def _unseen(done: int, total: int, what: str) -> None:
    """Nobody watches."""
