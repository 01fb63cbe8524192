"""The one way to reach git (cold).

In: a project's root and a plumbing command. Out: its standard output as bytes, or an error that says what git said and
what to do. Commands that run a repository's filters or hooks, rewrite the staging area's file or fetch missing objects
are not to be called from here; the settings in `calling` see to it that those which are called cannot either.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType

from greppy.errors import IndexFailure, IoFailure
from greppy.git.calling import git_command, git_environment
from greppy.git.sparse import objects_aside
from greppy.git.stuck import await_answer, communicate

TIMEOUT_SECONDS = 300.0
# A pipe takes at least this much at once (PIPE_BUF on Linux, and the size of a pipe for a user who has many).
BATCH_BYTES = 4096


def run(
    root: bytes,
    args: Sequence[bytes | str],
    stdin: bytes | None = None,
    timeout: float = TIMEOUT_SECONDS,
    *,
    work_tree: bytes | None = None,
    accept: Sequence[int] = (0,),
) -> bytes:
    """What `git ARGS`, run in `root`, writes to standard output.

    `work_tree` is the folder that holds `.git` where it is not `root`. `accept` are the exit statuses that are answers.
    Raises IndexFailure with git's own message, IoFailure where git cannot be run.
    """
    with started(root, args, work_tree=work_tree) as process:
        try:
            out, err = communicate(process, stdin, timeout)
        except subprocess.TimeoutExpired:
            raise IndexFailure(
                f"git {_verb(args)} took more than {timeout:g} s", "try again, or run it yourself"
            ) from None
    if process.returncode not in accept:
        raise failure(args, err)
    return out


@contextmanager
def started(
    root: bytes,
    args: Sequence[bytes | str],
    *,
    work_tree: bytes | None = None,
    stderr: int = subprocess.PIPE,
    variables: Mapping[bytes, bytes] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """`git ARGS`, running in `root` with pipes; it is ended when the block is left. `variables` are added to its
    environment."""
    command = git_command(root, args)
    if not command[0]:
        raise IoFailure(
            "this is a git repository, but there is no 'git' on PATH",
            "install git 2.25 or later; of PATH only absolute folders count",
        )
    pipe = subprocess.PIPE
    with objects_aside(work_tree or root) as aside:
        environment = {**git_environment(work_tree or root), **aside, **(variables or {})}
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr, env=environment, bufsize=0)
        except OSError as error:
            raise IoFailure(f"git cannot be run: {error.strerror}", "check that 'git --version' works") from None
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    process.wait()


def failure(args: Sequence[bytes | str], stderr: bytes) -> IndexFailure:
    """git's message as an error of ours; the remedy that git proposes for a foreign owner becomes the hint."""
    lines = [line.strip() for line in stderr.decode("utf-8", "backslashreplace").splitlines() if line.strip()]
    at = next((at for at, line in enumerate(lines) if line.startswith(("fatal:", "error:"))), 0)
    fatal = lines[at] if lines else "no message"
    if fatal.endswith(":"):  # such as for extensions of the repository, which are listed below
        fatal += " " + ", ".join(lines[at + 1 :])
    remedy = next((line for line in lines if line.startswith("git config ")), "")
    hint = f"run '{remedy}' if you trust it" if remedy else f"see what 'git {_verb(args)}' says in that folder"
    return IndexFailure(f"git {_verb(args)}: {fatal.partition(': ')[2] or fatal}", hint)


class OracleEnded(IndexFailure):
    """git met a path that it refuses to judge, such as one below a folder that has just become a link."""


class IgnoreOracle:
    """git's own judgement of untracked paths, by one `check-ignore` that is started at the first question.

    A context manager. `with_index` lets git take a `.gitignore` that is not on disk from the staging area (sparse
    checkouts); that costs a pass over the staging area for every path.
    """

    def __init__(self, root: bytes, work_tree: bytes | None = None, with_index: bool = False) -> None:
        self._root = root
        self._work_tree = work_tree
        # An answer for every question, so that it is known when to stop reading.
        options = ["-z", "--stdin", "--verbose", "--non-matching"]
        self._args = ["check-ignore", *options] if with_index else ["check-ignore", "--no-index", *options]
        self._exit = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipes: dict[bytes, bool] = {}

    def __enter__(self) -> IgnoreOracle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit.close()

    def excluded(self, paths: Sequence[bytes]) -> set[bytes]:
        """Those of `paths` (relative to the root, none of them below a symbolic link) that git ignores.

        Where a named pipe is called `.gitignore`, git would wait for it: our own rules judge, for which there is none.
        Raises OracleEnded when git refuses a path.
        """
        if any(map(self._is_pipe_above, paths)):
            return self._plainly_excluded(paths)
        found: set[bytes] = set()
        start, size = 0, 0
        for at, path in enumerate(paths):
            size += len(path) + 3
            if size > BATCH_BYTES and at > start:
                found.update(self._ask(paths[start:at]))
                start, size = at, len(path) + 3
        if paths:
            found.update(self._ask(paths[start:]))
        return found

    def _is_pipe_above(self, path: bytes) -> bool:
        folder = path
        while folder:
            folder = folder[: max(folder.rfind(b"/"), 0)]
            if folder not in self._pipes:
                self._pipes[folder] = _is_pipe(os.path.join(self._root, folder, b".gitignore"))
            if self._pipes[folder]:
                return True
        return False

    def _plainly_excluded(self, paths: Sequence[bytes]) -> set[bytes]:
        from greppy.git.plain import PlainRules  # rarely needed, and imports much

        rules = PlainRules(self._root)
        return {path for path in paths if rules.excludes(path, os.path.isdir(os.path.join(self._root, path)))}

    def _ask(self, paths: Sequence[bytes]) -> Iterator[bytes]:
        if self._process is None:
            starting = started(self._root, self._args, work_tree=self._work_tree, stderr=subprocess.DEVNULL)
            self._process = self._exit.enter_context(starting)
        # './' keeps ':(exclude)d' a name.
        question = b"".join(b"./" + path + b"\0" for path in paths)
        fields = _exchange(self._process, question, 4 * len(paths))
        for path, source, pattern in zip(paths, fields[0::4], fields[2::4], strict=False):
            if source and not pattern.startswith(b"!"):
                yield path


def _is_pipe(path: bytes) -> bool:
    try:
        return stat.S_ISFIFO(os.lstat(path).st_mode)
    except OSError:
        return False


def _exchange(process: subprocess.Popen[bytes], question: bytes, count: int) -> list[bytes]:
    """The `count` NUL-ended fields that a running git answers to `question`."""
    assert process.stdin is not None
    assert process.stdout is not None
    answer = bytearray()
    try:
        process.stdin.write(question)
        while answer.count(b"\0") < count:
            await_answer(process)
            part = process.stdout.read(65536)
            if not part:
                raise BrokenPipeError
            answer += part
    except BrokenPipeError:
        raise OracleEnded("git check-ignore ended before it answered", "try again") from None
    return bytes(answer).split(b"\0")[:count]


def _verb(args: Sequence[bytes | str]) -> str:
    words = [os.fsdecode(arg) for arg in args]
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] == "-c" else 1]
    return words[0] if words else ""
