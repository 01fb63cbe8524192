"""Exact search on one corpus: equal output to git grep for a list of patterns, and times as ratios to git grep and rg.

    python bench/exact.py FOLDER [ROUNDS] > bench/results/NAME.json

FOLDER is a git repository without untracked files; the index goes to a temporary GREPPY_HOME. The program measured is
the `greppy` beside the interpreter that runs this. Patterns are those of tests/exact/patterns.txt; a pattern that git
itself refuses is not counted. rg, where it is installed, gets `--no-ignore --hidden`, so that it reads the same files.
Prints the raw data as JSON, and a table to stderr; exits with 1 where a single byte differs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import describe, machine
from measure import Run, alternate, median

PROGRAM = str(Path(sys.executable).parent / "greppy")
PATTERNS = Path(__file__).resolve().parents[1] / "tests" / "exact" / "patterns.txt"
COMMON_LINES = 5000
ALTERNATION = "cursor|migrat|frobn|xyzzy|savepoint|geometr|raster|wizard|humanize|sitemap"


def main() -> None:
    corpus = str(Path(sys.argv[1]).resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    home = tempfile.mkdtemp(prefix="greppy-bench-")
    env = {**os.environ, "GREPPY_HOME": home, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        subprocess.run([PROGRAM, "index"], cwd=corpus, env=env, check=True, capture_output=True)
        result = {
            "machine": machine(),
            "corpus": describe(corpus),
            "equal": equal_output(corpus, env),
            "times": {name: times(args, corpus, env, rounds) for name, args in queries(corpus, env).items()},
        }
    finally:
        shutil.rmtree(home)
    print(json.dumps(result, indent=1))
    print(table(result), file=sys.stderr)
    sys.exit(1 if result["equal"]["different"] else 0)


def listed() -> list[list[str]]:
    """The words of each line of the list."""
    rows = [line.split("\t", 1) for line in PATTERNS.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [[*flags.split(), "-e", pattern] for flags, pattern in rows]


def equal_output(corpus: str, env: Mapping[str, str]) -> dict[str, Any]:
    """How many of the listed patterns give the same bytes and status, and those that do not."""
    same, lines, different = 0, 0, []
    for args in listed():
        wanted = captured(["git", "grep", "--threads=1", "-nE", *args], corpus, env)
        if wanted.returncode > 1:
            continue
        got = captured([PROGRAM, "grep", *args], corpus, env)
        if (got.stdout, got.returncode) == (wanted.stdout, wanted.returncode):
            same += 1
            lines += wanted.stdout.count(b"\n")
        else:
            different.append(args)
    return {"same": same, "lines": lines, "different": different}


def captured(command: list[str], corpus: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, cwd=corpus, env=dict(env), capture_output=True, stdin=subprocess.DEVNULL)


def queries(corpus: str, env: Mapping[str, str]) -> dict[str, list[str]]:
    """Name → words for git grep and greppy: a rare and a common text, two texts in one line, a word in any case, a
    choice of ten, and one without any text to look for."""
    common = next((w for w in ("self", "import", "return", "the") if lines_of(w, corpus, env) >= COMMON_LINES), "the")
    return {
        "rare": ["-F", "-e", rarest(corpus, env)],
        "common": ["-F", "-e", common],
        "two texts": ["-E", "-e", "func.*Query.*error"],
        "word, -i": ["-i", "-w", "-e", "sessionstore"],
        "ten texts": ["-E", "-e", ALTERNATION],
        "no text": ["-E", "-e", "[a-z]+_[0-9]+_[a-z]+"],
    }


def lines_of(text: str, corpus: str, env: Mapping[str, str]) -> int:
    return captured(["git", "grep", "-hF", text], corpus, env).stdout.count(b"\n")


def rarest(corpus: str, env: Mapping[str, str]) -> str:
    """The first long name that stands in few lines."""
    out = captured(["git", "grep", "-ohE", r"[a-z]+(_[a-z]+){3}"], corpus, env).stdout.decode()
    names = sorted(set(out.split()))
    return next((name for name in names[len(names) // 2 :] if lines_of(name, corpus, env) <= 5), "zebraquartz")


def times(args: list[str], corpus: str, env: Mapping[str, str], rounds: int) -> dict[str, Any]:
    """Runs of each program, and the ratio of ours to the faster of the others."""
    commands = {"greppy": [PROGRAM, "grep", *args], "git grep": ["git", "grep", "-n", *args]}
    commands["greppy --no-refresh"] = [PROGRAM, "grep", "--no-refresh", *args]
    if shutil.which("rg", path=env.get("PATH")):
        words = [word for word in args if word != "-E"]
        commands["rg"] = ["rg", "-n", "--no-ignore", "--hidden", "-g", "!.git", *words, "."]
    runs = alternate(commands, rounds, corpus, env)
    others = min(median(runs[name]) for name in ("git grep", "rg") if name in runs)
    return {
        "args": args,
        "ratio": median(runs["greppy"]) / others,
        "ratio without refresh": median(runs["greppy --no-refresh"]) / others,
        "median_ms": {name: round(median(found) * 1000, 1) for name, found in runs.items()},
        "cpu_ms": {name: round(median(found, "cpu") * 1000, 1) for name, found in runs.items()},
        "runs": {name: [list(Run(*each)) for each in found] for name, found in runs.items()},
    }


def table(result: dict[str, Any]) -> str:
    """What a person wants to see."""
    equal = result["equal"]
    rows = [f"{equal['same']} patterns, {equal['lines']} lines equal; different: {equal['different'] or 'none'}"]
    for name, found in result["times"].items():
        medians = "  ".join(f"{program} {ms:.0f}" for program, ms in found["median_ms"].items())
        ratios = f"{found['ratio']:5.2f} x the faster, {found['ratio without refresh']:5.2f} x without refresh"
        rows.append(f"{name:10} {ratios}   ms: {medians}")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
