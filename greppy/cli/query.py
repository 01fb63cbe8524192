"""`greppy query`: the same search for agents: words and options → a `Request` → the engine → records. Hot path.

In: a `Parsed`. Out: 0 when something was found, 1 when nothing, 4 for arguments that cannot be taken; the engine's
errors pass through.
"""

from __future__ import annotations

import os

from greppy import log
from greppy.cli.environment import Environment, config_at, current_folder
from greppy.cli.meter import Meter
from greppy.cli.search import read_domain, read_filters, read_language, read_query, search_with, show_plan
from greppy.errors import BadArguments, NoProject
from greppy.output.answer import FORMATS, Answer
from greppy.output.budget import BYTES_PER_TOKEN
from greppy.output.cursor import read_cursor
from greppy.output.records import Detail
from greppy.output.stream import write_text
from greppy.search.result import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.cli.parse import Parsed
    from greppy.config import Config
    from greppy.search.result import Response

MODES = ("text", "structure", "hybrid")
RESULTS = 10
DEPTH = 100
"""Results up to which the order is settled at once, so that every page of an answer is cut from the same one."""

TEXT_CONTEXT = 2


def run(parsed: Parsed, environment: Environment) -> int:
    """Search, print records, and say by the exit status whether anything was found."""
    query = read_query(parsed.words)
    mode = _choice(parsed, "mode", MODES, "hybrid")
    form = _choice(parsed, "format", FORMATS, "jsonl")
    request = _request(parsed, query, mode, environment)
    config = config_at(request.start, environment)
    if parsed.flag("show_plan"):
        return show_plan(request, config, as_json=form in ("jsonl", "json"))
    fingerprint = (query, mode, *(f"{name}={value}" for name, value in sorted(parsed.options.items()) if name in _SAME))
    cursor = read_cursor(parsed.text("cursor"), fingerprint)
    wanted = parsed.number("max_results", RESULTS)
    request.limit = cursor.offset + wanted + 1
    response = _search(request, mode, environment, config)
    page, more = cursor.page(response.results, wanted)
    answer = Answer(form, response, query, parsed.flag("explain"))
    detail = _detail(parsed, mode)
    budget = parsed.number("max_tokens", 0) * BYTES_PER_TOKEN
    for text in answer.texts(page, detail, budget, more, cursor):
        write_text(text)
    _say(response, query)
    return 0 if page else 1


_SAME = frozenset(("path", "domain", "include", "exclude", "lang", "file", "sym", "kind", "ext", "rev"))
"""Options that a cursor belongs to, with the query and the mode."""


def _request(parsed: Parsed, query: str, mode: str, environment: Environment) -> Request:
    start, paths = _place(parsed.text("path"))
    return Request(
        query,
        start,
        start,
        paths=paths,
        include=[os.fsencode(text) for text in parsed.texts("include")],
        exclude=[os.fsencode(text) for text in parsed.texts("exclude")],
        languages=[read_language(name) for name in parsed.texts("lang")],
        refresh=not parsed.flag("no_refresh"),
        background=environment.background,
        provenance=True,
        revisions=[os.fsencode(text) for text in parsed.texts("rev")],
        domain=read_domain(parsed),
        filters=read_filters(parsed),
        fold=mode == "hybrid",
        depth=DEPTH,
        correct=True,
    )


def _place(named: str | None) -> tuple[bytes, list[bytes]]:
    """The folder to search in, and what of its project the answer is limited to. Raises NoProject."""
    if named is None:
        return current_folder(), []
    place = os.fsencode(named)
    if not os.path.exists(place):
        raise NoProject(f"{named} does not exist", "name a folder, or a file")
    place = os.path.join(current_folder(), place)
    return place if os.path.isdir(place) else os.path.dirname(place), [place]


def _choice(parsed: Parsed, name: str, choices: Sequence[str], default: str) -> str:
    value = (parsed.text(name) or default).lower()
    if value not in choices:
        raise BadArguments(f'--{name}: there is no "{value}"', "use one of " + ", ".join(choices))
    return value


def _detail(parsed: Parsed, mode: str) -> Detail:
    context = parsed.options.get("context_lines")
    lines = context if isinstance(context, int) else None
    if mode == "text" and lines is None:
        lines = TEXT_CONTEXT
    return Detail(context=lines, whole=mode == "structure")


def _search(request: Request, mode: str, environment: Environment, config: Config) -> Response:
    log.event("debug", "greppy.query", query=request.query, mode=mode)
    if mode == "text":
        from greppy.search.linewise import search_lines

        return search_lines(request, config, request.limit)
    with Meter() as meter:
        return search_with(request, environment, config, meter)


def _say(response: Response, query: str) -> None:
    """What a person should know, on stderr."""
    if not response.results:
        log.notice(f'no results for "{query}"')
    for note in response.notes:
        log.notice(note)
