"""Numbers in, bits out, and back: the codes of which trigram lists are made.

Bits fill each byte from its lowest one on, and a number's lowest bit comes first. A *gamma* code (Elias 1975) of a
number v from 1 on is floor(log2 v) zeros, a one, and the bits of v below its highest. A *short* code of x out of u
numbers is truncated binary: with k = floor(log2 u) and s = 2**(k + 1) - u, the k bits of x when x < s; else, with
y = x - s, the k bits of s + y // 2 and one more bit, y % 2.

Strictly ascending numbers from a known range are written by *interpolative coding* (Moffat & Stuiver 2000): the middle
one by a short code out of the places that leave room for the others, then those below it, then those above it, each
time within the range that is left. A full range takes no bits at all, clusters take few, and whatever bits are read,
what is decoded ascends within its range.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WIDEST_GAMMA = 31
"""Zeros before the one of a gamma code, at most: numbers have 32 bits."""

_FLUSHED = 512
"""Bits that wait to become bytes, at most."""


class BitWriter:
    """Bits appended one code after the other; `used` counts them."""

    __slots__ = ("_done", "_pending", "used")

    def __init__(self) -> None:
        self._done = bytearray()
        self._pending = 0
        self.used = 0

    def put(self, value: int, width: int) -> None:
        filled = self.used - 8 * len(self._done)
        self._pending |= value << filled
        self.used += width
        if filled + width >= _FLUSHED:
            whole = (filled + width) // 8
            self._done += (self._pending & ((1 << 8 * whole) - 1)).to_bytes(whole, "little")
            self._pending >>= 8 * whole

    def put_gamma(self, value: int) -> None:
        width = value.bit_length() - 1
        self.put(1 << width, width + 1)
        self.put(value - (1 << width), width)

    def put_short(self, value: int, choices: int) -> None:
        width = choices.bit_length() - 1
        short = (2 << width) - choices
        if value < short:
            self.put(value, width)
            return
        self.put(short + (value - short) // 2, width)
        self.put((value - short) % 2, 1)

    def put_ascending(self, numbers: Sequence[int], low: int, high: int) -> None:
        """Strictly ascending numbers, all within low..high."""
        count = len(numbers)
        if count == 0 or count == high - low + 1:
            return
        middle = count // 2
        number = numbers[middle]
        self.put_short(number - low - middle, high - low - count + 2)
        self.put_ascending(numbers[:middle], low, number - 1)
        self.put_ascending(numbers[middle + 1 :], number + 1, high)

    def finish(self) -> bytes:
        """The bits as whole bytes, filled up with zeros."""
        filled = self.used - 8 * len(self._done)
        return bytes(self._done) + self._pending.to_bytes(-(-filled // 8), "little")


class BitReader:
    """Reads what a `BitWriter` wrote. Beyond the end there are zeros; `check` tells whether they were read."""

    __slots__ = ("_data", "at")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    @property
    def overrun(self) -> bool:
        """Whether more bits have been read than there are."""
        return self.at > 8 * len(self._data)

    def check(self) -> None:
        """ValueError when more bits have been read than there are."""
        if self.overrun:
            raise ValueError("trigram list is truncated")

    def take(self, width: int) -> int:
        start, shift = divmod(self.at, 8)
        self.at += width
        piece = self._data[start : (self.at + 7) // 8]
        return int.from_bytes(piece, "little") >> shift & ((1 << width) - 1)

    def take_gamma(self) -> int:
        """ValueError at the end, and for a number of more than 32 bits."""
        width = 0
        while not self.take(1):
            width += 1
            self.check()
            if width > WIDEST_GAMMA:
                raise ValueError("trigram list has a number of more than 32 bits")
        return 1 << width | self.take(width)

    def take_short(self, choices: int) -> int:
        width = choices.bit_length() - 1
        short = (2 << width) - choices
        value = self.take(width)
        return value if value < short else short + 2 * (value - short) + self.take(1)

    def take_ascending(self, count: int, low: int, high: int) -> list[int]:
        """`count` strictly ascending numbers within low..high, of which there are at least as many."""
        if count == 0:
            return []
        if count == high - low + 1:
            return list(range(low, high + 1))
        middle = count // 2
        number = low + middle + self.take_short(high - low - count + 2)
        below = self.take_ascending(middle, low, number - 1)
        return [*below, number, *self.take_ascending(count - 1 - middle, number + 1, high)]
