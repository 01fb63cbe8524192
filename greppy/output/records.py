"""Results as the records of `query`, one line of JSON each (`record.schema.json` is their schema). Hot path.

In: a `Response`, its plan's query, how much to show. Out: plain values for `json_text`. A record's score lies between 0
and 1 and means the same in every domain: r / (r + ideal), where r is what ranking gave and ideal what a text would
have that is full of what was asked. Its breakdown is divided alike, so that it still adds up.

A record's id is the SHA-1, in hexadecimal, of these bytes, joined by colons::

    source_type path anchor START-END query             START-END: the span; path as it is, the rest in UTF-8
"""

from __future__ import annotations

from greppy.output.digest import sha1_hex
from greppy.output.json_text import freshness
from greppy.search.confidence import confidence, rivals
from greppy.search.passage import USUAL, choose_passage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.search.passage import Passage
    from greppy.search.result import Response, Result

    Record = dict[str, object]

MOST_TERMS = 12
LONGEST_ANCHOR = 120


class Detail:
    """How much of a result is shown: lines, lines around the best one, whole chunks; `lean` records leave out what can
    be done without, `bare` ones all but the place."""

    __slots__ = ("bare", "context", "lean", "lines", "whole")

    def __init__(
        self,
        lines: int = USUAL,
        context: int | None = None,
        whole: bool = False,
        lean: bool = False,
        bare: bool = False,
    ) -> None:
        self.lines = lines
        self.context = context
        self.whole = whole
        self.lean = lean
        self.bare = bare

    def smaller(self) -> list[Detail]:
        """Itself, then with less and less, down to a bare record."""
        fewer = [count for count in (8, 5, 3, 1) if count < self.lines or self.whole or self.context]
        short = [Detail(count) for count in fewer]
        return [self, *short, Detail(1, lean=True), Detail(1, bare=True)]


class Recorder:
    """Makes the records of one response."""

    def __init__(self, response: Response, query: str) -> None:
        self._response = response
        self._query = query
        self._rivals = rivals([result.score for result in response.results], response.ideal)

    def _scale(self, result: Result) -> float:
        """What makes a score comparable; those of text mode are."""
        ideal = self._response.ideal
        return 1 / (result.score + ideal) if ideal else 1.0

    def record(self, result: Result, detail: Detail) -> Record:
        """The record of a result."""
        passage = choose_passage(result, detail.lines, detail.context, detail.whole)
        if detail.bare:
            return {"path": result.path, "start_line": passage.start_line, "end_line": passage.end_line}
        scale = self._scale(result)
        breakdown = {name: round(part * scale, 4) for name, part in result.breakdown.items()}
        score = round(sum(breakdown.values()), 4)
        anchor = anchor_of(result)
        record: Record = {
            "id": self.id(result, anchor, passage),
            "source_type": result.domain,
            "path": result.path,
            "anchor": anchor,
            "span": {"start": passage.start, "end": passage.end},
            "start_line": passage.start_line,
            "end_line": passage.end_line,
            "snippet": passage.snippet,
            "score": score,
            "score_breakdown": breakdown,
            "signals": self._signals(result),
            "freshness": self._freshness(result),
            "oid": result.oid,
            "dirty": result.dirty,
            "matched_terms": matched_terms(result),
            "language": result.language,
        }
        return _without_extras(record) if detail.lean else _with_extras(record, result, passage)

    def _freshness(self, result: Result) -> Record:
        indexed_at = self._response.indexed_at
        return freshness(indexed_at, result.stale) if indexed_at else {"indexed_at": None, "stale": result.stale}

    def id(self, result: Result, anchor: str, passage: Passage) -> str:
        """The id of a record."""
        head = f"{result.domain}:".encode() + result.path
        tail = f":{anchor}:{passage.start}-{passage.end}:{self._query}"
        return sha1_hex(head + tail.encode("utf-8", "replace"))

    def _signals(self, result: Result) -> Record:
        is_first = result is self._response.results[0]
        rival = self._rivals[0] if is_first else self._rivals[1]
        return {
            "confidence": round(confidence(result.score, rival, is_first), 3),
            "parse_error": result.has_parse_error,
            "ocr_error": False,
            "generated": "generated" in result.flags,
            "test": "test" in result.flags,
            "vendored": "vendored" in result.flags,
        }


def _with_extras(record: Record, result: Result, passage: Passage) -> Record:
    """With what only some results have."""
    if result.kind and result.symbol:
        record["symbol"], record["kind"] = result.symbol, result.kind
    if passage.cuts:
        record["cut"] = [{"line": line, "column": column} for line, column in passage.cuts]
    if result.also:
        record["also"] = [
            {"start_line": start, "end_line": end, "symbol": symbol} for start, end, symbol in result.also
        ]
    if result.revisions:
        record["revisions"] = list(result.revisions)
    return record


def _without_extras(record: Record) -> Record:
    return {**record, "matched_terms": []}


def anchor_of(result: Result) -> str:
    """Where in a file a result is, in words: its symbol, `section-…` for prose, else `line-N` of its best line."""
    if result.symbol and result.domain in ("docs", "legal"):
        title = result.symbol.rpartition(" > ")[2]
        return "section-" + slug(title)
    if result.symbol and result.domain != "logs":
        return result.symbol[:LONGEST_ANCHOR]
    return f"line-{result.matched_lines[0] if result.matched_lines else result.start_line}"


def slug(title: str) -> str:
    """A title as an anchor: `7.2 Late payment` → `7.2-late-payment`."""
    kept = "".join(char if char.isalnum() or char == "." else "-" for char in title.lower())
    return "-".join(part for part in kept.split("-") if part)[:LONGEST_ANCHOR].strip(".-")


def matched_terms(result: Result) -> list[str]:
    """The words of the text that matched, in lower case, each once."""
    return list(dict.fromkeys(term.lower() for term in result.terms))[:MOST_TERMS]
