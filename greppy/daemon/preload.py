"""What the processes of a daemon have in common is imported before they part. Cold.

In: nothing. Out: modules in memory, which all processes then share; so a process that is forked for a request begins
with its work. What is named here is imported late everywhere else, because a process that answers but once cannot
afford it.
"""

from __future__ import annotations

from greppy.analysis.grammars import load
from greppy.analysis.languages import detect

SHARED = (
    "greppy.analysis.chunks",
    *(f"greppy.git.{name}" for name in ("attributes", "inputs", "listing", "plumbing", "walk")),
    *(f"greppy.index.{name}" for name in ("builder", "examine", "guard", "maintenance")),
    "greppy.search.engine",
    "greppy.search.exact.engine",
    "greppy.search.exact.lines",
    "greppy.search.exact.rows",
    "greppy.search.exact.sieve",
    "greppy.query.regex.needles",
    "re2",
)


def load_grammars(paths: list[bytes]) -> None:
    """Load the grammars for files of these names, so that processes forked from now on have them."""
    for language in {detect(path, b"") for path in paths}:
        if language:
            load(language)
