"""Documents and their codes in, posting lists out, and back.

A *posting list* is `varint(count)` and then, for each posting, `varint(gap << 1 | flagged)` and, when flagged, one code
byte; an unflagged posting has the code 0x01 (once in the body, nowhere else), the most frequent one; for codes see
`greppy.kernels.codes`. `gap` is the number of documents skipped since the previous posting. Varints are LEB128, at most
five bytes and 32 bits. Documents 0, 1 and 5 with the codes 0x01, 0x81 and 0x01::

    03         three postings
    00         document 0 (none skipped), not flagged
    01 81      document 1 (none skipped), flagged: in the name, and once in the body
    06         document 5 (three skipped), not flagged
"""

from __future__ import annotations

from array import array

from greppy.kernels.codes import PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer

DOCS = 1 << 31


def encode_postings(docs: Sequence[int], codes: bytes) -> bytes:
    """The posting list of strictly ascending documents (0 to 2**31 - 1) and their codes; ValueError for any others."""
    if len(docs) != len(codes):
        raise ValueError("as many codes as documents are needed")
    out = bytearray()
    _put_varint(out, len(docs))
    before = -1
    for doc, code in zip(docs, codes, strict=True):
        if not before < doc < DOCS:
            raise ValueError("documents must ascend strictly, from 0 to 2**31 - 1")
        _put_varint(out, (doc - before - 1) << 1 | (code != PLAIN))
        if code != PLAIN:
            out.append(code)
        before = doc
    return bytes(out)


def decode_postings(buf: ReadableBuffer, /) -> tuple[memoryview, bytes]:
    """The documents (a view of u32) and the codes of one whole posting list; ValueError when it is malformed."""
    data = bytes(buf)
    count, at = _count_at_start(data)
    docs, codes = array("I"), bytearray()
    before = -1
    for _ in range(count):
        head, at = _varint(data, at)
        code = PLAIN
        if head & 1:
            if at == len(data):
                raise ValueError("posting list is truncated")
            code = data[at]
            at += 1
        before += (head >> 1) + 1
        if before >= DOCS:
            raise ValueError("posting list has a document beyond 2**31 - 1")
        docs.append(before)
        codes.append(code)
    if at != len(data):
        raise ValueError("posting list has bytes after its last posting")
    return memoryview(docs), bytes(codes)


def count_postings(buf: ReadableBuffer, live: ReadableBuffer | None) -> int:
    """How many postings of one list are alive: `live` has a byte a document, non-zero for those that are; None for all.

    ValueError for a malformed list or a document beyond `live`. Without `live` only the count is read.
    """
    if live is None:
        return _count_at_start(bytes(buf))[0]
    docs, _ = decode_postings(buf)
    alive = memoryview(live).cast("B")
    if docs and docs[-1] >= len(alive):
        raise ValueError("posting list has a document beyond the live ones")
    return sum(alive[doc] != 0 for doc in docs)


def _count_at_start(data: bytes) -> tuple[int, int]:
    count, at = _varint(data, 0)
    if count > len(data) - at:
        raise ValueError("posting list is truncated")
    return count, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint at `at` and the offset after it."""
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(data):
            raise ValueError("posting list is truncated")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >= 1 << 32:
                break
            return value, at
    raise ValueError("posting list has a number of more than 32 bits")


def _put_varint(out: bytearray, value: int) -> None:
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
