"""Commits → those that may match → hunks or blobs → lines that came and went (cold).

In: a `Request`. Out: `Found`s as soon as they are known, newest first. The pipeline reads in this order: `commits`
lists them, a `Table` says which may have a change that matches (at first use it reads what they change), git tells how
files were renamed and which of them pathspecs match, and a `Judge` decides.

It finds what `git log -G` finds (with `counting`: `git log -S`), renames and merges treated as there, but for one
thing: a line that only moves within its file neither comes nor goes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from greppy.git.blobs import Blobs
from greppy.git.history import Change, Commit, Range, changes, commits
from greppy.git.project import Project
from greppy.git.revisions import DiffAttributes
from greppy.index.store import Store
from greppy.search.exact.question import Question
from greppy.search.history.segment import Kept
from greppy.search.history.table import Table
from greppy.search.history.verdict import Judge, Line, Verdict, balance, difference

FIRST_BLOCK, LARGEST_BLOCK = 64, 1000
"""Commits that are looked at together: few at first, so that the newest answer is there soon."""

_BATCH = 32
"""Commits whose changes are judged together."""


class Request(NamedTuple):
    """What is asked. `counting`: where the number of matches changes, not which lines match."""

    project: Project
    range: Range
    question: Question
    counting: bool = False


class FileChange(NamedTuple):
    """A file in which lines came or went; of a `binary` one the lines are not told."""

    change: Change
    lines: Sequence[Line]
    binary: bool = False


class Found(NamedTuple):
    """A commit with the files in which lines came or went."""

    commit: Commit
    files: Sequence[FileChange]


class Candidate(NamedTuple):
    """A commit, the changes in it that may match, and what is kept of some of them."""

    commit: Commit
    changes: Sequence[Change]
    kept: Mapping[Change, Kept]


class Receipt:
    """What could not be looked at: blobs that are not here."""

    def __init__(self) -> None:
        self.commits = 0
        self.missing: set[bytes] = set()


def search(request: Request, store: Store, receipt: Receipt) -> Generator[Found, None, None]:
    """What came and went. Raises BadArguments for revisions and pathspecs that are none."""
    formula = request.question.formula()
    with (
        Blobs(request.project) as contents,
        DiffAttributes(request.project) as attributes,
        Table(request.project, store, formula) as table,
    ):
        judge = Judge(request.question, contents)
        rule = _Rule(request, attributes, receipt)
        for block in _blocks(commits(request.project, request.range)):
            table.learn([commit.oid for commit in block])
            receipt.commits += len(block)
            candidates = [(commit, files) for commit in block if (files := table.files(commit.oid))]
            for batch in _batches(_changed(request, candidates)):
                yield from _judged(batch, judge, rule)


def _blocks(found: Iterable[Commit]) -> Iterator[list[Commit]]:
    size, rest = FIRST_BLOCK, iter(found)
    while block := list(islice(rest, size)):
        yield block
        size = min(2 * size, LARGEST_BLOCK)


def _batches(found: Sequence[Candidate]) -> Iterator[Sequence[Candidate]]:
    start, size = 0, 1
    while start < len(found):
        yield found[start : start + size]
        start, size = start + size, min(2 * size, _BATCH)


def _changed(request: Request, candidates: Sequence[tuple[Commit, list[Kept]]]) -> list[Candidate]:
    """The changes to judge of each commit. What the table has knows neither renames nor pathspecs: git is asked."""
    specs = request.range.specs
    asked = [commit.oid for commit, files in candidates if specs or _may_rename(files)]
    listed = changes(request.project, request.range.cwd, asked, specs) if asked else {}
    asked_set = set(asked)
    found = []
    for commit, files in candidates:
        kept = {each.change: each for each in files}
        those = listed.get(commit.oid, []) if commit.oid in asked_set else list(kept)
        may = [
            change for change in those if change.old != change.new and (change not in kept or kept[change].may_match)
        ]
        if may:
            found.append(Candidate(commit, may, kept))
    return found


def _may_rename(files: Sequence[Kept]) -> bool:
    """Whether a file that goes or comes, and may match, may be one that was renamed."""
    goes = any(not kept.change.new for kept in files)
    comes = any(not kept.change.old for kept in files)
    ends = any(kept.may_match and not (kept.change.old and kept.change.new) for kept in files)
    return goes and comes and ends


class _Rule:
    """Whether a change counts, and how it is told."""

    def __init__(self, request: Request, attributes: DiffAttributes, receipt: Receipt) -> None:
        self._question = request.question
        self._counting = request.counting
        self._attributes = attributes
        self._receipt = receipt
        self._said: dict[bytes, bool | None] = {}

    def file(self, change: Change, old: Verdict, new: Verdict) -> FileChange | None:
        missing = [oid for oid, verdict in ((change.old, old), (change.new, new)) if verdict.missing]
        self._receipt.missing.update(missing)
        lines = () if missing or not (old.lines or new.lines) else difference(old, new)
        if not lines or (self._counting and not balance(self._question, lines)):
            return None
        binary = self._is_binary(change, old, new)
        if not binary:
            return FileChange(change, lines)
        return FileChange(change, (), binary=True) if self._counting else None

    def _is_binary(self, change: Change, old: Verdict, new: Verdict) -> bool:
        sides = ((change.old_path, old), (change.path, new))
        return any(verdict.binary if (said := self._of(path)) is None else said for path, verdict in sides)

    def _of(self, path: bytes) -> bool | None:
        if path not in self._said:
            self._said[path] = self._attributes.binary(path)
        return self._said[path]


def _judged(batch: Sequence[Candidate], judge: Judge, rule: _Rule) -> Iterator[Found]:
    asked = [(change, _hunks(each.kept.get(change))) for each in batch for change in each.changes]
    verdicts = iter(judge.of_changes(asked))
    for each in batch:
        files = [rule.file(change, *next(verdicts)) for change in each.changes]
        those = [file for file in files if file is not None]
        if those:
            yield Found(each.commit, those)


def _hunks(kept: Kept | None) -> bytes | None:
    return None if kept is None else kept.hunks()
