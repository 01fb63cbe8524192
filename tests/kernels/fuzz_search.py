"""The fuzzer's cases for what searching asks of the kernels: lines, files, look-ups, scores, names, snippets.

In: chance and a twin. Out: what the twin gives. `fuzz.py` runs them.
"""

from __future__ import annotations

import os
import random
from array import array
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

from greppy.analysis.tokens import terms_of_run
from greppy.kernels import reference
from tests.kernels.damage import Case, bent, damaged, list_of, maybe_damaged, text
from tests.kernels.test_ranking import choice

CHUNKS = 40
TEXTS = (b"a", b"ab", b"aab", b"b_", b"\xc3\xa9", b"A", b"B9", b"k", b"s", b" ", b"abab", b"bA")
PATHS = (
    b"a/user_session.py",
    b"a/b/HTTPServer2.go",
    b"gr\xc3\xb6\xc3\x9fe.md",
    b".env",
    b"x",
    b"a/..b",
    b"b\xff",
    b'q"',
)


def floats(chance: random.Random, count: int) -> array[float]:
    return array("d", [chance.choice([0.0, 1.0, 0.5, chance.random()]) for _ in range(count)])


def listed(found: Any) -> object:
    return [bytes(view) for view in found]


def chains_of(chance: random.Random) -> tuple[Any, ...]:
    word = chance.random() < 0.3
    chains = tuple(
        tuple(chance.choice(TEXTS) for _ in range(1 if word else chance.randrange(1, 4)))
        for _ in range(chance.choice([1, 2, 5, 9]))
    )
    foreign = ((b"\xe2\x84\xaa", b"k"), (b"\xc3\xa9", b"a"), (b"\xff", b"b"))[: chance.randrange(4)]
    return chains, foreign, chance.random() < 0.5, word


def style_of(chance: random.Random) -> tuple[int, int, bool, bool, bool]:
    mode, binaries = chance.randrange(3), chance.randrange(3)
    return mode, binaries, chance.random() < 0.5, chance.random() < 0.5, chance.random() < 0.5


def rows(chance: random.Random, twin: ModuleType) -> object:
    data = text(chance, 400).replace(b"\0", b"" if chance.random() < 0.8 else b"\0")
    return twin.print_text(data, b"name", chains_of(chance), style_of(chance))


@lru_cache(1)
def folder() -> bytes:
    """A few files, made once."""
    root = os.fsencode(mkdtemp(prefix="greppy-fuzz-"))
    chance = random.Random(0)
    for path in PATHS:
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "wb") as file:
            file.write(text(chance, 3000).replace(b"\0", b" "))
    os.symlink("x", os.path.join(root, b"link"))
    return root


def table_of(chance: random.Random) -> tuple[bytes, array[int]]:
    names = [*chance.choices(PATHS, k=chance.randrange(9)), *chance.sample([b"link", b"a", b"gone", b"a/../x", b""], 2)]
    ends = list(accumulate(len(name) + 1 for name in names))
    return b"".join(name + b"\0" for name in names), array("I", [0, *ends][:-1])


def files(chance: random.Random, twin: ModuleType) -> object:
    table, starts = table_of(chance)
    wanted = bent(chance, array("I", sorted(chance.sample(range(len(starts)), chance.randrange(len(starts))))))
    where = folder(), damaged(chance, table) if chance.random() < 0.2 else table, bent(chance, starts), wanted
    needles = tuple(chance.choices(TEXTS, k=chance.randrange(3)))
    read = twin.read_matching(*where, needles, chance.random() < 0.5, chance.choice([10, 1 << 20]))
    prefix = chance.choice([b"", b"a/", b"x"])
    return read, twin.print_files(*where, chains_of(chance), style_of(chance), prefix, 1 << 20)


def stats(chance: random.Random, twin: ModuleType) -> object:
    table, starts = table_of(chance)
    damage = damaged(chance, table) if chance.random() < 0.3 else table
    count = len(starts) if chance.random() < 0.9 else chance.randrange(-1, 20)
    modes, found = twin.stats_now(folder(), damage, count)
    changed = twin.changed_stats(folder(), damage, damaged(chance, bytes(found)), count)
    folders = b"".join(name + b"\0" for name in chance.sample([b".", b"a", b"a/b", b"gone"], chance.randrange(4)))
    return (
        list(modes),
        bytes(found),
        changed,
        twin.strange_names(folder(), folders, damage),
        list(twin.path_starts(damage)),
    )


def look_ups(chance: random.Random, twin: ModuleType) -> object:
    terms = sorted({text(chance, 5) for _ in range(chance.randrange(150))})
    lists = [list_of(chance, reference, 90) for _ in terms]
    string_index, strings = reference.pack_strings(terms, 0)
    list_index, stored = reference.pack_lists(b"".join(lists), list(accumulate(map(len, lists))), 90)
    data = maybe_damaged(chance, b"head" + strings + stored)
    indexes = [maybe_damaged(chance, part) for part in (string_index, list_index)]
    at = 4 + len(strings)
    dictionary = (
        *(data, bytearray(b"\1") * (len(data) // 64 + 1), 64, lambda start, end: None),
        *(indexes[0], 4, len(strings), indexes[1], at, len(stored)),
    )
    asked = (*chance.choices(terms or [b"a"], k=3), text(chance, 5))
    return twin.find_lists(dictionary, asked), twin.beginning_lists(dictionary, text(chance, 3))


def endings(chance: random.Random, twin: ModuleType) -> object:
    packed = sorted({text(chance, 9) for _ in range(chance.randrange(1, 200))})
    kind = chance.randrange(2)
    index, blocks = (maybe_damaged(chance, part) for part in reference.pack_strings(packed, kind))
    ordinals = sorted(chance.sample(range(len(packed)), chance.randrange(len(packed))))
    ending = chance.choice([b"a", b"b_", b"9", b""])
    return twin.strings_ending(index, blocks, ordinals, ending, kind), twin.string_at(
        blocks, chance.randrange(64), kind
    )


def score(chance: random.Random, twin: ModuleType) -> object:
    lists = [maybe_damaged(chance, list_of(chance, reference, CHUNKS)) for _ in range(chance.randrange(1, 5))]
    tables, norms = floats(chance, 768), floats(chance, 512)
    lengths = chance.randbytes(2 * CHUNKS)
    live = None if chance.random() < 0.5 else bytes(chance.choices([0, 1], k=CHUNKS))
    made = tuple(twin.impacts(one, live, tables, lengths, norms) for one in lists)
    counts = [twin.count_postings(one, live) for one in lists]
    first = bent(chance, array("I", sorted([0, *(chance.randrange(CHUNKS) for _ in range(6)), CHUNKS])))
    bent_impacts = tuple(maybe_damaged(chance, one) for one in made)
    kinds, rates = chance.randbytes(CHUNKS), floats(chance, 256)
    found, scored, best = twin.score_lists(
        bent_impacts, tuple(floats(chance, len(made))), live, 1.2, first, (0.5, 0.25), kinds, rates, None
    )
    return counts, [bytes(column) for column in found], scored, best


def add_up(chance: random.Random, twin: ModuleType) -> object:
    scores, masks = floats(chance, CHUNKS), array("Q", [0]) * CHUNKS
    one = maybe_damaged(chance, list_of(chance, reference, CHUNKS))
    tables, norms, lengths = floats(chance, 768), floats(chance, 512), chance.randbytes(2 * CHUNKS)
    twin.accumulate(one, None, tables, lengths, norms, 1.2, chance.random(), chance.randrange(64), scores, masks)
    first = bent(chance, array("I", sorted([0, *(chance.randrange(CHUNKS) for _ in range(6)), CHUNKS])))
    blobs, unions = floats(chance, 7), array("Q", [0]) * 7
    scored = twin.blob_scores(scores, masks, first, (0.5,), blobs, unions)
    best = twin.top_k(scores, chance.randrange(50))
    return scored, best, scores.tobytes(), masks.tobytes(), blobs.tobytes(), unions.tobytes()


def rank(chance: random.Random, twin: ModuleType) -> object:
    call = choice(chance)
    call["named"] = bent(chance, call["named"])
    call["classes"] = bent(chance, call["classes"])
    blobs = twin.best_blobs(tuple(floats(chance, 30) for _ in range(2)), chance.randrange(40), chance.random() < 0.5)
    return listed(twin.best_files(**call)), listed(blobs)


def rank_in_disorder(chance: random.Random, twin: ModuleType) -> object:
    """Of an order that is none nothing is promised but that it does no harm."""
    call = choice(chance)
    for name in ("places", "blobs", "order"):
        call[name] = bent(chance, call[name])
    with suppress(ValueError):
        twin.best_files(**call)
    return None


def classes(chance: random.Random, twin: ModuleType) -> object:
    count = chance.randrange(12)
    flags = array("I", [chance.choice([0, 1, 8, 1 << 16, 0xFFFFFFFF]) for _ in range(count)])
    places, blobs = (array("I", chance.choices(range(4), k=count)) for _ in range(2))
    columns = tuple(chance.randbytes(chance.randrange(5)) for _ in range(chance.randrange(4)))
    return listed(twin.file_classes(flags, bent(chance, places), bent(chance, blobs), columns))


def naming(chance: random.Random, twin: ModuleType) -> object:
    paths = chance.choices(PATHS, k=chance.randrange(1, 9))
    table = maybe_damaged(chance, b"".join(path + b"\0" for path in paths))
    starts = bent(chance, array("I", [0, *accumulate(len(path) + 1 for path in paths)][:-1]))
    count = len(starts)
    named = bent(chance, array("I", sorted(chance.sample(range(count), chance.randrange(count + 1)))))
    words = tuple(chance.choices([b"user", b"session", b"http", b"s", b"env", b"b"], k=chance.randrange(4)))
    joined = twin.joined_lists([maybe_damaged(chance, list_of(chance, reference, 90)) for _ in range(3)], 90)
    wholly = twin.named_wholly(named, table, starts, words, chance.randrange(4))
    shares = listed(twin.path_shares((named, named), tuple(floats(chance, 2)), 1.5, count))
    worths = twin.name_worths(named, floats(chance, count), wholly, named, tuple(floats(chance, 3)))
    return list(joined), wholly, shares, bytes(worths)


def show(chance: random.Random, twin: ModuleType) -> object:
    data = text(chance, 400)
    places = [(data, chance.randrange(1, 9), chance.randrange(20)) for _ in range(2)]
    terms = tuple({bytes(chance.choices(b"ab9", k=chance.randrange(1, 3))) for _ in range(3)})
    found = twin.excerpts(
        places, terms, tuple(floats(chance, len(terms))), chance.randrange(20), chance.randrange(90), terms_of_run
    )
    content, matched = data.decode("utf-8", "replace"), [chance.randrange(-1, 20) for _ in range(4)]
    return found, twin.plain_snippet(content, 1, matched, chance.randrange(1, 9), chance.randrange(20), "│ ")


def trigrams(chance: random.Random, twin: ModuleType) -> object:
    inverter = reference.TrigramInverter()
    for doc in range(chance.randrange(1, 60)):
        inverter.add(doc, text(chance, 60))
    blocks, lists = (damaged(chance, part) for part in inverter.finish())
    if int.from_bytes(blocks[:4], "little") > 1 << 12:
        return None
    return list(twin.trigram_list(blocks, lambda start, end: lists[start:end], text(chance, 5)[:3].ljust(3, b"a")))


CASES: tuple[Case, ...] = (
    *(rows, files, stats, look_ups, endings, score, add_up, rank, rank_in_disorder, classes, naming, show, trigrams),
)
