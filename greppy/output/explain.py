"""Why a result is where it is: the parts of its score. Hot path.

In: a record, or a `Result`. Out: a line that names each part that is not nothing, the largest first::

    0.6210 = bm25f 0.2844 + path 0.1950 + coverage 0.1416
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from greppy.output.records import Record
    from greppy.search.result import Result


def explain_line(record: Record) -> str:
    """The line for a record, indented, with its end."""
    breakdown = record.get("score_breakdown")
    score = record.get("score")
    assert isinstance(score, float)
    assert isinstance(breakdown, dict)
    return "        " + _sum(score, breakdown) + "\n"


def explain_result(result: Result) -> str:
    """The line for a result of `search`, without an end."""
    return _sum(result.score, result.breakdown)


def _sum(score: float, parts: Mapping[str, float]) -> str:
    largest = sorted(((name, part) for name, part in parts.items() if part), key=lambda item: (-item[1], item[0]))
    return f"{score:.4f} = " + " + ".join(f"{name} {part:.4f}" for name, part in largest)
