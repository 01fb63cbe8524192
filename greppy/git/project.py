"""Find the project that a folder belongs to, and the names that its index has (hot: imported by every search).

In: a path. Out: a `Project`, or `NoProject` with what to do next. Nothing here runs git, so that a search can name its
index before anything else happens, and where a folder has a project the environment does not count: a hook's GIT_DIR or
GIT_INDEX_FILE cannot lead elsewhere. Only for a folder without any, GIT_WORK_TREE with GIT_DIR may name the one.

What git itself decides by configuration is decided by the place of `.git` here: the folder that holds a valid `.git` is
the working tree's root whatever `core.worktree` says, and `plumbing` tells git so.
"""

from __future__ import annotations

import os
import stat

from greppy.errors import NoProject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Files that make a folder a project where git does not decide, in the order in which they give the project its marker.
FILE_MARKERS = ("package.json", "Cargo.toml", "pyproject.toml", "go.mod", "pom.xml", "build.gradle")
OWN_MARKER = ".greppy"
BARE = "bare repository"
# What a `.greppy` folder holds when it is somebody's GREPPY_HOME (by default ~/.greppy) and marks nothing.
STORE_NAMES = (b"indexes", b"projects.json", b"config.toml")
SMALL_FILE = 65536


class Project:
    """What is searched as one thing.

    `root` is a real path. `git_dir` is this worktree's git folder, `common_dir` the one it shares with other worktrees,
    `work_tree` the folder that holds `.git`: `root` itself, or a folder above it when a `.greppy` is nearer. The three
    are None without git. `marker` is the name that made `root` the root.
    """

    __slots__ = ("common_dir", "git_dir", "marker", "root", "work_tree")

    def __init__(
        self,
        root: bytes,
        marker: str,
        git_dir: bytes | None = None,
        common_dir: bytes | None = None,
        work_tree: bytes | None = None,
    ) -> None:
        self.root = root
        self.marker = marker
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.work_tree = work_tree

    def is_same(self, other: Project) -> bool:
        """Whether both say the same."""
        return all(getattr(self, name) == getattr(other, name) for name in Project.__slots__)

    def __repr__(self) -> str:
        return f"Project({self.root!r}, {self.marker!r}, {self.git_dir!r})"


def find_project(start: bytes, bare: bool = False) -> Project:
    """The project that `start` (a folder, or a file in one) lies in.

    A git working tree's root wins over every marker but a nearer `.greppy`; without git the nearest marker wins. With
    `bare` a bare repository is one too: `root` is its folder, and there are no files but those of its revisions.
    Raises NoProject where there is none, where `start` does not exist, and inside a bare repository or a `.git` folder.
    """
    folder = _real_folder(start)
    own = plain = None
    while True:
        found = git_dirs(folder)
        if found is not None:
            return _checked(folder, found, own, bare)
        if is_git_dir(folder):
            if plain is None and bare and _is_bare(folder):
                return Project(folder, BARE, folder, folder, folder)
            if plain is None:
                raise _inside_git_dir(folder)
            return plain
        marker = marker_of(folder)
        if marker:
            plain = plain or Project(folder, marker)
            if marker == OWN_MARKER:
                own = own or folder
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    if plain is None:
        plain = _named_by_environment(_real_folder(start))
    if plain is None:
        raise NoProject(
            f"no project found at or above {printable(start)}",
            f"go into one, pass --project DIR, or mark its root with 'git init' or an empty '{OWN_MARKER}' file",
        )
    return plain


def _named_by_environment(folder: bytes) -> Project | None:
    """The project that GIT_DIR and GIT_WORK_TREE make of a folder in that working tree (`$HOME`, say, under a bare
    repository of dotfiles); `calling.git_environment` hands them on."""
    git_dir, work_tree = (os.environb.get(name, b"") for name in (b"GIT_DIR", b"GIT_WORK_TREE"))
    if not git_dir or not work_tree or not is_git_dir(git_dir):
        return None
    root, git_dir = os.path.realpath(work_tree), os.path.realpath(git_dir)
    if folder != root and not folder.startswith(root.rstrip(b"/") + b"/"):
        return None
    return Project(root, "GIT_WORK_TREE", git_dir, _common_dir(git_dir), root)


def store_path(project: Project) -> bytes:
    """The path that names the project's index, the same for every worktree of one repository.

    The main worktree's root, else (bare repository with worktrees, submodule) the shared git folder itself; a `.greppy`
    root below that adds its own place in the working tree. Without git, the root.
    """
    if project.common_dir is None or project.work_tree is None:
        return project.root
    parent, name = os.path.split(project.common_dir)
    shared = parent if name == b".git" else project.common_dir
    below = project.root[len(project.work_tree.rstrip(b"/")) :].lstrip(b"/")
    return os.path.join(shared, below) if below else shared


def project_name(project: Project) -> bytes:
    """What the project's folder is called, that of the main worktree for all of them."""
    return os.path.basename(store_path(project))


def view_name(project: Project) -> bytes:
    """What names this worktree's manifest among those that share `store_path`: its root."""
    return project.root


def marker_of(folder: bytes) -> str:
    """The name by which `folder` is a project without git, or "" when nothing marks it."""
    if _is_own_marker(os.path.join(folder, OWN_MARKER.encode())):
        return OWN_MARKER
    for name in FILE_MARKERS:
        if _is(stat.S_ISREG, os.path.join(folder, name.encode())):
            return name
    return ""


def git_dirs(folder: bytes) -> tuple[bytes, bytes] | None:
    """(git folder, shared git folder) of the working tree whose root is `folder`; None where its `.git` is not valid.

    `.git` is a folder, or a file `gitdir: PATH` (linked worktree, submodule, separate git folder), PATH being absolute
    or relative to `folder`.
    """
    dot_git = os.path.join(folder, b".git")
    try:
        mode = os.stat(dot_git).st_mode
    except OSError:
        return None
    if stat.S_ISREG(mode):
        line = read_small(dot_git)
        if not line.startswith(b"gitdir: "):
            return None
        dot_git = os.path.join(folder, line[8:].rstrip(b"\r\n"))
    if not is_git_dir(dot_git):
        return None
    git_dir = os.path.realpath(dot_git)
    return git_dir, _common_dir(git_dir)


def is_git_dir(folder: bytes) -> bool:
    """Whether `folder` is a git folder by git's own test: a HEAD that can be one, `objects` and `refs`."""
    head = os.path.join(folder, b"HEAD")
    try:
        mode = os.lstat(head).st_mode
    except (OSError, ValueError):
        return False
    if stat.S_ISLNK(mode):
        if not os.readlink(head).startswith(b"refs/"):
            return False
    elif not _is_head(read_small(head)):
        return False
    common = _common_dir(folder)
    return _is(stat.S_ISDIR, os.path.join(common, b"objects")) and _is(stat.S_ISDIR, os.path.join(common, b"refs"))


def object_format(project: Project) -> str:
    """How the repository hashes: "sha1" or "sha256", from its config file without running git ("sha1" without git)."""
    if project.common_dir is None:
        return "sha1"
    return config_value(project.common_dir, b"extensions", b"objectformat").lower().decode("ascii", "replace") or "sha1"


def config_value(common_dir: bytes, section: bytes, key: bytes) -> bytes:
    """The last value of `section.key` in the repository's own config file, b"" when it has none.

    Only for what git too reads from that one file before anything else (core.bare, extensions.*): no includes, no
    subsections, no escapes.
    """
    value, inside = b"", False
    for raw in read_small(os.path.join(common_dir, b"config")).splitlines():
        line = raw.strip()
        if line.startswith(b"["):
            header, _, line = line[1:].partition(b"]")
            inside = header.strip().lower() == section
            line = line.strip()
        name, equals, rest = line.partition(b"=")
        if inside and name.strip().lower() == key:
            value = rest.split(b"#")[0].split(b";")[0].strip(b' \t"') if equals else b"true"
    return value


def open_regular(path: bytes) -> int:
    """A descriptor to read a regular file with; never blocks. Raises OSError, also for whatever else is at `path`."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError("not a regular file")


def read_small(path: bytes) -> bytes:
    """The first 64 KiB of a regular file; b"" for whatever else is at `path`, or nothing. Never blocks."""
    try:
        fd = open_regular(path)
    except (OSError, ValueError):
        return b""
    try:
        return os.read(fd, SMALL_FILE)
    except OSError:
        return b""
    finally:
        os.close(fd)


def printable(path: bytes) -> str:
    """`path` for one line of a message: UTF-8 where it is, every other byte and control character as an escape."""
    text = path.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _real_folder(start: bytes) -> bytes:
    try:
        real = os.path.realpath(start, strict=True)
        mode = os.stat(real).st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a path"
        raise NoProject(
            f"cannot look for a project at {printable(start)}: {reason}", "pass an existing folder"
        ) from None
    return real if stat.S_ISDIR(mode) else os.path.dirname(real)


def _checked(folder: bytes, found: tuple[bytes, bytes], own: bytes | None, bare: bool) -> Project:
    git_dir, common_dir = found
    if git_dir == common_dir and config_value(common_dir, b"core", b"bare").lower() in (b"true", b"yes", b"on", b"1"):
        if bare:
            return Project(git_dir, BARE, git_dir, common_dir, git_dir)
        raise no_working_tree(folder)
    if own is not None:
        return Project(own, OWN_MARKER, git_dir, common_dir, folder)
    return Project(folder, ".git", git_dir, common_dir, folder)


def _is_bare(folder: bytes) -> bool:
    """Whether a git folder belongs to no working tree."""
    return os.path.basename(folder) != b".git" and not os.path.exists(os.path.join(folder, b"commondir"))


def _inside_git_dir(folder: bytes) -> NoProject:
    if _is_bare(folder):
        return no_working_tree(folder)
    return NoProject(
        f"{printable(folder)} is git's own folder, not a working tree",
        "go to the working tree's root, or pass --project DIR",
    )


def no_working_tree(folder: bytes) -> NoProject:
    """The error for a bare repository of which no revision was asked for."""
    return NoProject(
        f"{printable(folder)} is a bare repository: it has no working tree to search",
        "search one of its revisions with --rev, or go into a worktree",
    )


def _common_dir(git_dir: bytes) -> bytes:
    """Where HEAD's repository keeps objects and refs: git_dir, unless its `commondir` file names another folder."""
    line = read_small(os.path.join(git_dir, b"commondir")).rstrip(b"\r\n")
    if not line or b"\0" in line:
        return git_dir
    return os.path.realpath(os.path.join(git_dir, line))


def _is_head(content: bytes) -> bool:
    if content.startswith(b"ref:"):
        return content[4:].strip().startswith(b"refs/")
    hexadecimal = content.strip()
    return len(hexadecimal) in (40, 64) and not hexadecimal.strip(b"0123456789abcdefABCDEF")


def _is_own_marker(path: bytes) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISDIR(mode) or not any(os.path.lexists(os.path.join(path, name)) for name in STORE_NAMES)


def _is(test: Callable[[int], bool], path: bytes) -> bool:
    try:
        return test(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
