"""What the index tells about itself: the values behind `index`, `list` and `status` (cold path)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from greppy.index.background import Building


class BuildReport(NamedTuple):
    """What one `index` did. Times in seconds, sizes in bytes; `reused` are blobs whose analysis was there already."""

    root: bytes
    files: int
    analysed: int
    reused: int
    removed: int
    skipped: int
    chunks: int
    text_bytes: int
    index_bytes: int
    seconds: float
    changed: bool


REVISIONS_ONLY, HISTORY_ONLY = "revisions only", "history only"


class IndexInfo(NamedTuple):
    """One indexed project in `list`. `indexed_at` is seconds since the epoch; `missing` when its folder is gone; `only`
    says what is kept where its files are not indexed."""

    root: bytes
    files: int
    chunks: int
    index_bytes: int
    indexed_at: float
    missing: bool
    only: str = ""


class Status(NamedTuple):
    """The state of one project's index. `stale` counts files that differ from the manifest right now; `building` is a
    build in the background."""

    root: bytes
    marker: str
    indexed: bool
    files: int
    chunks: int
    skipped: dict[str, int]
    languages: dict[str, int]
    text_bytes: int
    index_bytes: int
    shards: int
    indexed_at: float
    stale: int
    kernels: str
    directory: bytes
    analyzer: int
    building: Building | None = None
