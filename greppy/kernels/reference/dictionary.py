"""Sorted terms in, a front-coded dictionary out. `greppy.index.postings` specifies the layout and reads it."""

from __future__ import annotations

from array import array

from greppy.kernels.codes import TERM_BLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_ENTRY = 255


def pack_terms(terms: Sequence[bytes], ends: Sequence[int]) -> tuple[bytes, bytes]:
    """The blocks (two u32 each) and the entries of terms of at most 255 bytes, whose posting lists end at `ends`.

    ValueError when a term is longer, when the ends descend or are not as many as the terms, and when a block or its
    lists start beyond 4 GiB.
    """
    if len(terms) != len(ends):
        raise ValueError("as many ends as terms are needed")
    blocks, data = array("I"), bytearray()
    before, start = b"", 0
    for ordinal, (term, end) in enumerate(zip(terms, ends, strict=True)):
        if len(term) > LONGEST_ENTRY:
            raise ValueError("a term has at most 255 bytes")
        if end < start:
            raise ValueError("the ends of lists must not descend")
        if ordinal % TERM_BLOCK == 0:
            _begin_block(blocks, len(data), start)
            before = b""
        shared = _shared(before, term)
        data += bytes((shared, len(term) - shared)) + term[shared:]
        _append_varint(data, end - start)
        before, start = term, end
    return blocks.tobytes(), bytes(data)


def _begin_block(blocks: array[int], at: int, start: int) -> None:
    if max(at, start) >= 1 << 32:
        raise ValueError("a dictionary and its lists have at most 4 GiB")
    blocks.extend((at, start))


def _shared(before: bytes, term: bytes) -> int:
    """Bytes at the beginning of both: those above the highest bit in which they differ."""
    most = min(len(before), len(term))
    difference = int.from_bytes(before[:most], "big") ^ int.from_bytes(term[:most], "big")
    return most - (difference.bit_length() + 7) // 8


def _append_varint(data: bytearray, value: int) -> None:
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
