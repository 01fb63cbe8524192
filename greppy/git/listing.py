"""List a project: its files, what is passed over, and what to look at to know that the list still holds (cold).

In: a `Project` and the user's own ignore patterns. Out: a `Listing`. With git the staging area says what is tracked and
`git check-ignore` judges every other name that the walk meets, so the walk reads each folder once and git runs three
short commands; without git our own rules judge.

A name may appear while the list is made. Whoever keeps the list takes each folder's signature afterwards and asks
`files.is_racy(signature, listing.observed_ns)`: a folder changed since is not to be trusted and is listed anew next
time.
"""

from __future__ import annotations

import os
import re
import stat
import time
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from xxhash import xxh3_128_digest

from greppy.git.attributes import attributes_by_files, attributes_by_git
from greppy.git.inputs import LIST_CONFIG, git_inputs, is_set
from greppy.git.plain import PlainRules
from greppy.git.plumbing import TIMEOUT_SECONDS, IgnoreOracle, OracleEnded, run, started
from greppy.git.project import Project, object_format
from greppy.git.rules import Rules, rules_of
from greppy.git.staging import SUBMODULE, names_digest, read_staging
from greppy.git.stuck import communicate
from greppy.git.walk import GITLINK, Entry, Tracked, Walked, walk, walk_tracked

LISTING_TRIES = 3
_LIST_STAGED = ("ls-files", "-z", "-s", "-t")
# Names that change what else is listed: they are news even where they are ignored themselves.
_TELLING = (b".git", b".gitignore", b".gitattributes", b".ignore")


class File(NamedTuple):
    """A regular file on disk. `path` is relative to the root, with '/'; `attributes` as `git.attributes` has them."""

    path: bytes
    tracked: bool
    attributes: int


class Listing(NamedTuple):
    """What is searched, and when that stops being true.

    `files` are sorted by path. `skipped` are (path, reason), reasons: symlink, submodule, nested repository, special
    file, unreadable folder. `directories` (relative, b"" for the root) are those whose own signature changes when a
    name appears or goes. `inputs` are absolute paths, existing or not, whose content or presence decides the listing
    too: compare their `os.stat`, following links. `observed_ns` is when the listing began (time.time_ns()). `tracked`
    is `greppy.git.staging.tracked_digest` as it was then, b"" without git.
    """

    files: list[File]
    skipped: list[tuple[bytes, str]]
    directories: list[bytes]
    inputs: list[bytes]
    observed_ns: int
    tracked: bytes = b""


class Staged(NamedTuple):
    """The staging area below the root. `hidden_rules`: a `.gitignore` counts that a sparse checkout leaves out."""

    tracked: Tracked
    hidden_rules: bool
    digest: bytes


def list_project(project: Project, ignore: Sequence[str] = ()) -> Listing:
    """The project as it is on disk now: tracked files, and untracked ones that are not ignored.

    `ignore` are further gitignore patterns, relative to the root, which hide tracked files too. Raises IndexFailure
    with git's message where git refuses, IoFailure where it is not installed.
    """
    extra = rules_of(ignore)
    if project.git_dir is None:
        return _list_plain(project, extra)
    for _ in range(LISTING_TRIES - 1):
        try:
            return _list_git(project, extra)
        except OracleEnded:
            # A folder became a link between the walk and the question.
            continue
    return _list_git(project, extra)


def check_ignored(project: Project, paths: Sequence[bytes], ignore: Sequence[str] = ()) -> set[bytes]:
    """Those of `paths` (on disk, relative to the root) that a listing would leave out as ignored, with all below them.

    For deciding that a folder whose only news are these needs no new listing; so no name that changes other names' fate
    is ever reported, and where git cannot answer nothing is.
    """
    entries = [Entry(path, _kind_on_disk(project.root, path)) for path in paths]
    entries = [entry for entry in entries if entry.kind and os.path.basename(entry.path) not in _TELLING]
    extra = rules_of(ignore)
    found = {entry.path for entry in entries if extra and extra.excludes(entry.path, entry.kind == "folder")}
    if project.git_dir is None:
        return found | _plainly_ignored(project, entries)
    staged = _staged(project)
    tracked = staged.tracked
    known = (tracked.files, tracked.folders, tracked.submodules)
    unknown = [path for path, _ in entries if not any(path in paths for paths in known)]
    try:
        with IgnoreOracle(project.root, project.work_tree, staged.hidden_rules) as oracle:
            return found | oracle.excluded(unknown)
    except OracleEnded:
        return found


def _list_git(project: Project, extra: Rules | None) -> Listing:
    observed_ns = time.time_ns()
    with started(project.root, LIST_CONFIG, work_tree=project.work_tree) as config:
        staged = _staged(project)
        settings = communicate(config, None, TIMEOUT_SECONDS)[0]
    with IgnoreOracle(project.root, project.work_tree, staged.hidden_rules) as oracle:
        walked = _walked(project, staged.tracked, settings, oracle, extra)
    walked.files += _below_unlisted(project.root, staged.tracked, walked, extra)
    inputs = git_inputs(project, settings, walked.rule_files)
    paths = sorted(walked.files)
    hidden_attributes = any(map(_is_attribute_file, staged.tracked.files.difference(walked.rule_files)))
    attributes = attributes_by_git(project, paths, inputs.attribute_files, hidden_attributes)
    files = [File(path, path in staged.tracked.files, attributes.get(path, 0)) for path in paths]
    return Listing(files, sorted(walked.skipped), sorted(walked.folders), inputs.paths, observed_ns, staged.digest)


def _walked(project: Project, tracked: Tracked, settings: bytes, oracle: IgnoreOracle, extra: Rules | None) -> Walked:
    def judge(entries: Sequence[Entry]) -> set[bytes]:
        return oracle.excluded([entry.path for entry in entries])

    walked = None
    # Where two names can mean one file, only those count that a folder lists.
    if extra is None and not is_set(settings, b"core.ignorecase") and not is_set(settings, b"core.precomposeunicode"):
        walked = walk_tracked(project.root, tracked, judge)
    return walked or walk(project.root, tracked, judge, extra)


def _staged(project: Project) -> Staged:
    """The staging area, from its file where that tells all, else from git."""
    staging = read_staging(project, object_format(project)) if project.root == project.work_tree else None
    if staging is None or not staging.is_plain:
        return _read_staged(run(project.root, _LIST_STAGED, work_tree=project.work_tree))
    modes = [GITLINK if mode >> 12 == SUBMODULE else b"" for mode in staging.modes]
    return Staged(Tracked(zip(modes, staging.paths, strict=True)), False, names_digest(staging.table, staging.modes))


def asked_digest(project: Project) -> bytes:
    """`greppy.git.staging.tracked_digest` from git's own answer."""
    return _digest_of(run(project.root, _LIST_STAGED, work_tree=project.work_tree))


def _digest_of(records: bytes) -> bytes:
    """Hashes do not count, but for what a sparse checkout leaves out (S): it may be a file of rules."""
    entries = [record.partition(b"\t") for record in records.split(b"\0")[:-1]]
    if all(head.startswith(b"H ") and head.endswith(b" 0") for head, _, _ in entries):
        modes = array("I", [int(head[2:8], 8) for head, _, _ in entries])
        return names_digest(b"".join([path + b"\0" for _, _, path in entries]), modes.tobytes())
    return xxh3_128_digest(re.sub(rb"(\0[^S] [0-7]{6}) [0-9a-f]+", rb"\1", b"\0" + records))


def _list_plain(project: Project, extra: Rules | None) -> Listing:
    observed_ns = time.time_ns()
    walked = walk(project.root, Tracked(()), PlainRules(project.root).excluded, extra)
    paths = sorted(walked.files)
    attribute_files = list(filter(_is_attribute_file, walked.rule_files))
    attributes = attributes_by_files(project.root, paths, attribute_files)
    files = [File(path, False, attributes.get(path, 0)) for path in paths]
    inputs = sorted(os.path.join(project.root, path) for path in walked.rule_files)
    return Listing(files, sorted(walked.skipped), sorted(walked.folders), inputs, observed_ns)


def _read_staged(out: bytes) -> Staged:
    """From records of `TAG MODE OID STAGE<tab>PATH`, TAG being S for what a sparse checkout leaves out."""
    records = [record.partition(b"\t") for record in out.split(b"\0") if record]
    tracked = Tracked((head[2:8], path) for head, _, path in records)
    hidden = any(head.startswith(b"S") and os.path.basename(path) == b".gitignore" for head, _, path in records)
    return Staged(tracked, hidden, _digest_of(out))


def _is_attribute_file(path: bytes) -> bool:
    return path == b".gitattributes" or path.endswith(b"/.gitattributes")


def _below_unlisted(root: bytes, tracked: Tracked, walked: Walked, extra: Rules | None) -> list[bytes]:
    """Tracked files below folders that may be passed through but not listed (mode --x)."""
    if not walked.unlisted:
        return []
    prefixes = tuple(folder + b"/" if folder else b"" for folder in walked.unlisted)
    reachable = (path for path in tracked.files if path.startswith(prefixes) and _kind_on_disk(root, path) == "file")
    return [path for path in reachable if extra is None or not extra.excludes(path, False)]


def _kind_on_disk(root: bytes, path: bytes) -> str:
    """What is at `path` ("" for nothing, or when a folder above it is a link)."""
    end = path.find(b"/")
    try:
        while end >= 0:
            if not stat.S_ISDIR(os.lstat(os.path.join(root, path[:end])).st_mode):
                return ""
            end = path.find(b"/", end + 1)
        mode = os.lstat(os.path.join(root, path)).st_mode
    except (OSError, ValueError):
        return ""
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "symlink"}
    return kinds.get(stat.S_IFMT(mode), "special")


def _plainly_ignored(project: Project, entries: Sequence[Entry]) -> set[bytes]:
    rules = PlainRules(project.root)
    found = set()
    for path, kind in entries:
        parts = path.split(b"/")
        above = (b"/".join(parts[:count]) for count in range(1, len(parts)))
        if any(rules.excludes(folder, True) for folder in above) or rules.excludes(path, kind == "folder"):
            found.add(path)
    return found
