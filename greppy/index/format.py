"""The bytes of a file of the index: one container for shards and manifests, checked page by page.

In: named sections of bytes. Out: one file's bytes, and views into it that are verified before anybody sees them.

Layout (little-endian; section starts are multiples of 8)::

    0   magic           8   b"GRPSHARD" or b"GRPMANIF"
    8   format          u32 FORMAT; another number means: rebuild
    12  analyzer        u32 version of the analysis inside; another number means: rebuild
    16  sections        u32 n
    20  page            u32 bytes a page, PAGE
    24  length          u64 of the whole file, so that a truncated file is seen at once
    32  table           n x (u32 section, u32 reserved 0, u64 offset, u64 length)
        sections        in the order of the table
        page sums       u64 xxh3-64 of each page of everything before them
    -8  head sum        u64 xxh3-64 of header, table and page sums

Opening a file verifies the head sum: the table and the page sums are then trusted. `Container.section` verifies each
page of what it returns the first time that the page is touched, so a query pays for the bytes that it reads (32 KiB
take 5 microseconds) and a flipped bit anywhere either is never used or is an error. Sections are stored raw because
they are read in place; nothing on the hot path is compressed (importing zstandard costs as much as a whole search).

Worked example, a container with magic GRPSHARD, analyzer 7 and one section 3 holding b"abc"::

    47 52 50 53 48 41 52 44  02 00 00 00  07 00 00 00     GRPSHARD, format 2, analyzer 7
    01 00 00 00  00 80 00 00  4b 00 00 00 00 00 00 00     1 section, 32 KiB a page, 75 bytes in all
    03 00 00 00  00 00 00 00  38 00 00 00 00 00 00 00     section 3 lies at 56 …
    03 00 00 00 00 00 00 00                               … and has 3 bytes
    61 62 63                                              abc
    xx xx xx xx xx xx xx xx                               xxh3-64 of bytes 0..58
    yy yy yy yy yy yy yy yy                               xxh3-64 of bytes 0..55 and the sum above

Sections of a shard, n blobs and c chunks (sizes measured on Django 5.2.8 are in `bench/README.md`):

    ======================  =====================  ==========================================================
    OIDS                    n x 20 or 32           git's hash of each blob's bytes
    LANGUAGES               text                   names of languages, one a line
    BLOB_LANGUAGE           n x u8                 ordinal in LANGUAGES
    BLOB_FLAGS              n x u8                 flags of the analysis (generated, parse error, minified)
    BLOB_LINES              n x u32                lines of the text
    BLOB_BYTES              n x u32                bytes of the text
    BLOB_LENGTHS            n x 2 u32              runs in the bodies and in the comments of its chunks
    FIRST_CHUNK             (n+1) x u32            blob b has the chunks FIRST_CHUNK[b] .. FIRST_CHUNK[b+1]-1
    CHUNK_LINES             c x u8                 its lines, at most 255; the first of a blob begins at line 1, the
                                                   others where the one before ends
    LONG_CHUNKS             k x 2 u32              chunk, and how many lines more than 255 it has; in their order
    CHUNK_KIND              c x u8                 ordinal in KINDS
    CHUNK_LENGTHS           c x 2 u8               length codes of body and comments (`greppy.kernels`)
    KINDS                   text                   names of kinds, one a line
    SYMBOL_BLOCKS           see `strings`          where the blocks of SYMBOLS begin
    SYMBOLS                 see `strings`          for each chunk the qualified name of what it defines; empty for none
    TERM_BLOCKS             see `strings`          where the blocks of TERMS begin
    TERMS                   see `strings`          the sorted terms
    LIST_BLOCKS             see `postings`         where the blocks of POSTINGS begin
    POSTINGS                see `postings`         a posting list a term, in the order of the terms
    GROUP_FIRST             (g+1) x u32            the first blob of each group, then n; see `trigrams`
    TRIGRAM_BLOCKS          see `kernels`          the trigrams of the blobs' bytes, and where their lists lie
    TRIGRAMS                see `kernels`          for each trigram the groups that may hold it
    ======================  =====================  ==========================================================

`strings`, `postings` and `kernels` (its trigrams) are modules of `greppy.kernels.reference`. The sections of a manifest
are told in `greppy.index.manifest`; the last four are there too, for the words of paths (`greppy.index.names`).

History: 1, the first. 2: prefix codes in dictionaries and posting lists, symbols by chunk (28.5 % → 21.2 % of Django's
text).
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

from greppy.errors import DamagedIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FORMAT = 2
PAGE = 32 * 1024

SHARD_MAGIC = b"GRPSHARD"
MANIFEST_MAGIC = b"GRPMANIF"

OIDS, LANGUAGES, BLOB_LANGUAGE, BLOB_FLAGS, BLOB_LINES, BLOB_BYTES, BLOB_LENGTHS, FIRST_CHUNK = range(1, 9)
CHUNK_LINES, CHUNK_KIND, CHUNK_LENGTHS, KINDS, SYMBOL_BLOCKS, SYMBOLS = range(9, 15)
TERM_BLOCKS, TERMS, LIST_BLOCKS, POSTINGS = range(15, 19)
GROUP_FIRST, TRIGRAM_BLOCKS, TRIGRAMS, LONG_CHUNKS = range(19, 23)

META, PATHS, STATS, FILE_OIDS, FILE_SHARD, FILE_BLOB, FILE_FLAGS, FILE_REASON = range(33, 41)
BY_BLOB, INPUTS, INPUT_STATS, SHARDS, DEAD = range(41, 46)

MANIFEST_SECTIONS = (
    *(META, PATHS, STATS, FILE_OIDS, FILE_SHARD, FILE_BLOB, FILE_FLAGS, FILE_REASON, BY_BLOB, INPUTS, INPUT_STATS),
    *(SHARDS, DEAD, TERM_BLOCKS, TERMS, LIST_BLOCKS, POSTINGS),
)
"""The sections of every manifest, in the order in which they lie in the file."""

_HEADER = 32
_ENTRY = 24
_SUM = 8


class OtherVersion(Exception):
    """A file of another format or analyzer version: not damaged, only to be rebuilt."""


def pack(magic: bytes, analyzer: int, sections: Iterable[tuple[int, bytes | memoryview]]) -> bytes:
    """The bytes of a container. Sections are (number, content), each number once; each is copied twice."""
    items = list(sections)
    at = _HEADER + _ENTRY * len(items)
    table = bytearray()
    body: list[bytes | memoryview] = []
    for number, content in items:
        gap = -at % 8
        table += b"".join(value.to_bytes(8, "little") for value in (number, at + gap, len(content)))
        body += (bytes(gap), content)
        at += gap + len(content)
    length = at + _SUM * -(-at // PAGE) + _SUM
    head = magic + b"".join(value.to_bytes(4, "little") for value in (FORMAT, analyzer, len(items), PAGE))
    head += length.to_bytes(8, "little") + table
    whole = memoryview(b"".join((head, *body)))
    sums = b"".join([_sum(whole[at : at + PAGE]) for at in range(0, len(whole), PAGE)])
    return b"".join((whole, sums, _sum(head + sums)))


def _sum(data: bytes | memoryview) -> bytes:
    return xxh3_64_intdigest(data).to_bytes(8, "little")


class Container:
    """A verified view of a container's bytes. `name` is its file's name, for messages.

    Raises `OtherVersion` for another format or analyzer, `DamagedIndex` for a wrong length or sum.
    """

    __slots__ = ("_checked", "_end", "_sums", "_table", "buffer", "name")

    def __init__(self, buffer: memoryview, magic: bytes, analyzer: int, name: str) -> None:
        self.name = name
        self.buffer = buffer
        if len(buffer) < _HEADER + 2 * _SUM or bytes(buffer[:8]) != magic:
            raise DamagedIndex(name, "not a file of the index")
        if self._u32(8) != FORMAT or self._u32(12) != analyzer:
            raise OtherVersion(name)
        self._read_table()

    def _read_table(self) -> None:
        buffer = self.buffer
        if self._u64(24) != len(buffer) or self._u32(20) != PAGE:
            raise DamagedIndex(self.name, "wrong length")
        start = _HEADER + _ENTRY * self._u32(16)
        # length = end + 8 * pages + 8 with pages = ceil(end / PAGE)
        pages = -(-(len(buffer) - _SUM) // (PAGE + _SUM))
        self._end = len(buffer) - _SUM - _SUM * pages
        if not _HEADER <= start <= self._end:
            raise DamagedIndex(self.name, "wrong section table")
        head = bytes(buffer[:start]) + bytes(buffer[self._end : -_SUM])
        if xxh3_64_intdigest(head) != self._u64(len(buffer) - _SUM):
            raise DamagedIndex(self.name, "wrong checksum of the header")
        self._sums = bytes(buffer[self._end : -_SUM])
        self._checked = bytearray(pages)
        self._table = {self._u64(at): (self._u64(at + 8), self._u64(at + 16)) for at in range(_HEADER, start, _ENTRY)}

    def _u32(self, at: int) -> int:
        return int.from_bytes(self.buffer[at : at + 4], "little")

    def _u64(self, at: int) -> int:
        return int.from_bytes(self.buffer[at : at + 8], "little")

    def __contains__(self, number: int) -> bool:
        return number in self._table

    def length(self, number: int) -> int:
        """Bytes of a section."""
        return self._table[number][1]

    def section(self, number: int, start: int = 0, end: int | None = None) -> memoryview:
        """The bytes start..end of a section, verified. Raises `DamagedIndex` for a wrong sum or a range outside it."""
        offset, length = self._table[number]
        stop = length if end is None else end
        if not 0 <= start <= stop <= length or offset + length > self._end:
            raise DamagedIndex(self.name, "an offset points outside its section")
        self._verify(offset + start, offset + stop)
        return self.buffer[offset + start : offset + stop]

    def place(self, number: int) -> tuple[int, int]:
        """Where a section lies in the buffer: offset and length; its pages are verified by who reads them there.

        Raises `DamagedIndex` for a section outside of the file.
        """
        self.section(number, 0, 0)
        return self._table[number]

    @property
    def pages(self) -> tuple[memoryview, bytearray, int, Callable[[int, int], None]]:
        """The buffer, a byte for each page that says whether it is verified, bytes of a page, and what verifies the
        pages of a range."""
        return self.buffer, self._checked, PAGE, self._verify

    def verify(self) -> None:
        """Verify every page, as a reader of the whole file needs."""
        self._verify(0, self._end)

    def same_as(self, other: Container) -> bool:
        """Whether another container has the same content, by the sums of all its pages."""
        return len(self.buffer) == len(other.buffer) and self.buffer[-_SUM:] == other.buffer[-_SUM:]

    def _verify(self, start: int, stop: int) -> None:
        checked = self._checked
        for page in range(start // PAGE, -(-stop // PAGE)):
            if not checked[page]:
                found = xxh3_64_intdigest(self.buffer[page * PAGE : min((page + 1) * PAGE, self._end)])
                if found != int.from_bytes(self._sums[page * _SUM : page * _SUM + _SUM], "little"):
                    raise DamagedIndex(self.name, f"wrong checksum of page {page}")
                checked[page] = 1
