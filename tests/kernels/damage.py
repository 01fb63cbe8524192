"""What the fuzzer's cases are made of: bytes at random, and whole ones with some changed."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from types import ModuleType

Case = Callable[[random.Random, ModuleType], object]

ALPHABET = b"aab_ \n\0\xc3\xa9\xffABZ9"


def text(chance: random.Random, most: int = 200) -> bytes:
    return bytes(chance.choices(ALPHABET, k=chance.randrange(most)))


def damaged(chance: random.Random, data: bytes) -> bytes:
    """Some bytes changed, or some cut off."""
    changed = bytearray(data)
    for _ in range(chance.randrange(4) if changed else 0):
        changed[chance.randrange(len(changed))] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
    return bytes(changed[: chance.randrange(len(changed) + 1)] if chance.random() < 0.2 else changed)


def maybe_damaged(chance: random.Random, data: bytes) -> bytes:
    return damaged(chance, data) if chance.random() < 0.1 else data


def bent(chance: random.Random, numbers: array[int]) -> array[int]:
    """Now and then one of the numbers is another, or one is missing."""
    changed = numbers[:]
    if changed and chance.random() < 0.2:
        changed[chance.randrange(len(changed))] = chance.choice([0, 1, 2, 7, 63, 64, 65535])
    return changed[:-1] if changed and chance.random() < 0.05 else changed


def list_of(chance: random.Random, twin: ModuleType, universe: int) -> bytes:
    """A posting list."""
    docs = sorted({chance.randrange(universe) for _ in range(chance.randrange(1, 60))})
    encoded: bytes = twin.encode_postings(docs, bytes(chance.choices([1, 2, 64, 0, 255], k=len(docs))), universe)
    return encoded
