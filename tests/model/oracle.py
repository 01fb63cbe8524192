"""What is true of a working tree, by git's own list of names and the bytes on disk; the program's answers beside it.

In: a repository. Out: `Difference` for the first answer that is not true. Exact search must give every line that holds
a word and no other; ranked search must show, of every place that it names, the very bytes of those lines, and name all
files that have a word and no other. A commit and the staging area are compared with what `cat-file` says is in them,
and an index that has seen the whole walk must answer with the bytes of one that was made this moment.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import stat
from pathlib import Path
from typing import Any

from greppy.cli.main import main

from .git import Repository

Found = set[tuple[str, int, str]]
_BINARY = -1
_WHEN = re.compile(rb'"indexed_at":"[^"]*"|"took_ms":[0-9.]+')


class Difference(AssertionError):
    """An answer that is not what the files say."""


def run(*argv: str) -> tuple[int, bytes, bytes]:
    """The program, run in this process: exit status, stdout and stderr."""
    kept = [os.dup(fd) for fd in (1, 2)]
    taken = [os.memfd_create(name) for name in ("out", "err")]
    try:
        for fd, target in zip((1, 2), taken, strict=True):
            os.dup2(target, fd)
        status = main(list(argv))
    finally:
        for fd, before in zip((1, 2), kept, strict=True):
            os.dup2(before, fd)
            os.close(before)
    out, err = map(_contents, taken)
    return status, out, err


def _contents(fd: int) -> bytes:
    with open(fd, "rb") as file:
        file.seek(0)
        return file.read()


def files(repository: Repository) -> dict[str, bytes]:
    """The regular files that git tracks or does not ignore, with their bytes; nothing is read through a link."""
    listed = repository.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
    names = {os.fsdecode(name) for name in listed if name and not name.endswith(b"/")}
    return {name: data for name in sorted(names) if (data := _bytes_of(repository.root, name)) is not None}


def _bytes_of(root: Path, name: str) -> bytes | None:
    place = root
    for part in Path(name).parts[:-1]:
        place = place / part
        if place.is_symlink() or not place.is_dir():
            return None
    full = root / name
    try:
        if not stat.S_ISREG(full.lstat().st_mode):
            return None
        return full.read_bytes()
    except OSError:
        return None


def committed(repository: Repository, revision: str) -> dict[str, bytes]:
    """The regular files of a commit, or of the staging area (`:0`) where nothing is unmerged, with their bytes."""
    staged = revision == ":0"
    listed = repository.git(*(("ls-files", "-s", "-z") if staged else ("ls-tree", "-r", "-z", revision))).split(b"\0")
    blobs = {}
    for head, _, name in (line.partition(b"\t") for line in listed if line):
        mode, *rest = head.split(b" ")
        if mode in (b"100644", b"100755"):
            blobs[os.fsdecode(name)] = rest[0 if staged else 1]
    return dict(zip(blobs, repository.blobs(list(blobs.values())), strict=True))


def check_revision(repository: Repository, revision: str, word: str) -> int:
    """Compare `grep --rev` and `search --rev` with the objects; how many lines there were."""
    contents = committed(repository, revision)
    check_ranked(repository, word, contents, ("--rev", revision))
    return check_exact(repository, word, contents, ("--rev", revision))


def check_history(repository: Repository, word: str) -> None:
    """Compare with a new index's answers, byte for byte."""
    commands = [("search", "--json", "--limit", "30", f"{word} return def None"), ("grep", "--json", "-F", "-e", "def")]
    seen = [run(*command) for command in commands]
    new = repository.home.with_name("new-home")
    os.environ["GREPPY_HOME"] = str(new)
    try:
        for command, before in zip(commands, seen, strict=True):
            after = run(*command)
            new_text, text = _timeless(after[1]), _timeless(before[1])
            if new_text != text or after[0] != before[0]:
                at = max(_alike(new_text, text) - 200, 0)
                told = f"a new index answers {after[0]} …{new_text[at : at + 400]!r}"
                raise Difference(f"{command}: {told}, this one {before[0]} …{text[at : at + 400]!r}")
    finally:
        os.environ["GREPPY_HOME"] = str(repository.home)
        shutil.rmtree(new, ignore_errors=True)


def _alike(one: bytes, other: bytes) -> int:
    return next((at for at, (its, theirs) in enumerate(zip(one, other, strict=False)) if its != theirs), 0)


def _timeless(out: bytes) -> bytes:
    return _WHEN.sub(b"", out)


def check_exact(
    repository: Repository, word: str, contents: dict[str, bytes] | None = None, options: tuple[str, ...] = ()
) -> int:
    """Compare `grep` with the files, or with `contents`; how many lines there were."""
    wanted = _lines(files(repository) if contents is None else contents, word)
    status, out, err = run("grep", "--json", *options, "-F", "-e", word)
    *records, summary = [json.loads(line) for line in out.splitlines()] or [{}]
    found = {_place(record) for record in records if record["type"] in ("match", "binary")}
    if found != wanted or status != (0 if wanted else 1) or summary.get("type") != "summary":
        raise Difference(f"grep {word} {options}: {_told(found, wanted)}; status {status}, stderr {err!r}")
    return len(wanted)


def _lines(contents: dict[str, bytes], word: str) -> Found:
    found: Found = set()
    needle = word.encode()
    for name, data in contents.items():
        if needle not in data:
            continue
        if b"\0" in data[:8000]:
            found.add((name, _BINARY, ""))
            continue
        lines = data.decode("utf-8", "replace").split("\n")
        found.update((name, number, line) for number, line in enumerate(lines, 1) if word in line)
    return found


def _name(path: str | dict[str, str]) -> str:
    """A path in JSON: text, or its bytes where they are no UTF-8."""
    return path if isinstance(path, str) else os.fsdecode(base64.b64decode(path["bytes"]))


def _place(record: dict[str, Any]) -> tuple[str, int, str]:
    return _name(record["path"]), record.get("line_number", _BINARY), record.get("text", "")


def check_ranked(
    repository: Repository, word: str, contents: dict[str, bytes] | None = None, options: tuple[str, ...] = ()
) -> int:
    """Compare `search` with the files, or with `contents`; how many places it named."""
    contents = files(repository) if contents is None else contents
    status, out, err = run("search", "--json", "--limit", "100", *options, word)
    document = json.loads(out)
    if status not in (0, 1) or "results" not in document:
        raise Difference(f"search {word}: status {status}, {document}, stderr {err!r}")
    for result in document["results"]:
        _check_place(result, contents, word)
    having = {name for name, data in contents.items() if word.encode() in data and _is_text(data)}
    named = {_name(result["path"]) for result in document["results"]}
    if named != having:
        raise Difference(f"search {word}: {_told(named, having)}; notes {document['notes']}, stderr {err!r}")
    return len(named)


def _is_text(data: bytes) -> bool:
    return b"\0" not in data


def _check_place(result: dict[str, Any], contents: dict[str, bytes], word: str) -> None:
    path, first, last = _name(result["path"]), result["start_line"], result["end_line"]
    if path not in contents:
        raise Difference(f"search {word}: {path} is not there")
    lines = contents[path].split(b"\n")
    wanted = b"\n".join(lines[first - 1 : last]).decode("utf-8", "replace")
    if not 1 <= first <= last <= len(lines) or result["content"] != wanted:
        raise Difference(f"search {word}: {path}:{first}-{last} shows {result['content']!r}, the file has {wanted!r}")


def _told(found: set[Any], wanted: set[Any]) -> str:
    return f"missing {sorted(wanted - found)[:3]}, not there {sorted(found - wanted)[:3]}"
