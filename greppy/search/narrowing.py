"""Which chunks a query's own conditions allow: `sym:`, `kind:`, phrases, exclusions → masks and checks. Cold path.

In: a plan and a shard, or a plan and the lines of a result. Out: a byte a chunk, zero for what cannot be meant; whether
the lines hold what they must. Masks judge by the terms of a chunk, which say whether a phrase may be there; its text
says whether it is, in any case and with any white space between its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from greppy import kernels
from greppy.analysis.tokens import terms_of_run
from greppy.index import format as layout
from greppy.query.reading import words_of_phrase

if TYPE_CHECKING:
    from greppy.index.shard import Shard
    from greppy.query.plan import Plan


def narrow(mask: bytearray | None, plan: Plan, shard: Shard) -> bytearray:
    """`mask` (None: all) with zeros for the chunks of a shard that a plan's conditions forbid."""
    masks = [] if mask is None else [bytes(mask)]
    if plan.filters.get("kind"):
        masks.append(_of_kinds(plan.filters.get("kind"), shard))
    if plan.filters.get("sym"):
        masks.append(_with_symbols(plan.filters.get("sym"), shard))
    masks += [_with_words(words_of_phrase(phrase), shard) for phrase in plan.phrases]
    for text in plan.excluded:
        words = words_of_phrase(text)
        if len(words) == 1:
            masks.append(_with_words(words, shard).translate(_OPPOSITE))
    allowed = int.from_bytes(b"\1" * shard.chunks, "little")
    for each in masks:
        allowed &= int.from_bytes(each, "little")
    return bytearray(allowed.to_bytes(shard.chunks, "little"))


_OPPOSITE = bytes((1, *bytes(255)))


def _of_kinds(kinds: Sequence[str], shard: Shard) -> bytes:
    names = bytes(shard.column(layout.KINDS)).decode().split("\n")
    table = bytes(ordinal < len(names) and names[ordinal] in kinds for ordinal in range(256))
    return bytes(shard.column(layout.CHUNK_KIND)).translate(table)


def _with_symbols(patterns: Sequence[str], shard: Shard) -> bytes:
    matches = symbol_pattern(patterns).search
    symbols = list(shard.symbols.since(0))
    found = {symbol for symbol in set(symbols) if symbol and matches(symbol.decode("utf-8", "replace"))}
    return bytes(symbol in found for symbol in symbols)


def symbol_pattern(patterns: Sequence[str]) -> re.Pattern[str]:
    """What finds the qualified names that hold one of the patterns, in any case; with `*` or `?` all of the name, or
    all behind a dot, must match."""
    parts = [
        r"(?:^|\.)" + re.escape(text).replace(r"\*", ".*").replace(r"\?", ".") + "$"
        if "*" in text or "?" in text
        else re.escape(text)
        for text in patterns
    ]
    return re.compile("|".join(parts), re.IGNORECASE)


def _with_words(words: Sequence[bytes], shard: Shard) -> bytes:
    """A byte a chunk: 1 where it has every one of the words."""
    common: set[int] | None = None
    for word in words:
        docs = _chunks_with(word, shard)
        common = docs if common is None else common & docs
    mask = bytearray(shard.chunks)
    for chunk in common or ():
        mask[chunk] = 1
    return bytes(mask)


def _chunks_with(word: bytes, shard: Shard) -> set[int]:
    terms = terms_of_run(word)
    postings = shard.postings(terms[0]) if terms else None
    return set() if postings is None else set(kernels.decode_postings(postings)[0])


def is_allowed(plan: Plan, lines: Sequence[bytes]) -> bool:
    """Whether the lines of a result hold each of a plan's phrases, and none that it excludes."""
    if not (plan.phrases or plan.excluded):
        return True
    text = _plain(b"\n".join(lines).decode("utf-8", "replace"))
    excluded = [_plain(phrase) for phrase in plan.excluded if len(words_of_phrase(phrase)) > 1]
    return all(_plain(phrase) in text for phrase in plan.phrases) and not any(phrase in text for phrase in excluded)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
