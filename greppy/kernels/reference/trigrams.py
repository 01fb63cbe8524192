"""Documents in, the trigram index of one shard out: which three bytes in a row stand in which documents.

A *trigram* is three bytes in a row, none of them a line feed or NUL, of the raw text; as a number, the first byte is
the highest. A *document* is here whatever the caller numbers: a blob, or a group of small neighbouring blobs, which
makes the index smaller (neighbours share most of their trigrams) and costs a search some files more to read. A trigram
that more than 7 of 8 documents have is taken to be in all of them. So a list may hold too much, never too little.

The index has two parts, so that a look-up touches the first and one block of the second. BLOCKS, in u32::

    documents            how many documents there are; they are numbered from 0
    trigrams             how many distinct trigrams there are
    b x 2                of each block: its first trigram, where in LISTS it begins
    2**24, end           the end of LISTS

A block of LISTS holds 64 trigrams (the last one what is left), each with its list, in bits (`reference.bits`):

    gap                  gamma: how much larger than the trigram before; left out for the first one of a block
    count                gamma: how many documents have it
    size                 gamma: bits of the list plus 1; left out for a count below 32
    list                 the documents, by interpolative coding out of 0..documents-1

A block begins at a byte, and its last byte is filled up with zeros. Four documents `abc`, `abcd`, `` and `bcd` have the
trigrams `abc` (0x616263) in 0 and 1 and `bcd` (0x626364) in 1 and 3::

    04 00 00 00  02 00 00 00         four documents, two trigrams
    63 62 61 00  00 00 00 00         one block: it begins with abc, and at 0
    00 00 00 01  06 00 00 00         LISTS end at 6
    02 00 30 20 40 07                the block, whose bits are, in order:

    010 0                            two documents; 1 out of 1..3; below it only 0 is left
    0000000000000000 1               bcd is 0x010101 larger: 16 zeros, a one …
    1000000010000000                 … and its 16 lower bits, the lowest first
    010 11 10                        two documents; 3 out of 1..3; 1 out of 0..2
    0000                             to fill the byte up

Measured, as parts of the text's bytes, by the size up to which neighbouring blobs form a group, and how many files
are candidates on Django: in sum for ten words that 15,728 files hold (`import`, `self`, `models` …), and in the median
for words that at most ten files hold:

    ======  ===================  ========================  =============  ==========
    group   Django 5.2.8         CPython's library         common words   rare words
    ======  ===================  ========================  =============  ==========
    none    8.4 % of 36.5 MB     6.3 % of 37.2 MB          16,784         9
    8 KiB   6.7 %                5.7 %                     27,266         14
    16 KiB  6.0 %                5.3 %                     31,687         19
    32 KiB  4.8 %                4.7 %                     39,767         44
    ======  ===================  ========================  =============  ==========

Varints of gaps would take twice that, Rice or Elias codes chosen list by list a twentieth more. Taking half of the
documents for all, instead of 7 of 8, would save 0.3 % of the text and make common words read everything.
"""

from __future__ import annotations

from array import array
from heapq import merge

from greppy.kernels.reference.bits import BitReader, BitWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from _typeshed import ReadableBuffer

DOCS = 1 << 24
END = 1 << 24
BLOCK = 64
LONG = 32
GONE = 0xFFFFFFFF


class TrigramInverter:
    """Builds the trigram index of one shard, in memory: some 7 bytes for each trigram of each document."""

    __slots__ = ("_docs", "_finished", "_lists")

    def __init__(self) -> None:
        self._lists: dict[int, list[int]] = {}
        self._docs = 0
        self._finished = False

    def add(self, doc: int, buf: ReadableBuffer, /) -> None:
        """Adds the trigrams of a buffer to those of a document (0 to 2**24 - 1).

        ValueError when documents do not come in non-decreasing order; RuntimeError after `finish`.
        """
        self._refuse_if_finished()
        if not max(self._docs - 1, 0) <= doc < DOCS:
            raise ValueError("documents must come in non-decreasing order, from 0 to 2**24 - 1")
        self._docs = doc + 1
        for trigram in trigrams_of(bytes(buf)):
            docs = self._lists.setdefault(trigram, [])
            if not docs or docs[-1] != doc:
                docs.append(doc)

    def finish(self) -> tuple[bytes, bytes]:
        """BLOCKS and LISTS; the inverter is used up. There are as many documents as the last number tells."""
        self._refuse_if_finished()
        self._finished = True
        lists, self._lists = self._lists, {}
        return _packed(sorted(lists.items()), self._docs)

    def _refuse_if_finished(self) -> None:
        if self._finished:
            raise RuntimeError("this inverter is finished")


def trigrams_of(text: bytes) -> set[int]:
    """The distinct trigrams of a text, as numbers."""
    found: set[tuple[int, int, int]] = set()
    for line in text.replace(b"\0", b"\n").split(b"\n"):
        found.update(zip(line, line[1:], line[2:], strict=False))
    return {a << 16 | b << 8 | c for a, b, c in found}


def merge_trigrams(
    parts: Sequence[tuple[ReadableBuffer, ReadableBuffer, ReadableBuffer]], docs: int
) -> tuple[bytes, bytes]:
    """BLOCKS and LISTS of several indexes whose documents are numbered anew, from 0 to docs - 1.

    A part is BLOCKS, LISTS and, in u32 for each of its documents, the new number or 0xFFFFFFFF for one that is gone;
    several may become one. ValueError for a damaged part, or numbers that do not fit.
    """
    if not 0 <= docs <= DOCS:
        raise ValueError("documents must be numbered from 0 to 2**24 - 1")
    streams = [list(_renumbered(bytes(blocks), bytes(lists), new, docs)) for blocks, lists, new in parts]
    found: dict[int, set[int]] = {}
    for trigram, numbers in merge(*streams):
        found.setdefault(trigram, set()).update(numbers)
    return _packed(((trigram, sorted(numbers)) for trigram, numbers in found.items() if numbers), docs)


def _renumbered(blocks: bytes, lists: bytes, new: ReadableBuffer, docs: int) -> Iterator[tuple[int, list[int]]]:
    numbers = memoryview(new).cast("B")
    if len(numbers) != 4 * Blocks(blocks).docs:
        raise ValueError("one new number for each document is needed")
    numbers = numbers.cast("I")
    if any(docs <= number != GONE for number in numbers):
        raise ValueError("a new number is beyond the documents")
    for trigram, old in every_list(blocks, lists):
        yield trigram, [numbers[doc] for doc in old if numbers[doc] != GONE]


def every_list(blocks: ReadableBuffer, lists: ReadableBuffer) -> Iterator[tuple[int, list[int]]]:
    """Every trigram in order with its documents. ValueError when the index is damaged."""
    head = Blocks(blocks)
    data = bytes(lists)
    before = -1
    for block in range(head.count):
        start, end = head.place(block)
        if end > len(data):
            raise ValueError("trigram list is truncated")
        reader = head.open(block, data[start:end])
        if reader.trigram <= before:
            raise ValueError("trigram blocks are out of order")
        while reader.advance():
            before = reader.trigram
            yield before, reader.docs()


class Blocks:
    """BLOCKS, opened. ValueError when its length or its order is wrong."""

    __slots__ = ("_numbers", "count", "docs", "trigrams")

    def __init__(self, blocks: ReadableBuffer) -> None:
        data = bytes(blocks)
        if len(data) % 8 or len(data) < 16:
            raise ValueError("trigram blocks have a wrong length")
        self._numbers = memoryview(data).cast("I")
        self.docs, self.trigrams = self._numbers[0], self._numbers[1]
        self.count = len(data) // 8 - 2
        if self.docs > DOCS or self.count != -(-self.trigrams // BLOCK):
            raise ValueError("trigram blocks have a wrong length")

    def first(self, block: int) -> int:
        return self._numbers[2 + 2 * block]

    def place(self, block: int) -> tuple[int, int]:
        """Where a block begins and ends in LISTS."""
        start, end = self._numbers[3 + 2 * block], self._numbers[5 + 2 * block]
        if start > end:
            raise ValueError("trigram blocks are out of order")
        return start, end

    def block_of(self, trigram: int) -> int:
        """The last block that begins at or before a trigram; -1 when there is none."""
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            if self.first(middle) <= trigram:
                low = middle + 1
            else:
                high = middle
        return low - 1

    def open(self, block: int, data: bytes) -> BlockReader:
        return BlockReader(data, self.first(block), min(BLOCK, self.trigrams - BLOCK * block), self.docs)


class BlockReader:
    """Goes through one block: `advance` to the next trigram while there is one, then `docs` or `skip`, not both.

    ValueError when the block is damaged.
    """

    __slots__ = ("_bits", "_count", "_docs", "_left", "_size", "trigram")

    def __init__(self, data: bytes, first: int, trigrams: int, docs: int) -> None:
        self._bits = BitReader(data)
        self._left = trigrams
        self._docs = docs
        self._count = self._size = -1
        self.trigram = first

    def advance(self) -> bool:
        if not self._left:
            return False
        self._left -= 1
        self.trigram += self._bits.take_gamma() if self._count >= 0 else 0
        self._count = self._bits.take_gamma()
        self._size = self._bits.take_gamma() - 1 if self._count >= LONG else -1
        self._bits.check()
        if self.trigram >= END or self._count > self._docs:
            raise ValueError("trigram list has a number beyond its range")
        return True

    def docs(self) -> list[int]:
        """The documents of the trigram."""
        start = self._bits.at
        docs = self._bits.take_ascending(self._count, 0, self._docs - 1)
        self._bits.check()
        if self._size not in (-1, self._bits.at - start):
            raise ValueError("trigram list has a wrong size")
        return docs

    def skip(self) -> None:
        if self._size < 0:
            self._bits.take_ascending(self._count, 0, self._docs - 1)
        else:
            self._bits.at += self._size
        self._bits.check()


def _packed(lists: Iterable[tuple[int, Sequence[int]]], docs: int) -> tuple[bytes, bytes]:
    blocks, data = array("I"), bytearray()
    bits, before = BitWriter(), 0
    trigrams = 0
    for trigram, numbers in lists:
        if trigrams % BLOCK == 0:
            data += bits.finish()
            bits = BitWriter()
            blocks.extend((trigram, len(data)))
        else:
            bits.put_gamma(trigram - before)
        _put_list(bits, range(docs) if 8 * len(numbers) > 7 * docs else numbers, docs)
        before = trigram
        trigrams += 1
    data += bits.finish()
    return array("I", [docs, trigrams, *blocks, END, len(data)]).tobytes(), bytes(data)


def _put_list(bits: BitWriter, docs: Sequence[int], universe: int) -> None:
    bits.put_gamma(len(docs))
    written = BitWriter()
    written.put_ascending(docs, 0, universe - 1)
    if len(docs) >= LONG:
        bits.put_gamma(written.used + 1)
    bits.put(int.from_bytes(written.finish(), "little"), written.used)
