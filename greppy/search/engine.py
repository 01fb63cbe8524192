"""Searching: query → plan → candidates → score → lines → response. One function, `search`, reads in that order. Hot
path.

In: a `Request`. Out: a `Response`. The snapshot is made true first; a file that changes while it is searched makes the
search start over, so that no result shows a line of one version beside the rank of another.
"""

from __future__ import annotations

import os
import time

from greppy import log
from greppy.analysis.classify import PARSE_ERROR
from greppy.errors import DamagedIndex, IndexFailure
from greppy.git.committed import committed
from greppy.git.project import find_project
from greppy.index.view import open_view, store_of
from greppy.query.plan import expanded, make_plan, without_phrases
from greppy.search import features
from greppy.search.excerpt import Matcher, cut
from greppy.search.facts import facts_of
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
    from greppy.search.excerpt import Excerpt
    from greppy.search.rank import Hit
    from greppy.search.result import Request
    from greppy.search.score import Frequencies
    from greppy.search.texts import Text

    Progress = Callable[[int, int, str], None]
    FindProject = Callable[[bytes, bool], Project]
    OpenView = Callable[[Project, bytes, Config, bool, Progress], View]

_TRIES = 5
"""How often a search starts over for a view that was not true, for files that change under it, or for damage that was
repaired, before it gives up on them."""


_TO_VERIFY = 300
"""Places that are looked into for a phrase, best first, before it is said to stand nowhere."""


class _Changed(Exception):
    """A file is no longer what the snapshot says."""


def search(
    request: Request,
    home: bytes,
    config: Config,
    progress: Progress,
    open_view: OpenView = open_view,
    find_project: FindProject = find_project,
) -> Response:
    """Answer a request. Raises `GreppyError`s, and what `open_view` raises; a daemon has its own of these two."""
    if request.recurse:
        from greppy.search.submodules import ranked

        project = find_project(request.start, False)
        return ranked(request, project, lambda one: search(one, home, config, progress, open_view, find_project))
    started = time.monotonic()
    plan = make_plan(request.query, request.domain, request.filters)
    request.revisions = [*request.revisions, *map(os.fsencode, plan.filters.get("rev"))]
    project = find_project(request.start, bool(request.revisions or request.all_branches))
    wide = expanded(plan, config.lexicon) if request.expand else plan
    for attempt in range(_TRIES):
        view = _view(request, plan, project, home, config, progress, open_view)
        strict = request.refresh and view.mode in ("full", "memory") and attempt < _TRIES - 1
        try:
            response = _answer(request, wide, view, strict)
            if view.check is not None and view.check():
                continue
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


def _view(
    request: Request,
    plan: Plan,
    project: Project,
    home: bytes,
    config: Config,
    progress: Progress,
    open_view: OpenView,
) -> View:
    """The index as it is now; of a large project that has none yet, what a scan finds; or what git has."""
    if request.revisions or request.all_branches:
        from greppy.search.revisions import view_of_revisions

        return view_of_revisions(request, project, home, config, progress)
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
    allowed = make_filter(request, view, plan)
    scores, frequencies = score_chunks(plan, view, allowed.chunks)
    must_look = bool(plan.phrases or plan.excluded)
    depth = max(request.limit, request.depth, _TO_VERIFY if must_look else 0)
    limit = depth if must_look else request.limit
    hits = rank(plan, view, scores, frequencies, allowed.files, limit, allowed.by_name, request.fold, depth)
    results = _results(hits, plan, view, frequencies, request, strict)
    if not results and plan.phrases:
        return _without_phrases(request, plan, view, strict)
    if not results and request.correct and (meant := _corrected(request, plan, view, frequencies)):
        return _of_corrected(request, meant, plan, view, strict)
    total = max(sum(scored.matching for scored in scores), len(results))
    facts_of(view).give_back(scores)
    notes = [] if results else _notes(plan, view, frequencies)
    response = Response(results, total, 0.0, view.project.root, notes, view.mode, view.manifest.meta.indexed_at)
    response.ideal = frequencies.ideal(plan)
    return response


def _corrected(request: Request, plan: Plan, view: View, frequencies: Frequencies) -> Plan | None:
    """The plan for what was probably meant, where the project lacks a word; None where nothing is near."""
    missing = [term for term in plan.terms[: plan.asked] if not frequencies.df[term.bit]]
    if not missing:
        return None
    from greppy.search.suggest import corrected

    query = corrected(plan.query, missing, view)
    return None if query == plan.query else make_plan(query, request.domain, request.filters)


def _of_corrected(request: Request, meant: Plan, plan: Plan, view: View, strict: bool) -> Response:
    """The answer to what was probably meant, with a note that says so."""
    response = _answer(request, meant, view, strict)
    if response.results:
        response.notes = [f'nothing has "{plan.query}"; this is for "{meant.query}"', *response.notes]
    return response


def _without_phrases(request: Request, plan: Plan, view: View, strict: bool) -> Response:
    """The answer for the words of phrases that stand nowhere."""
    response = _answer(request, without_phrases(plan), view, strict)
    if response.results:
        said = ", ".join(f'"{phrase}"' for phrase in plan.phrases)
        response.notes = [f"{said} stands nowhere like that; these places have the words", *response.notes]
    return response


def _results(
    hits: Sequence[Hit], plan: Plan, view: View, frequencies: Frequencies, request: Request, strict: bool
) -> list[Result]:
    matcher = Matcher(plan, frequencies.idf)
    texts = read_texts(view, list(dict.fromkeys(hit.file for hit in hits)))
    shown: list[tuple[Hit, Text | None]] = []
    for hit in hits:
        text = texts[hit.file]
        if request.refresh and (text is None or not text.fresh):
            if strict:
                raise _Changed
            continue
        if (plan.phrases or plan.excluded) and not _is_allowed(plan, hit, text):
            continue
        shown.append((hit, text))
        if len(shown) == request.limit:
            break
    excerpts = cut([(text.content if text else b"", hit.start_line, hit.end_line) for hit, text in shown], matcher)
    results = [
        _result(hit, view, text, excerpt, request.content) for (hit, text), excerpt in zip(shown, excerpts, strict=True)
    ]
    if request.provenance and view.objects is None:
        _compare_with_head(results, {hit.path: texts[hit.file] for hit in hits}, view)
    return results


def _is_allowed(plan: Plan, hit: Hit, text: Text | None) -> bool:
    from greppy.search.narrowing import is_allowed

    return text is not None and is_allowed(plan, text.lines[hit.start_line - 1 : hit.end_line])


def _compare_with_head(results: Sequence[Result], texts: Mapping[bytes, Text | None], view: View) -> None:
    """Tell those results apart whose file differs from what is committed."""
    heads = (view.committed or committed)(view.project, list(texts))
    if heads is None:
        return
    for result in results:
        text, head = texts[result.path], heads.get(result.path, "")
        result.dirty = text is None or text.differs_from(head)


def _result(hit: Hit, view: View, text: Text | None, excerpt: Excerpt, content: bool) -> Result:
    shard = view.shards[hit.place]
    return Result(
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        score=hit.score,
        symbol=hit.symbol,
        kind=hit.kind,
        language=shard.language(hit.blob),
        content=excerpt.content if content else "",
        matched_lines=excerpt.matched_lines,
        terms=excerpt.words,
        flags=_flags(hit, text),
        breakdown=hit.breakdown,
        oid=text.oid if text else indexed_oid(view, hit.file),
        dirty=None if view.objects is None else False,
        stale=text is None or not text.fresh,
        revisions=view.labels[hit.file] if view.labels else (),
        text=text,
        domain=facts_of(view).domain(hit.file),
        has_parse_error=bool(hit.flags & PARSE_ERROR),
        also=hit.also,
    )


def _flags(hit: Hit, text: Text | None) -> list[str]:
    names = features.names_of(hit.flags)
    return [*names, "lfs-pointer"] if text is not None and text.is_pointer else names


def _notes(plan: Plan, view: View, frequencies: Frequencies) -> list[str]:
    """Why nothing was found: words that the project does not have, and the nearest that it has."""
    if not plan.terms:
        return ["the query has no word in it"]
    unseen = [term for term in plan.terms[: plan.asked] if not frequencies.df[term.bit]]
    if not unseen:
        return ["the query's words are in this project, but in no file that the filters allow"]
    from greppy.search.suggest import nearest_words

    return nearest_words(unseen, view)
