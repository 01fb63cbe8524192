"""In which lines functions begin, by the analysis that the index has of a file (cold: -p and -W alone ask).

In: a view and a file. Out: line numbers. A chunk that defines something begins with its decorators and leading
comment; the line meant here is the first one of the chunk that names what it defines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from greppy.git.files import hash_blob
from greppy.index import format as layout

if TYPE_CHECKING:
    from greppy.index.view import View


def function_heads(view: View, file: int, content: bytes) -> frozenset[int] | None:
    """The lines of `content` in which definitions begin; None where the index has no analysis of this very content, or
    found no definition in it."""
    manifest = view.manifest
    if manifest.column(layout.FILE_REASON, "B")[file]:
        return None
    shard = view.shards[manifest.column(layout.FILE_SHARD, "I")[file]]
    blob = manifest.column(layout.FILE_BLOB, "I")[file]
    if shard.oid(blob) != hash_blob(content, manifest.meta.algorithm):
        return None
    lines = content.split(b"\n")
    heads = set()
    for chunk in range(*shard.chunk_range(blob)):
        symbol = shard.symbol(chunk)
        if symbol:
            heads.add(_head(lines, *shard.lines(blob, chunk), symbol))
    return frozenset(heads) or None


def _head(lines: list[bytes], first: int, last: int, symbol: str) -> int:
    name = symbol.rpartition(".")[2].encode()
    for number in range(first, min(last, len(lines)) + 1):
        if name in lines[number - 1]:
            return number
    return first
