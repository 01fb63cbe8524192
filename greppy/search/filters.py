"""Which files a search may answer with: `--path`, `--include`, `--exclude`, `--lang` and the query's own filters →
masks of files and chunks. Hot path.

In: a request, its plan and a view. Out: for each file and for each chunk of each shard a byte, zero for what is
filtered out. A pattern without glob characters allows any path that contains it; with them it is a glob: `*` and `?`
stay within a path component, `**` does not, `[…]` and `{a,b}` choose, and a pattern without a slash is matched against
the file's name, one with a slash against the whole path.
"""

from __future__ import annotations

import os

from greppy.errors import BadArguments
from greppy.index import format as layout
from greppy.query.reading import NEGATABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.index.view import View
    from greppy.query.plan import Plan
    from greppy.query.reading import Filters
    from greppy.search.result import Request

    Matcher = Callable[[bytes], bool]

_GLOB = frozenset(b"*?[{")


class Filter:
    """The masks of a request; `files` and `chunks` are None when nothing is filtered out. `by_name`: a file may be
    answered with for its name alone."""

    __slots__ = ("by_name", "chunks", "files")

    def __init__(self, files: bytearray | None, chunks: Sequence[bytearray | None], by_name: bool = True) -> None:
        self.files = files
        self.chunks = chunks
        self.by_name = by_name


def make_filter(request: Request, view: View, plan: Plan) -> Filter:
    """Raises `BadArguments` for a `--path` outside the project or not there, and for a glob that is none."""
    files: bytearray | None = None
    chunks: list[bytearray | None] = [None] * len(view.shards)
    if request.paths or request.include or request.exclude or request.languages or request.since or plan.filters:
        files = _allowed_files(request, view, plan.filters)
        chunks = _chunk_masks(files, view)
    if not (plan.phrases or plan.excluded or plan.filters.get("sym") or plan.filters.get("kind")):
        return Filter(files, chunks)
    from greppy.search.narrowing import narrow

    return Filter(files, [narrow(mask, plan, shard) for mask, shard in zip(chunks, view.shards, strict=True)], False)


def path_filter(request: Request, root: bytes, filters: Filters, known: Sequence[bytes] | None = None) -> Matcher:
    """What says whether a request may be answered with a path. `known` are all the paths there are, None for those on
    disk. Raises as `make_filter`."""
    root = request.top or root
    if known is None:
        folders = [folder_of(path, request.cwd, root) for path in request.paths]
    else:
        folders = [_known_folder(path, request.cwd, root, known) for path in request.paths]
    include = [matcher(pattern) for pattern in request.include]
    exclude = [matcher(pattern) for pattern in request.exclude]
    wanted = [matchers for key in NEGATABLE if (matchers := _matchers(key, filters.get(key)))]
    exclude += [matches for key in NEGATABLE for matches in _matchers(key, filters.not_.get(key, ()))]

    def takes(path: bytes) -> bool:
        return (
            (not folders or any(_below(path, folder) for folder in folders))
            and (not include or any(matches(path) for matches in include))
            and all(any(matches(path) for matches in matchers) for matchers in wanted)
            and not any(matches(path) for matches in exclude)
        )

    return (lambda path: takes(request.mount + path)) if request.mount else takes


def _matchers(key: str, values: Sequence[str]) -> list[Matcher]:
    """What the values of a filter of the query match; one that is no glob after all is only text to look for."""
    return [_ending(value) if key == "ext" else _part(value, key == "file") for value in values]


def _ending(extension: str) -> Matcher:
    end = os.fsencode("." + extension)
    return lambda path: path.lower().endswith(end)


def _part(value: str, of_name: bool) -> Matcher:
    """A part of a path, or of a file's name, in any case; or a glob for it."""
    text = os.fsencode(value)
    try:
        matches = matcher(text) if _GLOB.intersection(text) else None
    except BadArguments:
        matches = None
    if matches is not None:
        return (lambda path: matches(path.rpartition(b"/")[2])) if of_name else matches
    lowered = text.lower()
    return lambda path: lowered in (path.rpartition(b"/")[2] if of_name else path).lower()


def languages_of(request: Request, filters: Filters) -> list[str]:
    """The languages that a request and its query allow, none for any."""
    return [*request.languages, *filters.get("lang")]


def _allowed_files(request: Request, view: View, filters: Filters) -> bytearray:
    known = view.manifest.paths if view.objects is not None else None
    takes = path_filter(request, view.project.root, filters, known)
    names = languages_of(request, filters)
    languages = _language_masks(names, view) if names else None
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
    if request.since:
        from greppy.search.since import Since

        differing = Since(view.project, request.since).differing(view)
        allowed = bytearray(a & b for a, b in zip(allowed, differing, strict=True))
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
        raise _no_such(name)
    real = os.path.realpath(found)
    if real == root:
        return b""
    prefix = root if root.endswith(b"/") else root + b"/"
    if not real.startswith(prefix):
        raise _outside(name, root)
    return real[len(prefix) :]


def _known_folder(path: bytes, cwd: bytes, root: bytes, known: Sequence[bytes]) -> bytes:
    """The same among paths that need not be on disk."""
    name = os.fsdecode(path)
    places = [os.path.relpath(os.path.join(base, path), root) for base in (cwd, root)]
    inside = [b"" if place == b"." else place for place in places if place != b".." and not place.startswith(b"../")]
    for folder in inside:
        if any(_below(other, folder) for other in known):
            return folder
    raise _no_such(name) if inside else _outside(name, root)


def _no_such(name: str) -> BadArguments:
    return BadArguments(
        f"--path {name}: no such file or folder", "give a folder of the project, relative to where you are"
    )


def _outside(name: str, root: bytes) -> BadArguments:
    return BadArguments(
        f"--path {name} is outside the project {os.fsdecode(root)}", "use --project to search elsewhere"
    )


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
