"""What the working tree consists of: which files must be looked at, what still holds, and what to watch. Cold path.

In: a project, what was known of it, what differs. Out: either `Edits`, where nothing but known files' content can
have changed, or, where names may have come or rules have changed, a new listing.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels
from greppy.analysis.classify import file_flags
from greppy.git.files import is_racy
from greppy.git.project import project_name
from greppy.index import format as layout
from greppy.index.blobs import Task, current_signature
from greppy.index.freshness import input_signature, rules_digest
from greppy.index.ledger import ABSENT, Ledger, Row, Signature, Watched, nul_ended, unsettled
from greppy.index.manifest import REASONS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from greppy.config import Config
    from greppy.git.listing import File, Listing
    from greppy.git.project import Project
    from greppy.index.blobs import Scope
    from greppy.index.freshness import Changes
    from greppy.index.manifest import Manifest

_BY_CONTENT = frozenset(("", "binary", "too large", "permission denied", "io error", "missing", "analysis fails"))
"""Reasons that a regular file itself gave; the others came from its name, its type or the number of files."""

LEFT_OUT = frozenset(("symlink", "submodule", "nested repository", "special file", "unreadable folder"))
"""Reasons of what is not a file to be searched."""

_BEYOND = "beyond the file limit"
_FOLDERS = ("submodule", "nested repository")


class Edits(NamedTuple):
    """Known files that changed: `tasks` for those that are there, by ordinal, `gone` for those that are not; `folders`
    and `inputs` are new signatures of these by ordinal."""

    tasks: dict[int, Task]
    gone: list[int]
    folders: dict[int, Signature]
    inputs: dict[int, Signature]


class Listed(NamedTuple):
    """A new listing: rows that still hold, tasks for the rest, and what is watched."""

    rows: list[Row]
    tasks: list[Task]
    folders: list[Watched]
    inputs: list[Watched]
    tracked: bytes


def find_edits(manifest: Manifest, project: Project, config: Config, changes: Changes, scope: Scope) -> Edits | None:
    """What changed where neither rules nor names did; None when the project has to be listed anew."""
    inputs = _harmless_inputs(manifest, project, config, scope) if changes.inputs else {}
    if inputs is None or (changes.folders and _names_differ(manifest, project, config, changes.folders)):
        return None
    reasons = manifest.column(layout.FILE_REASON, "B")
    flags = manifest.column(layout.FILE_FLAGS, "I")
    tasks: dict[int, Task] = {}
    gone: list[int] = []
    sizes = _sizes_of_regular(project.root, [manifest.paths[at] for at in changes.files])
    for at, size in zip(changes.files, sizes, strict=True):
        path = manifest.paths[at]
        if REASONS[reasons[at]] not in _BY_CONTENT or size is None:
            return None
        if size < 0:
            gone.append(at)
        else:
            tasks[at] = Task(path, size, flags[at])
    if gone and REASONS.index(_BEYOND) in bytes(reasons):
        return None
    watched = manifest.paths[manifest.meta.files :]
    folders = {at: _folder(project.root, watched[at], scope.observed_ns) for at in changes.folders}
    return Edits(tasks, gone, folders, inputs)


def _harmless_inputs(manifest: Manifest, project: Project, config: Config, scope: Scope) -> dict[int, Signature] | None:
    """The new signatures of inputs that differ without changing the listing; None where one may change it.

    That is so of the staging area as long as it names the same paths: every `git add` and commit rewrites it.
    """
    if project.git_dir is None or manifest.meta.digest != rules_digest(project, config):
        return None
    from greppy.git.staging import staging_file, tracked_digest

    stats = manifest.column(layout.INPUT_STATS, "q")
    harmless = {}
    for at, path in enumerate(manifest.inputs):
        signature = input_signature(path)
        if signature != tuple(stats[4 * at : 4 * at + 4]):
            if path != staging_file(project):
                return None
            harmless[at] = unsettled(signature) if is_racy(signature, scope.observed_ns) else signature
    # After the signatures were taken: what is written in between shows in the next search.
    return harmless if tracked_digest(project, scope.algorithm) == manifest.meta.tracked else None


def _sizes_of_regular(root: bytes, paths: Sequence[bytes]) -> list[int | None]:
    modes, stats = kernels.stats_now(root, nul_ended(paths), len(paths))
    sizes = memoryview(stats).cast("q")
    return [
        sizes[4 * at] if stat.S_ISREG(mode) else _size_of_regular(root, path)
        for at, (path, mode) in enumerate(zip(paths, modes, strict=True))
    ]


def _size_of_regular(root: bytes, path: bytes) -> int | None:
    """Bytes of a regular file (0 for one that cannot be looked at), -1 when there is none, None for anything else, and
    for what lies in a folder that may not be entered any more: that is to be listed as one."""
    try:
        found = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        return -1
    except PermissionError:
        return None
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _names_differ(manifest: Manifest, project: Project, config: Config, folders: Sequence[int]) -> bool:
    """Whether one of these folders has a name that is neither known nor ignored, or is no longer a folder."""
    watched = manifest.paths[manifest.meta.files :]
    table = nul_ended([watched[at] for at in folders])
    news = kernels.strange_names(project.root, table, manifest.container.section(layout.PATHS))
    return news is None or are_news(project, config, news)


def are_news(project: Project, config: Config, names: Sequence[bytes]) -> bool:
    """Whether one of these paths on disk that nobody knew is not ignored."""
    if not names:
        return False
    from greppy.git.listing import check_ignored

    return bool(set(names) - check_ignored(project, names, config.ignore_patterns))


def list_anew(project: Project, config: Config, old: Ledger, changes: Changes, scope: Scope) -> Listed:
    """List the project; rows of `old` whose file has not changed are kept. Raises what `list_project` raises.

    `changes` is what differs from `old`, which has all its rows, or says that the inputs do: then nothing is taken on
    trust, neither flags nor signatures.
    """
    from greppy.git.listing import list_project

    listing = list_project(project, config.ignore_patterns)
    known = {row.path: row for row in old.rows}
    trusted = set() if changes.inputs else _unchanged(old.rows, changes.files)
    rows: list[Row] = []
    tasks: list[Task] = []
    for number, (file, flags) in enumerate(_with_flags(project, listing, known, trusted)):
        row = known.get(file.path)
        if row is not None and file.path in trusted and number < config.max_files and _holds(row, scope):
            rows.append(row if row.flags == flags else row._replace(flags=flags))
            continue
        signature = current_signature(scope.root, file.path)
        if number >= config.max_files:
            rows.append(Row(file.path, signature, b"", flags, _BEYOND, "", 0))
        elif row is not None and row.signature == signature and _holds(row, scope):
            rows.append(row._replace(flags=flags))
        else:
            tasks.append(Task(file.path, signature[0], flags))
    rows += _left_out(listing, scope)
    watched = {} if changes.inputs else {each.path: each for each in old.folders}
    for at in changes.folders:
        watched.pop(old.folders[at].path, None)
    folders = [
        watched.get(path) or Watched(path, _folder(scope.root, path, scope.observed_ns))
        for path in (path or b"." for path in listing.directories)
    ]
    inputs = [watched_input(path, scope.observed_ns) for path in listing.inputs]
    return Listed(rows, tasks, folders, inputs, listing.tracked)


def _with_flags(
    project: Project, listing: Listing, known: Mapping[bytes, Row], trusted: Collection[bytes]
) -> list[tuple[File, int]]:
    """The listed files with their flags; those of trusted files are known, but for how they stand among the others."""
    # Here, because an edit can do without, and it imports re.
    from greppy.analysis.standing import OWN, Standing

    flags = [
        known[file.path].flags & ~OWN if file.path in trusted else file_flags(file.path, file.attributes)
        for file in listing.files
    ]
    paths = [file.path for file in listing.files]
    standing = Standing(project_name(project), zip(paths, flags, strict=True))
    return [(file, own | standing.flags(file.path)) for file, own in zip(listing.files, flags, strict=True)]


def _unchanged(rows: Sequence[Row], changed: Iterable[int]) -> set[bytes]:
    return {row.path for row in rows}.difference(rows[at].path for at in changed)


def _holds(row: Row, scope: Scope) -> bool:
    """Whether what was said of an unchanged file holds under the limits of today."""
    if row.signature == ABSENT or row.reason not in _BY_CONTENT or row.reason in ("too large", "missing"):
        return False
    return bool(row.reason) or row.signature[0] <= scope.max_file_size


def _left_out(listing: Listing, scope: Scope) -> Iterable[Row]:
    for path, reason in listing.skipped:
        # Of a folder that could not be read the ctime counts too: it changes with the mode.
        signature = current_signature(scope.root, path or b".", reason in _FOLDERS)
        yield Row(path, signature, b"", 0, reason, "", 0)


def _folder(root: bytes, path: bytes, observed_ns: int) -> Signature:
    signature = current_signature(root, path, folder=True)
    # A folder's ctime changes for reasons that matter to nobody; its mtime alone says whether names came or went.
    moment = (signature[0], signature[1], signature[1], signature[3])
    return unsettled(signature) if is_racy(moment, observed_ns) else signature


def watched_input(path: bytes, observed_ns: int) -> Watched:
    """An input as it is now, having been looked at since `observed_ns`."""
    signature = input_signature(path)
    return Watched(path, unsettled(signature) if is_racy(signature, observed_ns) else signature)
