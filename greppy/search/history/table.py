"""All that is kept of a repository's history, and how it grows: segments in a folder of the index (cold).

In: a project and its store. Out: which of some commits may have a change that matches. What is not known of a commit is
read from git once, by several processes, and kept::

    $GREPPY_HOME/indexes/…/history/root                 the project's root
    $GREPPY_HOME/indexes/…/history/<xxh3-128>.segment   see `segment`

Segments are never changed, so nobody needs a lock to read; two processes may write the same commits twice. Those of a
size are merged when eight have gathered, by whoever gets the folder's lock. Where nothing can be written all is done in
memory, each time anew; and where a segment is damaged it is removed and its commits are read again.
"""

from __future__ import annotations

import fcntl
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple

from xxhash import xxh3_128_hexdigest

from greppy import log
from greppy.errors import DamagedIndex
from greppy.git.history import Patch, identity, patches
from greppy.git.project import Project
from greppy.index.examine import cores
from greppy.index.format import OtherVersion
from greppy.index.home import readable
from greppy.index.lock import open_lock
from greppy.index.store import HISTORY, Store, Unwritable, make_folder, map_file, publish, remove
from greppy.query.regex.formula import Formula
from greppy.search.history.segment import Kept, Segment, SegmentWriter, merged

FACTOR = 8
LARGEST_MERGED = 1 << 16
"""Commits from which on a segment is left alone."""

MANY = 2000
"""Commits from which on reading them is worth a word: some two seconds."""

_PART = 128
"""Commits that one git process is given at once, at least."""

SUFFIX = b".segment"


class _Known(NamedTuple):
    """A segment with what a formula says of it."""

    segment: Segment
    path: bytes
    documents: set[int] | None
    candidates: set[int]


class Table:
    """What is known of commits, for one formula. A context manager: segments are merged when it is left."""

    def __init__(self, project: Project, store: Store, formula: Formula) -> None:
        self._project = project
        self._store = store
        self._formula = formula
        self._folder = store.directory + HISTORY
        self._identity = identity(project)
        self._known: list[_Known] = []
        self._learnt = 0
        self._places: dict[bytes, tuple[int, int]] = {}

    def __enter__(self) -> Table:
        if not self._store.refusal or readable(self._store.home):
            for name in segment_names(self._folder):
                self._open(self._folder + b"/" + name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._store.refusal:
            self._merge()

    def _open(self, path: bytes) -> None:
        try:
            buffer = map_file(path)
            if buffer is None:
                return
            segment = Segment(buffer, os.fsdecode(path))
            if segment.is_of(self._identity):
                self._take(segment, path)
            else:
                remove(path)
        except OtherVersion:
            remove(path)
        except DamagedIndex as error:
            log.notice(f"{error.message}; reading again what it held")
            remove(path)

    def _take(self, segment: Segment, path: bytes) -> None:
        documents = segment.documents(self._formula)
        known = _Known(segment, path, documents, segment.candidates(documents))
        for ordinal, oid in enumerate(segment.oids()):
            self._places.setdefault(oid, (len(self._known), ordinal))
        self._known.append(known)

    def learn(self, oids: Sequence[bytes]) -> None:
        """Read of these commits what is not known yet."""
        missing = [oid for oid in oids if oid not in self._places]
        if not missing:
            return
        self._learnt += len(missing)
        if self._learnt > MANY > self._learnt - len(missing):
            log.notice("reading what each commit changes; it is kept for the next time")
        writer = SegmentWriter(self._identity)
        for oid, changed in self._read(missing):
            writer.add(oid, changed)
        content = writer.pack()
        self._take(Segment(memoryview(content), "memory"), self._keep(content))

    def _read(self, oids: Sequence[bytes]) -> Iterator[tuple[bytes, list[Patch]]]:
        size = max(_PART, -(-len(oids) // cores()))
        parts = [oids[at : at + size] for at in range(0, len(oids), size)]
        if len(parts) == 1:
            yield from patches(self._project, oids).items()
            return
        from concurrent.futures import ThreadPoolExecutor  # rarely needed, and slow to import

        with ThreadPoolExecutor(len(parts)) as threads:
            for found in threads.map(lambda part: patches(self._project, part), parts):
                yield from found.items()

    def _keep(self, content: bytes) -> bytes:
        """Publish a segment; its path, b"" where it cannot be written."""
        if self._store.refusal:
            return b""
        try:
            self._store.create()
            _make_folder(self._folder, self._project.root)
            path = self._folder + b"/" + xxh3_128_hexdigest(content).encode() + SUFFIX
            publish(path, content)
        except (Unwritable, OSError):
            return b""
        return path

    def files(self, oid: bytes) -> list[Kept]:
        """What a commit changes, if anything in it may match; nothing otherwise."""
        at, ordinal = self._places[oid]
        known = self._known[at]
        return known.segment.files(ordinal, known.documents) if ordinal in known.candidates else []

    def _merge(self) -> None:
        group = _overfull([known for known in self._known if known.path])
        if not group:
            return
        try:
            with _only_one(self._folder) as alone:
                if alone and all(os.path.exists(known.path) for known in group):
                    self._put_together(group)
        except (DamagedIndex, OSError) as error:
            log.event("warn", "greppy.history", merging=str(error))

    def _put_together(self, group: Sequence[_Known]) -> None:
        if self._keep(merged([known.segment for known in group], self._identity)):
            for known in group:
                remove(known.path)


def segment_names(folder: bytes) -> list[bytes]:
    """The names of the segments in a folder."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except OSError:
        return []


def _make_folder(folder: bytes, root: bytes) -> None:
    make_folder(folder, instead=True)
    if not os.path.isfile(folder + b"/root"):
        publish(folder + b"/root", root)


def _overfull(known: Sequence[_Known]) -> list[_Known]:
    """The segments of the lowest tier (commits within a factor of `FACTOR`) that has gathered so many of them."""
    tiers: dict[int, list[_Known]] = defaultdict(list)
    for each in known:
        if len(each.segment) < LARGEST_MERGED:
            tiers[_tier(len(each.segment))].append(each)
    return next((tiers[tier] for tier in sorted(tiers) if len(tiers[tier]) >= FACTOR), [])


def _tier(commits: int) -> int:
    tier = 0
    while commits >= FACTOR:
        commits //= FACTOR
        tier += 1
    return tier


@contextmanager
def _only_one(folder: bytes) -> Iterator[bool]:
    """Hold the lock of the folder, if nobody else does."""
    fd = open_lock(folder + b"/lock")
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(fd)
