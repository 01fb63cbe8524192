"""Random damage for the compiled kernels, for as long as one likes; no test of the suite, but run by hand.

In: seconds and a seed. Out: nothing, or the first case in which the twins differ (a crash is the sanitizer's to
report). Usage: python tests/kernels/fuzz.py [SECONDS=60] [SEED]; `sanitize.sh` runs it under the sanitizers.
"""

from __future__ import annotations

import random
import sys
import time
from array import array
from importlib import import_module
from itertools import count
from types import ModuleType
from typing import Any, NamedTuple

from greppy.analysis.chunks import Chunk, outlined
from greppy.analysis.lines import Lines
from greppy.analysis.pairing import name_of
from greppy.analysis.roles import roles_of
from greppy.kernels import reference
from tests.kernels.damage import Case, damaged, list_of, text
from tests.kernels.fuzz_search import CASES as SEARCHING

MOST_DOCS = 1 << 12
"""Damaged indexes with more documents are left alone: their lists would only take time."""

CAPTURES = (
    *(f"definition.{kind}" for kind in ("class", "function", "constant", "type", "module", "call")),
    *("name", "body", "receiver", "tail", "outer", "keyword", "comment", "docstring", "attribute", "import"),
)
CODE = (b"def", b"end", b"alias", b" ", b"\n", b"\n\n", b"A::b", b"}", b";", b"\xff", b"x" * 99, b"\0")

PYTHON = (
    *(
        b"if ",
        b"for ",
        b" in ",
        b"def ",
        b"lambda",
        b"case ",
        b"class ",
        b"import ",
        b"name",
        b"value_of_it",
        b"\xc3\xa9",
    ),
    *(b"(", b")", b"[", b"]", b"{", b"}", b"'", b'"', b'"""', b"f'", b"\\", b"\\\n", b":", b":=", b"=", b";"),
    *(
        b"#",
        b"*",
        b"\n",
        b"\n",
        b"\n    ",
        b"\r\n",
        b"\r",
        b"\0",
        b"\x0c",
        b"$",
        b" ",
        b"\t",
        b", ",
        b"(a, b, c)",
        b"((",
    ),
)

ENDINGS = (b"ation", b"eed", b"ing", b"ies", b"fulness", b"alli", b"ement", b"ll", b"y", b"")


def index_of(chance: random.Random, twin: ModuleType) -> tuple[bytes, bytes]:
    inverter = twin.TrigramInverter()
    for doc in range(chance.randrange(1, 90)):
        inverter.add(doc, text(chance, 60))
    blocks, lists = inverter.finish()
    return blocks, lists


def look_up(chance: random.Random, twin: ModuleType) -> object:
    blocks, lists = index_of(chance, twin)
    blocks, lists = damaged(chance, blocks), damaged(chance, lists)
    if int.from_bytes(blocks[:4], "little") > MOST_DOCS:
        return None
    leaves = [text(chance, 5)[:3].ljust(3, b"a") for _ in range(4)]
    formula = ("and", leaves[0], ("or", *leaves[1:3], ("and", leaves[3])))
    return list(twin.trigram_candidates(blocks, lambda start, end: lists[start:end], formula))


def merge(chance: random.Random, twin: ModuleType) -> object:
    parts = []
    for _ in range(chance.randrange(3)):
        blocks, lists = index_of(chance, twin)
        docs = int.from_bytes(blocks[:4], "little")
        new = array("I", (chance.choice([0xFFFFFFFF, chance.randrange(90)]) for _ in range(docs)))
        parts.append((blocks if chance.random() < 0.5 else damaged(chance, blocks), damaged(chance, lists), new))
    return twin.merge_trigrams(parts, 90)


def lines(chance: random.Random, twin: ModuleType) -> object:
    needles = tuple(text(chance, 6).replace(b"\n", b"") for _ in range(chance.randrange(4)))
    return [list(column) for column in twin.matching_lines(text(chance), needles, chance.random() < 0.5)]


def lists(chance: random.Random, twin: ModuleType) -> object:
    one, other = (array("I", sorted({chance.randrange(40) for _ in range(chance.randrange(20))})) for _ in range(2))
    groups = array("I", damaged(chance, array("I", [0, 3, 3, 8, 12]).tobytes()).ljust(20, b"\0"))
    if groups[-1] > MOST_DOCS:
        return None
    return [list(twin.intersect(one, other)), list(twin.union(one, other)), list(twin.members(one[:3], groups))]


def postings(chance: random.Random, twin: ModuleType) -> object:
    found, codes = twin.decode_postings(damaged(chance, list_of(chance, twin, 1 << chance.choice([4, 8, 31]))))
    return list(found), codes


def stored_lists(chance: random.Random, twin: ModuleType) -> object:
    lists = [list_of(chance, twin, 90) for _ in range(chance.randrange(70))]
    ends = [sum(map(len, lists[: at + 1])) for at in range(len(lists))]
    index, blocks = twin.pack_lists(b"".join(lists), ends, 90)
    return index, twin.take_list(damaged(chance, blocks), chance.randrange(64), 90)


def words(chance: random.Random, twin: ModuleType) -> object:
    data = text(chance)
    return twin.runs(data, -3, 150), twin.split_identifier(data), list(twin.line_starts(data))


def terms(chance: random.Random, twin: ModuleType) -> object:
    data = text(chance)
    spans = [(chance.randrange(4), chance.randrange(-3, 200), chance.randrange(-3, 200)) for _ in range(4)]
    inverter = twin.Inverter(lambda run: (run[:40],))
    for doc in range(3):
        inverter.add(doc, data, spans)
    run = bytes(chance.choices(b"aeioystldngbwx_AEX019", k=chance.randrange(300)))
    return inverter.finish(), twin.ascii_terms(run), twin.ascii_terms(run.lower()[:14] + chance.choice(ENDINGS))


def merge_terms(chance: random.Random, twin: ModuleType) -> object:
    parts = []
    first = 0
    for _ in range(chance.randrange(3)):
        terms = sorted({text(chance, 5) for _ in range(chance.randrange(90))})
        lists = [list_of(chance, twin, 30) for _ in terms]
        ends = [sum(map(len, lists[: at + 1])) for at in range(len(lists))]
        sections = [*twin.pack_strings(terms, 0), *twin.pack_lists(b"".join(lists), ends, 30)]
        new = array("I", (0xFFFFFFFF if chance.random() < 0.2 else first + at for at in range(30)))
        first += 30
        at = chance.randrange(4)
        sections[at] = damaged(chance, sections[at])
        parts.append((*sections, new))
    return twin.merge_terms(parts, 90)


def strings(chance: random.Random, twin: ModuleType) -> object:
    packed = sorted({text(chance, 9) for _ in range(chance.randrange(200))})
    kind = chance.randrange(2)
    index, blocks = (damaged(chance, part) for part in twin.pack_strings(packed, kind))
    found = twin.find_string(index, lambda start, end: blocks[start:end], text(chance, 9), kind)
    return found, twin.take_strings(blocks, chance.randrange(65), kind)


class Node(NamedTuple):
    """What the kernel asks of a node of a tree."""

    start_byte: int
    end_byte: int

    @property
    def byte_range(self) -> tuple[int, int]:
        return self.start_byte, self.end_byte


def code(chance: random.Random, twin: ModuleType) -> object:
    data = b"".join(chance.choices(CODE, k=chance.randrange(1, 90)))
    captures: dict[str, Any] = {}
    for name in chance.sample(CAPTURES, chance.randrange(len(CAPTURES) + 1)):
        offsets = (sorted(chance.choices(range(len(data) + 2), k=2)) for _ in range(chance.randrange(9)))
        captures[name] = [Node(start, end) for start, end in offsets]
    if twin is reference:
        return outlined(captures, Lines(data), data, "elixir")
    return twin.code_chunks(data, captures, roles_of("elixir", CAPTURES), name_of, Chunk)


def thinned(chance: random.Random, twin: ModuleType) -> object:
    return twin.thin_python(b"".join(chance.choices(PYTHON, k=chance.randrange(90))))


def folded(chance: random.Random, twin: ModuleType) -> object:
    letters = (chance.choice([chance.randrange(0x30, 0x80), chance.randrange(0xA0, 0x900)]) for _ in range(9))
    return twin.fold_word(damaged(chance, "".join(map(chr, letters)).encode()))


def staging(chance: random.Random, twin: ModuleType) -> object:
    """git's index file, versions 1 to 5."""
    version, entries = chance.randrange(1, 6), bytearray()
    count = chance.randrange(6)
    for _ in range(count):
        path = bytes(chance.choices(b"ab/", k=chance.randrange(9)))
        flags = chance.choice([0, 0, 0x1000, 0x4000, 0x8000])
        entry = chance.randbytes(60) + flags.to_bytes(2, "big") + (b"\0\0" if flags & 0x4000 else b"")
        if version == 4:
            entry += bytes([chance.choice([0, 0, 1, 0x80])]) + path + b"\0"
        else:
            entry += path
            entry += bytes(8 - len(entry) % 8)
        entries += entry
    extension = chance.choice([b"", b"TREE\0\0\0\2xx", b"link\0\0\0\0", b"TREE\xff\xff\xff\xff"])
    head = b"DIRC" + version.to_bytes(4, "big") + count.to_bytes(4, "big")
    data = head + bytes(entries) + extension + bytes(20)
    return twin.staged_files(data if chance.random() < 0.5 else damaged(chance, data), 20)


CASES: tuple[Case, ...] = (
    look_up,
    merge,
    lines,
    lists,
    postings,
    stored_lists,
    merge_terms,
    words,
    terms,
    strings,
    staging,
    code,
    thinned,
    folded,
    *SEARCHING,
)


def outcome(case: Case, seed: str, twin: ModuleType) -> object:
    """What a case gives, or what it raises; of several faults the twins may meet different ones first."""
    try:
        return case(random.Random(seed), twin)
    except (ValueError, OverflowError) as problem:
        return type(problem)


def main(seconds: float, seed: int) -> int:
    fast = import_module("greppy.kernels._fast")
    end = time.monotonic() + seconds
    for turn in count():
        for case in CASES:
            key = f"{seed}-{turn}-{case.__name__}"
            one, other = outcome(case, key, reference), outcome(case, key, fast)
            if one != other:
                print(f"the twins differ in {key}:\n{one}\n{other}", file=sys.stderr)
                return 1
        if time.monotonic() > end:
            print(f"{turn + 1} turns of {len(CASES)} cases, seed {seed}: the twins are equal", file=sys.stderr)
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 60, int(sys.argv[2]) if sys.argv[2:] else time.time_ns()))
