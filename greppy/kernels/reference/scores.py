"""Posting lists in, scores out: BM25F by document, the best of many scores, blobs by their best chunks.

Numbers lie in buffers in the machine's byte order, as in `array.array`; buffers may be slices of a mapped file.
"""

from __future__ import annotations

from struct import pack, unpack

from greppy.kernels.reference.postings import decode_postings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from _typeshed import ReadableBuffer, WriteableBuffer

    Columns = tuple[memoryview[float], memoryview[int], memoryview[float], memoryview[int], memoryview[int]]


def accumulate(
    buf: ReadableBuffer,
    live: ReadableBuffer | None,
    code_tables: ReadableBuffer,
    lengths: ReadableBuffer,
    norm_tables: ReadableBuffer,
    k1: float,
    weight: float,
    bit: int,
    scores: WriteableBuffer,
    masks: WriteableBuffer,
) -> None:
    """Adds one term's BM25F score to every live document of its posting list, and marks the document as having it.

    With x = fixed[code] + comment[code] * comment_norm[comment length] + body[code] * body_norm[body length]:
    `scores[doc] += weight * x / (k1 + x)` and `masks[doc] |= 1 << bit` (BM25F: Robertson & Zaragoza 2009; k1 > 0).
    `code_tables` is 3 * 256 float64 (fixed, comment, body, by posting code), `norm_tables` 2 * 256 float64 (body, then
    comment, by length code), `lengths` the two bytes a document of `Inverter.finish`, `scores` float64, `masks` uint64.

    ValueError for a malformed list, a document beyond a buffer, a table of a wrong size, or k1 + x = 0; scores and
    masks may have changed by then.
    """
    tables, norms = floats(code_tables), floats(norm_tables)
    sums, marks = floats(scores), integers(masks, "Q")
    sizes = memoryview(lengths).cast("B")
    alive = None if live is None else memoryview(live).cast("B")
    if len(tables) != 768 or len(norms) != 512:
        raise ValueError("three code tables and two norm tables of 256 numbers each are needed")
    if not k1 > 0.0:
        raise ValueError("k1 must be positive")
    if not 0 <= bit <= 63:
        raise ValueError("bit must be 0 to 63")
    reach = min(
        len(sums),
        len(marks),
        len(sizes) // 2,
        len(sums) if alive is None else len(alive),
    )
    docs, codes = decode_postings(buf)
    for doc, code in zip(docs, codes, strict=True):
        if doc >= reach:
            raise ValueError("posting list has a document beyond the buffers")
        if alive is not None and not alive[doc]:
            continue
        body, comment = norms[sizes[2 * doc]], norms[256 + sizes[2 * doc + 1]]
        x = tables[code] + tables[256 + code] * comment + tables[512 + code] * body
        if k1 + x == 0.0:
            raise ValueError("k1 + x must not be zero")
        sums[doc] += weight * x / (k1 + x)
        marks[doc] |= 1 << bit


def floats(buf: ReadableBuffer) -> memoryview[float]:
    """`buf` as float64 numbers; ValueError when it does not hold a whole number of them."""
    return _whole(buf, 8).cast("d")


def integers(buf: ReadableBuffer, kind: Literal["I", "Q"]) -> memoryview[int]:
    """`buf` as uint32 or uint64 numbers; ValueError when it does not hold a whole number of them."""
    return _whole(buf, 8 if kind == "Q" else 4).cast(kind)


def _whole(buf: ReadableBuffer, size: int) -> memoryview[int]:
    data = memoryview(buf).cast("B")
    if len(data) % size:
        raise ValueError("buffer does not hold a whole number of items")
    return data


def top_k(values: ReadableBuffer, k: int) -> list[int]:
    """The indices of the `k` largest of the float64 `values` that are above 0, largest first, ties by index."""
    numbers = floats(values)
    best = sorted((-value, index) for index, value in enumerate(numbers) if value > 0.0)
    return [index for _, index in best[: max(k, 0)]]


def blob_scores(
    scores: ReadableBuffer,
    masks: ReadableBuffer,
    first: ReadableBuffer,
    follow: tuple[float, ...],
    out: WriteableBuffer,
    out_masks: WriteableBuffer,
) -> int:
    """Scores blobs by their best chunks: the best, plus `follow[0]` times the second, and so on, for up to three more.

    Returns how many of the blobs' chunks have a positive score.

    `scores` (float64) and `masks` (uint64) have an item a chunk; `first` (uint32) has the first chunk of each blob
    and then the number of chunks, in non-decreasing order; `out` (float64) and `out_masks` (uint64, the union of the
    chunks' masks) have an item a blob and are overwritten. Scores must not be NaN. ValueError when sizes do not fit.
    """
    sums, marks, starts = (
        floats(scores),
        integers(masks, "Q"),
        integers(first, "I"),
    )
    best, unions = floats(out), integers(out_masks, "Q")
    if len(follow) > 3:
        raise ValueError("at most three following chunks count")
    if len(marks) != len(sums) or len(unions) != len(best) or len(starts) != len(best) + 1:
        raise ValueError("scores, masks and chunk starts do not fit together")
    scored = 0
    for blob in range(len(best)):
        begin, end = starts[blob], starts[blob + 1]
        if not begin <= end <= len(sums):
            raise ValueError("chunk starts must not descend, nor pass the last chunk")
        ranked = sorted(sums[begin:end], reverse=True)
        scored += sum(score > 0 for score in ranked)
        best[blob] = _top(ranked, follow)
        unions[blob] = 0
        for mark in marks[begin:end]:
            unions[blob] |= mark
    return scored


def impacts(
    buf: ReadableBuffer,
    live: ReadableBuffer | None,
    code_tables: ReadableBuffer,
    lengths: ReadableBuffer,
    norm_tables: ReadableBuffer,
) -> bytes:
    """The x of `accumulate` (float64) of every live document of a posting list, then these documents (uint32).

    ValueError for a malformed list, a document beyond a buffer, or a table of a wrong size.
    """
    tables, norms, sizes = floats(code_tables), floats(norm_tables), memoryview(lengths).cast("B")
    if len(tables) != 768 or len(norms) != 512:
        raise ValueError("three code tables and two norm tables of 256 numbers each are needed")
    alive = None if live is None else memoryview(live).cast("B")
    reach = len(sizes) // 2 if alive is None else min(len(alive), len(sizes) // 2)
    found, docs = bytearray(), bytearray()
    for doc, code in zip(*decode_postings(buf), strict=True):
        if doc >= reach:
            raise ValueError("posting list has a document beyond the buffers")
        if alive is None or alive[doc]:
            body, comment = norms[sizes[2 * doc]], norms[256 + sizes[2 * doc + 1]]
            found += pack("d", tables[code] + tables[256 + code] * comment + tables[512 + code] * body)
            docs += pack("I", doc)
    return bytes(found + docs)


def score_lists(
    lists: tuple[ReadableBuffer | None, ...],
    weights: tuple[float, ...],
    allowed: ReadableBuffer | None,
    k1: float,
    first: ReadableBuffer,
    follow: tuple[float, ...],
    kinds: ReadableBuffer,
    rates: ReadableBuffer,
    columns: Columns | None,
) -> tuple[Columns, int, float]:
    """((scores, masks, blobs' scores, blobs' masks, touched), chunks that score, the best blob's score or 0).

    `lists` are impacts, of which each adds `weight * x / (k1 + x)` to the scores (float64) of its documents, and its
    place, as a bit, to their masks (uint64); None adds nothing. `allowed` has a byte a document, zero for those that
    are left out. A sum is then multiplied by the rate (of `rates`, 256 float64) of the document's kind (of `kinds`, a
    byte each). `first` has the first chunk of each blob, and then the number of chunks; blobs are scored as
    `blob_scores` does, by their chunks that have a term. `touched` (uint64) has a bit for each of these. `columns` of
    an earlier call, from which nobody reads any more, are used again. ValueError for sizes that do not fit, documents
    that do not ascend or lie beyond the last one, more than 64 lists, k1 not above 0, or k1 + x = 0.
    """
    starts = integers(first, "I")
    alive = None if allowed is None else memoryview(allowed).cast("B")
    sorts, factors = memoryview(kinds).cast("B"), floats(rates)
    if not len(starts) or len(lists) != len(weights) or (alive is not None and len(alive) < starts[-1]):
        raise ValueError("scores, masks and chunk starts do not fit together")
    if len(sorts) < starts[-1] or len(factors) != 256:
        raise ValueError("scores, masks and chunk starts do not fit together")
    if starts[0] != 0:
        raise ValueError("chunk starts must not descend, nor pass the last chunk")
    if len(lists) > 64:
        raise ValueError("a mask has 64 bits")
    if not k1 > 0.0:
        raise ValueError("k1 must be positive")
    made = _columns(starts, columns)
    scores, masks, blobs, blob_masks, touched = made
    for bit, (buf, weight) in enumerate(zip(lists, weights, strict=True)):
        before = -1
        for doc, x in _impacts(buf):
            if doc >= starts[-1]:
                raise ValueError("impacts have a document beyond the last one")
            if doc <= before:
                raise ValueError("the documents of impacts must ascend")
            before = doc
            if alive is not None and not alive[doc]:
                continue
            if k1 + x == 0.0:
                raise ValueError("k1 + x must not be zero")
            scores[doc] += weight * x / (k1 + x)
            masks[doc] |= 1 << bit
            touched[doc // 64] |= 1 << doc % 64
    for doc in range(starts[-1]):
        scores[doc] *= factors[sorts[doc]]
    for blob in range(len(blobs)):
        begin, end = starts[blob], starts[blob + 1]
        if not begin <= end <= starts[-1]:
            raise ValueError("chunk starts must not descend, nor pass the last chunk")
        blobs[blob] = _top(sorted((scores[at] for at in range(begin, end) if masks[at]), reverse=True), follow)
        for mark in masks[begin:end]:
            blob_masks[blob] |= mark
    return made, sum(score > 0 for score in scores), max((0.0, *blobs))


def _columns(starts: memoryview[int], columns: Columns | None) -> Columns:
    sizes = (starts[-1], starts[-1], len(starts) - 1, len(starts) - 1, -(-starts[-1] // 64))
    if columns is not None and tuple([len(column) for column in columns]) != sizes:
        raise ValueError("scores, masks and chunk starts do not fit together")
    for column in columns or ():
        column.cast("B")[:] = bytes(column.nbytes)
    made = columns or tuple(memoryview(bytearray(8 * size)) for size in sizes)
    scores, masks, blobs, blob_masks, touched = (column.cast("B") for column in made)
    return scores.cast("d"), masks.cast("Q"), blobs.cast("d"), blob_masks.cast("Q"), touched.cast("Q")


def _impacts(buf: ReadableBuffer | None) -> Iterator[tuple[int, float]]:
    data = b"" if buf is None else bytes(buf)
    if len(data) % 12:
        raise ValueError("impacts are of 12 bytes each")
    count = len(data) // 12
    return zip(unpack(f"{count}I", data[8 * count :]), unpack(f"{count}d", data[: 8 * count]), strict=True)


def _top(ranked: Sequence[float], follow: tuple[float, ...]) -> float:
    if len(follow) > 3:
        raise ValueError("at most three following chunks count")
    total = ranked[0] if ranked else 0.0
    for factor, score in zip(follow, ranked[1:], strict=False):
        total += factor * score
    return total
