"""Ignore rules in gitignore's language, by git's own meaning, on paths as bytes (cold).

In: the text of a `.gitignore`, `.ignore` or `[ignore] patterns`. Out: whether a path is excluded. Used where git is not
there to be asked: plain projects, the user's own patterns, `.gitattributes` patterns outside git.

pathspec translates each pattern to a regular expression. Its own matching of whole paths lets a pattern that names a
folder decide about everything below, so that a negated file in an excluded folder comes back; git does not. Here every
folder and file is therefore asked about by itself, top down, and an excluded folder is not entered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from greppy.git.wildmatch import take_sets

# What no one wants indexed where no `.gitignore` says so: other systems' stores, installed packages, caches. Lowest
# precedence: a `.gitignore` can bring any of them back.
DEFAULT_PATTERNS = (
    b".hg/",
    b".svn/",
    b".bzr/",
    b".jj/",
    b"_darcs/",
    b".greppy/",
    b"node_modules/",
    b"bower_components/",
    b"__pycache__/",
    b"*.pyc",
    b".venv/",
    b".tox/",
    b".nox/",
    b".eggs/",
    b".mypy_cache/",
    b".pytest_cache/",
    b".ruff_cache/",
    b".hypothesis/",
    b".gradle/",
    b".cache/",
    b".DS_Store",
)
# The bytes that pathspec, reading them as Latin-1, takes for spaces; and those that the translation gives a meaning.
_SPACES = b"\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f \x85\xa0"


class Rule(NamedTuple):
    """One pattern. `by_name`: it matches names at any depth; else `slashes` is at which depth (None for any: '**')."""

    expression: re.Pattern[bytes]
    negated: bool
    folders_only: bool
    by_name: bool
    slashes: int | None


class Rules:
    """The patterns of one file, or of several in rising precedence, relative to one folder."""

    __slots__ = ("rules",)

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.rules = [rule for rule in map(parse_rule, lines) if rule is not None]

    def decide(self, path: bytes, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches `path` itself excludes it; None where none matches."""
        name = path[path.rfind(b"/") + 1 :]
        for rule in reversed(self.rules):
            if (is_folder or not rule.folders_only) and matches(rule, path, name):
                return not rule.negated
        return None

    def excludes(self, path: bytes, is_folder: bool) -> bool:
        """Whether `path` is excluded, itself or with a folder above it."""
        end = path.find(b"/")
        while end >= 0:
            if self.decide(path[:end], True):
                return True
            end = path.find(b"/", end + 1)
        return bool(self.decide(path, is_folder))


def rules_of(patterns: Sequence[str]) -> Rules | None:
    """The user's own patterns (`[ignore] patterns` of the configuration), None where there are none."""
    return Rules(pattern.encode("utf-8", "surrogateescape") for pattern in patterns) if patterns else None


def split_lines(text: bytes) -> list[bytes]:
    """The lines of an ignore or attributes file as git has them: no BOM, no line ends."""
    return [line.removesuffix(b"\r") for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


def parse_rule(line: bytes) -> Rule | None:
    """The rule that one line states; None for a comment, an empty line and a pattern that can match nothing."""
    pattern = _without_trailing_spaces(line)
    if not pattern or pattern.startswith(b"#"):
        return None
    negated = pattern.startswith(b"!")
    pattern = pattern[1:] if negated else pattern
    folders_only = pattern.endswith(b"/")
    pattern = pattern[:-1] if folders_only else pattern
    expression = compile_pattern(pattern)
    if expression is None:
        return None
    by_name = b"/" not in pattern
    slashes = None if b"**" in pattern else pattern.removeprefix(b"/").count(b"/")
    return Rule(expression, negated, folders_only, by_name, slashes)


def compile_pattern(pattern: bytes) -> re.Pattern[bytes] | None:
    """The expression for a pattern without '!' and final '/'; None where it is not a valid one."""
    # Here, because importing it takes longer than listing a git project, which needs none of this.
    from pathspec.patterns.gitignore.base import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    if not pattern or pattern == b"/":
        return None
    stand_in = next(bytes([byte]) for byte in range(1, 256) if byte not in pattern and byte not in _SPACES)
    taken = take_sets(pattern, stand_in)
    if taken is None:
        return None
    plain, sets = taken
    # A backslash keeps pathspec from reading '#' and '!' its own way here.
    quoted = b"\\" + plain if plain[:1] in (b"#", b"!") else plain
    try:
        translated, _ = GitIgnoreSpecPattern.pattern_to_regex(quoted)
    except GitIgnorePatternError:
        return None
    if translated is None:
        return None
    remaining = iter(sets)
    return re.compile(re.sub(re.escape(re.escape(stand_in)), lambda _: next(remaining), translated), re.DOTALL)


def matches(rule: Rule, path: bytes, name: bytes) -> bool:
    """Whether the rule's pattern matches this very path (not only a folder above it); `name` is its last component."""
    if rule.by_name:
        path = name
    elif rule.slashes is not None and path.count(b"/") != rule.slashes:
        return False
    match = rule.expression.match(path)
    if match is None:
        return False
    if "ps_d" not in rule.expression.groupindex:
        return True
    return match["ps_d"] is None and match.end() == len(path)


def _without_trailing_spaces(line: bytes) -> bytes:
    """git's rule: spaces at the end go, unless a backslash keeps them."""
    end = len(line)
    while end and line[end - 1] == 0x20:
        escapes = len(line[: end - 1]) - len(line[: end - 1].rstrip(b"\\"))
        if escapes % 2:
            break
        end -= 1
    return line[:end]
