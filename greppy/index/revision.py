"""Views of revisions: trees → their blobs' analyses → a manifest a tree, kept; several of them as one view. Cold path.

In: a project and its revisions' trees. Out: a `View` that is searched as the working tree's is. Blobs that any manifest
of the index knows are not read again; the others are read from git, several processes at once, and analysed once. A
tree never changes, so its manifest holds as long as the same objects replace others (`git replace`)::

    $GREPPY_HOME/indexes/…/revisions/<the tree's hash>

Of these the `KEPT` that were used last stay (their mtime tells, to the hour); the staging area's is not kept.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh3_128_digest

from greppy import log
from greppy.analysis.classify import file_flags
from greppy.analysis.languages import detect
from greppy.analysis.standing import Standing
from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex, IndexFailure
from greppy.git.blobs import NOT_HERE, Blobs, missing_blobs, sizes
from greppy.git.project import object_format, project_name
from greppy.git.replaced import fingerprint, replacements
from greppy.git.trees import tree_files
from greppy.index.freshness import rules_digest
from greppy.index.known import Known
from greppy.index.ledger import ABSENT, Ledger, Origin, Row, pack_manifest, read_ledger
from greppy.index.maintenance import repair
from greppy.index.manifest import Manifest
from greppy.index.objects import Analyser, Asked, Found
from greppy.index.shelf import Shelf
from greppy.index.store import Unwritable, Vanished, note_use, open_manifest, publish, remove, revisions
from greppy.index.view import View, store_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.git.trees import File, Tree
    from greppy.index.known import Key, Place
    from greppy.index.shard import Shard
    from greppy.index.store import Store

    Progress = Callable[[int, int, str], None]

KEPT = 64
"""Manifests of trees in an index: one has some 3 % of the size of its text, and is quickly made of known blobs."""

_TRIES = 8
"""How often a view is made anew because another process merged its shards away, or one turned out damaged."""


class _Making(NamedTuple):
    """What holds for all trees of one view. `instead`: which objects replace others."""

    project: Project
    store: Store
    config: Config
    instead: Mapping[bytes, bytes]
    progress: Progress

    @property
    def digest(self) -> bytes:
        """16 bytes that are others when a tree's manifest may be."""
        rules = rules_digest(self.project, self.config)
        return xxh3_128_digest(rules + fingerprint(self.instead)) if self.instead else rules


class _Part(NamedTuple):
    """One tree's files, where the manifest came from, and its shards."""

    tree: Tree
    manifest: Manifest
    shards: list[Shard]


class _Group(NamedTuple):
    """A blob of a tree: its hash (hexadecimal), the files that have it, and their language as far as names tell it."""

    oid: bytes
    language: str
    files: list[File]

    @property
    def key(self) -> Key:
        return bytes.fromhex(self.oid.decode("ascii")), self.language


def revision_view(project: Project, trees: Sequence[Tree], home: bytes, config: Config, progress: Progress) -> View:
    """One view of all these trees. Raises `GreppyError`s."""
    store = store_of(project, home)
    making = _Making(project, store, config, replacements(project), progress)
    for _ in range(_TRIES):
        shelf = Shelf(store, in_memory=bool(store.refusal))
        try:
            parts = [_part(making, shelf, tree) for tree in trees]
        except Vanished:
            continue
        except DamagedIndex as error:
            log.notice(f"{error.message}; analysing again what it held")
            repair(store, error)
            continue
        return _view(project, store, parts[0]) if len(parts) == 1 else _united(project, store, parts)
    raise IndexFailure(f"the index in {os.fsdecode(store.directory)} keeps changing", "try again")


def _part(making: _Making, shelf: Shelf, tree: Tree) -> _Part:
    """A tree's manifest, from disk or made now; the latter under the index's lock, so that nobody collects its new
    shards before it names them."""
    store = making.store
    kept = _kept(making, shelf, tree)
    if kept is not None:
        return kept
    try:
        with store.lock(wait=False) as held:
            if held:
                return _made(making, shelf, tree)
        log.notice(f"another process is indexing {os.fsdecode(making.project.root)}; waiting for it")
        with store.lock():
            return _made(making, shelf, tree)
    except Unwritable as error:
        log.notice(f"{error.message}; searching without it")
        return _made(making, Shelf(store, in_memory=True), tree)


def _kept(making: _Making, shelf: Shelf, tree: Tree) -> _Part | None:
    """What was made of a tree before, under the same rules, as long as its shards are there."""
    if not tree.oid:
        return None
    path = making.store.revision(tree.oid)
    try:
        manifest = open_manifest(path)
    except DamagedIndex as error:
        log.notice(f"{error.message}; making it anew")
        return None
    if manifest is None or manifest.meta.digest != making.digest:
        return None
    try:
        shards = [shelf[name] for name in manifest.shards]
    except Vanished:
        return None
    note_use(path)
    return _Part(tree, manifest, shards)


def _made(making: _Making, shelf: Shelf, tree: Tree) -> _Part:
    """A tree's manifest made of the analyses that exist and those that are missing; kept where it may be written."""
    project, store, config, instead, _ = making
    shelf.adopt_others()
    files = tree_files(project, tree, config.ignore_patterns, config.max_files, instead)
    missing = missing_blobs(project, tree.oid) if tree.oid else frozenset()
    rows = _rows(making, shelf, files, missing)
    _tell_missing(tree, rows)
    shards = [shelf[name] for name in dict.fromkeys(row.shard for row in rows if not row.reason)]
    origin = Origin(project.root, object_format(project), making.digest, time.time_ns())
    content = pack_manifest(Ledger(rows, (), ()), shards, origin)
    whole = tree.oid and not any(row.reason == NOT_HERE for row in rows)
    # git has its own view of replacements while it lists: what changed meanwhile is not to be kept.
    if whole and not shelf.in_memory and replacements(project) == instead:
        publish(store.revision(tree.oid), content)
        _forget_oldest(store.directory)
    return _Part(tree, Manifest(memoryview(content), ANALYZER, tree.name), shards)


def _rows(making: _Making, shelf: Shelf, files: Sequence[File], missing: Container[bytes]) -> list[Row]:
    project, config = making.project, making.config
    groups = _grouped(files)
    known = Known(shelf.shards())
    found: dict[int, Found] = {}
    for at, group in enumerate(groups):
        place = known.find(group.key)
        if place is not None:
            found[at] = Found("", *place)
        elif group.oid in missing:
            found[at] = Found(NOT_HERE, "", 0)
    unknown = [at for at in range(len(groups)) if at not in found]
    asked: dict[int, Asked] = {}
    for at, size in zip(unknown, sizes(project, [groups[at].oid for at in unknown]), strict=True):
        if size is None:
            found[at] = Found(NOT_HERE, "", 0)
        elif size > config.max_file_size:
            found[at] = Found("too large", "", 0)
        else:
            asked[at] = Asked(groups[at].oid, groups[at].files[0].path, size)
    analysed = Analyser(project, shelf, known, config).analyse(list(asked.values()), making.progress)
    found.update(zip(asked, analysed, strict=True))
    standing = Standing(project_name(project), ((file.path, _flags(file)) for file in files))
    return [
        Row(file.path, ABSENT, group.key[0], _flags(file) | standing.flags(file.path), *found[at])
        for at, group in enumerate(groups)
        for file in group.files
    ]


def _grouped(files: Sequence[File]) -> list[_Group]:
    groups: dict[tuple[bytes, str], _Group] = {}
    for file in files:
        language = detect(file.path, b"")
        groups.setdefault((file.oid, language), _Group(file.oid, language, [])).files.append(file)
    return list(groups.values())


def _flags(file: File) -> int:
    return file_flags(file.path, file.attributes)


def _tell_missing(tree: Tree, rows: Sequence[Row]) -> None:
    missing = sum(row.reason == NOT_HERE for row in rows)
    if missing:
        files = "1 file" if missing == 1 else f"{missing} files"
        log.notice(f"{tree.name} lacks {files} that this repository does not hold; nothing is fetched")


def _forget_oldest(directory: bytes) -> None:
    """Keep only the trees that were used last."""
    used = []
    for path in revisions(directory):
        try:
            used.append((os.stat(path).st_mtime_ns, path))
        except OSError:
            continue
    for _, path in sorted(used)[:-KEPT]:
        remove(path)


def _view(project: Project, store: Store, part: _Part) -> View:
    labels = [(part.tree.name,)] * part.manifest.meta.files
    return View(project, store, part.manifest, part.shards, "revision", None, _reader(project), labels)


def _reader(project: Project) -> Callable[[Sequence[str]], list[bytes | None]]:
    """What reads blobs by their hashes."""

    def read(oids: Sequence[str]) -> list[bytes | None]:
        with Blobs(project, literally=True) as blobs:
            return list(blobs.read([oid.encode("ascii") for oid in oids]))

    return read


def _united(project: Project, store: Store, parts: Sequence[_Part]) -> View:
    """One view in which a file that several trees have alike stands once, labelled with all of them."""
    names: dict[Row, list[str]] = {}
    places: dict[Key, Place] = {}
    shards = {shard.file: shard for part in parts for shard in part.shards}
    for part in parts:
        for row in read_ledger(part.manifest).rows:
            if not row.reason:
                key = row.oid, shards[row.shard].language(row.blob)
                row = _at(row, places.setdefault(key, (row.shard, row.blob)))
            names.setdefault(row, []).append(part.tree.name)
    rows = sorted(names)
    used = [shards[name] for name in dict.fromkeys(row.shard for row in rows if not row.reason)]
    meta = parts[0].manifest.meta
    origin = Origin(meta.root, meta.algorithm, meta.digest, min(part.manifest.meta.indexed_at for part in parts))
    manifest = Manifest(memoryview(pack_manifest(Ledger(rows, (), ()), used, origin)), ANALYZER, "revisions")
    labels = [tuple(names[row]) for row in rows]
    return View(project, store, manifest, used, "revision", None, _reader(project), labels)


def _at(row: Row, place: Place) -> Row:
    return row._replace(shard=place[0], blob=place[1])
