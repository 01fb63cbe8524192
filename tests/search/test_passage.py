"""The lines that are shown of a result."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.encoding import to_text
from greppy.search.passage import LONGEST_LINE, choose_passage
from greppy.search.result import Result
from greppy.search.texts import Text


def result(data: bytes, start: int, end: int, matched: list[int], *terms: str) -> Result:
    text = to_text(data)
    assert text is not None
    lines = text[0].split(b"\n")
    return Result(
        b"x", start, end, 1.0, matched_lines=matched, terms=terms, text=Text(data, b"\n".join(lines), "", True, "sha1")
    )


LINES = st.lists(st.sampled_from([b"", b"a", b"  zebra x", b"caf\xc3\xa9", b"tail\r"]), min_size=1, max_size=60)


@given(LINES, st.data(), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_a_passage_is_exactly_its_bytes(lines: list[bytes], data: st.DataObject, mark: bytes) -> None:
    content = mark + b"\n".join(lines)
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    matched = data.draw(st.lists(st.integers(start, end), unique=True, max_size=5))
    most = data.draw(st.integers(1, 15))
    context = data.draw(st.none() | st.integers(0, 5))
    passage = choose_passage(result(content, start, end, matched), most, context)
    shown = content[passage.start : passage.end].replace(b"\r\n", b"\n")
    assert shown == passage.snippet.encode()
    assert content[: passage.start].count(b"\n") + 1 == passage.start_line
    assert 1 <= passage.start_line <= passage.end_line <= len(lines)
    if context is None:
        assert start <= passage.start_line and passage.end_line <= end
        assert passage.end_line - passage.start_line < most


@given(st.lists(st.integers(1, 100), unique=True, min_size=1, max_size=10), st.integers(1, 20))
def test_the_best_line_is_shown_as_long_as_anything_is(matched: list[int], most: int) -> None:
    passage = choose_passage(result(b"x\n" * 100, 1, 100, matched), most)
    assert passage.start_line <= matched[0] <= passage.end_line


@given(st.text("aé☃", max_size=400), st.text("bé☃", max_size=400))
def test_a_long_line_is_cut_around_what_matched(before: str, after: str) -> None:
    line = f"{before} zebra {after}".encode()
    passage = choose_passage(result(line, 1, 1, [1], "zebra"))
    assert "zebra" in passage.snippet
    assert "\ufffd" not in passage.snippet
    if len(line) > LONGEST_LINE:
        assert len(passage.snippet.encode()) < LONGEST_LINE
        begin = passage.cuts[0][1] - 1 if passage.cuts else 0
        assert line[begin:].decode().startswith(passage.snippet.strip("…")[:20])
    else:
        assert passage.snippet.encode() == line
