"""What a search is asked for and what it answers: plain values, importable on the hot path.

In: nothing. Out: `Request` (made by the command line), `Result` and `Response` (made by the engine, rendered by
`greppy.output`). Slotted classes, since importing `dataclasses` costs more than a whole warm search.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.query.reading import Filters
    from greppy.search.texts import Text


class Request:
    """One question. Paths and globs are as the user typed them; `start` is where the project is looked for.

    Of a large project that has no index: `wait` asks for an answer from the index, however long it takes to build, and
    `background` allows that it is built by another process after the answer. `provenance` asks how each file stands to
    HEAD, which costs a call of git. `domain` is a name of `greppy.domains` or auto, `filters` are added to those of the
    query, `expand` looks for related words too, `fold` wants each file once, `depth` is the least number of results
    whose order is settled, so that a smaller and a larger limit cut from the same list, `correct` answers what was
    probably meant where nothing is found. `revisions`, and with
    `all_branches` every local branch, are searched instead of the working tree; with `since` only files that differ
    from that revision; with `recurse` submodules too. Of a submodule `mount` is its place, ended by `/`, in the
    outermost project, whose root is `top`: paths and globs are those of that one.
    """

    __slots__ = (
        "all_branches",
        "background",
        "content",
        "correct",
        "cwd",
        "depth",
        "domain",
        "exclude",
        "expand",
        "filters",
        "fold",
        "include",
        "languages",
        "limit",
        "mount",
        "paths",
        "provenance",
        "query",
        "recurse",
        "refresh",
        "revisions",
        "since",
        "start",
        "top",
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
        provenance: bool = False,
        domain: str = "auto",
        filters: Filters | None = None,
        expand: bool = True,
        fold: bool = False,
        depth: int = 0,
        correct: bool = False,
        revisions: Sequence[bytes] = (),
        all_branches: bool = False,
        since: bytes = b"",
        recurse: bool = False,
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
        self.provenance = provenance
        self.domain = domain
        self.filters = filters
        self.expand = expand
        self.fold = fold
        self.depth = depth
        self.correct = correct
        self.revisions = revisions
        self.all_branches = all_branches
        self.since = since
        self.recurse = recurse
        self.mount = self.top = b""


class Result:
    """One ranked chunk of one file.

    `path` is relative to the project's root, in bytes; lines are 1-based and inclusive; `content` is the chunk's text
    with `\\n` between lines and none at the end; `matched_lines` are the lines (absolute numbers) that hold a query
    term, best first; `terms` the words of the file that matched, for highlighting; `flags` names such as "test" or
    "generated"; `breakdown` maps a feature's name to what it added to `score`.

    `oid` is git's hash, in hexadecimal, of the bytes that are shown; `dirty` whether they differ from HEAD's (None: not
    asked, or no git); `stale` whether they differ from those that were ranked, which only a search without refresh
    shows; `revisions` are the names of the searched revisions that have the file so.
    """

    __slots__ = (
        "also",
        "breakdown",
        "content",
        "dirty",
        "domain",
        "end_line",
        "flags",
        "has_parse_error",
        "kind",
        "language",
        "matched_lines",
        "oid",
        "path",
        "revisions",
        "score",
        "stale",
        "start_line",
        "symbol",
        "terms",
        "text",
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
        oid: str = "",
        dirty: bool | None = None,
        stale: bool = False,
        revisions: Sequence[str] = (),
        text: Text | None = None,
        domain: str = "",
        has_parse_error: bool = False,
        also: Sequence[tuple[int, int, str]] = (),
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
        self.oid = oid
        self.dirty = dirty
        self.stale = stale
        self.revisions = revisions
        self.text = text
        self.domain = domain
        self.has_parse_error = has_parse_error
        self.also = also


class Response:
    """The answer: results best first, how many there were before the limit, notes for a person (one line each).

    `indexed_at`: when what was searched was indexed (ns since the epoch). `ideal`: the score of a text that is full of
    what was asked for.
    """

    __slots__ = ("ideal", "index", "indexed_at", "notes", "results", "root", "took_ms", "total")

    def __init__(
        self,
        results: list[Result],
        total: int,
        took_ms: float,
        root: bytes,
        notes: Sequence[str] = (),
        index: str = "full",
        indexed_at: int = 0,
    ) -> None:
        self.results = results
        self.total = total
        self.took_ms = took_ms
        self.root = root
        self.notes = notes
        self.index = index
        self.indexed_at = indexed_at
        self.ideal = 1.0
