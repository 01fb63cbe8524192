"""Trigrams in, the documents that may hold them out: look-ups in a trigram index and the algebra of their lists.

Lists are strictly ascending u32 documents. The index is the pair BLOCKS and LISTS of `reference.trigrams`; LISTS is
asked for by `fetch(start, end)`, which gives these bytes of it, so that a mapped file is read, and its checksums are
verified, only where a query needs it.
"""

from __future__ import annotations

from array import array
from itertools import pairwise

from greppy.kernels.reference.scores import integers
from greppy.kernels.reference.trigrams import Blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from _typeshed import ReadableBuffer

    Fetch = Callable[[int, int], ReadableBuffer]
    Formula = bytes | tuple[Any, ...]
    """A trigram, or ("and", formula…) or ("or", formula…)."""


def trigram_list(blocks: ReadableBuffer, fetch: Fetch, trigram: bytes) -> memoryview:
    """The documents that may hold a trigram (a view of u32).

    Those with a line feed or NUL are not indexed: every document may hold them. ValueError for a damaged index.
    """
    return _view(sorted(_list(Blocks(blocks), fetch, trigram)))


def trigram_candidates(blocks: ReadableBuffer, fetch: Fetch, formula: Formula) -> memoryview:
    """The documents (a view of u32) that may satisfy a formula of trigrams.

    ("and",) is true of every document, ("or",) of none. Lists that cannot change the answer any more are not read.
    ValueError for a damaged index or a formula of any other form.
    """
    return _view(sorted(_evaluate(Blocks(blocks), fetch, formula)))


def intersect(one: ReadableBuffer, other: ReadableBuffer) -> memoryview:
    """The documents of both lists (a view of u32). ValueError when a list does not ascend strictly."""
    return _view(sorted(_ascending(one) & _ascending(other)))


def union(one: ReadableBuffer, other: ReadableBuffer) -> memoryview:
    """The documents of either list (a view of u32). ValueError when a list does not ascend strictly."""
    return _view(sorted(_ascending(one) | _ascending(other)))


def members(groups: ReadableBuffer, first: ReadableBuffer) -> memoryview:
    """The members (a view of u32) of groups, in order: `first` has each group's first member, then how many there are.

    Both are u32. ValueError for a group that does not exist, groups that do not ascend strictly, or a `first` that
    descends.
    """
    starts = integers(first, "I")
    found = array("I")
    before = 0
    for group in sorted(_ascending(groups)):
        if group + 1 >= len(starts):
            raise ValueError("there is no such group")
        if not before <= starts[group] <= starts[group + 1] <= starts[-1]:
            raise ValueError("the members of groups must not descend")
        before = starts[group + 1]
        found.extend(range(starts[group], before))
    return memoryview(found)


def _view(numbers: list[int]) -> memoryview:
    return memoryview(array("I", numbers))


def _ascending(buf: ReadableBuffer) -> set[int]:
    numbers = list(integers(buf, "I"))
    if any(one >= other for one, other in pairwise(numbers)):
        raise ValueError("a list must ascend strictly")
    return set(numbers)


def _evaluate(blocks: Blocks, fetch: Fetch, formula: Formula) -> set[int]:
    if isinstance(formula, bytes):
        return _list(blocks, fetch, formula)
    if not isinstance(formula, tuple) or not formula or formula[0] not in ("and", "or"):
        raise ValueError("a formula is a trigram, or a tuple that begins with 'and' or 'or'")
    if formula[0] == "or":
        return set().union(*(_evaluate(blocks, fetch, part) for part in formula[1:]))
    found = set(range(blocks.docs))
    for part in formula[1:]:
        if found:
            found &= _evaluate(blocks, fetch, part)
    return found


def _list(blocks: Blocks, fetch: Fetch, trigram: bytes) -> set[int]:
    if len(trigram) != 3:
        raise ValueError("a trigram has three bytes")
    if b"\n" in trigram or b"\0" in trigram:
        return set(range(blocks.docs))
    number = int.from_bytes(trigram, "big")
    block = blocks.block_of(number)
    if block < 0:
        return set()
    start, end = blocks.place(block)
    data = bytes(fetch(start, end))
    if len(data) != end - start:
        raise ValueError("trigram list is truncated")
    reader = blocks.open(block, data)
    while reader.advance() and reader.trigram <= number:
        if reader.trigram == number:
            return set(reader.docs())
        reader.skip()
    return set()
