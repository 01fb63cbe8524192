"""`greppy gc`: remove what no index needs any more, and put small shards together. Cold.

In: a `Parsed`. Out: a line for each index with which anything was done and the bytes that were freed, or one JSON
document; 0 also where nothing was to be done. NoIndex where PATH is not indexed.
"""

from __future__ import annotations

import os

from greppy import log
from greppy.cli.environment import Environment, current_folder
from greppy.cli.parse import Parsed
from greppy.config import load_config
from greppy.index.admin import index_of
from greppy.index.gc import collect_garbage
from greppy.output.gc import gc_lines, gc_values
from greppy.output.json_text import to_json
from greppy.output.stream import write_text


def run(parsed: Parsed, environment: Environment) -> int:
    """Tend all indexes, or the one of the project that the word names."""
    config = load_config(environment.home)
    for warning in config.warnings:
        log.notice(warning)
    only = _directory(parsed.words[0], environment.home) if parsed.words else None
    report = collect_garbage(environment.home, config, only, parsed.flag("dry_run"))
    write_text(to_json(gc_values(report)) + "\n" if parsed.flag("json") else gc_lines(report))
    return 0


def _directory(word: str, home: bytes) -> bytes:
    path = os.path.join(current_folder(), os.fsencode(word)) if not os.path.isabs(word) else os.fsencode(word)
    return index_of(path, home)[0].directory
