"""Where an answer goes on: the place of the last record of a page, as text for `--cursor`. Hot path.

In: results in their order, what was asked. Out: `OFFSET.PLACE.QUESTION`: how many results came before the next one, the
first 8 digits of the SHA-1 of the last one's path and line, and 6 of that of the query and its options. Where the
project has changed the page begins behind the last record that was shown, wherever that is now, or, where it is gone,
at the offset.
"""

from __future__ import annotations

from greppy.errors import BadArguments
from greppy.output.digest import sha1_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.search.result import Result

MOST = 10_000
"""Results that a cursor can lie behind."""


class Cursor:
    """A place in an answer; offset 0 is the beginning."""

    __slots__ = ("offset", "place", "question")

    def __init__(self, offset: int, place: str, question: str) -> None:
        self.offset = offset
        self.place = place
        self.question = question

    def page(self, results: Sequence[Result], wanted: int) -> tuple[list[Result], bool]:
        """The `wanted` results behind the cursor, and whether there are more."""
        start = self.offset
        if self.place:
            behind = (at for at, result in enumerate(results, 1) if place_of(result) == self.place)
            start = min(behind, key=lambda at: abs(at - self.offset), default=start)
        return list(results[start : start + wanted]), len(results) > start + wanted

    def after(self, page: Sequence[Result]) -> str:
        """The cursor behind a page that begins here."""
        return f"{self.offset + len(page)}.{place_of(page[-1])}.{self.question}"


def place_of(result: Result) -> str:
    """What a result is known by."""
    return _digits(result.path + b":%d" % result.start_line, 8)


def read_cursor(text: str | None, question: Sequence[str]) -> Cursor:
    """The cursor that `text` is, the beginning for None. Raises BadArguments for none, or one of another question."""
    asked = _digits("\0".join(question).encode("utf-8", "surrogateescape"), 6)
    if text is None:
        return Cursor(0, "", asked)
    offset, _, rest = text.partition(".")
    place, _, theirs = rest.partition(".")
    hexadecimal = place.isalnum() and theirs.isalnum() and len(place) == 8 and len(theirs) == 6
    if not (offset.isascii() and offset.isdecimal() and int(offset[:9]) <= MOST and hexadecimal):
        raise BadArguments(f'--cursor: "{text}" is none', 'take it from the "cursor" of the last record')
    if theirs != asked:
        raise BadArguments("--cursor belongs to another query", "give it with the same query and options")
    return Cursor(int(offset), place, asked)


def _digits(data: bytes, count: int) -> str:
    return sha1_hex(data)[:count]
