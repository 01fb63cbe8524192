"""A `Response` as a person reads it. HOT.

In: the response, the screen, how many lines a snippet may have (0: none). Out: text such as ::

    src/auth.py:15-42  AuthMiddleware.check  method
    │ def check(self, request):
    │     session = self.sessions.find(request.cookie)
    │ ...

    Found 12 results in 3ms
"""

from __future__ import annotations

from greppy import kernels
from greppy.log import printable
from greppy.output.explain import explain_result
from greppy.output.quote import quote_path
from greppy.output.snippet import CUT, snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from greppy.output.stream import Screen
    from greppy.search.result import Response, Result

_PATH = "\x1b[35m"
_LINE = "\x1b[32m"
_DIM = "\x1b[2m"
_RESET = "\x1b[0m"
_BAR = "│ "


def render(response: Response, screen: Screen, snippet_lines: int, explain: bool = False) -> str:
    """All of stdout for a search that found something, with `explain` also why; ends with a newline."""
    paint = _painted if screen.color else _unpainted
    blocks = [_block(result, screen, snippet_lines, paint, explain) for result in response.results]
    between = "\n\n" if snippet_lines else "\n"
    return between.join(blocks) + "\n\n" + paint(summary(response), _DIM) + "\n"


def render_nothing(query: str, response: Response) -> str:
    """What stderr says when nothing was found: that, and the engine's notes."""
    lines = [f'No results for "{query}"', *response.notes]
    return "".join(printable(line) + "\n" for line in lines)


def summary(response: Response) -> str:
    """How many results there are and how long they took, in whole milliseconds, at least one."""
    shown, total = len(response.results), max(response.total, len(response.results))
    count = f"{shown} of {total}" if shown < total else str(shown)
    return f"Found {count} result{'' if total == 1 else 's'} in {max(1, round(response.took_ms))}ms"


def _block(result: Result, screen: Screen, snippet_lines: int, paint: Callable[[str, str], str], explain: bool) -> str:
    lines = [_location(result, paint)]
    if explain:
        lines.append(paint("  " + explain_result(result), _DIM))
    if snippet_lines and result.content:
        plain = None if screen.color else _plain(result, snippet_lines, screen.columns - len(_BAR))
        if plain is not None:
            return "\n".join([*lines, plain])
        for line in snippet(result, snippet_lines, screen, len(_BAR)):
            lines.append(paint(_BAR + CUT, _DIM) if line is None else paint(_BAR, _DIM) + line)
    return "\n".join(lines)


def _plain(result: Result, most: int, width: int) -> str | None:
    """The lines of `snippet`, where none of them has to be cut or made harmless; a tenth of the time."""
    return kernels.plain_snippet(result.content, result.start_line, result.matched_lines, most, width, _BAR)


def _location(result: Result, paint: Callable[[str, str], str]) -> str:
    span = str(result.start_line)
    if result.end_line > result.start_line:
        span += f"-{result.end_line}"
    place = f"{paint(quote_path(result.path), _PATH)}:{paint(span, _LINE)}"
    notes = [result.symbol, result.kind] if result.symbol else []
    if result.revisions:
        notes.append("in " + ", ".join(result.revisions))
    shown = "  ".join(printable(note) for note in notes if note)
    return f"{place}  {paint(shown, _DIM)}" if shown else place


def _painted(text: str, color: str) -> str:
    return f"{color}{text}{_RESET}"


def _unpainted(text: str, _color: str) -> str:
    return text
