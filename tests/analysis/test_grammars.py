"""Parsing: what is kept of a text that was parsed."""

from __future__ import annotations

import tracemalloc

from greppy.analysis import grammars


def test_a_parsed_text_does_not_stay_in_memory() -> None:
    grammar = grammars.load("python")
    assert grammar is not None
    size = 200_000
    tracemalloc.start()
    try:
        for _ in range(10):
            assert grammars.parse(grammar, b"x = 1\n" + b"#" * size) is not None
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < 2 * size
