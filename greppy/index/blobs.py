"""One file of the working tree → one row of the manifest, analysing its bytes only when nobody has yet. Cold path.

In: a path, what is known of it by its name, the analyses that exist. Out: a `Row`; a new analysis goes to a
`ShardWriter`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from greppy.analysis.encoding import to_text
from greppy.analysis.languages import HEAD_BYTES, detect
from greppy.git.files import Folders, Unreadable, hash_blob, is_racy, read_with_signature
from greppy.git.files import signature as signature_of
from greppy.index.ledger import ABSENT, Row, Signature, unsettled

if TYPE_CHECKING:
    from greppy.index.known import Key, Known, Place
    from greppy.index.writer import ShardWriter

PENDING = ""
"""The shard of a row whose analysis is in a shard that is still being written."""


class Task(NamedTuple):
    """A file to look at: its path and size, and the flags of its path and its attributes."""

    path: bytes
    size: int
    flags: int


class Scope(NamedTuple):
    """What holds for every file of a build. `observed_ns`: when its stat data began to be read (`time.time_ns`)."""

    root: bytes
    algorithm: str
    max_file_size: int
    observed_ns: int


class Examiner:
    """Looks at files one after the other; new analyses go to `writer`, and twins of one blob share one analysis.

    `folders` is of the scope's root.
    """

    def __init__(self, scope: Scope, known: Known, writer: ShardWriter, folders: Folders) -> None:
        self._scope = scope
        self._folders = folders
        self._known = known
        self.writer = writer
        self._new: dict[Key, int] = {}

    def row(self, task: Task, plain: bool = False) -> Row | None:
        """The row of one file; None when it is no longer there. `plain`: without its grammar, which crashed on it."""
        scope = self._scope
        try:
            data, signature = read_with_signature(scope.root, task.path, scope.max_file_size, self._folders)
        except Unreadable as error:
            return None if error.reason == "missing" else self.left_out(task, error.reason)
        key = _key(scope, task, data)
        found = self._known.find(key)
        if found is None:
            blob = self._analysed(key, data, plain)
            found = None if blob is None else (PENDING, blob)
        return _row(task, _settled(scope, signature), key, found)

    def _analysed(self, key: Key, data: bytes, plain: bool) -> int | None:
        """The ordinal in the writer of a blob's analysis; None when the blob is binary.

        An analysis without the grammar goes by the blob's own language, so that these bytes crash nobody again.
        """
        blob = self._new.get(key)
        if blob is None:
            # Here, because importing it takes longer than looking at a hundred files that are known.
            from greppy.analysis.chunks import PARSE_ERROR, analyze

            analysis = analyze(data, "text" if plain else key[1])
            if analysis is None:
                return None
            if plain:
                analysis = analysis._replace(flags=analysis.flags | PARSE_ERROR)
            blob = self._new[key] = self.writer.add(*key, analysis, data)
        return blob

    def left_out(self, task: Task, reason: str) -> Row:
        """The row of a file that is not indexed."""
        signature = _settled(self._scope, current_signature(self._scope.root, task.path))
        return Row(task.path, signature, b"", task.flags, reason, "", 0)


def known_row(scope: Scope, known: Known, task: Task, data: bytes, signature: Signature) -> Row | None:
    """The row of a file with this content, as long as nothing has to be analysed for it."""
    key = _key(scope, task, data)
    found = known.find(key)
    if found is None and to_text(data) is not None:
        return None
    return _row(task, _settled(scope, signature), key, found)


def _key(scope: Scope, task: Task, data: bytes) -> Key:
    return hash_blob(data, scope.algorithm), detect(task.path, data[:HEAD_BYTES])


def _row(task: Task, signature: Signature, key: Key, found: Place | None) -> Row:
    """The row of a file that was read; without a place it is binary."""
    if found is None:
        return Row(task.path, signature, key[0], task.flags, "binary", "", 0)
    return Row(task.path, signature, key[0], task.flags, "", *found)


def _settled(scope: Scope, signature: Signature) -> Signature:
    return unsettled(signature) if is_racy(signature, scope.observed_ns) else signature


def current_signature(root: bytes, path: bytes, folder: bool = False) -> Signature:
    """What lstat says now; all zeros when it says nothing."""
    try:
        found = os.lstat(root if path == b"." else root + b"/" + path)
    except OSError:
        return ABSENT
    size, mtime, ctime, inode = signature_of(found)
    return (-1 if folder else size), mtime, ctime, inode
