"""Matches as JSON Lines, for programs (cold).

In: lines and where they match. Out: one record a line: ::

    {"type":"match","path":"a.py","line_number":3,"column":5,"text":"def f():","submatches":[{"start":4,"end":5}]}
    {"type":"context","path":"a.py","line_number":4,"text":"    pass"}
    {"type":"binary","path":"logo.png"}      {"type":"file","path":"a.py"}      {"type":"count","path":"a.py","count":2}
    {"type":"summary","matched_lines":1,"matched_files":1,"searched":20,"skipped":0,"failed":0}

Columns count bytes from 1, `start` and `end` bytes from 0. A path or a line that is not UTF-8 is
`{"bytes":"<base64>"}`. A file of a commit has "revision" too. `receipt` records come before the summary with
--coverage: `{"type":"skipped","path":"link","reason":"symlink"}`, `{"type":"failed",…}`.
"""

from __future__ import annotations

from greppy.output.json_text import to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from greppy.output.grep import Sink, Spans
    from greppy.search.exact.engine import Found
    from greppy.search.exact.lines import Hit
    from greppy.search.exact.receipt import Receipt


class JsonForm:
    """What a program reads."""

    __slots__ = ("_file", "_sink", "_spans", "files", "last_shown", "lines")

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._file: dict[str, object] = {}
        self._spans: Spans = lambda _number, _line: ()
        self.last_shown = 0
        self.files = 0
        self.lines = 0

    def begin(self, found: Found, spans: Spans, with_context: bool) -> None:
        """Another file comes."""
        source = found.source
        revision = {"revision": source.label.removesuffix(b":")} if source.label else {}
        self._file = {"path": source.path, **revision}
        self._spans = spans
        self.last_shown = 0
        self.files += 1

    def show_hits(self, content: bytes, hits: Iterable[Hit]) -> None:
        """Lines without context."""
        for number, start, end, column in hits:
            self.show_line(b":", number, content[start:end], max(column, 0))

    def show_line(self, sign: bytes, number: int, line: bytes, column: int) -> None:
        """One line."""
        self.last_shown = number
        if sign != b":":
            kind = "context" if sign == b"-" else "function"
            self._record(kind, line_number=number, text=line)
            return
        self.lines += 1
        spans = [{"start": start, "end": end} for start, end in self._spans(number, line)]
        first = column if column > 0 or not spans else spans[0]["start"]
        self._record("match", line_number=number, column=first + 1, text=line, submatches=spans)

    def show_binary(self) -> None:
        """A binary file with a match."""
        self._record("binary")

    def show_name(self) -> None:
        """A file that is listed."""
        self._record("file")

    def show_count(self, count: int) -> None:
        """How many lines of the file match."""
        self.lines += count
        self._record("count", count=count)

    def end(self, receipt: Receipt, coverage: bool) -> None:
        """The last records."""
        for kind, files in (("skipped", receipt.skipped), ("failed", receipt.failed)) if coverage else ():
            for path, reason in files:
                self._sink.add((to_json({"type": kind, "path": path, "reason": reason}) + "\n").encode())
        self._file = {}
        self._record(
            "summary",
            matched_lines=self.lines,
            matched_files=self.files,
            searched=receipt.searched,
            skipped=len(receipt.skipped),
            failed=len(receipt.failed),
        )

    def _record(self, kind: str, **fields: object) -> None:
        self._sink.add((to_json({"type": kind, **self._file, **fields}) + "\n").encode())
