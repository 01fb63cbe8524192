"""Hunks are kept as they were given, and say of lines what the blobs on both sides say."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.git.blobs import Blobs
from greppy.git.history import Change
from greppy.git.project import Project
from greppy.search.exact.question import Reading, make_question
from greppy.search.history import hunks as kept
from greppy.search.history.hunks import Hunks, HunkWriter, Packed, joined
from greppy.search.history.verdict import Judge, Line, Verdict, difference

TEXTS = st.lists(st.binary(max_size=40), max_size=12)
LINES = st.lists(st.sampled_from([b"", b"a", b"b a", b"+a", b"-- a", b"@@ -1 +1 @@", b"\\ a", b"\r", b"c"]), max_size=9)
# A last line without an end is never empty.
SIDE = st.tuples(LINES, st.booleans()).map(lambda side: (side[0], side[1] or not any(side[0][-1:])))
CHANGE = Change(b"p", b"p", b"1", b"2", b"100644", b"100644")


def opened(packed: Packed) -> Hunks:
    starts = memoryview(packed.starts.tobytes()).cast("Q")
    return Hunks(memoryview(packed.files.tobytes()).cast("I"), starts, memoryview(packed.frames))


def written(texts: list[bytes]) -> Packed:
    writer = HunkWriter()
    for text in texts:
        writer.add(text)
    return writer.finish()


@given(st.lists(TEXTS, max_size=4), st.sampled_from([1, 30, 1000]))
def test_what_was_kept_is_given_back_also_when_it_was_put_together(parts: list[list[bytes]], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "BLOCK_BYTES", size)
        packed = [written(part) for part in parts]
    for texts, each in zip(parts, packed, strict=True):
        assert [opened(each).of(at) for at in range(len(texts))] == texts
    whole = opened(joined(map(opened, packed)))
    expected = [text for texts in parts for text in texts]
    assert [whole.of(at) for at in range(len(expected))] == expected


def test_hunks_that_are_damaged_are_none() -> None:
    packed = written([b"@@ -1 +1 @@\n-a\n+b", b""])
    assert opened(packed._replace(frames=bytes(len(packed.frames)))).of(0) is None


def hunks_of(old: tuple[list[bytes], bool], new: tuple[list[bytes], bool]) -> bytes:
    """As `git diff -U0` writes them; of each side the last line has an end, or none."""
    before, after = (
        [*side[:-1], side[-1] + (b"" if ended else b"\n\\ No newline at end of file")] if side else []
        for side, ended in (old, new)
    )
    found = []
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            head = f"@@ -{_span(i, j)} +{_span(k, m)} @@".encode()
            found += [head, *(b"-" + line for line in before[i:j]), *(b"+" + line for line in after[k:m])]
    return b"\n".join(found)


def _span(first: int, end: int) -> str:
    return f"{first + (first < end)}" + ("" if end - first == 1 else f",{end - first}")


@given(
    st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=4), st.sampled_from([b"a", b"^", b"^$", b"a$", b"[+-]", b"@"])
)
def test_hunks_say_what_the_blobs_say(
    sides: list[tuple[tuple[list[bytes], bool], tuple[list[bytes], bool]]], pattern: bytes
) -> None:
    question = make_question([pattern], Reading("extended"))
    judge = Judge(question, Blobs(Project(b"/", "", None, None, None)))
    told = judge.of_changes([(CHANGE, hunks_of(old, new)) for old, new in sides])
    for (old, new), verdicts in zip(sides, told, strict=True):
        blobs = [b"\n".join(lines) + (b"\n" if ended else b"") if lines else b"" for lines, ended in (old, new)]
        whole = [_whole(judge, blob) for blob in blobs]
        assert _bag(difference(*verdicts)) == _bag(difference(*whole))
        for verdict, (lines, _) in zip(verdicts, (old, new), strict=True):
            assert all(lines[number - 1] == text for number, text in verdict.lines)


def _whole(judge: Judge, blob: bytes) -> Verdict:
    return judge._judge(blob)


def _bag(lines: list[Line]) -> Counter[tuple[str, bytes]]:
    return Counter((line.change, line.text) for line in lines)
