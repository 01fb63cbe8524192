"""Where lines begin, and windows over them; each against the simplest way to say the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from greppy.analysis.lines import CODE_WINDOW, LONG_LINE, MOST_BYTES, TEXT_WINDOW, Lines, Window, windows

_ROWS = st.lists(
    st.one_of(
        st.sampled_from([b"", b" ", b"word"]), st.integers(LONG_LINE - 3, LONG_LINE + 3).map(lambda size: b"x" * size)
    ),
    min_size=1,
    max_size=90,
)


def _split(text: bytes) -> list[bytes]:
    pieces = text.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


@given(_ROWS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_lines_are_those_of_a_plain_split(rows: list[bytes], ends: bool) -> None:
    text = b"\n".join(rows) + (b"\n" if ends or not any(rows) else b"")
    lines, expected = Lines(text), _split(text)
    assert [lines.content(line) for line in range(lines.count)] == expected
    long_bytes = sum(len(line) for line in expected if len(line) > LONG_LINE)
    assert lines.mostly_long == (2 * long_bytes > len(text))


@given(st.binary(min_size=1, max_size=60).map(lambda text: text.replace(b"a", b"\n")), st.data())
@settings(max_examples=150, deadline=None)
def test_a_range_of_bytes_lies_in_the_lines_of_its_first_and_last_byte(text: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert Lines(text).of(start, end) == (text.count(b"\n", 0, start), text.count(b"\n", 0, end - 1))
    assert Lines(text).of(start, start) == (text.count(b"\n", 0, start),) * 2


@given(_ROWS, st.sampled_from([TEXT_WINDOW, CODE_WINDOW, Window(1, 2, 3)]), st.data())
@settings(max_examples=150, deadline=None)
def test_windows_cover_their_lines_once_within_their_bounds(
    rows: list[bytes], window: Window, data: st.DataObject
) -> None:
    lines = Lines(b"\n".join(rows) + b"\n")
    first = data.draw(st.integers(0, lines.count - 1))
    last = data.draw(st.integers(first - 1, lines.count - 1))
    pieces = windows(lines, first, last, window)
    assert [line for a, b in pieces for line in range(a, b + 1)] == list(range(first, last + 1))
    assert all(b - a < window.most and (a == b or len(lines.content(a, b)) <= MOST_BYTES) for a, b in pieces)
