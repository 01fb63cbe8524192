"""Checks of `$GREPPY_HOME` itself: whose it is, who may enter it, its disk, its configuration, what was left (cold)."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator
from functools import partial

from greppy.config import config_file
from greppy.index.doctor.finding import FAIL, OK, WARN, Finding, Place
from greppy.index.gc import leftovers, sweep
from greppy.index.home import holds_only_ours, refusal
from greppy.index.store import directory_bytes
from greppy.log import printable

LITTLE, TOO_LITTLE = 1 << 30, 1 << 26
"""Free bytes below which an index may not fit, and below which hardly anything can be written."""


def check_home(place: Place) -> Iterator[Finding]:
    """Owner and modes of the home and of everything in it."""
    name = printable(os.fsdecode(place.home))
    if not os.path.lexists(place.home):
        why = refusal(place.home)
        yield (
            Finding("home", FAIL, why, "set GREPPY_HOME to a folder that can be written")
            if why
            else Finding("home", OK, f"{name} does not exist yet")
        )
        return
    loose = _loose(place.home)
    if loose:
        shown = printable(os.fsdecode(loose[0])) + (f" and {len(loose) - 1} more" if len(loose) > 1 else "")
        repair = partial(_tighten, loose)
        yield Finding("home", FAIL, f"others may read or change {shown}", "chmod go= on each", repair)
    foreign = [path for path in _everything(place.home) if not _is_mine(path)]
    if foreign:
        message = f"{printable(os.fsdecode(foreign[0]))} belongs to another user"
        yield Finding("home", FAIL, message, "give it to yourself with chown, or set GREPPY_HOME to another folder")
        return
    why = "" if loose else refusal(place.home)
    if why:
        yield Finding("home", FAIL, why, f"{_remedy(place.home)}, or set GREPPY_HOME to another folder")
    elif not loose:
        yield Finding("home", OK, f"{name}, {directory_bytes(place.home) / (1 << 20):.1f} MB")


def _remedy(home: bytes) -> str:
    """What makes a folder of ours usable that is refused: who else may write to it, or we ourselves may not."""
    name = printable(os.fsdecode(home))
    if not os.path.isdir(home):
        return f"move {name} away"
    return f"chmod 700 {name}, if you keep nothing there for others" if _mode(home) & 0o022 else "make it writable"


def _everything(home: bytes) -> Iterator[bytes]:
    """What is ours of a home, which may be any folder: all of it where it holds nothing else."""
    tops = [home] if holds_only_ours(home) else [home + b"/indexes", config_file(home), home + b"/hooks"]
    for top in tops:
        if os.path.lexists(top):
            yield top
        for folder, folders, files in os.walk(top):
            yield from (os.path.join(folder, name) for name in (*folders, *files))


def _loose(home: bytes) -> list[bytes]:
    """What others may enter, read or change. Who cannot enter a folder cannot reach what is in it."""
    tops = [home] if holds_only_ours(home) else [home + b"/indexes"]
    return [top for top in tops if _mode(top) & 0o077]


def _mode(path: bytes) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return 0


def _is_mine(path: bytes) -> bool:
    try:
        return not hasattr(os, "geteuid") or os.lstat(path).st_uid == os.geteuid()
    except OSError:
        return True


def _tighten(paths: list[bytes]) -> str:
    for path in paths:
        os.chmod(path, 0o700)
    return "closed to others"


def check_disk(place: Place) -> Iterator[Finding]:
    """Whether there is room for an index."""
    folder = place.home
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    free = shutil.disk_usage(folder).free
    message = f"{free / (1 << 30):.1f} GB free"
    if free >= LITTLE:
        yield Finding("disk", OK, message)
    else:
        state = FAIL if free < TOO_LITTLE else WARN
        yield Finding("disk", state, message, "free some space; 'greppy gc' and 'greppy forget' help")


def check_configuration(place: Place) -> Iterator[Finding]:
    """Whether config.toml is understood."""
    if place.trouble:
        yield Finding("config", FAIL, place.trouble, "correct config.toml")
        return
    for warning in place.config.warnings:
        yield Finding("config", WARN, warning, "correct or remove it; it has no effect")
    if not place.config.warnings:
        there = os.path.exists(config_file(place.home))
        count = len(place.config.origins)
        yield Finding("config", OK, f"{count} settings in config.toml" if there else "no config.toml; all defaults")


def check_leftovers(place: Place) -> Iterator[Finding]:
    """Whether processes that were killed left files outside of the indexes."""
    for path in leftovers(place.home, time.time()):
        message = f"{printable(os.fsdecode(path))} was left by a process that was killed"
        yield Finding("leftovers", WARN, message, "'greppy gc' removes it", partial(_swept, path))


def _swept(path: bytes) -> str:
    sweep(path)
    return "removed"
