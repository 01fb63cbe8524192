"""Answers that were given before, for as long as they are true. Cold.

In: a key that has everything in it on which an answer depends, the identity of the manifest it came from among it.
Out: the answer. Whoever asks has made sure that nothing differs from that manifest, so that no answer can be stale; the
time limit only keeps memory from being held for nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

MOST_RESULTS = 1000
MOST_BYTES = 16 << 20
KEPT_SECONDS = 60.0

Value = TypeVar("Value")


class Results(Generic[Value]):
    """The last answers; `hits` and `misses` count what was asked for."""

    def __init__(self, most: int = MOST_RESULTS, most_bytes: int = MOST_BYTES, seconds: float = KEPT_SECONDS) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._bytes = 0
        self._kept: OrderedDict[Hashable, tuple[float, int, Value]] = OrderedDict()
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, moment: float) -> Value | None:
        """The answer to `key`, given less than a minute before `moment` (s)."""
        found = self._kept.get(key)
        if found is None or moment - found[0] > self._seconds:
            self.misses += 1
            return None
        self._kept.move_to_end(key)
        self.hits += 1
        return found[2]

    def put(self, key: Hashable, value: Value, size: int, moment: float) -> None:
        """Keep an answer of about `size` bytes; the ones that were asked for longest ago make room."""
        if key in self._kept:
            self._bytes -= self._kept.pop(key)[1]
        self._kept[key] = (moment, size, value)
        self._bytes += size
        while len(self._kept) > self._most or self._bytes > self._most_bytes:
            self._bytes -= self._kept.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Keep nothing."""
        self._kept.clear()
        self._bytes = 0
