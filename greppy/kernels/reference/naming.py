"""What a query has to do with the names of files: lists of files and words in, shares and marks out.

Files are ordinals; a table of paths has them one behind the other, each ended by a NUL.
"""

from __future__ import annotations

from array import array

from greppy.kernels.reference.postings import DOCS, decode_postings
from greppy.kernels.reference.scores import floats, integers
from greppy.kernels.reference.words import runs, split_identifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import ReadableBuffer

_LONGEST_WORD = 200


def joined_lists(lists: Sequence[ReadableBuffer], files: int) -> memoryview:
    """The documents (a view of u32, ascending) that any posting list has; ValueError for one not below `files`."""
    if not 0 <= files <= DOCS:
        raise ValueError("there are at most 2**31 documents")
    found = {doc for buf in lists for doc in decode_postings(buf)[0]}
    if any(doc >= files for doc in found):
        raise ValueError("there is no such file")
    return memoryview(array("I", sorted(found)))


def path_shares(
    found: tuple[ReadableBuffer, ...], weights: tuple[float, ...], total: float, files: int
) -> tuple[memoryview, memoryview]:
    """(files, ascending, u32; the share of every file, f64): a file's share is the sum of the weights of the words that
    name it, in their order, divided by `total`; `found` has the files (u32) of each word.

    ValueError for a file that there is not, and unless there are as many weights as words and `total` is above 0.
    """
    if not 0 <= files <= DOCS or not total > 0.0 or len(found) != len(weights):
        raise ValueError("as many weights as words are needed, and a total above 0")
    shares, named = array("d", [0.0]) * files, set()
    for numbers, weight in zip(found, weights, strict=True):
        for file in integers(numbers, "I"):
            if file >= files:
                raise ValueError("there is no such file")
            shares[file] += weight
            named.add(file)
    for file in named:
        shares[file] /= total
    return memoryview(array("I", sorted(named))), memoryview(shares)


def named_wholly(
    named: ReadableBuffer, table: ReadableBuffer, starts: ReadableBuffer, words: tuple[bytes, ...], shortest: int
) -> bytes:
    """A byte a file, zero for all but the files `named` (u32): 1 where every word of its stem is one of `words` (lower
    case), or begins one or is begun by one if the shorter has `shortest` letters; 2 where the stem is not ASCII.

    The stem is a path's last component behind the dots that begin it, up to its first dot; its words are those of
    `split_identifier`, of at most 200 bytes. ValueError for a file or a path that there is not.
    """
    paths, begins = bytes(table), integers(starts, "I")
    if any(begin >= len(paths) for begin in begins):
        raise ValueError("a path lies outside of its table")
    files = integers(named, "I")
    if any(file >= len(begins) for file in files):
        raise ValueError("there is no such file")
    marks = bytearray(len(begins))
    for file in files:
        marks[file] = _mark(paths[begins[file] :].partition(b"\0")[0], words, shortest)
    return bytes(marks)


def _mark(path: bytes, words: tuple[bytes, ...], shortest: int) -> int:
    stem = path.rpartition(b"/")[2].lstrip(b".").partition(b".")[0]
    if not stem.isascii():
        return 2
    parts = [part[:_LONGEST_WORD] for run in runs(stem, 0, len(stem)) for part in split_identifier(run)]
    return bool(parts) and all(any(_is_kin(part, word, shortest) for word in words) for part in parts)


def _is_kin(one: bytes, other: bytes, shortest: int) -> bool:
    if min(len(one), len(other)) < shortest:
        return one == other
    return one.startswith(other) or other.startswith(one)


def name_worths(
    named: ReadableBuffer,
    shares: ReadableBuffer,
    wholly: ReadableBuffer,
    stems: ReadableBuffer,
    rates: tuple[float, float, float],
) -> memoryview[float]:
    """What names add by file (a view of f64): `rates[0]` times its share (f64) and, where `wholly` is not zero,
    `rates[1]` times it again for the files `named` (u32); then `rates[2]` for the files `stems` (u32).

    ValueError for columns of different sizes, and files that there are not.
    """
    share, marks = floats(shares), memoryview(wholly).cast("B")
    if len(share) != len(marks):
        raise ValueError("columns of files do not fit together")
    worths = floats(bytearray(8 * len(share)))
    files, equal = integers(named, "I"), integers(stems, "I")
    if any(file >= len(share) for file in (*files, *equal)):
        raise ValueError("there is no such file")
    for file in files:
        worths[file] = rates[0] * share[file] + (rates[1] * share[file] if marks[file] else 0.0)
    for file in equal:
        worths[file] += rates[2]
    return worths
