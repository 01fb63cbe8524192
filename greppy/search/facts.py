"""What ranking knows of a view before it is asked anything: tables, sorts of files, lists of terms, names. Hot path.

In: a view. Out: its `Facts`, worked out as they are asked for and kept as long as the view is: one search of a process
that ends, many of a daemon. What grows with queries is bounded.
"""

from __future__ import annotations

from greppy import kernels
from greppy.domains import domain_of
from greppy.index import format as layout
from greppy.index.names import Names
from greppy.search import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from greppy.index.manifest import Manifest, Meta
    from greppy.index.shard import Shard
    from greppy.index.view import Estimate, View
    from greppy.search.score import Scores
    from greppy.search.texts import Kept

    FileCard = tuple[int, int, int, int, int, bytes]
    ChunkCard = tuple[int, int, str, str]
    Columns = tuple[memoryview[float], memoryview[int], memoryview[float], memoryview[int], memoryview[int]]
    Found = tuple[tuple[bytes | None, ...], int]

MOST_BYTES = 12 << 20
"""Bytes of the impacts of terms that are kept, and of lists of files that words name."""

MOST_CARDS = 1 << 13
"""Files and chunks of which it is kept what results show of them."""

_LIST_BYTES = 200
"""What a list takes beside its bytes."""

_IMPACT = 12
"""Bytes of one posting as `kernels.impacts` has it."""


def facts_of(view: View) -> Facts:
    """The facts of a view."""
    facts = view.facts
    if not isinstance(facts, Facts):
        facts = view.facts = Facts(view)
    return facts


class Facts:
    """What holds of a view whatever the query is.

    `places`, `blobs`, `order` and `table` are sections of its manifest; `codes` and `norms` the tables of BM25F; `live`
    has for each shard a byte a chunk, zero for the chunks of blobs that are gone, None where all are alive; `texts` are
    those of the files that were shown last.
    """

    __slots__ = (
        "_bytes",
        "_chunks",
        "_classes",
        "_domains",
        "_factors",
        "_files",
        "_found",
        "_named",
        "_names",
        "_own_flags",
        "_rates",
        "_spare",
        "_starts",
        "blobs",
        "codes",
        "files",
        "live",
        "norms",
        "order",
        "places",
        "shards",
        "table",
        "texts",
    )

    def __init__(self, view: View) -> None:
        manifest = view.manifest
        self.shards = view.shards
        self.files = manifest.meta.files
        self.places = manifest.column(layout.FILE_SHARD, "I")
        self.blobs = manifest.column(layout.FILE_BLOB, "I")
        self._own_flags = manifest.column(layout.FILE_FLAGS, "I")
        self.order = manifest.column(layout.BY_BLOB, "I")
        self.table = manifest.container.section(layout.PATHS)
        self.codes = code_tables()
        self.norms = norm_tables(view.estimate or manifest.meta)
        self.live = live_chunks(manifest, view.shards)
        self._names = Names(manifest)
        self._starts: memoryview | None = None
        self._classes: tuple[memoryview, memoryview] | None = None
        self._found: dict[bytes, Found] = {}
        self._named: dict[bytes, memoryview] = {}
        self._factors: dict[object, memoryview[float]] = {}
        self._domains: dict[int, str] = {}
        self._files: dict[int, FileCard] = {}
        self._chunks: dict[tuple[int, int], ChunkCard] = {}
        self._rates: dict[int, memoryview[float]] = {}
        self._spare: dict[int, Columns] = {}
        self.texts: Kept | None = None
        self._bytes = 0

    @property
    def starts(self) -> memoryview:
        """Where the path of each file begins in `table`; the folders' follow, and the end of the table."""
        if self._starts is None:
            self._starts = kernels.path_starts(self.table)
        return self._starts

    def path(self, file: int) -> bytes:
        """The path of a file."""
        start = self.starts[file]
        end = self.starts[file + 1] if file + 1 < len(self.starts) else len(self.table)
        return bytes(self.table[start : end - 1])

    def file(self, file: int) -> FileCard:
        """(place of its shard, blob, first chunk, one past the last, flags, path) of a file."""
        card = self._files.get(file)
        if card is None:
            place, blob = self.places[file], self.blobs[file]
            start, end = self.shards[place].chunk_range(blob)
            flags: int = self.flags[self.classes[file]]
            card = place, blob, start, end, flags, self.path(file)
            if len(self._files) >= MOST_CARDS:
                self._files.clear()
            self._files[file] = card
        return card

    def chunk(self, place: int, blob: int, chunk: int) -> ChunkCard:
        """(first line, last line, symbol, kind) of a chunk."""
        card = self._chunks.get((place, chunk))
        if card is None:
            shard = self.shards[place]
            card = *shard.lines(blob, chunk), shard.symbol(chunk), shard.kind(chunk)
            if len(self._chunks) >= MOST_CARDS:
                self._chunks.clear()
            self._chunks[place, chunk] = card
        return card

    def found(self, terms: Sequence[bytes]) -> list[Found]:
        """For each term its impacts by shard (`kernels.impacts`), and how many live chunks have it.

        Raises `DamagedIndex`.
        """
        missing = tuple(dict.fromkeys([term for term in terms if term not in self._found]))
        if missing:
            kept = {term: self._found[term] for term in terms if term in self._found}
            self._make_room()
            self._found.update(kept)
            self._find(missing)
        return [self._found[term] for term in terms]

    def _find(self, terms: tuple[bytes, ...]) -> None:
        by_shard = [shard.terms.lists(terms) for shard in self.shards]
        for term, *lists in zip(terms, *by_shard, strict=True):
            impacts = tuple([None if buf is None else self._impacts(place, buf) for place, buf in enumerate(lists)])
            size = sum([len(each) for each in impacts if each is not None])
            self._bytes += size + _LIST_BYTES
            self._found[term] = impacts, size // _IMPACT

    def _impacts(self, place: int, buf: bytes) -> bytes:
        lengths = self.shards[place].column(layout.CHUNK_LENGTHS)
        return kernels.impacts(buf, self.live[place], self.codes, lengths, self.norms)

    def rates(self, place: int) -> memoryview[float]:
        """What chunks of each kind of a shard are worth, by the kind's ordinal; 256 of them."""
        known = self._rates.get(place)
        if known is None:
            known = self._rates[place] = memoryview(bytearray(8 * 256)).cast("d")
            for ordinal, kind in enumerate(self.shards[place].kinds):
                known[ordinal] = weights.LOOSE if kind in weights.LOOSE_KINDS else 1.0
        return known

    def borrow(self, place: int) -> Columns | None:
        """Columns that scores of a shard can be written to, None where there are none."""
        return self._spare.pop(place, None)

    def give_back(self, scores: Sequence[Scores]) -> None:
        """Nobody reads these scores any more."""
        for place, scored in enumerate(scores):
            self._spare[place] = scored.columns

    def _make_room(self) -> None:
        if self._bytes > MOST_BYTES:
            self._found.clear()
            self._named.clear()
            self._bytes = 0

    def named(self, word: bytes, beginning: bytes = b"") -> memoryview:
        """The files (a view of u32, ascending) with a word equal to this one, or beginning it, or begun by it, or begun
        by `beginning`."""
        key = word + b"\1" + beginning if beginning else word
        found = self._named.get(key)
        if found is None:
            shortest = weights.SHORTEST_PREFIX
            exact = (word,) if len(word) < shortest else tuple(word[:end] for end in range(shortest, len(word)))
            lists = [buf for buf in self._names.lists(exact) if buf is not None]
            lists += self._names.beginning(word) if len(word) >= shortest else ()
            lists += self._names.beginning(beginning) if beginning else ()
            found = self._keep(key, lists)
        return found

    def named_exactly(self, word: bytes) -> memoryview:
        """The files with exactly this word among those of `greppy.index.names`, of which `WHOLE` begins some."""
        found = self._named.get(b"\0" + word)
        if found is None:
            found = self._keep(b"\0" + word, [buf for buf in self._names.lists((word,)) if buf is not None])
        return found

    def _keep(self, key: bytes, lists: list[bytes]) -> memoryview:
        self._make_room()
        found = self._named[key] = kernels.joined_lists(lists, self.files)
        self._bytes += _LIST_BYTES + 4 * len(found)
        return found

    @property
    def classes(self) -> memoryview:
        """The number of its sort for each file (u16)."""
        return self._sorts()[0]

    @property
    def flags(self) -> memoryview:
        """The flags of each sort of files (u32): of path and attributes, and of the content unless those forbid it."""
        return self._sorts()[1]

    def _sorts(self) -> tuple[memoryview, memoryview]:
        if self._classes is None:
            of_blobs = tuple(shard.column(layout.BLOB_FLAGS) for shard in self.shards)
            self._classes = kernels.file_classes(self._own_flags, self.places, self.blobs, of_blobs)
        return self._classes

    def factors(self, key: object, factor: Callable[[int], float]) -> memoryview[float]:
        """What `factor` says of the flags of each sort of files; `key` is all that it depends on."""
        known = self._factors.get(key)
        if known is None:
            known = self._factors[key] = memoryview(bytearray(8 * len(self.flags))).cast("d")
            for number, flags in enumerate(self.flags):
                known[number] = factor(flags)
        return known

    def domain(self, file: int) -> str:
        """The domain of a file, by its path and its chunks."""
        known = self._domains.get(file)
        if known is None:
            shard, blob = self.shards[self.places[file]], self.blobs[file]
            known = self._domains[file] = domain_of_blob(self.path(file), shard, blob)
        return known


def domain_of_blob(path: bytes, shard: Shard, blob: int) -> str:
    """The domain of a file with this blob."""
    start, end = shard.chunk_range(blob)
    names = shard.kinds
    kinds = {names[ordinal] for ordinal in set(bytes(shard.column(layout.CHUNK_KIND)[start:end]))}
    return domain_of(path, shard.language(blob), kinds)


def live_chunks(manifest: Manifest, shards: Sequence[Shard]) -> list[bytearray | None]:
    """For each shard a byte a chunk, zero for the chunks of blobs that are gone; None where all are alive."""
    live: list[bytearray | None] = [None] * len(shards)
    for place, blob in manifest.dead():
        mask = live[place]
        if mask is None:
            mask = live[place] = bytearray(b"\1") * shards[place].chunks
        start, end = shards[place].chunk_range(blob)
        mask[start:end] = bytes(end - start)
    return live


def code_tables() -> memoryview[float]:
    """What a posting's code contributes: its fixed part (name, signature), its comment tf, its body tf; 256 of each,
    weighted."""
    tables = memoryview(bytearray(8 * 3 * 256)).cast("d")
    comments = [weights.COMMENT * level for level in kernels.COMMENT_LEVELS]
    bodies = [weights.BODY * level for level in kernels.LEVELS]
    for code in range(256):
        tables[code] = weights.NAME * (code >> 7) + weights.SIGNATURE * (code >> 6 & 1)
        tables[256 + code] = comments[code >> 4 & 3]
        tables[512 + code] = bodies[code & 15]
    return tables


def norm_tables(meta: Meta | Estimate) -> memoryview[float]:
    """1 / (1 - b + b · length / average) by length code: 256 for bodies, then 256 for comments."""
    tables = memoryview(bytearray(8 * 2 * 256)).cast("d")
    for field, (b, total) in enumerate(((weights.B_BODY, meta.body), (weights.B_COMMENT, meta.comment))):
        average = max(total / max(meta.chunks, 1), 1.0)
        for code, length in enumerate(kernels.LENGTHS):
            tables[256 * field + code] = 1 / (1 - b + b * length / average)
    return tables
