"""The yardstick of indexing: parse with tree-sitter, and do nothing else with, the files that the index parses.

In: a folder and a number of processes. Out: on stdout, files and bytes parsed and seconds of wall clock, as JSON. The
files are those whose language has a grammar here, read, decoded as the index does, and parsed with the same parsers,
shared out by size.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import time

from greppy.analysis import grammars
from greppy.analysis.encoding import to_text
from greppy.analysis.languages import detect
from greppy.git.listing import list_project
from greppy.git.project import find_project

LIMIT = 1 << 20


def parse_all(paths: list[bytes]) -> tuple[int, int]:
    """(files, bytes) parsed."""
    files = size = 0
    for path in paths:
        with open(path, "rb") as file:
            text = to_text(file.read())
        if text is None:
            continue
        language = detect(path, text[0][:4096])
        grammar = grammars.load(language) if grammars.has_query(language) else None
        if grammar is not None:
            grammar.parser.parse(text[0])
            files += 1
            size += len(text[0])
    return files, size


def shares(paths: list[bytes], processes: int) -> list[list[bytes]]:
    """The paths in as many parts of about the same number of bytes."""
    parts: list[tuple[int, list[bytes]]] = [(0, []) for _ in range(processes)]
    for path in sorted(paths, key=os.path.getsize, reverse=True):
        least = min(range(processes), key=lambda number: parts[number][0])
        parts[least] = (parts[least][0] + os.path.getsize(path), [*parts[least][1], path])
    return [part for _, part in parts]


def main() -> None:
    root, processes = os.fsencode(sys.argv[1]), int(sys.argv[2])
    project = find_project(root)
    paths = [os.path.join(project.root, file.path) for file in list_project(project).files]
    paths = [path for path in paths if os.path.getsize(path) <= LIMIT]
    parts = shares(paths, processes)
    started = time.monotonic()
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        counts = pool.map(parse_all, parts, chunksize=1)
    seconds = time.monotonic() - started
    print(json.dumps({"files": sum(c[0] for c in counts), "bytes": sum(c[1] for c in counts), "seconds": seconds}))


if __name__ == "__main__":
    main()
