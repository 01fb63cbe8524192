"""Documents and their codes in, posting lists out, and back.

A *posting list* in memory is u32 how many documents there are, u32 how many of them have the term, and a posting each,
in bits (`reference.bits`, `reference.prefix`; the tables are in `reference.tables`)::

    document    of the first posting: a short code out of all documents;
                of the others, with d the distance from the document before: the width of d, which is floor(log2 d), by
                the table for the width before, and the bits of d below its highest
    code        by the table for the code before

The context of a code is 0 at the beginning, 1 after a name, 2 after a signature, 3 after a comment alone, 4 after a
comment and a body, and 5 to 9 after a body of level 1 to 4 and more; the context of a width is 0 for the first one, 1
to 5 after 0 to 4, then 6 after 5 and 6, 7 after 7 and 8, 8 after 9 and 10, 9 after more. Of 20 documents 0, 1, 5 and
17, with the codes 0x01, 0x81, 0x40 and 0x01, are::

    14 00 00 00  04 00 00 00    20 documents, four postings
    80 73 89 32                 the postings, whose bits are, in order:

    0000 0                      document 0; code 0x01 at the beginning
    00 1110011                  document 1: a distance of 1 has the width 0; code 0x81 after a body of level 1
    101 00 1000                 document 5: a distance of 4 has the width 2, and 00 below its highest bit; 0x40
    101 001 100                 document 17: a distance of 12 has the width 3, and 4 below its highest bit; 0x01

On disk the lists of a dictionary's terms follow one another, in blocks of 64 that begin at bytes. A list is there:

    count       gamma: how many documents have the term
    size        gamma: bits of the rest, plus 1; left out for a count below 32
    first       the first document by its distance from that of the list before in the block (from 0 for the first
                list): twice the distance plus 1, or twice the distance where it is lower; its width by the table for
                the width before, and the bits below its highest. Neighbours in a dictionary stand in one file often
    rest        the postings as above, but for the first document

and an index says where blocks begin: u32 documents, u32 lists, u32 start of each block, u32 the end of the last.

Measured on a shard with half of Django 5.2.8 (1,387,798 postings in 102,301 lists), in bytes: varints of the distances
with three bits for the seven commonest codes, each list of whole bytes, 2,145,115; these blocks and their index
1,494,609. The documents alone: 987,027, by Elias' gamma code 1,080,337, by interpolative coding 1,049,125. The codes
alone: 457,827, by one table for all contexts 538,900 at best.
"""

from __future__ import annotations

from array import array
from itertools import pairwise
from struct import pack, unpack

from greppy.kernels.codes import TERM_BLOCK
from greppy.kernels.reference import tables
from greppy.kernels.reference.bits import BitReader, BitWriter
from greppy.kernels.reference.prefix import ByteCode, PrefixCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer

DOCS = 1 << 31
HEAD = 8
LONG = 32
LEAST_BITS = 2
"""A posting has no fewer, but for the first one."""


class _WidthCodes(dict[int, PrefixCode]):
    """By context, made when they are needed first."""

    def __missing__(self, context: int) -> PrefixCode:
        code = self[context] = PrefixCode(tables.WIDTHS[context])
        return code


class _PostingCodes(dict[int, ByteCode]):
    """By context, made when they are needed first."""

    def __missing__(self, context: int) -> ByteCode:
        code = self[context] = ByteCode(tables.CODES[context], tables.POSTING_CODES)
        return code


class _FirstCodes(dict[int, PrefixCode]):
    """By context, made when they are needed first."""

    def __missing__(self, context: int) -> PrefixCode:
        code = self[context] = PrefixCode(tables.FIRSTS[context])
        return code


_WIDTH_CODES, _FIRST_CODES, _POSTING_CODES = _WidthCodes(), _FirstCodes(), _PostingCodes()


class _First:
    """The first document of the list before in a block, and the context of the next one's width."""

    __slots__ = ("_context", "doc")

    def __init__(self) -> None:
        self.doc = self._context = 0

    def put(self, bits: BitWriter, doc: int) -> None:
        number = 2 * (doc - self.doc) + 1 if doc >= self.doc else 2 * (self.doc - doc)
        width = number.bit_length() - 1
        _FIRST_CODES[self._context].put(bits, width)
        bits.put(number - (1 << width), width)
        self.doc, self._context = doc, _after_width(width)

    def take(self, bits: BitReader, universe: int) -> None:
        width = _FIRST_CODES[self._context].take(bits)
        number = 1 << width | bits.take(width)
        self.doc += number // 2 if number % 2 else -(number // 2)
        self._context = _after_width(width)
        _check(bits)
        if not 0 <= self.doc < universe:
            raise ValueError("posting list has a document beyond the last one")


def _after_width(width: int) -> int:
    return width + 1 if width < 5 else min(6 + (width - 5) // 2, 9)


def _after_code(code: int) -> int:
    if code >= 0x40:
        return 1 if code >= 0x80 else 2
    if code >= 0x10:
        return 4 if code & 15 else 3
    return 4 + min(code, 5)


def encode_postings(docs: Sequence[int], codes: bytes, universe: int) -> bytes:
    """The posting list of strictly ascending documents, all below `universe` (at most 2**31), and their codes;
    ValueError for any others."""
    if not 0 <= universe <= DOCS:
        raise ValueError("there are at most 2**31 documents")
    if len(docs) != len(codes):
        raise ValueError("as many codes as documents are needed")
    if any(one >= other for one, other in pairwise(docs)) or (docs and not 0 <= docs[0] <= docs[-1] < universe):
        raise ValueError("documents must ascend strictly, each below their number")
    bits = BitWriter()
    _put(bits, docs, codes, universe)
    return pack("<II", universe, len(docs)) + bits.finish()


def _put(bits: BitWriter, docs: Sequence[int], codes: bytes, universe: int) -> None:
    before, width_context, code_context = -1, 0, 0
    for doc, code in zip(docs, codes, strict=True):
        if before < 0:
            bits.put_short(doc, universe)
        else:
            width = (doc - before).bit_length() - 1
            _WIDTH_CODES[width_context].put(bits, width)
            bits.put(doc - before - (1 << width), width)
            width_context = _after_width(width)
        _POSTING_CODES[code_context].put(bits, code)
        before, code_context = doc, _after_code(code)


def _take(bits: BitReader, count: int, universe: int, first: int = -1) -> tuple[array[int], bytes]:
    """The postings; those of a stored list without its `first` document."""
    docs, codes = array("I"), bytearray()
    doc, width_context, code_context = 0, 0, 0
    for at in range(count):
        if at:
            width = _WIDTH_CODES[width_context].take(bits)
            doc += 1 << width | bits.take(width)
            width_context = _after_width(width)
        else:
            doc = first if first >= 0 else bits.take_short(universe)
        code = _POSTING_CODES[code_context].take(bits)
        code_context = _after_code(code)
        _check(bits)
        if doc >= universe:
            raise ValueError("posting list has a document beyond the last one")
        docs.append(doc)
        codes.append(code)
    return docs, bytes(codes)


def _check(bits: BitReader) -> None:
    if bits.overrun:
        raise ValueError("posting list is truncated")


def decode_postings(buf: ReadableBuffer, /) -> tuple[memoryview, bytes]:
    """The documents (a view of u32) and the codes of one whole posting list; ValueError when it is malformed."""
    universe, count, bits = _opened(buf)
    docs, codes = _take(bits, count, universe)
    return memoryview(docs), codes


def _opened(buf: ReadableBuffer) -> tuple[int, int, BitReader]:
    data = bytes(buf)
    if len(data) < HEAD:
        raise ValueError("posting list is truncated")
    universe, count = unpack("<II", data[:HEAD])
    if universe > DOCS or count > universe:
        raise ValueError("posting list has more documents than there are")
    if count > 8 * len(data) // LEAST_BITS:
        raise ValueError("posting list is truncated")
    return universe, count, BitReader(data[HEAD:])


def count_postings(buf: ReadableBuffer, live: ReadableBuffer | None) -> int:
    """How many postings of one list are alive: `live` has a byte a document, non-zero for those that are; None for all,
    of which the list says how many they are.

    ValueError for a malformed list or a document beyond `live`.
    """
    if live is None:
        return _opened(buf)[1]
    docs, _ = decode_postings(buf)
    alive = memoryview(live).cast("B")
    if docs and docs[-1] >= len(alive):
        raise ValueError("posting list has a document beyond the live ones")
    return sum(alive[doc] != 0 for doc in docs)


def pack_lists(lists: ReadableBuffer, ends: Sequence[int], universe: int) -> tuple[bytes, bytes]:
    """The index and the blocks of posting lists (concatenated, ending at `ends`), all of `universe` documents.

    ValueError for a malformed list, one of another number of documents, ends that descend or pass the end of `lists`,
    and blocks of more than 4 GiB.
    """
    data = bytes(lists)
    starts, out, bits, first, start = array("I"), bytearray(), BitWriter(), _First(), 0
    for ordinal, end in enumerate(ends):
        if not start <= end <= len(data):
            raise ValueError("the ends of lists must not descend, nor pass the last list")
        if ordinal % TERM_BLOCK == 0:
            out += bits.finish()
            bits, first = BitWriter(), _First()
            starts.append(len(out))
        _store(bits, first, data[start:end], universe)
        start = end
    out += bits.finish()
    return array("I", [universe, len(ends), *starts, len(out)]).tobytes(), bytes(out)


def _store(bits: BitWriter, first: _First, buf: bytes, universe: int) -> None:
    docs, count, reader = _opened(buf)
    if docs != universe or not count:
        raise ValueError("a list must have postings, and as many documents as the others")
    doc = _take(reader, count, docs)[0][0]
    end, reader.at = reader.at, 0
    reader.take_short(docs)
    size = end - reader.at
    bits.put_gamma(count)
    if count >= LONG:
        bits.put_gamma(size + 1)
    first.put(bits, doc)
    bits.put(reader.take(size), size)


def take_list(block: ReadableBuffer, place: int, universe: int) -> bytes:
    """The posting list at a place (from 0) of a block. ValueError when the block is damaged, or ends before it."""
    bits, first = BitReader(bytes(block)), _First()
    count = start = 0
    for _ in range(place + 1):
        count, size = _head(bits, universe)
        first.take(bits, universe)
        start = bits.at
        if size < 0:
            _take(bits, count, universe, first.doc)
        else:
            bits.at += size
            _check(bits)
    end, bits.at = bits.at, start
    out = BitWriter()
    out.put_short(first.doc, universe)
    out.put(bits.take(end - start), end - start)
    return pack("<II", universe, count) + out.finish()


def _head(bits: BitReader, universe: int) -> tuple[int, int]:
    """Count and size of the next list; -1 for the size of a short one."""
    count = bits.take_gamma()
    size = bits.take_gamma() - 1 if count >= LONG else -1
    _check(bits)
    if count > universe:
        raise ValueError("posting list has more documents than there are")
    return count, size
