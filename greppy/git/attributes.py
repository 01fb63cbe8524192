"""Which files a project's `.gitattributes` call generated, vendored or documentation (cold).

In: paths, and the attribute files that can speak of them. Out: one number a path: GENERATED, VENDORED and DOCUMENTATION
where the attribute is set, the same shifted by NEGATED_SHIFT where it is explicitly not, so that it can overrule what
the path alone suggests. github-linguist defines the attributes; any value but "false" sets one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from greppy.git.plain import read_rules
from greppy.git.plumbing import run
from greppy.git.project import Project, read_small
from greppy.git.rules import Rule, compile_pattern, matches, split_lines

GENERATED = 1
VENDORED = 16
DOCUMENTATION = 256
NEGATED_SHIFT = 16
BITS = {b"linguist-generated": GENERATED, b"linguist-vendored": VENDORED, b"linguist-documentation": DOCUMENTATION}

_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def attributes_by_git(
    project: Project, paths: Sequence[bytes], sources: Iterable[bytes], certain: bool
) -> dict[bytes, int]:
    """The attributes of `paths` that have any, as `git check-attr` has them.

    `sources` are the attribute files that may exist (absolute): git is asked only where one of them mentions linguist,
    or where `certain` says that git knows of one which is not on disk.
    """
    if not paths or not (certain or any(b"linguist-" in read_small(source) for source in sources)):
        return {}
    names = list(BITS)
    stdin = b"".join(path + b"\0" for path in paths)
    out = run(project.root, ["check-attr", "-z", "--stdin", *names], stdin, work_tree=project.work_tree)
    fields = out.split(b"\0")
    found: dict[bytes, int] = {}
    for path, name, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        if value != b"unspecified":
            found[path] = found.get(path, 0) | flag(BITS[name], value not in (b"unset", b"false"))
    return found


def attributes_by_files(root: bytes, paths: Iterable[bytes], files: Iterable[bytes]) -> dict[bytes, int]:
    """The same without git, from the `.gitattributes` files below `root` (relative paths). Macros are not expanded."""
    return attributes_by_rules(paths, {os.path.dirname(path): read_rules(root, path) for path in files})


def attributes_by_rules(paths: Iterable[bytes], texts: Mapping[bytes, bytes]) -> dict[bytes, int]:
    """The same from the texts of `.gitattributes` files by their folders."""
    by_folder = {folder: _parse(text) for folder, text in texts.items()}
    if not any(by_folder.values()):
        return {}
    found = {}
    for path in paths:
        value = _attributes_of(path, by_folder)
        if value:
            found[path] = value
    return found


def flag(bit: int, is_set: bool) -> int:
    """One attribute's number: the bit, or its explicit negation."""
    return bit if is_set else bit << NEGATED_SHIFT


def _attributes_of(path: bytes, by_folder: dict[bytes, list[tuple[Rule, dict[int, bool | None]]]]) -> int:
    """Deeper files and later lines overrule; `!linguist-…` returns an attribute to unspecified."""
    states: dict[int, bool | None] = {}
    end = -1
    name = path[path.rfind(b"/") + 1 :]
    while True:
        folder = path[: max(end, 0)]
        below = path[end + 1 :]
        for rule, changes in by_folder.get(folder, ()):
            if matches(rule, below, name):
                states.update(changes)
        end = path.find(b"/", end + 1)
        if end < 0:
            break
    return sum(flag(bit, state) for bit, state in states.items() if state is not None)


def _parse(text: bytes) -> list[tuple[Rule, dict[int, bool | None]]]:
    parsed = []
    for line in split_lines(text):
        pattern, words = _split(line.strip(b" \t"))
        changes = {bit: state for bit, state in map(_change, words) if bit}
        expression = compile_pattern(pattern)
        # A final '/' or a leading '!' is allowed by git, and matches no file.
        if changes and expression is not None and not pattern.startswith((b"!", b"#")) and not pattern.endswith(b"/"):
            slashes = None if b"**" in pattern else pattern.removeprefix(b"/").count(b"/")
            parsed.append((Rule(expression, False, False, b"/" not in pattern, slashes), changes))
    return parsed


def _split(line: bytes) -> tuple[bytes, list[bytes]]:
    quoted = re.match(rb'"((?:[^"\\]|\\.)*)"', line)
    if quoted is not None:
        pattern = re.sub(rb"\\([0-7]{3}|.)", _unescape, quoted[1])
        return pattern, line[quoted.end() :].split()
    pattern, *words = line.split() or [b""]
    return pattern, words


def _unescape(match: re.Match[bytes]) -> bytes:
    char = match[1]
    return bytes([int(char, 8) & 0xFF]) if len(char) == 3 else _ESCAPES.get(char, char)


def _change(word: bytes) -> tuple[int, bool | None]:
    """(bit, new state) of one word of a line; bit 0 for an attribute that is not linguist's."""
    name, equals, value = word.lstrip(b"-!").partition(b"=")
    bit = BITS.get(name, 0)
    if word.startswith(b"!"):
        return bit, None
    return bit, not word.startswith(b"-") and not (equals and value == b"false")
