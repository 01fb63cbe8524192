"""What is kept of some commits: the files that each changes, and the trigrams of the lines that come and go (cold).

In: commits with their patches. Out: the bytes of a file, and a view into it. It is a container as shards and manifests
are (`greppy.index.format`), never changed once written, with c commits and f files that they change:

    ==============  ============  ===============================================================================
    IDENTITY        text          `greppy.git.history.identity` when it was made, hashed; another one: no use
    COMMITS         c x 20 or 32  hashes
    FIRST_FILE      (c+1) x u32   commit i changes the files FIRST_FILE[i] .. FIRST_FILE[i+1]-1
    FILE_START      (f+1) x u32   where each file's record begins in FILES
    FILES           text          a record a file: modes and blobs in hexadecimal, then the path:
                                  "<old mode> <new mode> <old> <new> <path>"; a blob that is not there is "-"
    DOCUMENT        f x u32       the file's document among those of the trigrams; 0xFFFFFFFF: nothing is known of it
    TRIGRAM_BLOCKS  see `kernels`
    TRIGRAMS        see `kernels` for each trigram the documents that may hold it
    HUNK_FILES      see `hunks`
    HUNK_STARTS     see `hunks`
    HUNKS           see `hunks`   the lines that come and go with each file; empty for those of which nothing is known
    ==============  ============  ===============================================================================

A document is the changed lines of one file in one commit, or of some small ones of the same commit. That is what a
pattern's required trigrams are looked up in: a line that came or went and matches has them all. Measured on redis
(10,839 commits, 28,200 files, 60 MB of changed lines): 7.9 MB for the trigrams, 12 MB for the hunks, 3.6 MB for the
rest.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xxhash import xxh3_64_digest

from greppy import kernels
from greppy.git.history import Change, Patch
from greppy.index import format as layout
from greppy.query.regex.formula import Formula
from greppy.search.exact.candidates import for_kernels
from greppy.search.history.hunks import Hunks, HunkWriter, Packed, joined

MAGIC = b"GRPHISTO"
VERSION = 2

IDENTITY, COMMITS, FIRST_FILE, FILE_START, FILES, DOCUMENT, TRIGRAM_BLOCKS, TRIGRAMS = range(65, 73)
HUNK_FILES, HUNK_STARTS, HUNKS = range(73, 76)
UNKNOWN = 0xFFFFFFFF
_SMALL = 2048
"""Bytes of changed lines up to which the files of a commit share a document."""


_HEAD = re.compile(rb"^@@ .*$", re.MULTILINE)


class Kept(NamedTuple):
    """A change, whether the lines that come and go with it may match, and where they are kept."""

    change: Change
    may_match: bool
    segment: Segment
    file: int

    def hunks(self) -> bytes | None:
        """The lines that come and go; None where nothing is known of them."""
        return self.segment.hunks(self.file)


class SegmentWriter:
    """Gathers commits until `pack`."""

    def __init__(self, identity: bytes) -> None:
        self._identity = identity
        self._commits: list[bytes] = []
        self._first_file = array("I", [0])
        self._file_start = array("I", [0])
        self._files = bytearray()
        self._documents = array("I")
        self._inverter = kernels.TrigramInverter()
        self._hunks = HunkWriter()
        self._document = -1
        self._size = 0

    def __len__(self) -> int:
        return len(self._commits)

    def add(self, oid: bytes, patches: Iterable[Patch]) -> None:
        """The next commit."""
        self._size = _SMALL + 1
        for change, hunks in patches:
            self._files += _record(change)
            self._file_start.append(len(self._files))
            self._documents.append(UNKNOWN if hunks is None else self._document_of(_HEAD.sub(b"", hunks)))
            self._hunks.add(hunks or b"")
        self._commits.append(bytes.fromhex(oid.decode("ascii")))
        self._first_file.append(len(self._documents))

    def _document_of(self, text: bytes) -> int:
        self._size += len(text)
        if self._size > _SMALL:
            self._document += 1
            self._size = len(text)
        self._inverter.add(self._document, text)
        return self._document

    def pack(self) -> bytes:
        """The bytes of the segment; the writer is used up."""
        blocks, lists = self._inverter.finish()
        return _packed(
            self._identity,
            b"".join(self._commits),
            (self._first_file, self._file_start, self._documents),
            bytes(self._files),
            (blocks, lists),
            self._hunks.finish(),
        )


def _record(change: Change) -> bytes:
    fields = (change.old_mode, change.new_mode, change.old or b"-", change.new or b"-", change.path)
    return b" ".join(fields)


def _packed(
    identity: bytes,
    commits: bytes,
    columns: tuple[array[int], array[int], array[int]],
    files: bytes,
    trigrams: tuple[bytes, bytes],
    hunks: Packed,
) -> bytes:
    first_file, file_start, documents = (column.tobytes() for column in columns)
    sections = (
        (IDENTITY, xxh3_64_digest(identity)),
        (COMMITS, commits),
        (FIRST_FILE, first_file),
        (FILE_START, file_start),
        (FILES, files),
        (DOCUMENT, documents),
        (TRIGRAM_BLOCKS, trigrams[0]),
        (TRIGRAMS, trigrams[1]),
        (HUNK_FILES, hunks.files.tobytes()),
        (HUNK_STARTS, hunks.starts.tobytes()),
        (HUNKS, hunks.frames),
    )
    return layout.pack(MAGIC, VERSION, sections)


class Segment:
    """A view of a segment's bytes. Raises `DamagedIndex`, and `OtherVersion` when it is opened."""

    def __init__(self, buffer: memoryview, name: str) -> None:
        self.container = layout.Container(buffer, MAGIC, VERSION, name)
        self.size = len(buffer)
        self._first_file = self._numbers(FIRST_FILE)
        self._file_start = self._numbers(FILE_START)
        self._documents = self._numbers(DOCUMENT)
        self._files = self.container.section(FILES)
        starts = self.container.section(HUNK_STARTS).cast("Q")
        self._hunks = Hunks(self._numbers(HUNK_FILES), starts, self.container.section(HUNKS))

    def _numbers(self, section: int) -> memoryview:
        return self.container.section(section).cast("I")

    def is_of(self, identity: bytes) -> bool:
        """Whether the commits have the same parents and trees still."""
        return bytes(self.container.section(IDENTITY)) == xxh3_64_digest(identity)

    def __len__(self) -> int:
        return len(self._first_file) - 1

    def oids(self) -> list[bytes]:
        """The hash of every commit, hexadecimal, in order."""
        text = bytes(self.container.section(COMMITS)).hex().encode("ascii")
        width = len(text) // len(self) if len(self) else 40
        return [text[at : at + width] for at in range(0, len(text), width)]

    def documents(self, formula: Formula) -> set[int] | None:
        """The documents that may satisfy a formula; None for all."""
        if formula.kind == "any":
            return None
        lists = self.container.section(TRIGRAMS)
        blocks = self.container.section(TRIGRAM_BLOCKS)
        return set(kernels.trigram_candidates(blocks, lambda start, end: lists[start:end], for_kernels(formula)))

    def candidates(self, documents: set[int] | None) -> set[int]:
        """The ordinals of the commits that have one of these documents, or a file of which nothing is known."""
        chosen = range(len(self._documents))
        if documents is not None:
            wanted = documents | {UNKNOWN}
            chosen = [file for file, document in enumerate(self._documents) if document in wanted]  # type: ignore[assignment]
        first = self._first_file.tolist()
        return {bisect_right(first, file) - 1 for file in chosen}

    def files(self, commit: int, documents: set[int] | None) -> list[Kept]:
        """What a commit changes."""
        found = []
        for file in range(self._first_file[commit], self._first_file[commit + 1]):
            document = self._documents[file]
            may_match = documents is None or document == UNKNOWN or document in documents
            found.append(Kept(self._change(file), may_match, self, file))
        return found

    def hunks(self, file: int) -> bytes | None:
        """The lines that come and go with a file; None where nothing is known of them."""
        return None if self._documents[file] == UNKNOWN else self._hunks.of(file)

    def _change(self, file: int) -> Change:
        record = bytes(self._files[self._file_start[file] : self._file_start[file + 1]])
        old_mode, new_mode, old, new, path = record.split(b" ", 4)
        return Change(path, path, b"" if old == b"-" else old, b"" if new == b"-" else new, old_mode, new_mode)


def merged(segments: Sequence[Segment], identity: bytes) -> bytes:
    """The bytes of one segment with the commits of several, without reading them again."""
    first_file, file_start, documents = array("I", [0]), array("I", [0]), array("I")
    commits, files = bytearray(), bytearray()
    parts = []
    count = 0
    for segment in segments:
        renumbered, of_segment = _renumbered(segment, count)
        parts.append((segment.container.section(TRIGRAM_BLOCKS), segment.container.section(TRIGRAMS), renumbered))
        count += len(renumbered) // 4
        first_file.extend(len(documents) + number for number in segment._first_file[1:])
        documents.extend(of_segment)
        file_start.extend(len(files) + number for number in segment._file_start[1:])
        commits += segment.container.section(COMMITS)
        files += segment._files
    blocks, lists = kernels.merge_trigrams(parts, count)
    columns = (first_file, file_start, documents)
    hunks = joined(segment._hunks for segment in segments)
    return _packed(identity, bytes(commits), columns, bytes(files), (blocks, lists), hunks)


def _renumbered(segment: Segment, base: int) -> tuple[bytes, Iterator[int]]:
    """The new number of each document of a segment, and of the document of each of its files."""
    own = [document for document in segment._documents if document != UNKNOWN]
    count = max(own, default=-1) + 1
    numbers = array("I", range(base, base + count)).tobytes()
    return numbers, (base + document if document != UNKNOWN else UNKNOWN for document in segment._documents)
