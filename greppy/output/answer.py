"""The answer of `query` in each of its formats: results in, pieces of text out, the best first. Hot path.

`jsonl`: a record a line. `json`: one document. `table`: a line a result for people. `compact`: a line a result with
the best line of the text, for readers with little room. Where more results follow, the last record has the `cursor` to
go on with; the other formats tell it in a last line.
"""

from __future__ import annotations

from greppy.log import printable
from greppy.output.budget import spend
from greppy.output.explain import explain_line
from greppy.output.json_text import to_json
from greppy.output.quote import quote_path
from greppy.output.records import Detail, Recorder, anchor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.output.cursor import Cursor
    from greppy.output.records import Record
    from greppy.search.result import Response, Result

FORMATS = ("jsonl", "json", "table", "compact")
_LONGEST_LINE = 160
_CURSOR_BYTES = 48
"""What a cursor takes of a budget."""


class Answer:
    """Prints the results of a response."""

    def __init__(self, form: str, response: Response, query: str, explain: bool = False) -> None:
        self._form = form
        self._response = response
        self._query = query
        self._explain = explain
        self._recorder = Recorder(response, query)

    def texts(self, page: Sequence[Result], detail: Detail, budget: int, more: bool, cursor: Cursor) -> Iterator[str]:
        """Pieces of the answer; a `budget` above 0 is the most bytes of all of them together."""
        head, tail = self._head(), self._tail()
        if budget and len(tail.encode()) > budget // 2:
            tail = "]}\n"
        yield head
        held = ""
        count = 0
        for text in self._records(page, detail, budget - len(head) - len(tail.encode()) if budget else 0):
            yield held
            held = ("," if self._form == "json" and count else "") + text
            count += 1
        if held and (more or count < len(page)):
            held = self._with_cursor(held, cursor.after(page[:count]))
        yield held + tail

    def _records(self, page: Sequence[Result], detail: Detail, budget: int) -> Iterator[str]:
        if not budget:
            return (self._printed(result, detail) for result in page)
        commas = len(page) if self._form == "json" else 0
        return spend(page, self._printed, detail, budget - commas - _CURSOR_BYTES)

    def _printed(self, result: Result, detail: Detail) -> str:
        if self._form in ("jsonl", "json"):
            return to_json(self._recorder.record(result, detail)) + ("\n" if self._form == "jsonl" else "")
        record = self._recorder.record(result, Detail(1) if self._form == "compact" else detail)
        line = self._table_line(result, record) if self._form == "table" else self._compact_line(result, record)
        return line + (explain_line(record) if self._explain else "")

    def _table_line(self, result: Result, record: Record) -> str:
        place = f"{quote_path(result.path)}:{record['start_line']}-{record['end_line']}"
        names = "  ".join(printable(name) for name in (anchor_of(result), result.kind) if name)
        return f"{record['score']:<6.4f}  {place}  {names}\n"

    def _compact_line(self, result: Result, record: Record) -> str:
        snippet = str(record.get("snippet", "")).strip().partition("\n")[0]
        shown = snippet if len(snippet) <= _LONGEST_LINE else snippet[: _LONGEST_LINE - 1] + "…"
        place = f"{quote_path(result.path)}:{record['start_line']}"
        return f"{place} {printable(anchor_of(result))} | {printable(shown)}\n"

    def _with_cursor(self, text: str, cursor: str) -> str:
        if self._form in ("jsonl", "json"):
            end = "}\n" if text.endswith("\n") else "}"
            return text.removesuffix(end) + f',"cursor":{to_json(cursor)}' + end
        return f"{text}more: --cursor {cursor}\n"

    def _head(self) -> str:
        return '{"results":[' if self._form == "json" else ""

    def _tail(self) -> str:
        if self._form != "json":
            return ""
        rest = {
            "total": self._response.total,
            "took_ms": round(self._response.took_ms, 1),
            "index": self._response.index,
            "query": self._query,
            "notes": list(self._response.notes),
        }
        return "]," + to_json(rest).removeprefix("{") + "\n"
