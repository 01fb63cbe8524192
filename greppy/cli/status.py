"""`greppy status`: the state of one project's index, and what is not in it. Cold.

In: a `Parsed`. Out: a topic a line, the skipped files a line each with `--skipped`, or one JSON document; 0 also where
the project is not indexed yet.
"""

from __future__ import annotations

import time

from greppy.cli.environment import Environment, config_at, current_folder, existing_folder
from greppy.cli.parse import Parsed
from greppy.config import Config
from greppy.index import admin
from greppy.output.json_text import to_json
from greppy.output.report import skipped_lines, skipped_values, status_lines, status_values
from greppy.output.stream import write_text


def run(parsed: Parsed, environment: Environment) -> int:
    """Print the state of the project here or at `--project`."""
    project = parsed.text("project")
    start = current_folder() if project is None else existing_folder(project)
    config = config_at(start, environment)
    if parsed.flag("json"):
        write_text(to_json(_document(parsed, start, environment.home, config)) + "\n")
    elif parsed.flag("skipped"):
        write_text(skipped_lines(admin.skipped(start, environment.home, config)))
    else:
        write_text(status_lines(admin.status(start, environment.home, config), time.time()))
    return 0


def _document(parsed: Parsed, start: bytes, home: bytes, config: Config) -> dict[str, object]:
    document = status_values(admin.status(start, home, config))
    if parsed.flag("skipped"):
        document["skipped_files"] = skipped_values(admin.skipped(start, home, config))
    return document
