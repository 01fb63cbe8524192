"""Lines on a terminal: a heading for each file, colours, and of a long line the part around its match.

In: lines and where they match. Out: text in which nothing is left that a terminal would obey. A line that is wider than
the screen is cut on both sides of its first match, and the column of that match is put before it; no line is dropped.
"""

from __future__ import annotations

from greppy.log import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from greppy.output.grep import Sink, Spans
    from greppy.output.grep_names import Names
    from greppy.output.stream import Screen
    from greppy.search.exact.engine import Found
    from greppy.search.exact.lines import Hit

_PATH, _NUMBER, _MATCH, _DIM, _RESET = "\x1b[35m", "\x1b[32m", "\x1b[1;31m", "\x1b[2m", "\x1b[0m"
_CUT = "..."
_NARROWEST = 20
_TAB = "    "


class TerminalForm:
    """What a person sees."""

    __slots__ = ("_columns", "_files", "_found", "_name", "_names", "_only", "_screen", "_sink", "_spans", "last_shown")

    def __init__(
        self, sink: Sink, names: Names, screen: Screen, columns: bool = False, only_matching: bool = False
    ) -> None:
        self._sink = sink
        self._names = names
        self._screen = screen
        self._columns = columns
        self._only = only_matching
        self._files = 0
        self._name = ""
        self._spans: Spans = lambda _number, _line: ()
        self.last_shown = 0

    def begin(self, found: Found, spans: Spans, with_context: bool) -> None:
        """Another file comes; its heading waits for its first line."""
        self.last_shown = 0
        self._name = printable(self._names(found.source).decode("utf-8", "surrogateescape"))
        self._spans = spans

    def show_hits(self, content: bytes, hits: Iterable[Hit]) -> None:
        """Lines without context."""
        for number, start, end, column in hits:
            self.show_line(b":", number, content[start:end], max(column, 0))

    def show_line(self, sign: bytes, number: int, line: bytes, column: int) -> None:
        """One line; `column` from 0, -1 where none is to be shown."""
        if not self.last_shown:
            self._write(("\n" if self._files else "") + self._paint(self._name, _PATH) + "\n")
            self._files += 1
        elif number > self.last_shown + 1 and sign != b":" and not self._only:
            self._write(self._paint("--", _DIM) + "\n")
        self.last_shown = number
        spans = list(self._spans(number, line)) if sign == b":" or self._only else []
        if self._only:
            for span in spans:
                self._write_row(sign, number, span[0], line[span[0] : span[1]], [(0, span[1] - span[0])])
        else:
            self._write_row(sign, number, column, line, spans)

    def _write_row(self, sign: bytes, number: int, column: int, line: bytes, spans: list[tuple[int, int]]) -> None:
        mark = sign.decode()
        head = f"{number}{mark}"
        room = max(self._screen.columns - len(head), _NARROWEST)
        long = len(line) > room and _width(line) > room
        if (self._columns or long) and sign == b":":
            at = (spans[0][0] if spans else max(column, 0)) if long else max(column, 0)
            head += f"{at + 1}{mark}"
            room = max(self._screen.columns - len(head), _NARROWEST)
        text = self._excerpt(line, spans, room) if long else self._painted(line, spans)
        self._write(self._paint(head, _NUMBER if sign == b":" else _DIM) + text + "\n")

    def _excerpt(self, line: bytes, spans: list[tuple[int, int]], room: int) -> str:
        """The part of a line around its first match that has room, cut ends marked."""
        low, high = spans[0] if spans else (0, 0)
        inner = room - 2 * len(_CUT)
        start = max(0, min(low - max((inner - (high - low)) // 2, 0), len(line) - inner))
        while start < low and 0x80 <= line[start] < 0xC0:
            start += 1
        shown = line[start : start + 4 * inner].decode("utf-8", "surrogateescape")
        part = _fitting(shown, inner).encode("utf-8", "surrogateescape")
        end = start + len(part)
        inside = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
        before, after = (_CUT if start else ""), (_CUT if end < len(line) else "")
        return self._paint(before, _DIM) + self._painted(part, inside) + self._paint(after, _DIM)

    def _painted(self, line: bytes, spans: list[tuple[int, int]]) -> str:
        pieces, at = [], 0
        for start, end in spans:
            pieces += [_clean(line[at:start]), self._paint(_clean(line[start:end]), _MATCH)]
            at = end
        return "".join([*pieces, _clean(line[at:])])

    def show_binary(self) -> None:
        """The one line of a binary file."""
        self._write(("\n" if self._files else "") + f"Binary file {self._paint(self._name, _PATH)} matches\n")
        self._files += 1

    def show_name(self) -> None:
        """The file's name alone."""
        self._write(self._paint(self._name, _PATH) + "\n")

    def show_count(self, count: int) -> None:
        """The number of lines."""
        self._write(f"{self._paint(self._name, _PATH)}:{count}\n")

    def _paint(self, text: str, color: str) -> str:
        return f"{color}{text}{_RESET}" if text and self._screen.color else text

    def _write(self, text: str) -> None:
        self._sink.add(text.encode("utf-8", "backslashreplace"))


def _clean(line: bytes) -> str:
    text = line.decode("utf-8", "surrogateescape").removesuffix("\r")
    return printable(text.replace("\t", _TAB))


def _width(line: bytes) -> int:
    return len(_clean(line))


def _fitting(text: str, room: int) -> str:
    """As many characters as take at most `room` places once they are shown."""
    used = 0
    for at, char in enumerate(text):
        used += len(_clean(char.encode("utf-8", "surrogateescape")))
        if used > room:
            return text[:at]
    return text
