"""The figures of indexing and of direct search on one corpus, as ratios to peers taken in the same run.

    python bench/core.py FOLDER [ROUNDS] > bench/results/NAME.json

FOLDER is a git repository (`bench/README.md` tells how the corpora are made); the index goes to a temporary
GREPPY_HOME. The program measured is the `greppy` beside the interpreter that runs this. Prints the raw data as JSON,
and a table to stderr.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import alternate, median, peak_of_tree, run

PROGRAM = str(Path(sys.executable).parent / "greppy")
QUERIES = ("where are sessions validated", "password hashing", "parse http date header", "SessionMiddleware")


def main() -> None:
    corpus = str(Path(sys.argv[1]).resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    home = tempfile.mkdtemp(prefix="greppy-bench-")
    env = {**os.environ, "GREPPY_HOME": home, "GIT_OPTIONAL_LOCKS": "0"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        result = {
            "machine": machine(),
            "corpus": describe(corpus),
            "index": full_index(corpus, env, max(rounds // 4, 3)),
            "again": index_again(corpus, env, rounds),
            "search": search(corpus, env, rounds),
            "one_file": one_file(corpus, env, rounds),
        }
    finally:
        shutil.rmtree(home)
    print(json.dumps(result, indent=1))
    print(table(result), file=sys.stderr)


def machine() -> dict[str, Any]:
    return {
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "system": platform.platform(),
        "git": subprocess.check_output(["git", "--version"], text=True).strip(),
        "date": time.strftime("%Y-%m-%d"),
    }


def describe(corpus: str) -> dict[str, Any]:
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=corpus).split(b"\0")[:-1]
    size = sum(os.lstat(os.path.join(os.fsencode(corpus), file)).st_size for file in files)
    return {"name": Path(corpus).name, "files": len(files), "bytes": size}


def full_index(corpus: str, env: dict[str, str], rounds: int) -> dict[str, Any]:
    """A full build against a bare parse of the same files in as many processes; disk and memory."""
    processes = str(len(os.sched_getaffinity(0)))
    parse = [sys.executable, str(Path(__file__).parent / "bare_parse.py"), corpus, processes]
    runs = alternate({"index": [PROGRAM, "index", "--force"], "parse process": parse}, rounds, corpus, env)
    bare = [json.loads(subprocess.check_output(parse, cwd=corpus, env=env)) for _ in range(rounds)]
    _, peak = peak_of_tree([PROGRAM, "index", "--force"], corpus, env)
    status = json.loads(subprocess.check_output([PROGRAM, "status", "--json"], cwd=corpus, env=env))
    return {
        "runs": runs,
        "parse_seconds": sorted(item["seconds"] for item in bare),
        "parsed": {key: bare[0][key] for key in ("files", "bytes")},
        "peak_rss_tree": peak,
        "text_bytes": status["text_bytes"],
        "index_bytes": status["index_bytes"],
    }


def index_again(corpus: str, env: dict[str, str], rounds: int) -> dict[str, Any]:
    """`index` with nothing changed against `git status`."""
    return {"runs": alternate({"index": [PROGRAM, "index"], "git status": ["git", "status"]}, rounds, corpus, env)}


def search(corpus: str, env: dict[str, str], rounds: int) -> dict[str, Any]:
    """`search` as a whole process, warm, freshness on, against the start of the same interpreter."""
    commands = {"pass": [sys.executable, "-c", "pass"]}
    commands |= {query: [PROGRAM, "search", query] for query in QUERIES}
    commands |= {f"{query} --no-refresh": [PROGRAM, "search", "--no-refresh", query] for query in QUERIES[:1]}
    return {"runs": alternate(commands, rounds, corpus, env)}


def one_file(corpus: str, env: dict[str, str], rounds: int) -> dict[str, Any]:
    """A search right after one file was edited."""
    names = subprocess.check_output(["git", "ls-files", "-z", "*.py"], cwd=corpus, text=True).split("\0")[:-1]
    path = Path(corpus) / max(names, key=lambda name: -abs((Path(corpus) / name).stat().st_size - 12_000))
    before = path.read_bytes()
    runs = []
    try:
        for number in range(rounds):
            path.write_bytes(before + f"\n# edit {number}\n".encode())
            runs.append(run([PROGRAM, "search", QUERIES[0]], corpus, env))
    finally:
        path.write_bytes(before)
    return {"bytes": len(before), "runs": {"search after an edit": runs}}


def table(result: dict[str, dict[str, Any]]) -> str:
    index, again, found = (result[key]["runs"] for key in ("index", "again", "search"))
    full, parse = median(index["index"]), median_of(result["index"]["parse_seconds"])
    status, start = median(again["git status"]), median(found["pass"])
    rows = [
        ("full index", f"{full:.2f} s", f"{full / parse:.2f} x bare parse ({parse:.2f} s)"),
        ("disk", _mb(result["index"]["index_bytes"]), f"{_share(result)} of the text"),
        ("peak RSS, all processes", _mb(result["index"]["peak_rss_tree"]), ""),
        ("index, nothing changed", _ms(median(again["index"])), f"{median(again['index']) / status:.2f} x git status"),
        ("search after an edit", _ms(median(result["one_file"]["runs"]["search after an edit"])), ""),
        ("python -c pass", _ms(start), ""),
    ]
    for name, runs in found.items():
        if name != "pass":
            ratio = f"{median(runs) / start:.2f} x pass, RSS {_mb(median(runs, 'rss'))}"
            rows.append((f"search {name}", _ms(median(runs)), ratio))
    return "\n".join(f"{name:46}{value:>10}  {ratio}" for name, value, ratio in rows)


def median_of(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def _mb(value: float) -> str:
    return f"{value / 1e6:.1f} MB"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _share(result: dict[str, dict[str, Any]]) -> str:
    return f"{result['index']['index_bytes'] / result['index']['text_bytes']:.1%}"


if __name__ == "__main__":
    main()
