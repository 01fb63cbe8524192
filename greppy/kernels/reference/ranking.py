"""Columns of blobs and files in, the files that may rank highest out: a pass over arrays for what ranking does by file.

Nothing here knows what a number means; `greppy.search.rank` does.
"""

from __future__ import annotations

from array import array

from greppy.kernels.reference.scores import floats, integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer

    Columns = tuple[ReadableBuffer, ReadableBuffer, ReadableBuffer]


def best_blobs(columns: tuple[ReadableBuffer, ...], count: int, ties: bool = True) -> tuple[memoryview, ...]:
    """Of columns of float64 the places (views of u32, ascending) of the `count` largest values of all of them, above 0.

    With `ties` also those that equal the last of these: how values are divided among columns must not show. Without,
    the first of these.
    """
    numbers = [floats(column) for column in columns]
    found = [
        (-value, at, place) for at, column in enumerate(numbers) for place, value in enumerate(column) if value > 0.0
    ]
    found.sort()
    least = found[count - 1][0] if 0 < count < len(found) else 0.0
    chosen = [one for one in found[max(count, 0) :] if ties and count > 0 and one[0] == least]
    chosen += found[: max(count, 0)]
    return tuple(
        memoryview(array("I", sorted(place for _, at, place in chosen if at == column)))
        for column in range(len(columns))
    )


def file_classes(
    flags: ReadableBuffer, places: ReadableBuffer, blobs: ReadableBuffer, of_blobs: tuple[ReadableBuffer, ...]
) -> tuple[memoryview, memoryview]:
    """(the number of its class for each file, u16; the flags of each class, u32).

    A file's flags are its own (u32) and those of its blob (`of_blobs[places[file]][blobs[file]]`, u8, where there is
    one), less those that bits 16 and above of its own forbid. Classes are numbered as they are met. ValueError for
    columns of different sizes, or more than 65536 classes.
    """
    own, shards, ordinals = integers(flags, "I"), integers(places, "I"), integers(blobs, "I")
    if not len(own) == len(shards) == len(ordinals):
        raise ValueError("columns of files do not fit together")
    columns = [memoryview(column).cast("B") for column in of_blobs]
    known: dict[int, int] = {}
    classes = array("H")
    for flag, shard, blob in zip(own, shards, ordinals, strict=True):
        if shard < len(columns) and blob < len(columns[shard]):
            flag |= columns[shard][blob] & ~(flag >> 16)
        number = known.setdefault(flag, len(known))
        if number > 0xFFFF:
            raise ValueError("there are more than 65536 combinations of flags")
        classes.append(number)
    return memoryview(classes), memoryview(array("I", known))


def best_files(
    columns: tuple[Columns, ...],
    named: ReadableBuffer,
    shares: ReadableBuffer,
    worths: ReadableBuffer,
    cover: tuple[float, ...],
    extra: float,
    places: ReadableBuffer,
    blobs: ReadableBuffer,
    order: ReadableBuffer,
    classes: ReadableBuffer,
    factors: ReadableBuffer,
    allowed: ReadableBuffer | None,
    by_name: bool,
) -> tuple[memoryview, memoryview]:
    """(files, values), by descending value, then by file, of those whose value is above 0::

        value = (text + covered + worths[file] + extra) · factors[classes[file]]

    `columns` are of each shard: texts (f64 by blob), masks (u64 by blob), and blobs (u32) whose files are candidates,
    as the `named` files (u32) are. `text` is that of the file's blob, `covered` the sum of `cover[bit]` over the bits
    of its mask. A file whose text is not above 0 counts only `by_name`, if `shares[file]` (f64) is 1 or more.
    `places` and `blobs` (u32) say where each file's blob is, `order` (u32) has files in ascending order of these,
    `classes` (u16) and `worths` (f64) are by file, `factors` (f64) by class; `allowed` has a byte a file, zero for
    those filtered out. ValueError for sizes that do not fit and places outside of them.
    """
    choice = _Choice(columns, places, blobs, order, classes, factors)
    worth, share = floats(worths), floats(shares)
    alive = None if allowed is None else memoryview(allowed).cast("B")
    if len(worth) != choice.count or len(share) != choice.count or (alive is not None and len(alive) != choice.count):
        raise ValueError("columns of files do not fit together")
    if len(cover) > 64:
        raise ValueError("a mask has 64 bits")
    found: list[tuple[float, int]] = []
    for file in dict.fromkeys((*integers(named, "I"), *choice.of_blobs())):
        if file >= choice.count:
            raise ValueError("there is no such file")
        if alive is not None and not alive[file]:
            continue
        text, mask, factor = choice.parts(file)
        if not text > 0.0 and not (by_name and share[file] >= 1.0):
            continue
        covered = 0.0
        for bit, value in enumerate(cover):
            covered += value if mask >> bit & 1 else 0.0
        value = (text + covered + worth[file] + extra) * factor
        if value > 0.0:
            found.append((-value, file))
    found.sort()
    return memoryview(array("I", [file for _, file in found])), memoryview(array("d", [-value for value, _ in found]))


class _Choice:
    """The columns that a choice is made from."""

    def __init__(
        self,
        columns: tuple[Columns, ...],
        places: ReadableBuffer,
        blobs: ReadableBuffer,
        order: ReadableBuffer,
        classes: ReadableBuffer,
        factors: ReadableBuffer,
    ) -> None:
        self._texts = [floats(texts) for texts, _, _ in columns]
        self._masks = [integers(masks, "Q") for _, masks, _ in columns]
        self._best = [integers(best, "I") for _, _, best in columns]
        self._places, self._blobs, self._order = (integers(each, "I") for each in (places, blobs, order))
        self._classes, self._factors = memoryview(classes).cast("B").cast("H"), floats(factors)
        self.count = len(self._places)
        if len(self._blobs) != self.count or len(self._classes) != self.count:
            raise ValueError("columns of files do not fit together")
        if any(len(texts) != len(masks) for texts, masks in zip(self._texts, self._masks, strict=True)):
            raise ValueError("columns of blobs do not fit together")

    def of_blobs(self) -> Iterator[int]:
        """The files with one of the best blobs."""
        wanted = {(place, blob) for place, best in enumerate(self._best) for blob in best}
        for file in self._order:
            if file >= self.count:
                raise ValueError("there is no such file")
            if (self._places[file], self._blobs[file]) in wanted:
                yield file

    def parts(self, file: int) -> tuple[float, int, float]:
        """(text, mask, factor) of a file."""
        place, blob, kind = self._places[file], self._blobs[file], self._classes[file]
        if place >= len(self._texts) or blob >= len(self._texts[place]) or kind >= len(self._factors):
            raise ValueError("a file lies outside of its columns")
        return self._texts[place][blob], self._masks[place][blob], self._factors[kind]
