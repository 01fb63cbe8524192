"""What a query looks at: one manifest and its shards, true at the moment it was opened. Hot path.

In: a project, the home folder, the configuration. Out: a `View`. When the working tree is what the manifest says,
opening a view reads stat data and nothing else; otherwise `greppy.index.maintenance` (cold) mends the index first, in
memory where it may not be written.
"""

from __future__ import annotations

import os

from greppy.errors import DamagedIndex, NoIndex
from greppy.git.project import store_path, view_name
from greppy.index.freshness import find_changes
from greppy.index.store import Store, Vanished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.freshness import Changes
    from greppy.index.look import Look
    from greppy.index.manifest import Manifest
    from greppy.index.shard import Shard

    Progress = Callable[[int, int, str], None]
    Committed = Callable[[Project, Sequence[bytes]], dict[bytes, str] | None]

_TRIES = 8
"""Each time that a manifest is opened another process may merge its shards away before they are opened too."""


class Estimate:
    """What holds for a whole project of which a view has but a part.

    `chunks`, and the summed lengths of their bodies and comments; `df` by a plan's bits; `files`, and by clue of
    the query (`greppy.search.features.clues_of`) how many of them have it.
    """

    __slots__ = ("body", "chunks", "comment", "df", "files", "named")

    def __init__(
        self, chunks: int, body: int, comment: int, df: Sequence[int], files: int, named: Mapping[bytes, int]
    ) -> None:
        self.chunks = chunks
        self.body = body
        self.comment = comment
        self.df = df
        self.files = files
        self.named = named


class View:
    """An immutable snapshot with its analyses. `mode` is how it was made: "full" (on disk), "memory", "scan": only the
    files that one query needs, with an `estimate` of the rest; or "revision".

    Of revisions, `objects` gives the contents of blobs (None for one that is not there), and `labels` the names, by
    file, of the revisions that have it. `facts` are what `greppy.search.facts` works out, kept as long as the view.
    `check`, if there is one, tells what has changed: then it was opened before that was known (`greppy.index.ahead`).
    `is_watched`: file events have told that nothing differs, so that no file has to be looked at again. `committed`
    knows what HEAD has, as `greppy.git.committed` does; None where that is asked.
    """

    __slots__ = (
        "check",
        "committed",
        "estimate",
        "facts",
        "is_watched",
        "labels",
        "manifest",
        "mode",
        "objects",
        "project",
        "shards",
        "store",
    )

    def __init__(
        self,
        project: Project,
        store: Store,
        manifest: Manifest,
        shards: Sequence[Shard],
        mode: str = "full",
        estimate: Estimate | None = None,
        objects: Callable[[Sequence[str]], list[bytes | None]] | None = None,
        labels: Sequence[Sequence[str]] = (),
    ) -> None:
        self.project = project
        self.store = store
        self.manifest = manifest
        self.shards = shards
        self.mode = mode
        self.estimate = estimate
        self.objects = objects
        self.labels = labels
        self.facts: object = None
        self.is_watched = False
        self.committed: Committed | None = None
        self.check: Callable[[], Changes] | None = None


def store_of(project: Project, home: bytes) -> Store:
    """The store of a project's index below a home folder."""
    return Store(home, store_path(project), view_name(project))


def open_view(
    project: Project, home: bytes, config: Config, refresh: bool, progress: Progress, ahead: Look | None = None
) -> View:
    """A view of the project as it is now, or, with `refresh` false, as it was when it was last indexed. `ahead`, where
    there is one, has begun to look.

    Raises `NoIndex` when `refresh` is false and there is none, and what building raises.
    """
    store = store_of(project, home)
    store.note_use()
    if not refresh:
        return _last_view(project, store)
    try:
        seen_ahead = ahead is not None and ahead.root == project.root
        manifest = ahead.manifest if ahead is not None and seen_ahead else store.open_manifest()
        different = ahead.different() if ahead is not None and seen_ahead else None
        changes = None if manifest is None else find_changes(manifest, project, config, different)
        if manifest is not None and not changes:
            return View(project, store, manifest, [store.open_shard(name) for name in manifest.shards])
    except (Vanished, DamagedIndex):
        manifest = changes = None  # `mend` meets it again, under the lock, and says what it does about it
    from greppy.index.maintenance import Seen, mend

    seen = None if manifest is None or changes is None else Seen(manifest, changes)
    return mend(project, store, config, progress, seen)


def _last_view(project: Project, store: Store) -> View:
    """What is on disk, true or not. Raises `NoIndex` for nothing, `DamagedIndex`."""
    name = os.fsdecode(project.root)
    for _ in range(_TRIES):
        manifest = store.open_manifest()
        if manifest is None:
            raise NoIndex(f"{name} is not indexed", "run 'greppy index', or search without --no-refresh")
        try:
            return View(project, store, manifest, [store.open_shard(shard) for shard in manifest.shards])
        except Vanished:
            continue
    raise NoIndex(f"the index of {name} is not whole", "run 'greppy index', or search without --no-refresh")
