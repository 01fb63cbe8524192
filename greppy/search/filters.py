"""Which files a search may answer with: `--path`, `--include`, `--exclude`, `--lang` → masks of files and chunks. Hot
path.

In: a request and a view. Out: for each file and for each chunk of each shard a byte, zero for what is filtered out. A
pattern without glob characters allows any path that contains it; with them it is a glob: `*` and `?` stay within a
path component, `**` does not, `[…]` and `{a,b}` choose, and a pattern without a slash is matched against the file's
name, one with a slash against the whole path.
"""

from __future__ import annotations

import os

from greppy.errors import BadArguments
from greppy.index import format as layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.index.view import View
    from greppy.search.result import Request

    Matcher = Callable[[bytes], bool]

_GLOB = frozenset(b"*?[{")


class Filter:
    """The masks of a request; `files` and `chunks` are None when nothing is filtered out."""

    __slots__ = ("chunks", "files")

    def __init__(self, files: bytearray | None, chunks: Sequence[bytearray | None]) -> None:
        self.files = files
        self.chunks = chunks


def make_filter(request: Request, view: View) -> Filter:
    """Raises `BadArguments` for a `--path` outside the project or not there, and for a glob that is none."""
    if not (request.paths or request.include or request.exclude or request.languages):
        return Filter(None, [None] * len(view.shards))
    files = _allowed_files(request, view)
    return Filter(files, _chunk_masks(files, view))


def path_filter(request: Request, root: bytes) -> Matcher:
    """What says whether a request may be answered with a path. Raises as `make_filter`."""
    folders = [folder_of(path, request.cwd, root) for path in request.paths]
    include = [matcher(pattern) for pattern in request.include]
    exclude = [matcher(pattern) for pattern in request.exclude]
    return lambda path: (
        (not folders or any(_below(path, folder) for folder in folders))
        and (not include or any(matches(path) for matches in include))
        and not any(matches(path) for matches in exclude)
    )


def _allowed_files(request: Request, view: View) -> bytearray:
    takes = path_filter(request, view.project.root)
    languages = _language_masks(request.languages, view) if request.languages else None
    manifest = view.manifest
    shards, blobs = manifest.column(layout.FILE_SHARD, "I"), manifest.column(layout.FILE_BLOB, "I")
    reasons = manifest.column(layout.FILE_REASON, "B")
    allowed = bytearray(manifest.meta.files)
    for file in range(len(allowed)):
        allowed[file] = (
            not reasons[file]
            and takes(manifest.paths[file])
            and (languages is None or languages[shards[file]][blobs[file]])
        )
    return allowed


def _chunk_masks(files: bytearray, view: View) -> list[bytearray | None]:
    masks = [bytearray(shard.chunks) for shard in view.shards]
    shards = view.manifest.column(layout.FILE_SHARD, "I")
    blobs = view.manifest.column(layout.FILE_BLOB, "I")
    file = files.find(1)
    while file >= 0:
        start, end = view.shards[shards[file]].chunk_range(blobs[file])
        masks[shards[file]][start:end] = b"\1" * (end - start)
        file = files.find(1, file + 1)
    return list(masks)


def _language_masks(languages: Sequence[str], view: View) -> list[bytes]:
    """For each shard a byte a blob: whether it is in one of the languages."""
    masks = []
    for shard in view.shards:
        names = bytes(shard.column(layout.LANGUAGES)).decode().split("\n")
        wanted = {number for number, name in enumerate(names) if name in languages}
        masks.append(bytes(language in wanted for language in shard.column(layout.BLOB_LANGUAGE)))
    return masks


def folder_of(path: bytes, cwd: bytes, root: bytes) -> bytes:
    """A `--path` relative to the project's root, "" for the root itself; it is looked for from `cwd`, then from the
    root.

    Raises `BadArguments` when it is not there, or lies outside the project (also by way of a link).
    """
    name = os.fsdecode(path)
    if b"\0" in path:
        raise BadArguments("--path has a NUL in it", "give a folder of the project")
    found = next(
        (place for place in (os.path.join(cwd, path), os.path.join(root, path)) if os.path.lexists(place)), None
    )
    if found is None:
        raise BadArguments(
            f"--path {name}: no such file or folder", "give a folder of the project, relative to where you are"
        )
    real = os.path.realpath(found)
    if real == root:
        return b""
    prefix = root if root.endswith(b"/") else root + b"/"
    if not real.startswith(prefix):
        raise BadArguments(
            f"--path {name} is outside the project {os.fsdecode(root)}", "use --project to search elsewhere"
        )
    return real[len(prefix) :]


def _below(path: bytes, folder: bytes) -> bool:
    return not folder or path == folder or path.startswith(folder + b"/")


def matcher(pattern: bytes) -> Matcher:
    """What says whether a path matches a pattern. Raises `BadArguments` for an unclosed bracket or an empty pattern."""
    if not pattern:
        raise BadArguments("an empty pattern", "give a part of a path, or a glob such as '*.py'")
    if not _GLOB.intersection(pattern):
        return lambda path: pattern in path
    import re

    try:
        compiled = re.compile(_translated(pattern.removeprefix(b"/")), re.DOTALL)
    except re.error:
        raise BadArguments(
            f"{os.fsdecode(pattern)} is not a glob", "close its brackets, or escape them as [[]"
        ) from None
    if b"/" in pattern.rstrip(b"/"):
        return lambda path: compiled.fullmatch(path) is not None
    return lambda path: (
        compiled.fullmatch(path.rpartition(b"/")[2]) is not None
        or any(compiled.fullmatch(folder) is not None for folder in path.split(b"/")[:-1])
    )


def _translated(pattern: bytes) -> bytes:
    """A glob as a regular expression for the whole path; what a pattern names, and everything below it."""
    import re

    out = bytearray()
    depth = at = 0
    while at < len(pattern):
        piece = pattern[at : at + 1]
        at += 1
        if piece == b"*":
            stars = len(pattern[at - 1 :]) - len(pattern[at - 1 :].lstrip(b"*"))
            at += stars - 1
            if stars > 1 and pattern[at : at + 1] == b"/":
                out += b"(?:.*/)?"
                at += 1
            else:
                out += b".*" if stars > 1 else b"[^/]*"
        elif piece == b"?":
            out += b"[^/]"
        elif piece == b"[":
            at, bracket = _bracket(pattern, at)
            out += bracket
        elif piece == b"{":
            depth += 1
            out += b"(?:"
        elif piece == b"}" and depth:
            depth -= 1
            out += b")"
        elif piece == b"," and depth:
            out += b"|"
        else:
            out += re.escape(piece)
    return bytes(out).removesuffix(b"/") + b"(?:/.*)?"


def _bracket(pattern: bytes, at: int) -> tuple[int, bytes]:
    """A bracket expression that begins before `at`: where it ends, and its translation."""
    end = pattern.find(b"]", at + (2 if pattern[at : at + 1] in (b"!", b"^") else 1))
    if end < 0:
        raise BadArguments(f"{os.fsdecode(pattern)} is not a glob", "close its brackets, or escape them as [[]")
    inside = pattern[at:end].replace(b"\\", b"\\\\").replace(b"[", b"\\[")
    if inside[:1] in (b"!", b"^"):
        return end + 1, b"(?!/)[^" + inside[1:] + b"]"
    return end + 1, b"(?!/)[" + inside + b"]"
