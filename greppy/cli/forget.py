"""`greppy forget`: delete a project's index, also when the project itself is gone. Cold.

In: a `Parsed`. Out: a line that says what was freed; NoIndex where there was nothing.
"""

from __future__ import annotations

import os

from greppy.cli.environment import Environment, current_folder
from greppy.cli.parse import Parsed
from greppy.index import admin
from greppy.output.quote import quote_path
from greppy.output.report import format_size
from greppy.output.stream import write_text


def run(parsed: Parsed, environment: Environment) -> int:
    """Forget the project that the first word names."""
    path = os.fsencode(parsed.words[0])
    if not os.path.isabs(path):
        path = os.path.join(current_folder(), path)
    freed = admin.forget(path, environment.home)
    write_text(f"Forgot {quote_path(os.path.normpath(path))} ({format_size(freed)} freed)\n")
    return 0
