"""The tables of prefix codes: indexes in, what `greppy/kernels/reference/tables.py` and `kernels/tables.h` hold out.

Usage: prefix_codes.py HOME... (folders that were GREPPY_HOME while something was indexed). Counts in all their shards
which symbol follows which context, and prints the lengths of the codes of at most 10 bits that are optimal for these
counts (package-merge: Larmore & Hirschberg 1990), with what they cost beside the entropy. Changing the tables changes
the format of the index.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING

from greppy import kernels
from greppy.analysis.version import ANALYZER
from greppy.index.postings import BLOCK
from greppy.index.shard import Shard
from greppy.kernels.reference.postings import _after_code, _after_width
from greppy.kernels.reference.strings import _context

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDEST = 10
DIGITS = "0123456789a"
SYMBOLS = 64
ESCAPE = SYMBOLS - 1
CONTEXTS = 10

Counts = defaultdict[int, Counter[int]]
"""By context how often each value came."""


class Counted:
    """What was counted of one kind of strings."""

    def __init__(self) -> None:
        self.numbers: Counts = defaultdict(Counter)
        self.bytes: Counts = defaultdict(Counter)

    def add(self, strings: Iterable[bytes]) -> None:
        before = b""
        for ordinal, string in enumerate(strings):
            before = before if ordinal % BLOCK else b""
            shared = next((at for at, (a, b) in enumerate(zip(before, string, strict=False)) if a != b), None)
            shared = min(len(before), len(string)) if shared is None else shared
            self.numbers[0][shared] += 1
            self.numbers[1][len(string) - shared] += 1
            for at in range(shared, len(string)):
                self.bytes[_context(string[:at])][string[at]] += 1
            before = string


def count_postings(shard: Shard, widths: Counts, firsts: Counts, codes: Counts) -> None:
    first = first_context = 0
    for ordinal, (_, postings) in enumerate(shard.lists()):
        docs, found = kernels.decode_postings(postings)
        if ordinal % BLOCK == 0:
            first = first_context = 0
        width = (2 * abs(docs[0] - first) + (docs[0] >= first)).bit_length() - 1
        firsts[first_context][width] += 1
        first, first_context = docs[0], _after_width(width)
        context = 0
        for code in found:
            codes[context][code] += 1
            context = _after_code(code)
        context, before = 0, docs[0]
        for doc in docs[1:]:
            width = (doc - before).bit_length() - 1
            widths[context][width] += 1
            context, before = _after_width(width), doc


def lengths(counts: Sequence[float]) -> list[int]:
    """The lengths of the codes, each at most `WIDEST`, that take the fewest bits."""
    leaves = sorted((count, [symbol]) for symbol, count in enumerate(counts))
    packages: list[tuple[float, list[int]]] = []
    for _ in range(WIDEST):
        pairs = zip(packages[::2], packages[1::2], strict=False)
        packages = sorted([*leaves, *((a[0] + b[0], a[1] + b[1]) for a, b in pairs)])
    found = [0] * len(counts)
    for _, symbols in packages[: 2 * len(counts) - 2]:
        for symbol in symbols:
            found[symbol] += 1
    return found


def table(counted: Counter[int], values: Sequence[int], escaped: bool) -> tuple[str, float, float]:
    """The digits of a table, the bits that its codes take, and the entropy. What never came gets a code, too."""
    counts = [counted[value] for value in values]
    if escaped:
        counts.append(counted.total() - sum(counts))
    found = lengths([count + 0.5 + counted.total() / 50_000 for count in counts])
    bits = sum(count * length for count, length in zip(counts, found, strict=True)) + 8 * escaped * counts[-1]
    entropy = sum(count * log2(counted.total() / count) for count in counted.values())
    return "".join(DIGITS[length] for length in found), bits, entropy


def print_tables(name: str, counts: Counts, contexts: Iterable[int], values: Sequence[int], escaped: bool) -> None:
    tables = [table(counts[context], values, escaped) for context in contexts]
    bits, entropy = sum(each[1] for each in tables), sum(each[2] for each in tables)
    print(f"{name}: {bits / 8:,.0f} bytes, entropy {entropy / 8:,.0f}")
    for digits, _, _ in tables:
        print(f'    "{digits}",')


def commonest(counts: Counts) -> bytes:
    total: Counter[int] = sum(counts.values(), Counter())
    return bytes(value for value, _ in total.most_common(ESCAPE))


def main() -> None:
    widths: Counts = defaultdict(Counter)
    firsts: Counts = defaultdict(Counter)
    codes: Counts = defaultdict(Counter)
    terms, symbols = Counted(), Counted()
    for home in sys.argv[1:]:
        for path in sorted(Path(home).glob("indexes/*/shards/*")):
            shard = Shard(memoryview(path.read_bytes()), ANALYZER, str(path))
            count_postings(shard, widths, firsts, codes)
            terms.add(term for term, _ in shard.terms.since(b""))
            symbols.add(shard.symbols.since(0))
    print_tables("WIDTHS", widths, range(CONTEXTS), range(31), escaped=False)
    print_tables("FIRSTS", firsts, range(CONTEXTS), range(32), escaped=False)
    print("POSTING_CODES", commonest(codes).hex(" "))
    print_tables("CODES", codes, range(CONTEXTS), commonest(codes), escaped=True)
    for name, counted in (("TERM", terms), ("SYMBOL", symbols)):
        print(f"{name}_BYTES", commonest(counted.bytes).hex(" "))
        print_tables(f"{name}S", counted.numbers, range(2), range(ESCAPE), escaped=True)
        print_tables(f"{name}S", counted.bytes, range(2, 6), commonest(counted.bytes), escaped=True)


if __name__ == "__main__":
    main()
