"""What a search is asked for and what it answers: plain values, importable on the hot path.

In: nothing. Out: `Request` (made by the command line), `Result` and `Response` (made by the engine, rendered by
`greppy.output`). Slotted classes, since importing `dataclasses` costs more than a whole warm search.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Request:
    """One question. Paths and globs are as the user typed them; `start` is where the project is looked for.

    Of a large project that has no index: `wait` asks for an answer from the index, however long it takes to build, and
    `background` allows that it is built by another process after the answer.
    """

    __slots__ = (
        "background",
        "content",
        "cwd",
        "exclude",
        "include",
        "languages",
        "limit",
        "paths",
        "query",
        "refresh",
        "start",
        "wait",
    )

    def __init__(
        self,
        query: str,
        start: bytes,
        cwd: bytes,
        limit: int = 20,
        paths: Sequence[bytes] = (),
        include: Sequence[bytes] = (),
        exclude: Sequence[bytes] = (),
        languages: Sequence[str] = (),
        refresh: bool = True,
        content: bool = True,
        wait: bool = False,
        background: bool = True,
    ) -> None:
        self.query = query
        self.start = start
        self.cwd = cwd
        self.limit = limit
        self.paths = paths
        self.include = include
        self.exclude = exclude
        self.languages = languages
        self.refresh = refresh
        self.content = content
        self.wait = wait
        self.background = background


class Result:
    """One ranked chunk of one file.

    `path` is relative to the project's root, in bytes; lines are 1-based and inclusive; `content` is the chunk's text
    with `\\n` between lines and none at the end; `matched_lines` are the lines (absolute numbers) that hold a query
    term, best first; `terms` the words of the file that matched, for highlighting; `flags` names such as "test" or
    "generated"; `breakdown` maps a feature's name to what it added to `score`.
    """

    __slots__ = (
        "breakdown",
        "content",
        "end_line",
        "flags",
        "kind",
        "language",
        "matched_lines",
        "path",
        "score",
        "start_line",
        "symbol",
        "terms",
    )

    def __init__(
        self,
        path: bytes,
        start_line: int,
        end_line: int,
        score: float,
        symbol: str = "",
        kind: str = "",
        language: str = "",
        content: str = "",
        matched_lines: Sequence[int] = (),
        terms: Sequence[str] = (),
        flags: Sequence[str] = (),
        breakdown: dict[str, float] | None = None,
    ) -> None:
        self.path = path
        self.start_line = start_line
        self.end_line = end_line
        self.score = score
        self.symbol = symbol
        self.kind = kind
        self.language = language
        self.content = content
        self.matched_lines = matched_lines
        self.terms = terms
        self.flags = flags
        self.breakdown = breakdown or {}


class Response:
    """The answer: results best first, how many there were before the limit, notes for a person (one line each)."""

    __slots__ = ("index", "notes", "results", "root", "took_ms", "total")

    def __init__(
        self,
        results: list[Result],
        total: int,
        took_ms: float,
        root: bytes,
        notes: Sequence[str] = (),
        index: str = "full",
    ) -> None:
        self.results = results
        self.total = total
        self.took_ms = took_ms
        self.root = root
        self.notes = notes
        self.index = index
