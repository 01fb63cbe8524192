"""Strings in, a front-coded and prefix-coded table of them out, and look-ups in it. Strings have at most 255 bytes.

A table has an index, u32 strings, u32 start of each block, u32 the end of the last; and blocks of 64 strings, which
begin at bytes. A string is, in bits (`reference.bits`, `reference.prefix`, `reference.tables`)::

    shared      bytes that it has in common with the beginning of the string before; 0 for the first one of a block
    own         bytes that follow them
    bytes       each by the table for the byte before: none, a digit, a vowel, anything else

Both numbers, too, are codes of bytes: 63 and more are escaped. There are two sets of tables, for the terms of text and
for the qualified names of symbols. Two terms, `author` and `authors`, make the index and the block::

    02 00 00 00  00 00 00 00  06 00 00 00    two strings; one block, which begins at 0 and ends at 6
    5b e3 2a 5d 61 3c                        the block, whose bits are, in order:

    110110 1011                              0 bytes shared, 6 own
    0001 110101 0100 10111 0101 000          a, u, t, h, o, r
    011 00 01111                             6 bytes shared, 1 own: s
    00                                       to fill the byte up

Measured on a shard with half of Django 5.2.8 (102,301 terms): front-coded in whole bytes, in blocks of 16, 798,000
bytes with their index; so 489,236.
"""

from __future__ import annotations

from array import array

from greppy.kernels.codes import TERM_BLOCK
from greppy.kernels.reference import tables
from greppy.kernels.reference.bits import BitReader, BitWriter
from greppy.kernels.reference.prefix import ByteCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from _typeshed import ReadableBuffer

LONGEST_STRING = 255
TERM_STRINGS, SYMBOL_STRINGS = 0, 1
"""The two sets of tables."""

_NUMBERS = bytes(range(63))
_VOWELS = b"aeiouyAEIOUY"


class _Codes(dict[int, list[ByteCode]]):
    """The codes of shared, own, and of a byte by its context, for each kind; made when they are needed first."""

    def __missing__(self, kind: int) -> list[ByteCode]:
        if kind not in (TERM_STRINGS, SYMBOL_STRINGS):
            raise ValueError("strings are terms (0) or symbols (1)")
        lengths, values = ((tables.TERMS, tables.TERM_BYTES), (tables.SYMBOLS, tables.SYMBOL_BYTES))[kind]
        codes = self[kind] = [ByteCode(table, values if at > 1 else _NUMBERS) for at, table in enumerate(lengths)]
        return codes


_CODES = _Codes()


def _context(before: bytes | bytearray) -> int:
    """The code of the byte that follows."""
    if not before:
        return 2
    if 48 <= before[-1] <= 57:
        return 3
    return 4 if before[-1] in _VOWELS else 5


def pack_strings(strings: Sequence[bytes], kind: int) -> tuple[bytes, bytes]:
    """The index and the blocks of strings in this order.

    ValueError for a string of more than 255 bytes, or blocks of more than 4 GiB.
    """
    starts, data, bits, before = array("I"), bytearray(), BitWriter(), b""
    for ordinal, string in enumerate(strings):
        if len(string) > LONGEST_STRING:
            raise ValueError("a string has at most 255 bytes")
        if ordinal % TERM_BLOCK == 0:
            data += bits.finish()
            bits, before = BitWriter(), b""
            starts.append(len(data))
        _put(bits, before, string, _CODES[kind])
        before = string
    data += bits.finish()
    return array("I", [len(strings), *starts, len(data)]).tobytes(), bytes(data)


def _put(bits: BitWriter, before: bytes, string: bytes, codes: Sequence[ByteCode]) -> None:
    shared = _shared(before, string)
    codes[0].put(bits, shared)
    codes[1].put(bits, len(string) - shared)
    for at in range(shared, len(string)):
        codes[_context(string[:at])].put(bits, string[at])


def _shared(before: bytes, string: bytes) -> int:
    """Bytes at the beginning of both: those above the highest bit in which they differ."""
    most = min(len(before), len(string))
    difference = int.from_bytes(before[:most], "big") ^ int.from_bytes(string[:most], "big")
    return most - (difference.bit_length() + 7) // 8


def take_strings(block: ReadableBuffer, count: int, kind: int) -> list[bytes]:
    """The first `count` strings of a block. ValueError when it is damaged, or ends before them."""
    return list(_strings(block, count, kind))


def string_at(block: ReadableBuffer, place: int, kind: int) -> bytes:
    """The string at a place (from 0) of a block. ValueError when it is damaged, or ends before it."""
    if place < 0:
        raise ValueError("places count from 0")
    return list(_strings(block, place + 1, kind))[-1]


def _strings(block: ReadableBuffer, count: int, kind: int) -> Iterator[bytes]:
    bits, before = BitReader(bytes(block)), b""
    for _ in range(count):
        before = _take(bits, before, _CODES[kind])
        yield before


def _take(bits: BitReader, before: bytes, codes: Sequence[ByteCode]) -> bytes:
    shared, own = codes[0].take(bits), codes[1].take(bits)
    if shared > len(before) or shared + own > LONGEST_STRING:
        raise ValueError("a string is longer than it can be")
    string = bytearray(before[:shared])
    for _ in range(own):
        string.append(codes[_context(string)].take(bits))
    if bits.overrun:
        raise ValueError("strings are truncated")
    return bytes(string)


def find_string(index: ReadableBuffer, fetch: Callable[[int, int], ReadableBuffer], string: bytes, kind: int) -> int:
    """The ordinal of a string in a sorted table; for one that is not there, -1 minus how many are below it.

    `fetch(start, end)` gives a range of the blocks. ValueError when the table is damaged.
    """
    data = bytes(index)
    numbers = memoryview(data).cast("I") if len(data) % 4 == 0 else memoryview(b"").cast("I")
    blocks = len(numbers) - 2
    if blocks < 0 or blocks != -(-numbers[0] // TERM_BLOCK):
        raise ValueError("the index of strings has a wrong length")
    low, high = 0, blocks
    while low < high:
        middle = (low + high) // 2
        below = all(first <= string for first in _strings(_block(numbers, middle, fetch), 1, kind))
        low, high = (middle + 1, high) if below else (low, middle)
    if low == 0:
        return -1
    first = TERM_BLOCK * (low - 1)
    count = min(TERM_BLOCK, numbers[0] - first)
    for place, found in enumerate(_strings(_block(numbers, low - 1, fetch), count, kind)):
        if found >= string:
            return first + place if found == string else -1 - first - place
    return -1 - first - count


def _block(numbers: memoryview, block: int, fetch: Callable[[int, int], ReadableBuffer]) -> ReadableBuffer:
    start, end = numbers[1 + block], numbers[2 + block]
    if start > end:
        raise ValueError("the index of strings is out of order")
    return fetch(start, end)


def strings_ending(
    index: ReadableBuffer, blocks: ReadableBuffer, ordinals: Sequence[int], ending: bytes, kind: int
) -> list[int]:
    """Of these ordinals, which ascend, those of strings that end in `ending`, or do not have it at all.

    `ending` is in lower case and ASCII; upper case does not count, nor do `$` and `@` at the end of a string. Strings
    that are not ASCII are among them in any case. ValueError for an ordinal that is not there, an empty ending, damage.
    """
    if not ending:
        raise ValueError("an ending must not be empty")
    if len(bytes(index)) % 4:
        raise ValueError("the index of strings has a wrong length")
    numbers, data = memoryview(bytes(index)).cast("I"), bytes(blocks)
    if len(numbers) < 2 or len(numbers) - 2 != -(-numbers[0] // TERM_BLOCK):
        raise ValueError("the index of strings has a wrong length")
    found, before = [], 0
    for ordinal in ordinals:
        if not before <= ordinal < numbers[0]:
            raise ValueError("ordinals must ascend, and be of strings that there are")
        before = ordinal + 1
        block, place = divmod(ordinal, TERM_BLOCK)
        start, end = numbers[1 + block], numbers[2 + block]
        if not start <= end <= len(data):
            raise ValueError("the index of strings is out of order")
        string = string_at(data[start:end], place, kind)
        folded = string.lower()
        if not string.isascii() or folded.rstrip(b"$@").endswith(ending) or ending not in folded:
            found.append(ordinal)
    return found
