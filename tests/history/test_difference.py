"""What came and went between two blobs, against the definition: multisets, and of equal lines the last."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from greppy.search.history.verdict import Line, Verdict, difference

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), max_size=12)


def numbered(lines: list[bytes]) -> Verdict:
    return Verdict([(3 * at + 1, line) for at, line in enumerate(lines)])


def surplus(lines: list[bytes], others: list[bytes], sign: str) -> list[Line]:
    """Of each line as many as there are more of, the last ones."""
    left = Counter(lines) - Counter(others)
    chosen = []
    for number, line in reversed(numbered(lines).lines):
        if left[line] > 0:
            left[line] -= 1
            chosen.append(Line(sign, number, line))
    return chosen[::-1]


@given(LINES, LINES, LINES, LINES)
def test_the_difference_is_what_one_has_more_of_than_the_other(
    head: list[bytes], old: list[bytes], new: list[bytes], tail: list[bytes]
) -> None:
    before, after = head + old + tail, head + new + tail
    expected = surplus(before, after, "-") + surplus(after, before, "+")
    assert difference(numbered(before), numbered(after)) == expected
