"""Commits, and what each changes (cold).

In: a project, revisions and pathspecs as the user wrote them. Out: commits newest first as `git log` has them, the
files that a commit changes, and the lines that come and go. All by `rev-list`, `diff-tree` and `cat-file`, which read
objects and run nothing that a repository's configuration names: no textconv, no external diff, no pager, no gpg.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from greppy.errors import BadArguments, IndexFailure
from greppy.git.plumbing import failure, run, started
from greppy.git.project import Project, open_regular
from greppy.git.replaced import fingerprint, replacements
from greppy.git.stuck import await_answer

SUBMODULE = b"160000"
LARGEST_PATCH = 1 << 28
"""Bytes of patches that are taken in at once; a commit with more is taken for one of which nothing is known."""

MOST_COMMITS = 1000
"""Hashes that a pipe takes at once, 64 KiB: git writes before it has read all."""

_FORMAT = "%x00".join(["%h", "%aI", "%an", "%s"]) + "%x00"
_PLAIN = ("--stdin", "-r", "--root", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-color")


class Commit:
    """`oid` is hexadecimal; the rest is taken apart when somebody asks, since most commits are only passed by."""

    __slots__ = ("_fields", "oid")

    def __init__(self, record: bytes) -> None:
        head, _, self._fields = record.partition(b"\n")
        self.oid = head.removeprefix(b"commit ")

    def about(self) -> About:
        """What git says of it."""
        return About(*(field.decode("utf-8", "replace") for field in self._fields.split(b"\0")))


class About(NamedTuple):
    """The abbreviated hash, the author's date as ISO 8601 has it, the author, the subject."""

    short: str
    date: str
    author: str
    subject: str


class Change(NamedTuple):
    """One file that a commit changes. Paths are from the working tree's top; `old_path` differs where the file was
    renamed. `old` and `new` are the blobs, hexadecimal, b"" for none; modes as git has them."""

    path: bytes
    old_path: bytes
    old: bytes
    new: bytes
    old_mode: bytes
    new_mode: bytes


class Patch(NamedTuple):
    """A change with the lines that it takes out and puts in, each behind its `-` or `+`, and what says where they are
    ("@@ -12 +12,2 @@"); None where git takes the file for binary, or nothing is known."""

    change: Change
    hunks: bytes | None


class Range(NamedTuple):
    """Which commits: `revisions` as rev-list takes them, `options` such as `--since=…`, `specs` as seen from `cwd`."""

    cwd: bytes
    revisions: Sequence[bytes]
    options: Sequence[bytes] = ()
    specs: Sequence[bytes] = ()


def commits(project: Project, wanted: Range) -> Iterator[Commit]:
    """The commits that are no merges, newest first, while git finds them. Raises BadArguments with git's message."""
    args = [b"rev-list", b"--no-merges", b"--format=" + _FORMAT.encode(), *wanted.options]
    args += [b"--end-of-options", *(wanted.revisions or [b"HEAD"]), b"--", *wanted.specs]
    with started(wanted.cwd, args, work_tree=project.work_tree) as process:
        rest = b""
        for part in _parts(process):
            *records, rest = (rest + part).split(b"\0\n")
            yield from map(Commit, records)
        assert process.stderr is not None
        said = process.stderr.read()
        if process.wait():
            raise _refusal(failure(args, said))


def _parts(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    assert process.stdout is not None
    await_answer(process)
    while part := process.stdout.read(1 << 16):
        yield part
        await_answer(process)


def _refusal(error: IndexFailure) -> BadArguments:
    return BadArguments(error.message.removeprefix("git rev-list: "), "see 'git help revisions'; paths go behind --")


def identity(project: Project) -> bytes:
    """What decides which parents and trees commits have besides the commits: grafts, a shallow end, replacements."""
    parts = [fingerprint(replacements(project))]
    for name in (b"/shallow", b"/info/grafts"):
        parts.append(_read_regular((project.common_dir or b"") + name))
    return b"\0".join(parts)


def _read_regular(path: bytes) -> bytes:
    """A file of git's own; nothing where there is none, or a pipe that nobody writes to."""
    try:
        with open(open_regular(path), "rb") as file:
            return file.read()
    except OSError:
        return b""


def changes(project: Project, cwd: bytes, oids: Sequence[bytes], specs: Sequence[bytes]) -> dict[bytes, list[Change]]:
    """What commits change of what `specs` match, renames found as `git log` finds them."""
    args: list[bytes | str] = ["diff-tree", *_PLAIN, "--raw", "-z", "-M", "--", *specs]
    out = run(cwd, args, b"".join(oid + b"\n" for oid in oids), work_tree=project.work_tree)
    found: dict[bytes, list[Change]] = {}
    fields = iter(out.split(b"\0"))
    current: list[Change] = []
    for field in fields:
        if not field.startswith(b":"):
            current = found.setdefault(field, [])
            continue
        path = next(fields)
        current.append(_change(field, path, next(fields) if field[-4:-3] in (b"R", b"C") else path))
    return found


def _change(head: bytes, old_path: bytes, path: bytes) -> Change:
    old_mode, new_mode, old, new, _ = head[1:].split(b" ")
    return Change(path, old_path, _present(old), _present(new), old_mode, new_mode)


def _present(oid: bytes) -> bytes:
    return oid if oid.strip(b"0") else b""


_COMMIT = re.compile(rb"^[0-9a-f]{40,64}\n", re.MULTILINE)
_HUNK = re.compile(rb"^(@@ [^@]* @@).*$", re.MULTILINE)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_NAMED = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


def patches(project: Project, oids: Sequence[bytes]) -> dict[bytes, list[Patch]]:
    """What each of some commits changes, renames taken for a file that goes and one that comes."""
    out = _patch_text(project, oids) if len(oids) <= MOST_COMMITS else None
    if out is None and len(oids) > 1:
        middle = len(oids) // 2
        return {**patches(project, oids[:middle]), **patches(project, oids[middle:])}
    if out is None:
        return {oids[0]: _unknown(project, oids[0])}
    found: dict[bytes, list[Patch]] = {oid: [] for oid in oids}
    ends = [match.start() for match in _COMMIT.finditer(out)] + [len(out)]
    for start, end in pairwise(ends):
        oid, _, text = out[start:end].partition(b"\n")
        found[oid] = _patches(text)
    return found


def _patch_text(project: Project, oids: Sequence[bytes]) -> bytes | None:
    """What diff-tree says of commits; None for too much, or where it ends at an object that is not here."""
    args = ["-c", "core.quotePath=false", "diff-tree", *_PLAIN, "--raw", "-p", "-U0", "--no-renames"]
    variables = _without_index(project)
    with started(
        project.root, args, work_tree=project.work_tree, stderr=subprocess.DEVNULL, variables=variables
    ) as process:
        assert process.stdin is not None
        _feed(process, oids)
        taken: list[bytes] = []
        size = 0
        for part in _parts(process):
            taken.append(part)
            size += len(part)
            if size > LARGEST_PATCH:
                return None
        return None if process.wait() else b"".join(taken)


def _without_index(project: Project) -> dict[bytes, bytes]:
    """Of a file that is clean by its index git reads the working tree instead of the blob: not what replaces it."""
    if project.git_dir is None or not replacements(project):
        return {}
    return {b"GIT_INDEX_FILE": project.git_dir + b"/no-index"}


def _feed(process: subprocess.Popen[bytes], oids: Sequence[bytes]) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(b"".join(oid + b"\n" for oid in oids))
        process.stdin.close()
    except BrokenPipeError:
        return


def _unknown(project: Project, oid: bytes) -> list[Patch]:
    args = ["diff-tree", *_PLAIN, "--raw", "-z", "--no-renames"]
    out = run(project.root, args, oid + b"\n", work_tree=project.work_tree)
    fields = out.split(b"\0")[1:-1]
    return [Patch(_change(head, path, path), None) for head, path in zip(fields[::2], fields[1::2], strict=True)]


def _patches(text: bytes) -> list[Patch]:
    """The changes of one commit. Where the patches are not those of the files, nothing is known of them."""
    listed, _, patched = text.partition(b"\n\n")
    heads = [line.partition(b"\t") for line in listed.split(b"\n") if line.startswith(b":")]
    found = [_change(head, path, path) for head, _, path in ((h, t, _unquoted(p)) for h, t, p in heads)]
    bodies = (b"\n" + patched).split(b"\ndiff --git ")[1:]
    # A file that becomes a link is one that goes and one that comes.
    shares = [2 if head.endswith(b" T") else 1 for head, _, _ in heads]
    if sum(shares) != len(bodies):
        return [Patch(change, None) for change in found]
    taken = iter(bodies)
    texts = [[next(taken) for _ in range(share)] for share in shares]
    return [Patch(change, _hunks(each)) for change, each in zip(found, texts, strict=True)]


def _hunks(bodies: Iterable[bytes]) -> bytes | None:
    """Hunks without the function around that their heads name; None for what git takes for binary."""
    parts = []
    for body in bodies:
        head, hunk, rest = body.partition(b"\n@@ ")
        if not hunk and b"\nBinary files " in head:
            return None
        parts.append(_HUNK.sub(rb"\1", b"@@ " + rest) if hunk else b"")
    return b"\n".join(parts)


def _unquoted(path: bytes) -> bytes:
    """A path as git quotes it, in C's manner."""
    if not path.startswith(b'"'):
        return path
    return _ESCAPE.sub(lambda found: _escaped(found[1]), path[1:-1])


def _escaped(code: bytes) -> bytes:
    return bytes([int(code, 8)]) if len(code) == 3 else bytes([_NAMED.get(code[0], code[0])])
