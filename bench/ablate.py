"""What each feature of ranking is worth on a set of questions: `python bench/ablate.py QUESTIONS.jsonl REPOSITORIES`.

In: questions, one JSON object a line with `query`, `repo`, `relevant` and `secondary` (lists of {path}), and the folder
that has each repository as a folder of its name. Out: NDCG@10 by file, the mean over repositories, of all questions and
of those of which no word names an answering file: for the whole, and with each feature taken away.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from greppy.config import Config
from greppy.git.project import find_project
from greppy.index.names import stem_of, words_of_name
from greppy.index.view import View, open_view
from greppy.query import plan as planning
from greppy.search import weights
from greppy.search.rank import rank
from greppy.search.score import score_chunks

OFF: dict[str, dict[str, object]] = {
    "the whole": {},
    "names in BM25F": {"NAME": 1.0},
    "comments in BM25F": {"COMMENT": 1.0},
    "further chunks": {"FOLLOW": (0.0, 0.0, 0.0)},
    "coverage": {"COVERAGE": 0.0},
    "path": {"PATH": 0.0, "STEM_EQUALS": 0.0, "STEM_NAMED": 0.0},
    "another form of a word in a path": {"PATH_KIN": 0.0},
    "what defines nothing lower": {"LOOSE": 1.0},
    "stem equals": {"STEM_EQUALS": 0.0},
    "stem named": {"STEM_NAMED": 0.0},
    "definitions": {"DEFINITION": 0.0, "DEFINITION_CONTAINED": 0.0},
    "tests, docs, data lower": {"TEST": 1.0, "TEST_WANTED": 1.0, "SIDE": 1.0, "DATA": 1.0, "GENERATED": 1.0},
    "domain": {"DOMAIN": 0.0},
    "expansions": {"EXPANSION": 0.0},
    "proximity at a quarter": {"PROXIMITY": 0.25},
}


def main() -> int:
    """Print a line for each feature."""
    questions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        questions[question["repo"]].append(question)
    with tempfile.TemporaryDirectory(prefix="greppy-bench-") as home:
        views = {repo: _view(Path(sys.argv[2]) / repo, home) for repo in questions}
        for name, setting in OFF.items():
            found = {repo: list(_judged(questions[repo], views[repo], setting)) for repo in questions}
            everything = _mean([_mean([score for score, _ in each]) for each in found.values()])
            unnamed = _mean([score for each in found.values() for score, named in each if not named])
            print(f"{name:<26}{everything:.4f}  {unnamed:.4f}", flush=True)
    return 0


def _view(folder: Path, home: str) -> View:
    project = find_project(os.fsencode(folder))
    return open_view(project, os.fsencode(home), Config(), True, lambda done, total, what: None)


def _judged(questions: list[dict[str, Any]], view: View, setting: dict[str, object]) -> Iterator[tuple[float, bool]]:
    """(NDCG@10, whether a word of the query names an answer) of each question under a setting."""
    modules = {name: planning if name == "EXPANSION" else weights for name in setting}
    before = {name: getattr(module, name) for name, module in modules.items()}
    for name, module in modules.items():
        setattr(module, name, setting[name])
    view.facts = None  # what it has worked out is by the weights from before
    for question in questions:
        answers = [answer["path"] for answer in (*question["relevant"], *question["secondary"])]
        yield _ndcg(_files(question["query"], view), answers), _is_named(question["query"], answers)
    for name, module in modules.items():
        setattr(module, name, before[name])


def _files(query: str, view: View) -> list[str]:
    plan = planning.expanded(planning.make_plan(query))
    scores, frequencies = score_chunks(plan, view, [None] * len(view.shards))
    hits = rank(plan, view, scores, frequencies, None, 100)
    return list(dict.fromkeys(os.fsdecode(hit.path) for hit in hits))


def _ndcg(files: list[str], answers: list[str]) -> float:
    gains = sum(1 / math.log2(files.index(path) + 2) for path in answers if path in files[:10])
    return gains / sum(1 / math.log2(place + 2) for place in range(min(10, len(answers))))


def _is_named(query: str, answers: list[str]) -> bool:
    asked = planning.make_plan(query).words
    names = {word for path in answers for word in words_of_name(stem_of(os.fsencode(os.path.basename(path))))}
    return any(name.startswith(word) or word.startswith(name) for name in names for word in asked)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    sys.exit(main())
