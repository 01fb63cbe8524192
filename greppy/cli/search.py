"""`greppy search`: words and options → a `Request` → the engine → stdout. HOT.

In: a `Parsed`. Out: 0 when something was found, 1 when nothing; the engine's errors pass through.
"""

from __future__ import annotations

import os

from greppy import log
from greppy.cli.environment import Environment, config_at, current_folder, existing_folder
from greppy.cli.meter import Meter
from greppy.cli.values import read_since
from greppy.domains import AUTO, DOMAINS
from greppy.errors import BadArguments
from greppy.output.stream import look_at_screen, write_error, write_text
from greppy.query.reading import Filters, filter_value
from greppy.search.result import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.cli.parse import Parsed
    from greppy.config import Config
    from greppy.search.result import Response

LONGEST_QUERY = 1000


def run(parsed: Parsed, environment: Environment) -> int:
    """Search, print, and say by the exit status whether anything was found."""
    query = read_query(parsed.words)
    languages = [read_language(name) for name in parsed.texts("lang")]
    project = parsed.text("project")
    start = current_folder() if project is None else existing_folder(project)
    config = config_at(start, environment)
    request = Request(
        query,
        start,
        start if project is not None and os.path.isabs(project) else current_folder(),
        limit=parsed.number("limit", config.limit),
        paths=_encoded(parsed, "path"),
        include=_encoded(parsed, "include"),
        exclude=_encoded(parsed, "exclude"),
        languages=languages,
        refresh=not parsed.flag("no_refresh"),
        content=parsed.flag("content", config.content),
        wait=parsed.flag("wait"),
        background=environment.background,
        provenance=parsed.flag("json"),
        revisions=_encoded(parsed, "rev"),
        all_branches=parsed.flag("all_branches"),
        since=read_since(parsed),
        recurse=parsed.flag("recurse_submodules"),
        domain=read_domain(parsed),
        filters=read_filters(parsed),
    )
    if parsed.flag("show_plan"):
        return show_plan(request, config, parsed.flag("json"))
    response = _search(request, environment, config)
    if parsed.flag("json"):
        _show_json(response, request, parsed.flag("explain"))
    else:
        _show(response, request, config, environment, parsed.flag("explain"))
    return 0 if response.results else 1


def _search(request: Request, environment: Environment, config: Config) -> Response:
    log.event("debug", "greppy.search", query=request.query)
    with Meter() as meter:
        response = search_with(request, environment, config, meter)
    found, took = len(response.results), round(response.took_ms, 1)
    log.event("info", "greppy.search", project=response.root, results=found, took_ms=took)
    return response


def search_with(request: Request, environment: Environment, config: Config, meter: Meter) -> Response:
    """Search by what a daemon has, or by the engine, which is imported while a thread looks at the working tree."""
    if environment.warm is not None:
        return environment.warm.search(request, environment.home, config, meter.show)
    if request.revisions or request.all_branches or request.recurse or not request.refresh:
        from greppy.search.engine import search

        return search(request, environment.home, config, meter.show)
    from greppy.index.ahead import Ahead

    ahead = Ahead(request.start, environment.home)
    from greppy.search.engine import search

    return search(request, environment.home, config, meter.show, ahead.open_view, ahead.find_project)


def _show_json(response: Response, request: Request, explain: bool) -> None:
    from greppy.output.json_text import render

    write_text(render(response, request.query, request.content, explain))


def _show(response: Response, request: Request, config: Config, environment: Environment, explain: bool) -> None:
    from greppy.output.human import render, render_nothing

    if not response.results:
        write_error(render_nothing(request.query, response))
        return
    screen = look_at_screen(config.color, environment.plain, environment.window)
    for note in response.notes:
        log.notice(note)
    text = render(response, screen, config.snippet_lines if request.content else 0, explain)
    if screen.terminal and config.pager and text.count("\n") >= screen.rows:
        from greppy.output.pager import page

        if environment.warm is not None:
            environment.warm.leave_to_client("a pager needs a terminal")
        page(text, environment.pager)
    else:
        write_text(text)


def read_filters(parsed: Parsed) -> Filters | None:
    """The filters that options give, None for none. Raises BadArguments for a value that a query has for text."""
    found: dict[str, tuple[str, ...]] = {}
    for key in ("file", "ext", "sym", "kind"):
        for text in parsed.texts(key):
            value = filter_value(key, text)
            if value is None:
                raise BadArguments(f'--{key}: "{text}" cannot be taken', "see 'greppy help search'")
            found[key] = (*found.get(key, ()), value)
    return Filters(found) if found else None


def read_domain(parsed: Parsed) -> str:
    """The domain that is asked for. Raises BadArguments for one that there is not."""
    name = (parsed.text("domain") or AUTO).lower()
    if name not in (*DOMAINS, AUTO):
        raise BadArguments(f'--domain: there is no "{name}"', "use one of " + ", ".join((AUTO, *DOMAINS)))
    return name


def show_plan(request: Request, config: Config, as_json: bool) -> int:
    """Print the plan of a request; 0."""
    from greppy.output.plan import plan_lines, plan_values
    from greppy.query.plan import expanded, make_plan

    plan = expanded(make_plan(request.query, request.domain, request.filters), config.lexicon)
    if as_json:
        from greppy.output.json_text import to_json

        write_text(to_json(plan_values(plan)) + "\n")
    else:
        write_text(plan_lines(plan))
    return 0


def read_query(words: Sequence[str]) -> str:
    """The words as one query: joined by spaces, tabs and newlines as spaces, bytes that are no UTF-8 as U+FFFD.

    Raises BadArguments when it is blank, longer than 1,000 characters, or holds another control character.
    """
    query = " ".join(words).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    query = query.replace("\t", " ").replace("\n", " ")
    if not query.strip():
        raise BadArguments("the query is empty", "say what to search for")
    if len(query) > LONGEST_QUERY:
        raise BadArguments(f"the query has {len(query)} characters", f"use at most {LONGEST_QUERY}")
    if any(char < " " or "\x7f" <= char < "\xa0" for char in query):
        raise BadArguments("the query holds a control character", "leave it out")
    return query


def read_language(name: str) -> str:
    """The language that the user means. Raises BadArguments with the nearest known name."""
    from greppy.analysis.languages import NAMES, resolve

    found = resolve(name)
    if found is None:
        from difflib import get_close_matches

        nearest = get_close_matches(name.lower(), NAMES, 1, 0.5)
        hint = f'did you mean "{nearest[0]}"?' if nearest else "known are " + ", ".join(NAMES)
        raise BadArguments(f'unknown language "{name}"', hint)
    return found


def _encoded(parsed: Parsed, name: str) -> list[bytes]:
    return [os.fsencode(text) for text in parsed.texts(name)]
