"""Searching: query → plan → candidates → score → lines → response. One function, `search`, reads in that order. Hot
path.

In: a `Request`. Out: a `Response`. The snapshot is made true first; a file that changes while it is searched makes the
search start over, so that no result shows a line of one version beside the rank of another.
"""

from __future__ import annotations

import os
import time

from greppy import log
from greppy.analysis.encoding import to_text
from greppy.errors import DamagedIndex, IndexFailure
from greppy.git.files import Unreadable, hash_blob, read_file
from greppy.git.project import find_project
from greppy.index import format as layout
from greppy.index.view import open_view, store_of
from greppy.query.plan import make_plan
from greppy.search import features
from greppy.search.excerpt import Matcher, cut
from greppy.search.filters import make_filter
from greppy.search.rank import rank
from greppy.search.result import Response, Result
from greppy.search.score import score_chunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.view import View
    from greppy.query.plan import Plan
    from greppy.search.rank import Hit
    from greppy.search.result import Request
    from greppy.search.score import Frequencies

    Progress = Callable[[int, int, str], None]

_TRIES = 4
"""How often a search starts over for files that change under it, or for damage that was repaired, before it gives up
on them."""


class _Changed(Exception):
    """A file is no longer what the snapshot says."""


def search(request: Request, home: bytes, config: Config, progress: Progress) -> Response:
    """Answer a request. Raises `GreppyError`s."""
    started = time.monotonic()
    project = find_project(request.start)
    plan = make_plan(request.query)
    for attempt in range(_TRIES):
        view = _view(request, plan, project, home, config, progress)
        strict = request.refresh and view.mode != "scan" and attempt < _TRIES - 1
        try:
            response = _answer(request, plan, view, strict)
        except _Changed:
            continue
        except DamagedIndex as error:
            _repair(view, error)
            continue
        response.took_ms = (time.monotonic() - started) * 1000
        log.event(
            "info",
            "greppy.search",
            project=project.root,
            results=len(response.results),
            took_ms=round(response.took_ms, 1),
        )
        return response
    raise IndexFailure(
        f"the index of {os.fsdecode(project.root)} is damaged and cannot be repaired", "run 'greppy forget'"
    )


def _view(request: Request, plan: Plan, project: Project, home: bytes, config: Config, progress: Progress) -> View:
    """The index as it is now; of a large project that has none yet, what a scan finds."""
    if request.refresh and not request.wait and not os.path.lexists(store_of(project, home).manifest):
        from greppy.search.scan.first import first_view

        scanned = first_view(request, plan, project, home, config)
        if scanned is not None:
            return scanned
    return open_view(project, home, config, request.refresh, progress)


def _repair(view: View, error: DamagedIndex) -> None:
    from greppy.index.maintenance import repair

    repair(view.store, error)


def _answer(request: Request, plan: Plan, view: View, strict: bool) -> Response:
    """One attempt over one view. Raises `_Changed` when `strict` and a file is no longer what it was."""
    allowed = make_filter(request, view)
    scores, frequencies = score_chunks(plan, view, allowed.chunks)
    hits = rank(plan, view, scores, frequencies, allowed.files, request.limit)
    results = _results(hits, plan, view, frequencies, request, strict)
    total = max(sum(scored.matching for scored in scores), len(results))
    notes = [] if results else _notes(plan, view, frequencies)
    return Response(results, total, 0.0, view.project.root, notes, view.mode)


def _results(
    hits: Sequence[Hit], plan: Plan, view: View, frequencies: Frequencies, request: Request, strict: bool
) -> list[Result]:
    matcher = Matcher(plan, frequencies.idf)
    texts: dict[int, list[bytes] | None] = {}
    results = []
    for hit in hits:
        if hit.file not in texts:
            texts[hit.file] = _lines(hit, view, check=request.refresh)
        lines = texts[hit.file]
        if lines is None:
            if strict:
                raise _Changed
            if request.refresh:
                continue
        results.append(_result(hit, view, lines or [], matcher, request.content))
    return results


def _lines(hit: Hit, view: View, check: bool) -> list[bytes] | None:
    """The lines of a hit's file; None when it is no longer there or, with `check`, no longer what was indexed."""
    try:
        data = read_file(view.project.root, hit.path, 1 << 40)
    except Unreadable:
        return None
    manifest = view.manifest
    if check:
        oids = manifest.column(layout.FILE_OIDS, "B")
        width = len(oids) // manifest.meta.files
        if hash_blob(data, manifest.meta.algorithm) != oids[hit.file * width : (hit.file + 1) * width]:
            return None
    text = to_text(data)
    return None if text is None else text[0].split(b"\n")


def _result(hit: Hit, view: View, lines: Sequence[bytes], matcher: Matcher, content: bool) -> Result:
    shard = view.shards[hit.place]
    excerpt = cut(lines, hit.start_line, hit.end_line, matcher)
    return Result(
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        score=hit.score,
        symbol=shard.symbol(hit.chunk),
        kind=shard.kind(hit.chunk),
        language=shard.language(hit.blob),
        content=excerpt.content if content else "",
        matched_lines=excerpt.matched_lines,
        terms=excerpt.words,
        flags=features.names_of(hit.flags),
        breakdown=hit.breakdown,
    )


def _notes(plan: Plan, view: View, frequencies: Frequencies) -> list[str]:
    """Why nothing was found: words that the project does not have, and the nearest that it has."""
    if not plan.terms:
        return ["the query has no word in it"]
    unseen = [term for term in plan.terms if not frequencies.df[term.bit]]
    if not unseen:
        return ["the query's words are in this project, but in no file that the filters allow"]
    from greppy.search.suggest import nearest_words

    return nearest_words(unseen, view)
