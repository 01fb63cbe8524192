"""`greppy list`: every indexed project. Cold.

In: a `Parsed`. Out: a line for each, or one JSON document; 0 even where there is none.
"""

from __future__ import annotations

import time

from greppy.cli.environment import Environment
from greppy.cli.parse import Parsed
from greppy.index import admin
from greppy.output.json_text import to_json
from greppy.output.report import list_lines, list_values
from greppy.output.stream import write_error, write_text


def run(parsed: Parsed, environment: Environment) -> int:
    """Print what is indexed below $GREPPY_HOME."""
    infos = admin.listing(environment.home)
    if parsed.flag("json"):
        write_text(to_json(list_values(infos)) + "\n")
    elif infos:
        write_text(list_lines(infos, time.time()))
    else:
        write_error("No project is indexed yet\n")
    return 0
