"""The first manifest of a worktree, made of one of another worktree or clone of the same repository. Cold path.

In: a project that has no manifest. Out: the other's manifest with the stat data that the files have here, and what is
not known of them; or None. A file that looks as git's index file has it, and whose blob the other manifest knows, is
not read: what git takes for clean counts as clean. Whatever is not certain is left to `greppy.index.builder`: as a
changed file, or, where names or attributes may differ, as changed inputs, so that the project is listed anew and only
what is known of unchanged files is used.

git's blob is what lies on disk, unless something converts it. Ends of lines, `ident` and the like only ever shorten a
text on its way into git, so the same size means the same bytes; files with a filter or another encoding are read.
"""

from __future__ import annotations

import os
import stat
import time
from array import array
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels
from greppy.analysis.standing import OWN, Standing
from greppy.analysis.version import ANALYZER
from greppy.git.calling import ask
from greppy.git.files import COARSE_RACY_NS, RACY_NS, SECOND_NS, Unreadable, hash_blob, is_racy, read_file
from greppy.git.inputs import LIST_CONFIG, git_inputs
from greppy.git.project import SMALL_FILE, object_format, project_name, read_small
from greppy.git.replaced import replacements
from greppy.git.staging import CUT, REGULAR, SUBMODULE, SYMLINK, digest_of, read_staging
from greppy.index import format as layout
from greppy.index.edit import readdressed
from greppy.index.freshness import Changes, input_signature, rules_digest
from greppy.index.kin import kin
from greppy.index.ledger import ABSENT, Origin, Watched
from greppy.index.manifest import NEVER, REASONS, Manifest
from greppy.index.snapshot import LEFT_OUT, are_news, watched_input

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from greppy.config import Config
    from greppy.git.inputs import Inputs
    from greppy.git.project import Project
    from greppy.git.staging import Staging
    from greppy.index.kin import Kin
    from greppy.index.ledger import Signature
    from greppy.index.store import Store

_RULE_FILES = (b".gitignore", b".gitattributes", b".ignore")
_CONVERTING = (b"filter", b"working-tree-encoding")
_CLASSIFY_NOTHING = (b"index", b"HEAD", b"config", b"config.worktree", b"exclude", b"ignore", b".gitignore", b".ignore")
"""Names of inputs that do not say what a file is for."""

_LINK, _SUBMODULE, _TOO_LARGE = map(REASONS.index, ("symlink", "submodule", "too large"))


class Adopted(NamedTuple):
    """A manifest that is written nowhere yet, and what is not certain of it."""

    content: bytes
    manifest: Manifest
    changes: Changes


def adopt(project: Project, store: Store, config: Config) -> Adopted | None:
    """What another manifest says of this worktree. Needs the lock, since shards of another index become ours."""
    if project.git_dir is None or project.root != project.work_tree:
        return None
    observed_ns = time.time_ns()
    algorithm = object_format(project)
    index_file = Watched(path := os.path.join(project.git_dir, b"index"), input_signature(path))
    staging = read_staging(project, algorithm)
    if staging is None or replacements(project):
        return None  # with replacements, a file that is clean need not have the bytes of its blob
    tracked = digest_of(project, staging)
    other = kin(store, algorithm, staging, tracked)
    status, settings = ask(project.root, LIST_CONFIG, project.work_tree)
    if other is None or status != 0:
        return None
    return _Here(project, other, staging, observed_ns).adopted(config, tracked, settings, index_file)


class _Here:
    """The paths of another worktree's manifest as they are here."""

    def __init__(self, project: Project, kin: Kin, staging: Staging, observed_ns: int) -> None:
        self._project = project
        self._staging = staging
        self._tracked = staging.paths
        self._other = other = kin.manifest
        self._is_clone = kin.is_clone
        self._observed_ns = observed_ns
        self._files = other.meta.files
        self._paths = other.paths[: self._files]
        self._ordinals = {path: at for at, path in enumerate(self._paths)}
        self._modes, stats = kernels.stats_now(
            project.root, other.container.section(layout.PATHS), self._files + other.meta.folders
        )
        self._stats = array("q", stats)
        self._known = bytearray(self._files)

    def adopted(self, config: Config, tracked: bytes, settings: bytes, index_file: Watched) -> Adopted:
        project = self._project
        inputs = git_inputs(project, settings, self._rule_files())
        are_here = self._compare(_converted(project, inputs, self._staging))
        watched = [
            index_file if path == index_file.path else watched_input(path, self._observed_ns) for path in inputs.paths
        ]
        certain = (
            are_here
            and self._other.meta.digest.startswith(config.digest())
            and self._same_attributes(inputs)
            and self._same_names(config)
        )
        changed = [at for at, known in enumerate(self._known) if not known]
        self._distrust(changed)
        digest = rules_digest(project, config) if certain else b""
        origin = Origin(project.root, self._other.meta.algorithm, digest, self._observed_ns)
        content = readdressed(self._other, origin, tracked, self._stats.tobytes(), watched, self._flags())
        manifest = Manifest(memoryview(content), ANALYZER, "adopted")
        return Adopted(content, manifest, Changes(changed, (), not certain))

    def _rule_files(self) -> list[bytes]:
        found = [path for path in self._paths if path.endswith(_RULE_FILES)]
        return [path for path in found if self._modes[self._ordinals[path]] and path.rpartition(b"/")[2] in _RULE_FILES]

    def _compare(self, converted: Container[bytes]) -> bool:
        """Mark the files whose content is known; whether all of them are tracked here and on disk."""
        if not converted and self._are_all_clean():
            self._known = bytearray(b"\1" * self._files)
            for entry in _racy(self._staging.stats, self._staging.written_ns, self._files):
                self._known[entry] = 0
            return True
        find, modes = self._ordinals.get, self._modes
        places = [find(path, -1) for path in self._tracked]
        met = {at for at in places if at >= 0 and modes[at]}
        clean = self._clean(places, converted)
        for entry, (at, mode) in enumerate(zip(places, self._staging.modes, strict=True)):
            if entry in clean:
                self._known[at] = 1
            elif at >= 0 and modes[at]:
                self._known[at] = self._needs_no_reading(at, mode >> 12)
        return len(met) == self._files

    def _are_all_clean(self) -> bool:
        """Whether every file is as it is there and as git has it: so it mostly is, and that is quickly seen."""
        staging, count = self._staging, self._files
        if staging.entries != count or not staging.is_plain:
            return False
        kinds = {mode >> 12 for mode in {*self._modes[:count]}}
        sizes = self._other.column(layout.STATS, "q")
        return (
            kinds == {REGULAR}
            and {mode >> 12 for mode in {*staging.modes}} == kinds
            and staging.oids == self._other.column(layout.FILE_OIDS, "B")
            and self._tracked == self._paths
            and staging.stats == self._stats[: 4 * count]
            and staging.stats[::4].tolist() == sizes[: 4 * count : 4].tolist()
        )

    def _clean(self, places: Sequence[int], converted: Container[bytes]) -> set[int]:
        """The entries whose files have the blobs that the other worktree has there, by the stat data that git has."""
        staging, width = self._staging, self._staging.width
        ours, theirs = staging.oids, bytes(self._other.column(layout.FILE_OIDS, "B"))
        staged, here = bytes(staging.stats), self._stats.tobytes()
        clean = {
            entry
            for entry, at in enumerate(places)
            if ours[width * entry : width * entry + width] == theirs[width * at : width * at + width]
            and (
                staged[32 * entry : 32 * entry + 32] == here[32 * at : 32 * at + 32]
                or (at >= 0 and self._looks_alike(entry, at))
            )
        }
        clean.difference_update(_racy(staging.stats, staging.written_ns, staging.entries))
        sizes, modes = self._other.column(layout.STATS, "q"), self._modes
        return {
            entry
            for entry in clean
            if staging.stats[4 * entry] == sizes[4 * (at := places[entry])] & CUT
            and modes[at] >> 12 == REGULAR
            and staging.plain[entry]
            and self._tracked[entry] not in converted
        }

    def _needs_no_reading(self, at: int, kind: int) -> bool:
        """Whether a file is not to be read, here as there, for its type or its size."""
        reason, mode = self._other.column(layout.FILE_REASON, "B")[at], self._modes[at]
        if kind == REGULAR:
            theirs = self._other.column(layout.STATS, "q")
            return reason == _TOO_LARGE and stat.S_ISREG(mode) and self._stats[4 * at] == theirs[4 * at]
        if kind == SYMLINK:
            return reason == _LINK and stat.S_ISLNK(mode)
        return kind == SUBMODULE and reason == _SUBMODULE and stat.S_ISDIR(mode)

    def _looks_alike(self, entry: int, at: int) -> bool:
        """Whether stat data are the same as far as git has them."""
        size, mtime, ctime, inode = self._stats[4 * at : 4 * at + 4]
        return (size & CUT, mtime, ctime, inode & CUT) == tuple(self._staging.stats[4 * entry : 4 * entry + 4])

    def _same_attributes(self, inputs: Inputs) -> bool:
        """Whether all that classifies files says what it said to the other worktree."""
        rules = [at for at, path in enumerate(self._paths) if (b"/" + path).endswith(b"/.gitattributes")]
        if not all(self._known[at] or self._is_unchanged(at) for at in rules):
            return False
        recorded = dict(_inputs_of(self._other))
        ours = {path for path in inputs.attribute_files if not self._is_row(path, self._project.root)}
        if any(recorded.get(path, ABSENT) != input_signature(path) for path in ours):
            return False
        return all(
            signature == ABSENT
            or path in ours
            or path.rpartition(b"/")[2] in _CLASSIFY_NOTHING
            or path in inputs.paths
            or self._is_row(path, self._other.meta.root)
            for path, signature in recorded.items()
        )

    def _is_row(self, path: bytes, root: bytes) -> bool:
        return path.startswith(root + b"/") and path[len(root) + 1 :] in self._ordinals

    def _is_unchanged(self, at: int) -> bool:
        """Whether a file has the blob that the other worktree has, by its bytes."""
        oids = self._other.column(layout.FILE_OIDS, "B")
        width = len(oids) // self._files
        try:
            data = read_file(self._project.root, self._paths[at], SMALL_FILE)
        except Unreadable:
            return False
        return hash_blob(data, self._other.meta.algorithm) == bytes(oids[width * at : width * at + width])

    def _same_names(self, config: Config) -> bool:
        """Whether nothing is here but what is tracked or ignored, in the folders that are there too."""
        folders = self._other.paths[self._files :]
        if not _folders_of(self._tracked).issuperset(folders):
            return False
        table = b"".join([folder + b"\0" for folder in folders])
        names = kernels.strange_names(self._project.root, table, self._other.container.section(layout.PATHS))
        return names is not None and not are_news(self._project, config, names)

    def _flags(self) -> bytes:
        """The files' flags, as far as they come from the project's name those of this one's."""
        flags = self._other.column(layout.FILE_FLAGS, "I")
        if not self._is_clone:
            return bytes(flags)
        reasons = self._other.column(layout.FILE_REASON, "B")
        listed = [at for at, reason in enumerate(reasons) if REASONS[reason] not in LEFT_OUT]
        standing = Standing(project_name(self._project), [(self._paths[at], flags[at] & ~OWN) for at in listed])
        ours = array("I", flags)
        for at in listed:
            ours[at] = flags[at] & ~OWN | standing.flags(self._paths[at])
        return ours.tobytes()

    def _distrust(self, changed: Sequence[int]) -> None:
        """What is not known, or may have changed since it was looked at, shall look changed to the next search."""
        for at in [*changed, *_racy(self._stats, self._observed_ns, self._files)]:
            if not stat.S_ISLNK(self._modes[at]):
                self._stats[4 * at + 1] = NEVER


def _racy(stats: Sequence[int], observed_ns: int, files: int) -> list[int]:
    """The ordinals of what may have changed since without showing it; of folders only the mtime counts, as ever."""
    near, far = observed_ns - RACY_NS, observed_ns - COARSE_RACY_NS
    return [
        at
        for at, (mtime, ctime) in enumerate(zip(stats[1::4], stats[2::4], strict=True))
        if (ctime >= near or mtime >= near or ((ctime >= far or mtime >= far) and mtime % SECOND_NS == 0))
        and is_racy((0, mtime, ctime if at < files else mtime, 0), observed_ns)
    ]


def _inputs_of(manifest: Manifest) -> Iterator[tuple[bytes, Signature]]:
    stats = manifest.column(layout.INPUT_STATS, "q")
    for at, path in enumerate(manifest.inputs):
        size, mtime, ctime, inode = stats[4 * at : 4 * at + 4]
        yield path, (size, mtime, ctime, inode)


def _folders_of(paths: Sequence[bytes]) -> set[bytes]:
    """The folders that hold these files; "." is the root."""
    found = {b"."}
    for folder in {path.rpartition(b"/")[0] for path in paths}:
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return found


def _converted(project: Project, inputs: Inputs, staging: Staging) -> Container[bytes]:
    """The files that may be others on disk than in git, whatever their size is."""
    texts = [read_small(path) for path in inputs.attribute_files]
    if not any(len(text) == SMALL_FILE or any(word in text for word in _CONVERTING) for text in texts):
        return ()
    from greppy.git.plumbing import run

    out = run(project.root, ["check-attr", "-z", "--stdin", *_CONVERTING], staging.table, work_tree=project.work_tree)
    fields = out.split(b"\0")
    values = zip(fields[0::3], fields[2::3], strict=False)
    return {path for path, value in values if value not in (b"unspecified", b"unset")}
