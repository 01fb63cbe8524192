"""The bytes of git's index file in, columns of its entries out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    Columns = tuple[bytes, memoryview, memoryview, bytes, bytes]

_HEADER, _NUMBERS, _EXTENSION = 12, 40, 8
_EXTENDED = 0x4000
_OF_NO_USE = 0xB000
"""Flags of an entry: assumed to be valid, and the two bits of its stage."""

_SECOND = 1_000_000_000
_VERSIONS = (2, 3, 4)
_LONGEST_DISTANCE = 1 << 31


class _Other(Exception):
    """Something that is not read here."""


def staged_files(data: ReadableBuffer, width: int) -> Columns | None:
    """The entries of an index file (gitformat-index), hashes having `width` bytes, in their order.

    (paths, each followed by a NUL; modes, u32; size, mtime, ctime in nanoseconds and inode, four int64 an entry;
    hashes; a byte an entry: 1 where it is merged, checked out and not only assumed to be valid). git cuts sizes and
    inodes to 32 bits. None for a file without entries, with parts that must be understood and are not (a split or
    sparse index), of another version, or damaged. ValueError for another width than 20 or 32.
    """
    if width not in (20, 32):
        raise ValueError("a hash has 20 or 32 bytes")
    try:
        return _columns(bytes(data), width)
    except _Other:
        return None


def _columns(data: bytes, width: int) -> Columns:
    if len(data) < _HEADER + width or data[:4] != b"DIRC":
        raise _Other
    version, count = _big(data, 4), _big(data, 8)
    if version not in _VERSIONS or not 0 < count <= len(data) // _NUMBERS:
        raise _Other
    table, modes, stats, oids, plain = bytearray(), bytearray(), bytearray(), bytearray(), bytearray()
    at, path = _HEADER, b""
    for _ in range(count):
        start, fixed = at, at + _NUMBERS + width + 2
        if fixed > len(data):
            raise _Other
        flags = int.from_bytes(data[fixed - 2 : fixed], "big")
        path, at = _path(data, fixed + (2 if flags & _EXTENDED else 0), path, version)
        if version < 4:
            at = start + (at - 1 - start + 8 & ~7)
        if at > len(data):
            raise _Other
        table += path + b"\0"
        modes += _big(data, start + 24).to_bytes(4, "little")
        for number in _stats(data, start):
            stats += number.to_bytes(8, "little")
        oids += data[start + _NUMBERS : fixed - 2]
        plain.append(not flags & (_EXTENDED | _OF_NO_USE))
    _check_end(data, at, len(data) - width)
    numbers = memoryview(bytes(modes)).cast("I"), memoryview(bytes(stats)).cast("q")
    return bytes(table), *numbers, bytes(oids), bytes(plain)


def _stats(data: bytes, start: int) -> tuple[int, int, int, int]:
    ctime = _big(data, start) * _SECOND + _big(data, start + 4)
    mtime = _big(data, start + 8) * _SECOND + _big(data, start + 12)
    return _big(data, start + 36), mtime, ctime, _big(data, start + 20)


def _path(data: bytes, at: int, before: bytes, version: int) -> tuple[bytes, int]:
    """The path at `at`, and where what follows its NUL begins; version 4 leaves out what it shares with the one
    before."""
    strip = len(before)
    if version == 4:
        strip, at = _distance(data, at)
    end = data.find(b"\0", at)
    if strip > len(before) or end < 0:
        raise _Other
    return before[: len(before) - strip] + data[at:end], end + 1


def _distance(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, as git packs offsets, and where it ends."""
    value = -1
    while at < len(data) and value < _LONGEST_DISTANCE:
        byte = data[at]
        at += 1
        value = (value + 1 << 7) + (byte & 0x7F)
        if not byte & 0x80:
            return value, at
    raise _Other


def _check_end(data: bytes, at: int, end: int) -> None:
    """Only extensions may follow that may be passed over: the names of the others begin with a small letter."""
    while at + _EXTENSION <= end:
        if not b"A" <= data[at : at + 1] <= b"Z":
            raise _Other
        at += _EXTENSION + _big(data, at + 4)
    if at != end:
        raise _Other


def _big(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")
