"""The contents of blobs, and which of them are not here (cold).

In: hashes in hexadecimal. Out: bytes, None for a blob that a partial clone has left with its promisor: nothing is
fetched. `cat-file --batch` ends at such a blob; it is started again behind it, and who reads many asks for the missing
ones first.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from io import BufferedReader, FileIO
from types import TracebackType

from greppy.errors import IndexFailure
from greppy.git.plumbing import BATCH_BYTES, run, started
from greppy.git.project import Project, read_small
from greppy.git.stuck import await_answer

NOT_HERE = "object not here"
"""Why a blob of a partial clone, or of a damaged repository, cannot be looked at."""

_READ = ["cat-file", "--batch"]
_LITERALLY = ["--no-replace-objects"]
_BUFFER = 1 << 18
_PIPE_BYTES = 1 << 20


def is_partial(project: Project) -> bool:
    """Whether objects may be missing by design: `remote.NAME.promisor` or `extensions.partialClone` is set."""
    if project.common_dir is None:
        return False
    config = read_small(os.path.join(project.common_dir, b"config")).lower()
    return b"promisor" in config or b"partialclone" in config


def missing_blobs(project: Project, tree: bytes) -> frozenset[bytes]:
    """The blobs of a commit or tree that are not here; none are looked for where the clone is not partial."""
    if not is_partial(project):
        return frozenset()
    args = [b"rev-list", b"--objects", b"--no-object-names", b"--missing=print", b"--max-count=1", tree]
    out = run(project.root, args, work_tree=project.work_tree)
    return frozenset(line[1:] for line in out.splitlines() if line.startswith(b"?"))


class Blobs:
    """Reads blobs by a running `cat-file --batch`; a context manager.

    With `keep`, so many bytes of what was read first are kept for the next time: most of a tree is in its neighbours.
    `literally`: no object is taken for one that replaces it, so that the bytes are those of the hash.
    """

    def __init__(self, project: Project, keep: int = 0, literally: bool = False) -> None:
        self._project = project
        self._args = [*_LITERALLY, *_READ] if literally else _READ
        self._room = keep
        self._kept: dict[bytes, bytes] = {}
        self._lenient = is_partial(project)
        self._exit = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: BufferedReader | None = None

    def __enter__(self) -> Blobs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._exit.close()
        self._process = self._answers = None

    def read(self, oids: Sequence[bytes]) -> Iterator[bytes | None]:
        """The content of each blob, in order; None for one that is not there. Raises IndexFailure where git ends."""
        if not self._room and not self._kept:
            return self._read(oids)
        return self._remembering(oids)

    def _remembering(self, oids: Sequence[bytes]) -> Iterator[bytes | None]:
        known = self._kept.copy()
        contents = self._read([oid for oid in oids if oid not in known])
        for oid in oids:
            content = known[oid] if oid in known else next(contents)
            if content is not None and len(content) <= self._room and oid not in self._kept:
                self._kept[oid] = content
                self._room -= len(content)
            yield content

    def _read(self, oids: Sequence[bytes]) -> Iterator[bytes | None]:
        answered = asked = 0
        while answered < len(oids):
            # Two pieces fit into the pipe: git is at the next one while this one is looked at.
            piece = BATCH_BYTES // 2 // (len(oids[0]) + 1)
            while asked < len(oids) and asked - answered <= piece:
                self._ask(oids[asked : asked + piece])
                asked += piece
            assert self._answers is not None
            whole, content = _answer(self._answers)
            if not whole and not self._lenient:
                raise IndexFailure("git cat-file ended before it answered", "run 'git fsck'")
            answered += 1
            if not whole:
                self._end()
                asked = answered
            yield content

    def _ask(self, oids: Sequence[bytes]) -> None:
        if self._process is None or self._answers is None:
            command = started(
                self._project.root,
                self._args,
                work_tree=self._project.work_tree,
                stderr=subprocess.DEVNULL,
            )
            self._process = self._exit.enter_context(command)
            assert isinstance(self._process.stdout, FileIO)
            _widen(self._process.stdout.fileno())
            self._answers = BufferedReader(self._process.stdout, _BUFFER)
            self._say(self._process, oids)
            await_answer(self._process)
        else:
            self._say(self._process, oids)

    def _say(self, process: subprocess.Popen[bytes], oids: Sequence[bytes]) -> None:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(b"".join(oid + b"\n" for oid in oids))


def _widen(pipe: int) -> None:
    """Let git run ahead by several blobs, where a pipe's size can be set (Linux, within the user's share)."""
    with suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _answer(answers: BufferedReader) -> tuple[bool, bytes | None]:
    """Whether git goes on, and the content of a blob."""
    head = answers.readline()
    size = head.rpartition(b" ")[2].strip()
    if not size.isdigit():
        return head.endswith(b"\n"), None
    content = answers.read(int(size) + 1)
    whole = len(content) > int(size)
    return whole, content[:-1] if whole else None


def sizes(project: Project, oids: Sequence[bytes]) -> list[int | None]:
    """The bytes of each blob, whatever replaces it; None for one that is not there. None of them may be
    `missing_blobs`'."""
    out = run(
        project.root,
        [*_LITERALLY, "cat-file", "--batch-check=%(objectsize)"],
        b"".join(oid + b"\n" for oid in oids),
        work_tree=project.work_tree,
    )
    return [int(line) if line.isdigit() else None for line in out.splitlines()]
