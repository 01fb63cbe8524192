"""Whether an index may be kept below `$GREPPY_HOME`: who owns it, who else may enter it, can it be written. Hot path.

In: the home's path. Out: a sentence that says why not, or nothing. Exists because every search asks before it opens
anything, and because a home may be any folder that the user names: `/tmp`, say, or the home of somebody else.

A loose mode is tightened where the folder holds nothing but our own files. Any other folder keeps its mode; then
others must not be able to write to it, and `indexes` alone (which is always ours) keeps them out.
"""

from __future__ import annotations

import os
import stat

_OURS = (b"indexes", b"config.", b"projects.json", b"daemon.", b"hooks")
"""How the names in a home begin that we give."""


def refusal(home: bytes) -> str:
    """Why nothing may be written below a home; empty when all is well, also when it can still be made."""
    try:
        found = os.stat(home)
    except (FileNotFoundError, NotADirectoryError):
        return _refusal_to_make(home)
    except OSError as error:
        return _cannot(home, error.strerror or "unreadable")
    return _refusal_of_home(home, found) or _refusal_of_indexes(home + b"/indexes")


def _cannot(path: bytes, why: str) -> str:
    return f"cannot use {os.fsdecode(path)}: {why}"


def _refusal_to_make(home: bytes) -> str:
    parent = os.path.dirname(os.path.abspath(home))
    while not os.path.lexists(parent):
        parent = os.path.dirname(parent)
    if not os.path.isdir(parent):
        return _cannot(home, f"{os.fsdecode(parent)} is not a folder")
    if not os.access(parent, os.W_OK | os.X_OK):
        return _cannot(home, f"it cannot be made in {os.fsdecode(parent)}")
    return ""


def _refusal_of_home(home: bytes, found: os.stat_result) -> str:
    if not stat.S_ISDIR(found.st_mode):
        return _cannot(home, "not a folder")
    if not _is_mine(found):
        return _cannot(home, "it belongs to another user")
    if not os.access(home, os.W_OK | os.X_OK):
        return _cannot(home, "it cannot be written")
    if found.st_mode & 0o077 and not (holds_only_ours(home) and _tightened(home)) and found.st_mode & 0o022:
        return _cannot(home, "others may write to it")
    return ""


def _refusal_of_indexes(indexes: bytes) -> str:
    try:
        found = os.stat(indexes)
    except OSError:
        return ""
    if not stat.S_ISDIR(found.st_mode):
        return _cannot(indexes, "not a folder")
    if not _is_mine(found):
        return _cannot(indexes, "it belongs to another user")
    if found.st_mode & 0o077 and not _tightened(indexes):
        return _cannot(indexes, "others may enter it and its mode cannot be changed")
    return "" if os.access(indexes, os.W_OK | os.X_OK) else _cannot(indexes, "it cannot be written")


def _is_mine(found: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


def holds_only_ours(home: bytes) -> bool:
    """Whether nothing lies in a home that we did not put there."""
    try:
        return all(name.startswith(_OURS) for name in os.listdir(home))
    except OSError:
        return False


def _tightened(folder: bytes) -> bool:
    try:
        os.chmod(folder, 0o700)
    except OSError:
        return False
    return True


def readable(home: bytes) -> bool:
    """Whether an index below a home that is refused may be read all the same: it is ours (a read-only disk, say)."""
    try:
        folders = os.stat(home), os.stat(home + b"/indexes")
    except OSError:
        return False
    return all(_is_mine(folder) and not folder.st_mode & 0o022 for folder in folders)
