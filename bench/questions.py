"""Twenty natural questions about Django and CPython's library: how often is a file that answers among the first 1, 5,
10?

    python bench/questions.py django=FOLDER cpython=FOLDER > bench/results/questions.json

The questions and their files (`questions.jsonl`) were written down before the program had ever answered one of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = str(Path(sys.executable).parent / "greppy")
DEPTHS = (1, 5, 10)


def main() -> None:
    folders = dict(argument.split("=", 1) for argument in sys.argv[1:])
    lines = (Path(__file__).parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory(prefix="greppy-bench-") as home:
        env = {**os.environ, "GREPPY_HOME": home}
        rows = [ask(item, folders[item["corpus"]], env) for item in map(json.loads, lines) if item["corpus"] in folders]
    hits = {f"in the first {depth}": sum(1 for row in rows if row["rank"] and row["rank"] <= depth) for depth in DEPTHS}
    print(json.dumps({"questions": len(rows), **hits, "ranks": rows}, indent=1))


def ask(item: dict[str, object], folder: str, env: dict[str, str]) -> dict[str, object]:
    """The question with the rank, by file, of the first file that answers it; None beyond a hundred results."""
    command = [PROGRAM, "search", "--json", "--no-content", "--limit", "100", "--", str(item["query"])]
    found = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)
    paths = list(dict.fromkeys(result["path"] for result in json.loads(found.stdout)["results"]))
    answers = item["answers"]
    assert isinstance(answers, list)
    rank = next((place for place, path in enumerate(paths, 1) if path in answers), None)
    return {**item, "rank": rank, "first": paths[:1]}


if __name__ == "__main__":
    main()
