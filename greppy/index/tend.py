"""Upkeep of one index: what nobody needs any more goes, small shards are put together. Cold path.

In: an index's directory. Out: what was done, or would be. All under the index's lock; an index that somebody is
changing is left alone. No reader is harmed: what is removed under him stays mapped, and a manifest is replaced only
after the shards that it names.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from greppy.errors import DamagedIndex
from greppy.index.compact import Compacted, compact
from greppy.index.lock import Lock
from greppy.index.store import (
    HISTORY,
    LOCK,
    SHARDS,
    TEMPORARY,
    Unwritable,
    Vanished,
    collect,
    directory_bytes,
    garbage,
    history_root,
    manifests,
    open_manifest,
    remove,
    revisions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

GONE, UNREADABLE, TOO_MUCH = "its folder is gone", "made by another version", "the size cap"
BUSY = "another process is changing it"

_PATIENCE_SECONDS = 2.0
_LEFTOVER_SECONDS = 3600.0


class Tended(NamedTuple):
    """What was done to one index, or would be. `roots` are its worktrees, `gone` those whose folder is gone; `removed`
    says why all of it went, `trouble` why something was left as it is. Sizes in bytes, `used` in seconds since the
    epoch."""

    directory: bytes
    roots: Sequence[bytes]
    freed: int = 0
    left: int = 0
    used: float = 0.0
    gone: Sequence[bytes] = ()
    revisions: int = 0
    shards: int = 0
    temporary: int = 0
    compacted: Compacted = Compacted()
    removed: str = ""
    trouble: str = ""


class Rules(NamedTuple):
    """How to tend. `keep` gives the seconds that what is unused is kept, by the worktrees of the index."""

    keep: Callable[[Sequence[bytes]], float]
    now: float
    dry_run: bool


class _Holder(NamedTuple):
    """A manifest or a history, and the folder that it is of, or b"" where it cannot be read."""

    path: bytes
    root: bytes

    @property
    def is_gone(self) -> bool:
        return bool(self.root) and not os.path.isdir(self.root)


def tend(directory: bytes, rules: Rules) -> Tended:
    """Tend the index in a directory. Raises `Unwritable`."""
    used = _last_use(directory)
    try:
        with holding(directory) as held:
            if held:
                return _tend(directory, rules)._replace(used=used)
    except Unwritable:
        if os.path.isdir(directory):
            raise
        return Tended(directory, ())  # somebody else has removed it
    left = directory_bytes(directory)
    return Tended(directory, _roots(_holders(directory)), left=left, used=used, trouble=BUSY)


def remove_index(directory: bytes) -> bool:
    """Remove an index for good, unless somebody is changing it. Raises `Unwritable`."""
    with holding(directory) as held:
        if held:
            _remove_held(directory)
        return held


@contextmanager
def holding(directory: bytes) -> Iterator[bool]:
    """Hold an index's lock; false where somebody else keeps it for more than two seconds."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        with Lock(directory, wait=False) as held:
            if held or time.monotonic() > end:
                yield held
                return
        time.sleep(0.05)


def _last_use(directory: bytes) -> float:
    """When the index was last searched (`Store.note_use`) or changed. Access times are not kept on every disk."""
    return max(map(_mtime, [directory + LOCK, *manifests(directory)]))


def _mtime(path: bytes) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _holders(directory: bytes) -> list[_Holder]:
    """Everything that names shards, but what another version made."""
    found = []
    for path in [*manifests(directory), *revisions(directory)]:
        try:
            manifest = open_manifest(path)
        except DamagedIndex:
            found.append(_Holder(path, b""))
        else:
            found += [_Holder(path, manifest.meta.root)] if manifest else []
    return found


def _roots(holders: Sequence[_Holder]) -> list[bytes]:
    return list(dict.fromkeys(holder.root for holder in holders if holder.root))


def _tend(directory: bytes, rules: Rules) -> Tended:
    before = directory_bytes(directory)
    holders = _holders(directory)
    past = _Holder(directory + HISTORY, history_root(directory))
    roots = _roots(holders) or _roots([past])
    gone = [root for root in roots if not os.path.isdir(root)]
    if all(holder.is_gone for holder in holders) and (past.is_gone or not past.root):
        if not rules.dry_run:
            _remove_held(directory)
        return Tended(directory, roots, before, gone=gone, removed=GONE if roots else UNREADABLE)
    keep = rules.keep([root for root in roots if root not in gone])
    asked_long_ago = [path for path in revisions(directory) if _mtime(path) < rules.now - keep]
    without = {holder.path for holder in holders if holder.is_gone} | {*asked_long_ago}
    waste = [*without, *_waste(directory, without)]
    done = _removed(waste, rules.dry_run)
    kept = [holder.path for holder in holders if holder.path not in without]
    compacted, trouble = _compacted(directory, kept, keep, rules)
    after = before - done - compacted.freed if rules.dry_run else directory_bytes(directory)
    return Tended(
        directory,
        roots,
        before - after,
        after,
        gone=gone,
        revisions=len(asked_long_ago),
        shards=sum(os.path.dirname(path).endswith(SHARDS) and not _is_temporary(path) for path in waste),
        temporary=sum(map(_is_temporary, waste)),
        compacted=compacted,
        trouble=trouble,
    )


def _waste(directory: bytes, without: Collection[bytes]) -> list[bytes]:
    """Files that nobody needs. Who builds in the background holds the lock, so the progress file is of a dead one."""
    progress = directory + b"/progress"
    found = [path for path in garbage(directory, without) if path not in without]
    return [*found, *([progress] if os.path.lexists(progress) else []), *_left_in_history(directory)]


def _left_in_history(directory: bytes) -> Iterator[bytes]:
    """Temporary files of a history that was killed; it writes without the index's lock, in less than an hour."""
    folder = directory + HISTORY
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = folder + b"/" + name
        if name.startswith(TEMPORARY) and _mtime(path) < time.time() - _LEFTOVER_SECONDS:
            yield path


def _is_temporary(path: bytes) -> bool:
    name = os.path.basename(path)
    return name.startswith(TEMPORARY) or name == b"progress"


def _removed(paths: Sequence[bytes], dry_run: bool) -> int:
    """Remove files; the bytes that they had."""
    size = 0
    for path in paths:
        try:
            size += os.lstat(path).st_size
        except OSError:
            continue
        if not dry_run:
            remove(path)
    return size


def _compacted(directory: bytes, paths: Sequence[bytes], keep: float, rules: Rules) -> tuple[Compacted, str]:
    """What became of the shards, and what was in the way."""
    try:
        done = compact(directory, paths, keep, rules.now, rules.dry_run)
    except DamagedIndex as error:
        return Compacted(), error.message
    except Vanished as error:
        return Compacted(), f"its shard {error} is missing"
    if not rules.dry_run:
        collect(directory)
    return done, ""


def _remove_held(directory: bytes) -> None:
    """Out of the way first: nobody shall find half an index, or put a new one there meanwhile."""
    away = os.path.dirname(directory) + b"/" + TEMPORARY + os.path.basename(directory)
    shutil.rmtree(away, ignore_errors=True)
    os.rename(directory, away)
    shutil.rmtree(away, ignore_errors=True)
