"""Ignore rules and attributes of a project without git, from its own files (cold).

In: a root whose folders may hold `.gitignore`, `.ignore` and `.gitattributes`. Out: which entries are ignored, which
linguist attributes a path has, as git would say it of the same tree. In one folder `.ignore` overrules `.gitignore`, as
ripgrep has it; a deeper folder's file overrules a higher one's; `rules.DEFAULT_PATTERNS` come before all of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from greppy.git.files import Unreadable, read_file
from greppy.git.rules import DEFAULT_PATTERNS, Rules, split_lines
from greppy.git.walk import Entry

RULES_LIMIT = 10_000_000


class PlainRules:
    """The ignore rules of one tree; each folder's files are read once, when first needed."""

    __slots__ = ("_by_folder", "_defaults", "_root")

    def __init__(self, root: bytes) -> None:
        self._root = root
        self._by_folder: dict[bytes, Rules | None] = {}
        self._defaults = Rules(DEFAULT_PATTERNS)

    def excluded(self, entries: Sequence[Entry]) -> set[bytes]:
        """Those of `entries`, none of which lies in an excluded folder, that are excluded themselves."""
        return {entry.path for entry in entries if self.excludes(entry.path, entry.kind == "folder")}

    def excludes(self, path: bytes, is_folder: bool) -> bool:
        """Whether the deepest file with a matching pattern excludes `path`; folders above it are not asked about."""
        folder = path
        while folder:
            folder = folder[: max(folder.rfind(b"/"), 0)]
            rules = self._rules(folder)
            if rules is not None:
                decision = rules.decide(path[len(folder) + 1 :] if folder else path, is_folder)
                if decision is not None:
                    return decision
        return bool(self._defaults.decide(path, is_folder))

    def _rules(self, folder: bytes) -> Rules | None:
        if folder not in self._by_folder:
            lines: list[bytes] = []
            for name in (b".gitignore", b".ignore"):
                lines += split_lines(read_rules(self._root, os.path.join(folder, name)))
            rules = Rules(lines)
            self._by_folder[folder] = rules if rules.rules else None
        return self._by_folder[folder]


def read_rules(root: bytes, path: bytes) -> bytes:
    """A rule file's text; b"" where there is no regular file (git follows no link to one either)."""
    try:
        return read_file(root, path, RULES_LIMIT)
    except Unreadable:
        return b""
