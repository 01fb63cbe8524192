"""What a question says of a blob, and what came and went between two (cold).

In: a `Question` and the bytes of blobs. Out: verdicts, each made once however many commits have the blob; and the lines
that differ. Lines are compared as a multiset, without their ends: one that only moved neither came nor went.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from greppy.git.blobs import Blobs
from greppy.git.history import SUBMODULE, Change
from greppy.search.exact.binary import LOOKED_AT
from greppy.search.exact.lines import find_hits, spans
from greppy.search.exact.question import Question

MOST_LINES = 200_000
"""Lines of verdicts that are kept at once."""


class Verdict(NamedTuple):
    """The lines of a blob that match, each with its number. `binary`: it has a NUL where git looks for one. `missing`:
    the blob is not here."""

    lines: Sequence[tuple[int, bytes]] = ()
    binary: bool = False
    missing: bool = False


NOTHING = Verdict()
_MISSING = Verdict(missing=True)


class Line(NamedTuple):
    """A line that came (`+`, numbered in the new file) or went (`-`, numbered in the old one)."""

    change: str
    number: int
    text: bytes


class Judge:
    """Gives verdicts."""

    def __init__(self, question: Question, contents: Blobs) -> None:
        self._question = question
        self._contents = contents
        self._verdicts: OrderedDict[bytes, Verdict] = OrderedDict()
        self._lines = 0

    def verdicts(self, changes: Iterable[Change]) -> dict[bytes, Verdict]:
        """The verdicts on all blobs of some changes. A submodule counts as git shows it, as the line that names it."""
        wanted = dict.fromkeys(blob for change in changes for blob in _blobs(change))
        found = {oid: self._verdicts[oid] for oid, _ in wanted if oid in self._verdicts}
        submodules = [oid for oid, mode in wanted if mode == SUBMODULE and oid not in found]
        found.update((oid, self._judge(b"Subproject commit " + oid + b"\n")) for oid in submodules)
        asked = list(dict.fromkeys(oid for oid, _ in wanted if oid not in found))
        for oid, content in zip(asked, self._contents.read(asked), strict=True):
            found[oid] = self._remembered(oid, _MISSING if content is None else self._judge(content))
        return found

    def _judge(self, content: bytes) -> Verdict:
        size = len(content)
        hits = find_hits(self._question, content)
        lines = [(number, content[start:end]) for number, start, end, _ in hits if start < size]
        return Verdict(lines, content.find(b"\0", 0, LOOKED_AT) >= 0)

    def _remembered(self, oid: bytes, verdict: Verdict) -> Verdict:
        self._verdicts[oid] = verdict
        self._lines += len(verdict.lines) + 1
        while self._lines > MOST_LINES:
            _, oldest = self._verdicts.popitem(last=False)
            self._lines -= len(oldest.lines) + 1
        return verdict


def _blobs(change: Change) -> Iterator[tuple[bytes, bytes]]:
    if change.old:
        yield change.old, change.old_mode
    if change.new:
        yield change.new, change.new_mode


def difference(old: Verdict, new: Verdict) -> list[Line]:
    """What went, then what came. Of equal lines the last ones are taken for those."""
    before, after = [line for _, line in old.lines], [line for _, line in new.lines]
    if before == after:
        return []
    # What both begin and end with cancels out, and is most of it.
    start = _alike(before, after)
    end = _alike(reversed(before[start:]), reversed(after[start:]))
    tail = before[len(before) - end :]
    had, has = Counter(before[start : len(before) - end]), Counter(after[start : len(after) - end])
    went = [Line("-", *each) for each in _last(old.lines, start, tail, had - has)]
    return went + [Line("+", *each) for each in _last(new.lines, start, tail, has - had)]


def _alike(one: Iterable[bytes], other: Iterable[bytes]) -> int:
    """How many lines two begin with alike."""
    count = 0
    for line, its in zip(one, other, strict=False):
        if line != its:
            break
        count += 1
    return count


def balance(question: Question, lines: Iterable[Line]) -> int:
    """How many more matches came than went; what lines have in common does not count in either."""
    return sum((1 if line.change == "+" else -1) * sum(1 for _ in spans(question, line.text)) for line in lines)


def _last(
    lines: Sequence[tuple[int, bytes]], start: int, tail: Sequence[bytes], surplus: Counter[bytes]
) -> list[tuple[int, bytes]]:
    """The last of `lines` that make up the surplus, which those from `start` to the tail have; the tail may too."""
    wanted = surplus.total()
    if not wanted:
        return []
    end = len(lines) if any(line in surplus for line in tail) else len(lines) - len(tail)
    chosen: list[tuple[int, bytes]] = []
    for number, line in reversed(lines[start:end]):
        if len(chosen) == wanted:
            break
        if surplus[line] > 0:
            surplus[line] -= 1
            chosen.append((number, line))
    return chosen[::-1]
