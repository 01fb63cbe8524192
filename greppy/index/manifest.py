"""One snapshot of a working tree: its paths, what they looked like on disk, and where their analyses lie. Hot path.

In: the bytes of a manifest, mapped. Out: columns by file ordinal, files sorted by path (layout: `greppy.index.format`).
`greppy.index.ledger` holds the same as rows, for those who change it.

    =============  ============  ===============================================================================
    META           text          one `key=value` a line; the keys are the slots of `Meta`
    PATHS          text          f paths, then d folders, relative to the root ("." is the root), each ended by NUL
    STATS          (f+d) x 4 i64 size, mtime_ns, ctime_ns, inode by lstat; size -1: a folder, of which only its mtime
                                 and its inode count
    FILE_OIDS      f x 20 or 32  git's hash of the bytes on disk; zeros when they were not read
    FILE_SHARD     f x u32       ordinal in SHARDS
    FILE_BLOB      f x u32       ordinal of the blob in its shard
    FILE_FLAGS     f x u32       flags of path and attributes (`greppy.analysis.classify`)
    FILE_REASON    f x u8        0: indexed; else an ordinal in REASONS: why not
    BY_BLOB        u32           ordinals of the indexed files, sorted by (shard, blob, path)
    INPUTS         text          absolute paths of the files that decide which files there are, each ended by NUL
    INPUT_STATS    i x 4 i64     as STATS, links followed; zeros when there is no such file
    SHARDS         text          names of the shards' files, one a line
    DEAD           k x 2 u32     (shard, blob) of the blobs that no file of this snapshot has, in this order
    =============  ============  ===============================================================================

TERM_BLOCKS, TERMS and POSTINGS follow: the words of the paths (`greppy.index.names`).

An entry that was racy when it was observed (`greppy.git.files.is_racy`) has the mtime `NEVER`, so that the next search
finds it changed and looks at its bytes.
"""

from __future__ import annotations

from greppy.index import format as layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from greppy.index.shard import Code

NEVER = -1

REASONS = (
    "",
    "binary",
    "too large",
    "beyond the file limit",
    "symlink",
    "submodule",
    "nested repository",
    "special file",
    "permission denied",
    "unreadable folder",
    "io error",
    "missing",
    "analysis fails",
    "object not here",
)


class Meta:
    """What holds for the whole snapshot. Times are ns since the epoch; `body` and `comment` are summed lengths of live
    chunks; `tracked` is `greppy.git.staging.tracked_digest` when the project was listed."""

    __slots__ = (
        "algorithm",
        "body",
        "chunks",
        "comment",
        "digest",
        "files",
        "folders",
        "indexed_at",
        "root",
        "text_bytes",
        "tracked",
    )

    def __init__(self, fields: dict[str, str]) -> None:
        self.root = bytes.fromhex(fields["root"])
        self.digest = bytes.fromhex(fields["digest"])
        self.algorithm = fields["algorithm"]
        self.files = int(fields["files"])
        self.folders = int(fields["folders"])
        self.chunks = int(fields["chunks"])
        self.body = int(fields["body"])
        self.comment = int(fields["comment"])
        self.text_bytes = int(fields["text_bytes"])
        self.indexed_at = int(fields["indexed_at"])
        self.tracked = bytes.fromhex(fields["tracked"])


class Manifest:
    """An open manifest; a query holds one from beginning to end."""

    __slots__ = ("_columns", "_paths", "container", "meta", "shards")

    def __init__(self, buffer: memoryview, analyzer: int, name: str) -> None:
        self.container = layout.Container(buffer, layout.MANIFEST_MAGIC, analyzer, name)
        self.container.verify()
        text = bytes(self.container.section(layout.META)).decode("ascii")
        self.meta = Meta(dict(line.split("=", 1) for line in text.splitlines()))
        self.shards = bytes(self.container.section(layout.SHARDS)).decode("ascii").split()
        self._paths: list[bytes] | None = None
        self._columns: dict[int, memoryview] = {}

    def column(self, section: int, kind: Code) -> memoryview:
        """A whole section as a sequence of numbers; `kind` is its `array` type code."""
        column = self._columns.get(section)
        if column is None:
            column = self._columns[section] = self.container.section(section).cast(kind)
        return column

    @property
    def paths(self) -> list[bytes]:
        """The paths of the files, then those of the folders."""
        if self._paths is None:
            self._paths = bytes(self.container.section(layout.PATHS)).split(b"\0")[:-1]
        return self._paths

    def share_paths(self, other: Manifest) -> None:
        """Take over the paths that another manifest has found, if they are the same."""
        if self.container.section(layout.PATHS) == other.container.section(layout.PATHS):
            self._paths = other._paths

    @property
    def inputs(self) -> list[bytes]:
        return bytes(self.container.section(layout.INPUTS)).split(b"\0")[:-1]

    def files_of(self, shard: int, blob: int) -> list[int]:
        """The ordinals of the files with this blob, by path."""
        order = self.column(layout.BY_BLOB, "I")
        shards, blobs = self.column(layout.FILE_SHARD, "I"), self.column(layout.FILE_BLOB, "I")
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            file = order[middle]
            if (shards[file], blobs[file]) < (shard, blob):
                low = middle + 1
            else:
                high = middle
        files = []
        while low < len(order) and (shards[order[low]], blobs[order[low]]) == (shard, blob):
            files.append(order[low])
            low += 1
        return files

    def dead(self) -> Iterator[tuple[int, int]]:
        """(shard, blob) of every blob in the shards that no file has."""
        pairs = self.column(layout.DEAD, "I")
        for at in range(0, len(pairs), 2):
            yield pairs[at], pairs[at + 1]
