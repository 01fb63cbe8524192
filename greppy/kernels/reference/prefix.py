"""Symbols in, prefix codes out, and back: the codes that depend on how often a symbol comes.

A code is canonical (Schwartz & Kallick 1964): the symbols, ordered by the lengths of their codes and then by number,
have ascending codes, each length's following the last of the length before. The highest bit of a code comes first.
With lengths 1, 2, 3 and 3 the four codes are 0, 10, 110 and 111.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.kernels.reference.bits import BitReader, BitWriter

ESCAPE = 63
"""The symbol of every byte that has none of its own: its 8 bits follow."""


class PrefixCode:
    """The code whose lengths are the digits of a table of `greppy.kernels.reference.tables`."""

    __slots__ = ("_codes", "_symbols")

    def __init__(self, lengths: str) -> None:
        self._codes: dict[int, tuple[int, int]] = {}
        self._symbols: dict[tuple[int, int], int] = {}
        code = 0
        for width in range(1, 11):
            code <<= 1
            for symbol, digit in enumerate(lengths):
                if int(digit, 16) == width:
                    self._codes[symbol] = int(f"{code:0{width}b}"[::-1], 2), width
                    self._symbols[width, code] = symbol
                    code += 1

    def put(self, bits: BitWriter, symbol: int) -> None:
        bits.put(*self._codes[symbol])

    def take(self, bits: BitReader) -> int:
        """Every sequence of bits begins with a code, so this ends."""
        code = width = 0
        while (width, code) not in self._symbols:
            code = code << 1 | bits.take(1)
            width += 1
        return self._symbols[width, code]


class ByteCode:
    """A code of bytes: `values` are those that the symbols below `ESCAPE` stand for."""

    __slots__ = ("_code", "_of_value", "_values")

    def __init__(self, lengths: str, values: bytes) -> None:
        self._code = PrefixCode(lengths)
        self._values = values
        self._of_value = {value: symbol for symbol, value in enumerate(values)}

    def put(self, bits: BitWriter, value: int) -> None:
        symbol = self._of_value.get(value, ESCAPE)
        self._code.put(bits, symbol)
        if symbol == ESCAPE:
            bits.put(value, 8)

    def take(self, bits: BitReader) -> int:
        symbol = self._code.take(bits)
        return bits.take(8) if symbol == ESCAPE else self._values[symbol]
