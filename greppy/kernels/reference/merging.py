"""Dictionaries in, one dictionary out: the terms of several with their posting lists, the documents numbered anew."""

from __future__ import annotations

from heapq import merge
from itertools import groupby, pairwise
from operator import itemgetter

from greppy.kernels.codes import TERM_BLOCK
from greppy.kernels.reference.postings import DOCS, decode_postings, encode_postings, pack_lists, take_list
from greppy.kernels.reference.strings import TERM_STRINGS, pack_strings, take_strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from _typeshed import ReadableBuffer

    Part = tuple[ReadableBuffer, ReadableBuffer, ReadableBuffer, ReadableBuffer, ReadableBuffer]

GONE = 0xFFFFFFFF


def merge_terms(parts: Sequence[Part], universe: int) -> tuple[bytes, bytes, bytes, bytes]:
    """Index and blocks of the terms, index and blocks of the lists, of several dictionaries with `universe` documents.

    A part is such four and, in u32 for each of its documents, the new number or 0xFFFFFFFF for one that is gone; new
    numbers ascend from part to part and within each. A term without a document left is left out. ValueError for a
    damaged part, terms that do not ascend, and numbers that do not fit.
    """
    if not 0 <= universe <= DOCS:
        raise ValueError("there are at most 2**31 documents")
    opened = [list(_opened(part, place, universe)) for place, part in enumerate(parts)]
    terms: list[bytes] = []
    lists, ends = bytearray(), list[int]()
    for term, group in groupby(merge(*opened, key=itemgetter(0, 1)), key=itemgetter(0)):
        docs, codes = list[int](), bytearray()
        for _, _, numbers, found in group:
            docs += numbers
            codes += found
        if any(one >= other for one, other in pairwise(docs)):
            raise ValueError("new numbers must ascend")
        if docs:
            lists += encode_postings(docs, bytes(codes), universe)
            terms.append(term)
            ends.append(len(lists))
    return (*pack_strings(terms, TERM_STRINGS), *pack_lists(bytes(lists), ends, universe))


def _opened(part: Part, place: int, universe: int) -> Iterator[tuple[bytes, int, list[int], bytes]]:
    """Each term with the part's place, the new numbers of its documents, and their codes."""
    index, strings, list_index, lists, new = (bytes(buffer) for buffer in part)
    if len(index) % 4 or len(index) < 8:
        raise ValueError("the index of strings has a wrong length")
    starts = memoryview(index).cast("I")
    count = starts[0]
    if len(starts) != 2 - (-count // TERM_BLOCK):
        raise ValueError("the index of strings has a wrong length")
    if len(list_index) != len(index) + 4 or memoryview(list_index).cast("I")[1] != count:
        raise ValueError("there are not as many posting lists as terms")
    list_starts = memoryview(list_index).cast("I")
    docs = list_starts[0]
    if docs > DOCS or len(new) != 4 * docs:
        raise ValueError("one new number for each document is needed")
    numbers = memoryview(new).cast("I")
    if any(universe <= number != GONE for number in numbers):
        raise ValueError("a new number is beyond the documents")
    before = b""
    for block in range(len(starts) - 2):
        here = _slice(lists, list_starts[2 + block], list_starts[3 + block])
        first = block * TERM_BLOCK
        terms = take_strings(
            _slice(strings, starts[1 + block], starts[2 + block]), min(TERM_BLOCK, count - first), TERM_STRINGS
        )
        for at, term in enumerate(terms):
            if first + at and term <= before:
                raise ValueError("terms must ascend")
            before = term
            old, codes = decode_postings(take_list(here, at, docs))
            kept = [(numbers[doc], code) for doc, code in zip(old, codes, strict=True) if numbers[doc] != GONE]
            yield term, place, [number for number, _ in kept], bytes(code for _, code in kept)


def _slice(data: bytes, start: int, end: int) -> bytes:
    if not start <= end <= len(data):
        raise ValueError("an index is out of order")
    return data[start:end]
