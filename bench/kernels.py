"""The compiled kernels against their Python twins: all of `greppy.kernels`, on input as searching and indexing have it.

    python bench/kernels.py FOLDER [SECONDS] > bench/results/kernels.json

FOLDER is a git repository (`bench/README.md` tells how the corpora are made), of which some files are read, spread
evenly. Each kernel is called until SECONDS (0.3) are over, at least once in Python and five times in C; what
counts is the CPU time of its fastest call. Both twins must give the same. Prints the raw data as JSON, and a table to
stderr; exits with 1 where a kernel of `greppy.kernels` was not measured.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any

from core import describe, machine

from greppy import kernels
from greppy.analysis.tokens import terms_of_run
from greppy.kernels import _fast as fast
from greppy.kernels import reference

Call = Callable[[ModuleType], object]

FILES, LARGEST = 250, 40_000
"""How many files are read, and of at most how many bytes each."""

NOT_MEASURED = {"code_chunks", "compiled", "why"}
"""The twin of `code_chunks` lies in `greppy.analysis`, which `bench/core.py` measures as a whole."""


class Corpus:
    """Files of a repository, and the sections that an index would have of them."""

    def __init__(self, folder: str) -> None:
        listed = subprocess.check_output(["git", "-C", folder, "ls-files", "-z"]).split(b"\0")[:-1]
        self.root = os.fsencode(folder)
        self.every = [path for path in listed if self._is_text(path)]
        self.paths = self.every[:: max(1, len(self.every) // FILES)][:FILES]
        self.texts = [self._read(path) for path in self.paths]
        self.table = b"".join(path + b"\0" for path in self.paths)
        self.starts = fast.path_starts(self.table)
        self.staged = Path(folder, ".git", "index").read_bytes()
        self.docs = len(self.texts)
        self.blocks, self.lists = trigrams_of(fast, self.texts)
        self.dictionary = dictionary_of(self.texts)

    def _is_text(self, path: bytes) -> bool:
        file = os.path.join(self.root, path)
        return not os.path.islink(file) and 0 < os.path.getsize(file) <= LARGEST and b"\0" not in self._read(path)

    def _read(self, path: bytes) -> bytes:
        return Path(os.fsdecode(os.path.join(self.root, path))).read_bytes()


def trigrams_of(twin: ModuleType, texts: list[bytes]) -> tuple[bytes, bytes]:
    inverter = twin.TrigramInverter()
    for doc, text in enumerate(texts):
        inverter.add(doc, text)
    blocks, lists = inverter.finish()
    return blocks, lists


def inverted(twin: ModuleType, texts: list[bytes]) -> Any:
    inverter = twin.Inverter(terms_of_run)
    for doc, text in enumerate(texts):
        inverter.add(doc, text, [(kernels.BODY, 0, len(text))])
    return inverter.finish()


def dictionary_of(texts: list[bytes]) -> tuple[bytes, ...]:
    """Index and blocks of terms, index and blocks of their lists."""
    terms, lists, ends, _, _ = inverted(fast, texts)
    return (*fast.pack_strings(terms, 0), *fast.pack_lists(lists, ends, len(texts)))


def timed(call: Call, twin: ModuleType, seconds: float, least: int) -> tuple[float, object]:
    """(seconds of CPU of the fastest call, what it gave)."""
    best, end, turn = float("inf"), time.monotonic() + seconds, 0
    while turn < least or time.monotonic() < end:
        turn += 1
        began = time.process_time_ns()
        found = call(twin)
        best = min(best, (time.process_time_ns() - began) / 1e9)
    return best, found


def plain(found: object) -> object:
    """What a kernel gave, to be compared."""
    if isinstance(found, (memoryview, array)):
        return bytes(found)
    if isinstance(found, (list, tuple)):
        return [plain(each) for each in found]
    return found


def main() -> None:
    folder = str(Path(sys.argv[1]).resolve())
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0.3
    rows: dict[str, dict[str, float]] = {}
    for name, call in cases(Corpus(folder)):
        slow, expected = timed(call, reference, seconds, 1)
        quick, found = timed(call, fast, seconds, 5)
        if plain(expected) != plain(found):
            raise SystemExit(f"{name}: the twins differ")
        rows[name] = {"python_us": round(slow * 1e6, 2), "c_us": round(quick * 1e6, 2), "ratio": round(slow / quick, 1)}
    print(json.dumps({"machine": machine(), "corpus": describe(folder), "kernels": rows}, indent=1))
    width = max(map(len, rows))
    for name, row in sorted(rows.items(), key=lambda item: -item[1]["ratio"]):
        print(
            f"{name:{width}} {row['python_us']:12.1f} us {row['c_us']:10.1f} us {row['ratio']:7.1f} x", file=sys.stderr
        )
    missing = {name for name in kernels.__all__ if not name.isupper()} - NOT_MEASURED - set(rows)
    if missing:
        raise SystemExit(f"not measured: {', '.join(sorted(missing))}")


def cases(corpus: Corpus) -> Iterator[tuple[str, Call]]:
    yield from reading_text(corpus)
    yield from of_trigrams(corpus)
    yield from of_strings_and_lists(corpus)
    yield from of_files(corpus)
    yield from of_scores(corpus)
    yield from of_names(corpus)


def reading_text(corpus: Corpus) -> Iterator[tuple[str, Call]]:
    texts = corpus.texts
    text = max(texts, key=len)
    words = sorted({run for each in texts[:40] for run in fast.runs(each, 0, len(each))})
    letters = ["größe".encode(), "Straße".encode(), "Привет".encode(), b"ascii"] * 50
    code = max(
        (each for path, each in zip(corpus.paths, texts, strict=True) if path.endswith(b".py")), key=len, default=text
    )
    chains = (((b"import",), (b"return", b"self")), (), False, False)
    lines = text.decode("utf-8", "replace")
    places = [(each, 1, 60) for each in texts[:20]]
    yield "runs", lambda twin: [twin.runs(each, 0, len(each)) for each in texts[:40]]
    yield "line_starts", lambda twin: [twin.line_starts(each) for each in texts[:40]]
    yield "split_identifier", lambda twin: [twin.split_identifier(word) for word in words]
    yield "ascii_terms", lambda twin: [twin.ascii_terms(word) for word in words if word.isascii()]
    yield "fold_word", lambda twin: [twin.fold_word(word) for word in letters]
    yield "thin_python", lambda twin: twin.thin_python(code)
    yield "Inverter", lambda twin: inverted(twin, texts[:40])
    yield "matching_lines", lambda twin: [twin.matching_lines(each, (b"import", b"return"), False) for each in texts]
    yield (
        "print_text",
        lambda twin: [twin.print_text(each, b"name", chains, (0, 0, True, True, False)) for each in texts],
    )
    yield "excerpts", lambda twin: twin.excerpts(places, (b"return", b"import"), (2.0, 1.0), 200, 400, terms_of_run)
    yield "plain_snippet", lambda twin: twin.plain_snippet(lines, 1, [9, 14, 20], 8, 200, "| ")


def of_trigrams(corpus: Corpus) -> Iterator[tuple[str, Call]]:
    blocks, lists, docs = corpus.blocks, corpus.lists, corpus.docs
    formula = ("and", *(b"return"[at : at + 3] for at in range(4)))
    parts = [(blocks, lists, array("I", range(at * docs, (at + 1) * docs))) for at in range(2)]
    one, other = array("I", range(0, 6000, 2)), array("I", range(0, 6000, 3))
    yield "TrigramInverter", lambda twin: trigrams_of(twin, corpus.texts[:60])
    yield "merge_trigrams", lambda twin: twin.merge_trigrams(parts, 2 * docs)
    yield "trigram_list", lambda twin: twin.trigram_list(blocks, lambda start, end: lists[start:end], b"ret")
    yield (
        "trigram_candidates",
        lambda twin: twin.trigram_candidates(blocks, lambda start, end: lists[start:end], formula),
    )
    yield "intersect", lambda twin: twin.intersect(one, other)
    yield "union", lambda twin: twin.union(one, other)
    yield "members", lambda twin: twin.members(one[:999], array("I", range(0, 9999, 3)))


def of_strings_and_lists(corpus: Corpus) -> Iterator[tuple[str, Call]]:
    index, strings, list_index, stored = corpus.dictionary
    docs = corpus.docs
    universe = 20_000
    dice = random.Random(1)
    ids = sorted(dice.sample(range(universe), 4000))
    encoded = fast.encode_postings(ids, bytes(1 + each % 64 for each in ids), universe)
    few = [fast.encode_postings(sorted(dice.sample(range(universe), 40)), bytes(40), universe) for _ in range(400)]
    live = b"\1" * universe
    whole = strings + stored
    dictionary = (
        *(whole, bytearray(b"\1") * (len(whole) // 4096 + 1), 4096, lambda start, end: None),
        *(index, 0, len(strings), list_index, len(strings), len(stored)),
    )
    ends = memoryview(index).cast("I")
    block = strings[ends[1] : ends[2]]
    starts = memoryview(list_index).cast("I")
    list_block = stored[starts[2] : starts[3]]
    words = sorted({run.lower() for each in corpus.texts for run in fast.runs(each, 0, len(each))})
    asked = (b"session", b"request", b"valid", b"nothing_like_it")
    parts = [(*corpus.dictionary, array("I", range(at * docs, (at + 1) * docs))) for at in range(2)]
    yield "pack_strings", lambda twin: twin.pack_strings(words, 0)
    yield "take_strings", lambda twin: twin.take_strings(block, 64, 0)
    yield "string_at", lambda twin: twin.string_at(block, 40, 0)
    yield "find_string", lambda twin: twin.find_string(index, lambda start, end: strings[start:end], b"request", 0)
    yield "strings_ending", lambda twin: twin.strings_ending(index, strings, range(0, ends[0], 9), b"ing", 0)
    yield "encode_postings", lambda twin: twin.encode_postings(ids, bytes(4000), universe)
    yield "decode_postings", lambda twin: twin.decode_postings(encoded)
    yield "count_postings", lambda twin: twin.count_postings(encoded, live)
    yield "pack_lists", lambda twin: twin.pack_lists(b"".join(few), list(accumulate(map(len, few))), universe)
    yield "take_list", lambda twin: twin.take_list(list_block, 40, docs)
    yield "joined_lists", lambda twin: twin.joined_lists(few, universe)
    yield "find_lists", lambda twin: twin.find_lists(dictionary, asked)
    yield "beginning_lists", lambda twin: twin.beginning_lists(dictionary, b"re")
    yield "merge_terms", lambda twin: twin.merge_terms(parts, 2 * docs)


def of_files(corpus: Corpus) -> Iterator[tuple[str, Call]]:
    root, table, starts, count = corpus.root, corpus.table, corpus.starts, corpus.docs
    stats = fast.stats_now(root, table, count)[1]
    folders = sorted({os.path.dirname(path) or b"." for path in corpus.every})
    every = b"".join(path + b"\0" for path in [*corpus.every, *folders])
    listed = b"".join(folder + b"\0" for folder in folders)
    wanted = array("I", range(count))
    chains = (((b"import",),), (), False, False)
    style = (0, 0, True, True, False)
    yield "path_starts", lambda twin: twin.path_starts(table)
    yield "stats_now", lambda twin: twin.stats_now(root, table, count)
    yield "changed_stats", lambda twin: twin.changed_stats(root, table, stats, count)
    yield "strange_names", lambda twin: twin.strange_names(root, listed, every)
    yield "staged_files", lambda twin: twin.staged_files(corpus.staged, 20)
    yield "read_matching", lambda twin: twin.read_matching(root, table, starts, wanted, (b"import",), False, 1 << 20)
    yield "print_files", lambda twin: twin.print_files(root, table, starts, wanted, chains, style, b"", 1 << 20)


def of_scores(corpus: Corpus) -> Iterator[tuple[str, Call]]:
    dice = random.Random(2)
    docs, blobs = 20_000, 5_000
    tables, norms = (array("d", [dice.random() for _ in range(size)]) for size in (768, 512))
    lengths = dice.randbytes(2 * docs)
    lists = [sorted(dice.sample(range(docs), 2500)) for _ in range(4)]
    encoded = [fast.encode_postings(ids, bytes(1 + each % 64 for each in ids), docs) for ids in lists]
    made = tuple(fast.impacts(each, None, tables, lengths, norms) for each in encoded)
    first = array("I", range(0, docs + 1, docs // blobs))
    scores = array("d", [dice.choice([0.0, 0.0, 0.0, dice.random()]) for _ in range(docs)])
    masks = array("Q", [1]) * docs
    kinds, rates = bytes(docs), array("d", [1.0]) * 256
    of_blobs = array("d", [max(scores[at : at + 4]) for at in range(0, docs, 4)])

    def added(twin: ModuleType) -> object:
        sums, marks = array("d", bytes(8 * docs)), array("Q", bytes(8 * docs))
        twin.accumulate(encoded[0], None, tables, lengths, norms, 1.2, 1.0, 0, sums, marks)
        return sums

    def by_blobs(twin: ModuleType) -> object:
        out, unions = array("d", bytes(8 * blobs)), array("Q", bytes(8 * blobs))
        return twin.blob_scores(scores, masks, first, (0.5, 0.25), out, unions), out

    weights = (1.0, 0.5, 2.0, 1.5)
    yield "accumulate", added
    yield "blob_scores", by_blobs
    yield "impacts", lambda twin: twin.impacts(encoded[0], None, tables, lengths, norms)
    yield "score_lists", lambda twin: twin.score_lists(made, weights, None, 1.2, first, (0.5,), kinds, rates, None)
    yield "top_k", lambda twin: twin.top_k(scores, 50)
    yield "best_blobs", lambda twin: twin.best_blobs((of_blobs,), 50)
    yield "best_files", lambda twin: twin.best_files(**best_files_of(of_blobs, dice))


def best_files_of(of_blobs: array[float], dice: random.Random) -> dict[str, Any]:
    """A call for as many files as there are blobs."""
    count = len(of_blobs)
    return {
        "columns": ((of_blobs, array("Q", [3]) * count, array("I", range(0, count, 7))),),
        "named": array("I", range(0, count, 50)),
        "shares": array("d", [0.5]) * count,
        "worths": array("d", [0.25]) * count,
        "cover": (0.5, 0.5),
        "extra": 0.1,
        "places": array("I", bytes(4 * count)),
        "blobs": array("I", range(count)),
        "order": array("I", range(count)),
        "classes": array("H", bytes(2 * count)),
        "factors": array("d", [1.0]),
        "allowed": None,
        "by_name": True,
    }


def of_names(corpus: Corpus) -> Iterator[tuple[str, Call]]:
    count = corpus.docs
    every = array("I", range(count))
    shares, half = array("d", [0.5]) * count, array("I", range(0, count, 2))
    flags = array("I", [at % 9 for at in range(count)])
    zeros = array("I", bytes(4 * count))
    words = (b"session", b"test", b"view")
    yield "path_shares", lambda twin: twin.path_shares((every, half), (1.0, 0.5), 1.5, count)
    yield "named_wholly", lambda twin: twin.named_wholly(every, corpus.table, corpus.starts, words, 4)
    yield "name_worths", lambda twin: twin.name_worths(every, shares, bytes(count), half, (1.0, 0.5, 0.25))
    yield "file_classes", lambda twin: twin.file_classes(flags, zeros, every, (bytes(count),))


if __name__ == "__main__":
    main()
