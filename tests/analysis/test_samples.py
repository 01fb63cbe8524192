"""A realistic file of each language in `samples/`, and beside it the chunks that it must give."""

from __future__ import annotations

from pathlib import Path

import pytest

from greppy.analysis import grammars
from greppy.analysis.chunks import analyze

SAMPLES = Path(__file__).parent / "samples"
QUERIES = Path(grammars.__file__).parent / "queries"
LANGUAGES = sorted(path.stem for path in SAMPLES.glob("*.source"))


def _table(language: str) -> list[str]:
    """`lines kind symbol` of each chunk, as the `.chunks` files have it."""
    analysis = analyze((SAMPLES / f"{language}.source").read_bytes(), language)
    assert analysis is not None
    assert analysis.flags == 0
    rows = [(f"{c.start_line}-{c.end_line}", c.kind, c.symbol) for c in analysis.chunks]
    return [f"{lines:<9}{kind:<11}{symbol}".rstrip() for lines, kind, symbol in rows]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sample_gives_the_chunks_beside_it(language: str) -> None:
    assert _table(language) == (SAMPLES / f"{language}.chunks").read_text().splitlines()


def test_every_query_has_a_sample() -> None:
    assert sorted(path.stem for path in QUERIES.glob("*.scm")) == sorted(set(LANGUAGES) - {"vue", "svelte"})


@pytest.mark.parametrize("query", sorted(QUERIES.glob("*.scm")), ids=lambda path: path.stem)
def test_a_query_compiles_and_has_no_predicate(query: Path) -> None:
    """Predicates read text through the tree, which crashes tree-sitter 0.26 for trees parsed through a callback."""
    assert grammars.load(query.stem) is not None, grammars.failures().get(query.stem)
    assert "(#" not in query.read_text()
