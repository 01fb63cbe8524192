"""Neighbours taken together: what has a size in, lists of bounded size out. Cold path."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


_Item = TypeVar("_Item", bound=_Sized)


def batches(items: Iterable[_Item], most_bytes: int, most_items: int = sys.maxsize) -> Iterator[list[_Item]]:
    """The items in order, in lists of at most so many bytes and items; one that is larger is alone in its list."""
    batch: list[_Item] = []
    size = 0
    for item in items:
        if batch and (size + item.size > most_bytes or len(batch) >= most_items):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch
