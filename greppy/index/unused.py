"""Since when analyses have been used by no file, so that `gc` drops them after a while and no sooner. Cold path.

In: an index's directory. Out: (oid, language) → seconds since the epoch. Kept by `gc` alone, under the index's lock::

    $GREPPY_HOME/indexes/…/unused       "<since> <oid, hexadecimal> <language>\\n" an analysis

It is only a memory of earlier runs: without it, the clock of each analysis begins anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from greppy.index.store import publish, remove

if TYPE_CHECKING:
    from collections.abc import Mapping

    from greppy.index.known import Key

_NAME = b"/unused"


def read_unused(directory: bytes) -> dict[Key, int]:
    """What was kept; lines that make no sense are left out."""
    try:
        with open(directory + _NAME, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}
    found: dict[Key, int] = {}
    for line in lines:
        since, _, rest = line.partition(" ")
        oid, _, language = rest.partition(" ")
        if since.isdecimal() and len(oid) in (40, 64) and not oid.strip("0123456789abcdef"):
            found[bytes.fromhex(oid), language] = int(since)
    return found


def write_unused(directory: bytes, unused: Mapping[Key, int]) -> None:
    """Keep it for the next run. Raises `Unwritable`."""
    if not unused:
        remove(directory + _NAME)
        return
    lines = sorted(f"{since} {oid.hex()} {language}\n" for (oid, language), since in unused.items())
    publish(directory + _NAME, "".join(lines).encode())
