"""Commits in which lines came and went, for people and as JSON Lines (cold).

In: what `greppy.search.history` found. Out: bytes, a commit at a time ::

    1a2b3c4  2024-05-06  Ada  Cache sessions
      src/session.py
        -    return find(key)
        +    return cached(key)

    {"type":"commit","oid":"1a2b…","short":"1a2b3c4","date":"2024-05-06T07:08:09+02:00","author":"Ada","subject":"…",
     "files":[{"path":"src/session.py","binary":false,"lines":[{"change":"-","line":12,"text":"    return find(key)"},…
    {"type":"summary","commits":1,"searched_commits":5120,"missing_objects":0}

A file that was renamed has "old_path" too. A path or line that is not UTF-8 is `{"bytes":"<base64>"}`. On a terminal
lines are cut at its width and nothing in them is obeyed.
"""

from __future__ import annotations

import os

from greppy.git.history import About
from greppy.log import printable
from greppy.output.json_text import to_json
from greppy.output.quote import quote_path
from greppy.output.stream import Screen
from greppy.search.history.engine import FileChange, Found, Receipt
from greppy.search.history.verdict import Line

_OID, _PATH, _DIM, _RESET = "\x1b[33m", "\x1b[35m", "\x1b[2m", "\x1b[0m"
_SIGNS = {"+": "\x1b[32m", "-": "\x1b[31m"}


class HumanForm:
    """What a person reads."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._between = ""

    def render(self, found: Found) -> bytes:
        """One commit."""
        text = self._between + self._head(found.commit.about())
        self._between = "\n"
        return text.encode("utf-8", "backslashreplace") + b"".join(map(self._file, found.files))

    def _head(self, about: About) -> str:
        said = f"{about.date[:10]}  {printable(about.author)}  {printable(about.subject)}"
        return f"{self._painted(about.short, _OID)}  {said}\n"

    def _file(self, file: FileChange) -> bytes:
        change = file.change
        name = quote_path(change.path)
        if change.old_path != change.path:
            name = f"{quote_path(change.old_path)} => {name}"
        note = "  (binary)" if file.binary else ""
        head = f"  {self._painted(name, _PATH)}{note}\n".encode("utf-8", "backslashreplace")
        return head + b"".join(map(self._line, file.lines))

    def _line(self, line: Line) -> bytes:
        if not self._screen.terminal:
            return b"    " + line.change.encode() + line.text + b"\n"
        text = printable(os.fsdecode(line.text).expandtabs(4))
        width = max(self._screen.columns - 5, 20)
        shown = text if len(text) <= width else text[: width - 1] + "…"
        return ("    " + self._painted(line.change + shown, _SIGNS[line.change]) + "\n").encode("utf-8", "replace")

    def _painted(self, text: str, color: str) -> str:
        return f"{color}{text}{_RESET}" if self._screen.color else text

    def end(self, receipt: Receipt) -> bytes:
        """Nothing: a person sees that it is the end."""
        return b""


class JsonForm:
    """What a program reads."""

    def __init__(self) -> None:
        self._commits = 0

    def render(self, found: Found) -> bytes:
        """One commit."""
        self._commits += 1
        commit = {"oid": found.commit.oid.decode("ascii"), **found.commit.about()._asdict()}
        return _record({"type": "commit", **commit, "files": list(map(_file_values, found.files))})

    def end(self, receipt: Receipt) -> bytes:
        """The last record."""
        return _record(
            {
                "type": "summary",
                "commits": self._commits,
                "searched_commits": receipt.commits,
                "missing_objects": len(receipt.missing),
            }
        )


def _record(values: dict[str, object]) -> bytes:
    return (to_json(values) + "\n").encode()


def _file_values(file: FileChange) -> dict[str, object]:
    change = file.change
    old = {"old_path": change.old_path} if change.old_path != change.path else {}
    lines = [{"change": line.change, "line": line.number, "text": line.text} for line in file.lines]
    return {"path": change.path, **old, "binary": file.binary, "lines": lines}
