"""BM25F against its formula, written down as simply as it can be, over generated projects."""

from __future__ import annotations

import math
import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greppy import kernels
from greppy.analysis.chunks import analyze
from greppy.analysis.tokens import terms_of_text
from greppy.kernels.codes import length_code
from greppy.query.plan import make_plan
from greppy.search import weights
from greppy.search.score import score_chunks

if TYPE_CHECKING:
    from greppy.analysis.chunks import Analysis, Chunk
    from tests.projects import Searched

WORDS = ("alpha", "beta_gamma", "gammaDelta", "delta", "HTTPServer", "x1")
NAMES = ("NAME", "SIGNATURE", "COMMENT", "BODY")


def line() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


def source() -> st.SearchStrategy[str]:
    function = st.tuples(st.sampled_from(WORDS), line(), st.lists(line(), max_size=4)).map(
        lambda parts: (
            f"def {parts[0]}({parts[1].replace(' ', ', ')}):\n    # {parts[1]}\n    pass\n"
            + "".join(f"    call({text.replace(' ', ', ')})\n" for text in parts[2])
        )
    )
    return st.lists(function, min_size=1, max_size=4).map("\n".join)


def counts(analysis: Analysis, chunk: Chunk) -> dict[str, Counter[bytes]]:
    """Terms of a chunk by field, the runs counted under an empty term."""
    found: dict[str, Counter[bytes]] = {name: Counter() for name in NAMES}
    for field, start, end in chunk.spans:
        for _, terms in terms_of_text(analysis.text[start:end]):
            found[NAMES[field]].update(terms)
            found[NAMES[field]][b""] += 1
    return found


def level(tf: int, levels: tuple[int, ...]) -> int:
    return max(lowest for lowest in levels if lowest <= tf)


def naive(documents: list[dict[str, Counter[bytes]]], query: str) -> list[float]:
    """The formula of `greppy.search.score` over documents with no index in between."""
    lengths = [{f: kernels.LENGTHS[length_code(d[f][b""])] for f in ("BODY", "COMMENT")} for d in documents]
    average = {f: max(sum(one[f] for one in lengths) / len(documents), 1.0) for f in ("BODY", "COMMENT")}
    scores = [0.0] * len(documents)
    for term in make_plan(query).terms:
        df = sum(any(d[field][term.term] for field in NAMES) for d in documents)
        idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        for at, d in enumerate(documents):
            tf = {field: d[field][term.term] for field in NAMES}
            x = weights.NAME * (tf["NAME"] > 0) + weights.SIGNATURE * (tf["SIGNATURE"] > 0)
            for field, b, weight, levels in (
                ("BODY", weights.B_BODY, weights.BODY, kernels.LEVELS),
                ("COMMENT", weights.B_COMMENT, weights.COMMENT, kernels.COMMENT_LEVELS),
            ):
                norm = 1 - b + b * lengths[at][field] / average[field]
                x += weight * level(tf[field], levels) / norm
            scores[at] += idf * term.weight * x / (weights.K1 + x)
    return scores


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(texts=st.lists(source(), min_size=1, max_size=5, unique=True), query=line())
def test_every_chunk_has_the_score_that_the_formula_gives(project: Searched, texts: list[str], query: str) -> None:
    for old in project.path.glob("*.py"):
        old.unlink()
    project.write({f"f{number}.py": text for number, text in enumerate(texts)})
    view = project.view()
    expected: dict[tuple[bytes, int], float] = {}
    documents, keys = [], []
    for number, text in enumerate(texts):
        analysis = analyze(text.encode(), "python")
        assert analysis is not None
        for chunk in analysis.chunks:
            documents.append(counts(analysis, chunk))
            keys.append((os.fsencode(f"f{number}.py"), chunk.start_line))
    expected = dict(zip(keys, naive(documents, query), strict=True))
    scored, _ = score_chunks(make_plan(query), view, [None] * len(view.shards))
    found = {}
    for place, scores in enumerate(scored):
        for blob in range(scores.shard.blobs):
            for file in view.manifest.files_of(place, blob):
                for chunk_at in range(*scores.shard.chunk_range(blob)):
                    key = (view.manifest.paths[file], scores.shard.lines(blob, chunk_at)[0])
                    found[key] = scores.chunks[chunk_at]
    assert found == pytest.approx(expected)
