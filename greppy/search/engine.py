"""Searching: query → plan → candidates → score → lines → response. One function, `search`, reads in that order. Hot
path.

In: a `Request`. Out: a `Response`. The snapshot is made true first; a file that changes while it is searched makes the
search start over, so that no result shows a line of one version beside the rank of another.
"""

from __future__ import annotations

import os
import time

from greppy import log
from greppy.errors import DamagedIndex, IndexFailure
from greppy.git.committed import committed
from greppy.git.project import find_project
from greppy.index.view import open_view, store_of
from greppy.query.plan import make_plan
from greppy.search import features
from greppy.search.excerpt import Matcher, cut
from greppy.search.filters import make_filter
from greppy.search.rank import rank
from greppy.search.result import Response, Result
from greppy.search.score import score_chunks
from greppy.search.texts import indexed_oid, read_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.view import View
    from greppy.query.plan import Plan
    from greppy.search.rank import Hit
    from greppy.search.result import Request
    from greppy.search.score import Frequencies
    from greppy.search.texts import Text

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
        strict = request.refresh and view.mode in ("full", "memory") and attempt < _TRIES - 1
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
    return Response(results, total, 0.0, view.project.root, notes, view.mode, view.manifest.meta.indexed_at)


def _results(
    hits: Sequence[Hit], plan: Plan, view: View, frequencies: Frequencies, request: Request, strict: bool
) -> list[Result]:
    matcher = Matcher(plan, frequencies.idf)
    texts = read_texts(view, list(dict.fromkeys(hit.file for hit in hits)))
    results = []
    for hit in hits:
        text = texts[hit.file]
        if request.refresh and (text is None or not text.fresh):
            if strict:
                raise _Changed
            continue
        results.append(_result(hit, view, text, matcher, request.content))
    if request.provenance and view.objects is None:
        _compare_with_head(results, {hit.path: texts[hit.file] for hit in hits}, view.project)
    return results


def _compare_with_head(results: Sequence[Result], texts: Mapping[bytes, Text | None], project: Project) -> None:
    """Tell those results apart whose file differs from what is committed."""
    heads = committed(project, list(texts))
    if heads is None:
        return
    for result in results:
        text, head = texts[result.path], heads.get(result.path, "")
        result.dirty = text is None or text.differs_from(head)


def _result(hit: Hit, view: View, text: Text | None, matcher: Matcher, content: bool) -> Result:
    shard = view.shards[hit.place]
    excerpt = cut(text.lines if text else (), hit.start_line, hit.end_line, matcher)
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
        oid=text.oid if text else indexed_oid(view, hit.file),
        dirty=None if view.objects is None else False,
        stale=text is None or not text.fresh,
        revisions=view.labels[hit.file] if view.labels else (),
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
