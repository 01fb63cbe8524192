"""One hook of a folder of hooks: what is there, putting a shim in its place, and putting everything back. Cold.

In: the folder, the hook's name and the text of a shim. Out: a `Slot` that says how it is. A hook that was there before
gets a second name, NAME.before-greppy, before the shim takes the first in one step; so git finds the one or the other
at every moment, and what is put back is the same file (bytes, mode, times, link). The caller holds the folder's lock.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from greppy.git.hooks.managers import Manager, manager_of_hook
from greppy.git.hooks.shim import EDITED, OURS, kind_of, read_hook

INSTALLED, OUTDATED, ABSENT, MANAGED, MODIFIED, BLOCKED, BY_HAND = (
    "installed",
    "outdated",
    "absent",
    "managed",
    "edited",
    "blocked",
    "by hand",
)
_BY_HAND = b"/hooks/refresh"
_KEPT = b".before-greppy"
_LEGACY = b".legacy"
"""The name that pre-commit gives to a hook which it finds in its way, and which it runs first."""


class Slot(NamedTuple):
    """How the hook `name` is: its state, `kept` when another one runs first or would, `detail` for people."""

    name: str
    path: bytes
    state: str
    kept: bool = False
    detail: str = ""
    manager: Manager | None = None


def examine(folder: bytes, name: str, text: bytes) -> Slot:
    """The state of one hook beside a shim of `text`."""
    path = os.path.join(folder, name.encode())
    kept = os.path.lexists(path + _KEPT)
    content = read_hook(path)
    kind = kind_of(content) if content is not None else ""
    if kind == OURS:
        return Slot(name, path, INSTALLED if content == text else OUTDATED, kept)
    if kind == EDITED:
        return Slot(name, path, MODIFIED, kept, "edited since it was installed; remove what was added, or all of it")
    return _examine_foreign(Slot(name, path, ABSENT, kept))


def _examine_foreign(slot: Slot) -> Slot:
    try:
        mode = os.lstat(slot.path).st_mode
    except OSError:
        return slot
    if stat.S_ISDIR(mode):
        return slot._replace(state=BLOCKED, detail="a folder is in its place")
    content = _through_link(slot.path)
    manager = manager_of_hook(content)
    if _BY_HAND in content:
        return slot._replace(state=BY_HAND, detail="called by the hook that is there")
    if manager:
        return slot._replace(
            state=MANAGED, detail=f"left to {manager.name}, which made the one that is there", manager=manager
        )
    if slot.kept and not _same(slot.path, slot.path + _KEPT):
        name = os.fsdecode(os.path.basename(slot.path + _KEPT))
        return slot._replace(state=BLOCKED, detail=f"{name} is there already, from another hook; move it away")
    return slot._replace(kept=True)


def _through_link(path: bytes) -> bytes:
    return read_hook(os.path.realpath(path)) or b""


def _same(one: bytes, other: bytes) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def put(slot: Slot, text: bytes) -> None:
    """Put a shim in place, or in the place of an outdated one; other states are left as they are. Raises OSError."""
    if slot.state not in (ABSENT, OUTDATED):
        return
    fresh = slot.path + b".greppy-%d" % os.getpid()
    write_program(fresh, text)
    try:
        if slot.state == ABSENT and os.path.lexists(slot.path):
            _keep(slot.path)
        os.rename(fresh, slot.path)
    except BaseException:
        os.unlink(fresh)
        raise


def write_program(path: bytes, text: bytes) -> None:
    """Write an executable file that is not there yet. Raises OSError."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o777)
    with open(fd, "wb") as file:
        file.write(text)


def _keep(path: bytes) -> None:
    """Give a hook its second name; some file systems cannot but take the first away."""
    try:
        os.link(path, path + _KEPT, follow_symlinks=False)
    except FileExistsError:
        return  # the same file, from an installation that was killed
    except (OSError, NotImplementedError):
        os.rename(path, path + _KEPT)


def take_back(slot: Slot) -> bool:
    """Remove the shim, and put back what was there before; whether there was anything to do. Raises OSError.

    Also when somebody deleted the shim by hand, or pre-commit has taken its place.
    """
    path, kept = slot.path, slot.path + _KEPT
    if slot.state in (INSTALLED, OUTDATED) or (slot.kept and not os.path.lexists(path)):
        _put_back(kept, path)
        return True
    if slot.state == ABSENT and _same(path, kept):
        os.unlink(kept)
        return True
    legacy = read_hook(path + _LEGACY)
    if legacy is not None and kind_of(legacy) == OURS:
        _put_back(kept, path + _LEGACY)
        return True
    return False


def _put_back(kept: bytes, path: bytes) -> None:
    if os.path.lexists(kept):
        os.rename(kept, path)
    else:
        os.unlink(path)
