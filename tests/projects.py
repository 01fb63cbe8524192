"""A project to search, in this process, with a home of its own for the index."""

from __future__ import annotations

import os
from pathlib import Path

from greppy.config import Config
from greppy.git.project import find_project
from greppy.index.view import View, open_view
from greppy.search.engine import search
from greppy.search.result import Request, Response


def silent(done: int, total: int, what: str) -> None:
    """Progress that nobody looks at."""


class Searched:
    """A project at `path` with an index below `home`."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        self.home = os.fsencode(home)
        self.config = Config(workers=1)

    def write(self, files: dict[str, str | bytes]) -> None:
        for name, text in files.items():
            full = self.path / name
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_bytes(text.encode() if isinstance(text, str) else text)

    def request(self, query: str, **fields: object) -> Request:
        where = os.fsencode(self.path)
        request = Request(query, where, where)
        for name, value in fields.items():
            setattr(request, name, value)
        return request

    def search(self, query: str, **fields: object) -> Response:
        return search(self.request(query, **fields), self.home, self.config, silent)

    def paths(self, query: str, **fields: object) -> list[str]:
        """The files of the answer, each once, in order."""
        found = [os.fsdecode(result.path) for result in self.search(query, **fields).results]
        return list(dict.fromkeys(found))

    def view(self) -> View:
        return open_view(find_project(os.fsencode(self.path)), self.home, self.config, True, silent)
