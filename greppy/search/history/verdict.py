"""What a question says of a blob, and what came and went between two (cold).

In: a `Question` and hunks, or the bytes of blobs where there are none. Out: verdicts on both sides of a change, of a
blob each made once however many commits have it; and the lines that differ. Lines are compared as a multiset, without
their ends: one that only moved neither came nor went.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from greppy.git.blobs import Blobs
from greppy.git.history import SUBMODULE, Change
from greppy.search.exact.binary import LOOKED_AT
from greppy.search.exact.lines import find_hits, spans
from greppy.search.exact.pattern import Texts
from greppy.search.exact.question import Question

MOST_LINES = 200_000
"""Lines of verdicts that are kept at once."""


class Verdict(NamedTuple):
    """The lines of a blob that match, each with its number; of hunks those that differ. `binary`: it has a NUL where
    git looks for one. `missing`: the blob is not here."""

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

    def of_changes(self, asked: Sequence[tuple[Change, bytes | None]]) -> list[tuple[Verdict, Verdict]]:
        """What there is to say of the old and the new side of each change, by its hunks where they are given."""
        of_hunks = iter(self._of_hunks([hunks for _, hunks in asked if hunks is not None]))
        of_blobs = self.verdicts(change for change, hunks in asked if hunks is None)
        return [
            (of_blobs.get(change.old, NOTHING), of_blobs.get(change.new, NOTHING))
            if hunks is None
            else (next(of_hunks), next(of_hunks))
            for change, hunks in asked
        ]

    def _of_hunks(self, given: Sequence[bytes]) -> Iterator[Verdict]:
        """Two verdicts for each; all are looked at together, since most are short."""
        text = b"\n".join([b"", *given, b""])
        # A sign becomes the end of a line: what it stands before is a line to itself, at the same place.
        hits = find_hits(self._question, _SIGN.sub(b"\n\n", text))
        found = _Placed(text, ((start, end) for _, start, end, _ in hits))
        end = 1
        for hunks in given:
            end += len(hunks) + 1
            lines = list(found.until(end))
            yield Verdict([(number, line) for sign, number, line in lines if sign == b"-"])
            yield Verdict([(number, line) for sign, number, line in lines if sign == b"+"])

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


_SIGN = re.compile(rb"\n[-+]")
_HEAD = re.compile(rb"\n@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)")


class _Placed:
    """Lines of hunks by where they are in `text`, in order, each with its sign and its number in the file."""

    def __init__(self, text: bytes, spans: Iterable[tuple[int, int]]) -> None:
        self._text = text
        self._spans = (span for span in spans if _SIGN.fullmatch(text, max(span[0] - 2, 0), span[0]))
        self._next = next(self._spans, None)
        self._head: re.Match[bytes] | None = None
        self._counted = self._lines = self._before = 0

    def until(self, end: int) -> Iterator[tuple[bytes, int, bytes]]:
        """Those that begin before `end`."""
        while self._next is not None and self._next[0] < end:
            first, last = self._next
            sign = self._text[first - 1 : first]
            yield sign, self._number(sign, first - 1), self._text[first:last]
            self._next = next(self._spans, None)

    def _number(self, sign: bytes, at: int) -> int:
        head = self._text.rfind(b"\n@@ ", self._counted, at)
        if head >= 0:
            self._head = _HEAD.match(self._text, head)
            self._counted, self._lines, self._before = head, -2, -1
        assert self._head is not None
        self._lines += self._text.count(b"\n", self._counted, at)
        self._counted = at
        if sign == b"-":
            return int(self._head[1]) + self._lines
        if self._before < 0:
            self._before = self._gone(self._head, at)
        return int(self._head[3]) + self._lines - self._before

    def _gone(self, head: re.Match[bytes], at: int) -> int:
        """Lines of a hunk before those that come: those that go, and what git says where the last had no end."""
        count = int(head[2] or 1)
        return count + (count > 0 and self._text.find(b"\n\\ ", head.end(), at) >= 0)


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
    texts = _only_text(question)
    if texts:
        return sum(line.text.count(texts) if line.change == "+" else -line.text.count(texts) for line in lines)
    return sum((1 if line.change == "+" else -1) * sum(1 for _ in spans(question, line.text)) for line in lines)


def _only_text(question: Question) -> bytes:
    """The text that is all that is looked for, wherever it stands; nothing where there is more to it."""
    finder = question.finder
    plain = isinstance(finder, Texts) and len(finder.texts) == 1 and not (finder.fold or question.word)
    return finder.texts[0] if plain and isinstance(finder, Texts) else b""


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
