"""The lines that come and go, kept: hunks of many files, compressed in blocks (cold).

In: the hunks of each file that a commit changes, in order. Out: three sections of a segment, and a view into them that
gives the hunks of any file. Of b blocks ::

    ===========  ============  ==================================================================================
    BLOCK_FILE   (b+1) x u32   block i has the files BLOCK_FILE[i] .. BLOCK_FILE[i+1]-1
    BLOCK_START  (b+1) x u64   and lies at BLOCK_START[i] .. BLOCK_START[i+1] of HUNKS
    HUNKS        text          a zstd frame a block: the length of each file's hunks (u32), then all of them
    ===========  ============  ==================================================================================

A hunk is as git writes it without context: "@@ -12 +12,2 @@", then lines behind their `-` or `+`. They exist because a
common word is in most changes: to tell its lines from blobs, all of both sides of each has to be read, which on redis
is 1 GB for `server` where these are 60 MB, compressed 12.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import zstandard

BLOCK_BYTES = 1 << 18
"""Of hunks in a block, and more only where a single file has more. Smaller blocks compress worse."""

_LEVEL = 6
_KEPT_BLOCKS = 4


class Packed(NamedTuple):
    """The three sections."""

    files: array[int]
    starts: array[int]
    frames: bytes


class HunkWriter:
    """Gathers the hunks of files until `finish`."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self._files = array("I", [0])
        self._starts = array("Q", [0])
        self._frames = bytearray()
        self._waiting: list[bytes] = []
        self._size = 0

    def add(self, hunks: bytes) -> None:
        """The next file's."""
        if self._size and self._size + len(hunks) > BLOCK_BYTES:
            self._flush()
        self._waiting.append(hunks)
        self._size += len(hunks)

    def _flush(self) -> None:
        lengths = array("I", map(len, self._waiting))
        self._frames += self._compressor.compress(lengths.tobytes() + b"".join(self._waiting))
        self._files.append(self._files[-1] + len(lengths))
        self._starts.append(len(self._frames))
        self._waiting, self._size = [], 0

    def finish(self) -> Packed:
        """The sections; the writer is used up."""
        if self._waiting:
            self._flush()
        return Packed(self._files, self._starts, bytes(self._frames))


class Hunks:
    """A view of the three sections."""

    def __init__(self, files: memoryview, starts: memoryview, frames: memoryview) -> None:
        self._files = files
        self._starts = starts
        self._frames = frames
        self._block = lru_cache(_KEPT_BLOCKS)(self._read)

    def of(self, file: int) -> bytes | None:
        """The hunks of a file; None where they are damaged."""
        block = bisect_right(self._files, file) - 1
        content, ends = self._block(block)
        at = file - self._files[block]
        return content[ends[at] : ends[at + 1]] if at + 1 < len(ends) else None

    def _read(self, block: int) -> tuple[bytes, Sequence[int]]:
        """A block, and where in it the hunks of each of its files end; nothing where it is damaged."""
        count = self._files[block + 1] - self._files[block]
        frame = self._frames[self._starts[block] : self._starts[block + 1]]
        try:
            content = zstandard.ZstdDecompressor().decompress(frame)
        except zstandard.ZstdError:
            return b"", ()
        ends = [4 * count]
        for length in memoryview(content)[: 4 * count].cast("I"):
            ends.append(ends[-1] + length)
        return content, ends

    def append_to(self, packed: Packed) -> Packed:
        """`packed` with these behind it, as they are."""
        files, starts, frames = packed
        base, start = files[-1], starts[-1]
        files.extend(base + number for number in self._files[1:])
        starts.extend(start + number for number in self._starts[1:])
        return Packed(files, starts, frames + bytes(self._frames))


def joined(parts: Iterable[Hunks]) -> Packed:
    """The sections of several, one behind the other."""
    packed = HunkWriter().finish()
    for part in parts:
        packed = part.append_to(packed)
    return packed
