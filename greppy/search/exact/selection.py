"""Which paths are searched: the current folder or git's pathspecs, and ripgrep's globs. HOT.

In: what the user wrote, as seen from the current folder. Out: a `Selection` of paths relative to the root. A pathspec
without glob characters is compared here; what has some, or magic such as `:(exclude)`, is left to git itself, and
without git to a reading of plain globs.
"""

from __future__ import annotations

import os

from greppy.errors import BadArguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.git.project import Project

    Matcher = Callable[[bytes], bool]

_GLOB = frozenset(b"*?[\\")
_RIPGREP_GLOB = frozenset(b"*?[{")


class Selection:
    """Paths that are wanted: those that `specs` match (no specs: all below `prefix`) and `globs` leave in."""

    __slots__ = ("_allowed", "_globs", "_matchers", "_places", "_prefix")

    def __init__(
        self,
        prefix: bytes,
        places: Sequence[bytes] = (),
        allowed: set[bytes] | None = None,
        matchers: Sequence[Matcher] = (),
        globs: Sequence[tuple[bool, Matcher]] = (),
    ) -> None:
        self._prefix = prefix
        self._places = places
        self._allowed = allowed
        self._matchers = matchers
        self._globs = globs

    @property
    def takes_all(self) -> bool:
        """Whether every path is wanted."""
        return not (self._prefix or self._places or self._matchers or self._globs) and self._allowed is None

    def takes(self, path: bytes) -> bool:
        """Whether a path is wanted."""
        return self._specified(path) and (not self._globs or self._globbed(path))

    def _specified(self, path: bytes) -> bool:
        if self._allowed is not None:
            return path in self._allowed
        if self._places or self._matchers:
            below = any(not place or path == place or path.startswith(_folder(place)) for place in self._places)
            return below or any(matches(path) for matches in self._matchers)
        return not self._prefix or path.startswith(self._prefix)

    def _globbed(self, path: bytes) -> bool:
        """As ripgrep has it: the last glob that matches decides; without one, a path is wanted if no glob wants any."""
        seen = path[len(self._prefix) :] if path.startswith(self._prefix) else path
        for excludes, matches in reversed(self._globs):
            if matches(seen):
                return not excludes
        return all(excludes for excludes, _ in self._globs)


def _folder(place: bytes) -> bytes:
    return place if place.endswith(b"/") else place + b"/"


def make_selection(
    project: Project | None,
    cwd: bytes,
    root: bytes,
    specs: Sequence[bytes],
    globs: Sequence[bytes],
    tree: bytes = b"",
    recurse: bool = False,
) -> Selection:
    """The selection of `specs` and `globs`; `tree` is the commit or tree that the paths are of, if not the working
    tree; with `recurse` paths may be in submodules. Raises BadArguments for a pathspec outside the root, or one that
    git does not take."""
    prefix = prefix_of(cwd, root)
    globbed = [(glob.startswith(b"!"), _ripgrep_glob(glob.removeprefix(b"!"))) for glob in globs]
    if all(_is_plain(spec) for spec in specs):
        return Selection(prefix, [_place(spec, cwd, root) for spec in specs], globs=globbed)
    if project is not None and project.git_dir is not None:
        from greppy.git.revisions import matching_paths

        allowed = matching_paths(project, cwd, specs, tree)
        if recurse:
            allowed |= matching_paths(project, cwd, specs, recurse=True)
        return Selection(prefix, allowed=allowed, globs=globbed)
    places = [_place(spec, cwd, root) for spec in specs if _is_plain(spec)]
    matchers = [_glob(spec, cwd, root) for spec in specs if not _is_plain(spec)]
    return Selection(prefix, places, matchers=matchers, globs=globbed)


def prefix_of(cwd: bytes, root: bytes) -> bytes:
    """The current folder relative to the root, ended by `/`, or b"" at the root."""
    below = os.path.relpath(cwd, root)
    return b"" if below == b"." else below + b"/"


def _is_plain(spec: bytes) -> bool:
    return not spec.startswith(b":") and _GLOB.isdisjoint(spec)


def _place(spec: bytes, cwd: bytes, root: bytes) -> bytes:
    """A pathspec without globs relative to the root, its final `/` kept; b"" for the root."""
    if not spec:
        raise BadArguments("an empty pathspec matches nothing", "use . for the current folder")
    place = os.path.relpath(os.path.join(cwd, spec), root)
    if place == b".." or place.startswith(b"../"):
        raise BadArguments(f"{os.fsdecode(spec)} is outside {os.fsdecode(root)}", "name what lies in the project")
    if place == b".":
        return b""
    return place + b"/" if spec.endswith(b"/") else place


def _glob(spec: bytes, cwd: bytes, root: bytes) -> Matcher:
    """A pathspec's globs without git: `*` and `?` match `/` too."""
    import re

    if spec.startswith(b":"):
        raise BadArguments(f"{os.fsdecode(spec)}: pathspecs with magic need git", "leave the magic out")
    text = os.path.normpath(prefix_of(cwd, root) + spec)
    out, at = b"", 0
    while at < len(text):
        char, at = text[at : at + 1], at + 1
        if char == b"\\" and at < len(text):
            out, at = out + re.escape(text[at : at + 1]), at + 1
        elif char == b"[":
            from greppy.git.wildmatch import parse_set

            parsed = parse_set(text, at)
            if parsed is None:
                return lambda path: False
            members, at = parsed
            out += b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]" if members else b"(?!)"
        else:
            out += {b"*": b".*", b"?": b"."}.get(char) or re.escape(char)
    expression = re.compile(out, re.DOTALL)
    return lambda path: expression.fullmatch(path) is not None


def _ripgrep_glob(glob: bytes) -> Matcher:
    """A glob as ripgrep and .gitignore have them: without a `/` it is matched against every name on the way."""
    if not glob:
        raise BadArguments("--glob is empty", "give a glob such as '*.py'")
    if not _RIPGREP_GLOB.isdisjoint(glob):
        from greppy.search.filters import matcher

        return matcher(glob)
    plain = glob.strip(b"/")
    if b"/" in glob.rstrip(b"/"):
        return lambda path: path == plain or path.startswith(plain + b"/")
    return lambda path: plain in path.split(b"/")
