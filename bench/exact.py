"""Exact search on one corpus: equal output to git grep for a list of patterns, and times as ratios to git grep and rg.

    python bench/exact.py FOLDER [ROUNDS [EVERY]] > bench/results/NAME.json

FOLDER is a git repository without untracked files; the index goes to a temporary GREPPY_HOME, unless BENCH_HOME names
one that is there. The program measured is the `greppy` beside the interpreter that runs this, else its module. Patterns
are those of tests/exact/patterns.txt, of a large corpus every EVERY-th; one that git itself refuses is not counted.
What git grep prints is kept as its hash in BENCH_CACHE, if that is set: on a large corpus that is most of the time.
rg, where it is installed, gets `--no-ignore --hidden`, so that it reads the same files. Prints the raw data as JSON,
and a table to stderr; exits with 1 where a single byte differs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from core import describe as described
from core import machine
from measure import Run, alternate, median

INSTALLED = Path(sys.executable).parent / "greppy"
PROGRAM = [str(INSTALLED)] if INSTALLED.exists() else [sys.executable, "-P", "-m", "greppy"]
PATTERNS = Path(__file__).resolve().parents[1] / "tests" / "exact" / "patterns.txt"
COMMON_LINES = 5000
ALTERNATION = "cursor|migrat|frobn|xyzzy|savepoint|geometr|raster|wizard|humanize|sitemap"


describe = lru_cache(described)


def main() -> None:
    corpus = str(Path(sys.argv[1]).resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    kept = os.environ.get("BENCH_HOME")
    home = kept or tempfile.mkdtemp(prefix="greppy-bench-")
    env = {**os.environ, "GREPPY_HOME": home, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        subprocess.run([*PROGRAM, "index"], cwd=corpus, env=env, check=True, capture_output=True)
        result = {
            "machine": machine(),
            "corpus": describe(corpus),
            "equal": equal_output(corpus, env, listed()[::every]),
            "times": {name: times(args, corpus, env, rounds) for name, args in queries(corpus, env).items() if rounds},
        }
    finally:
        if kept is None:
            shutil.rmtree(home)
    print(json.dumps(result, indent=1))
    print(table(result), file=sys.stderr)
    sys.exit(1 if result["equal"]["different"] else 0)


def listed() -> list[list[str]]:
    """The words of each line of the list."""
    rows = [line.split("\t", 1) for line in PATTERNS.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [[*flags.split(), "-e", pattern] for flags, pattern in rows]


class Printed(NamedTuple):
    """What a program printed: its status, the hash of the bytes, and how many lines they are."""

    status: int
    digest: str
    lines: int


def equal_output(corpus: str, env: Mapping[str, str], patterns: Sequence[Sequence[str]]) -> dict[str, Any]:
    """How many of the patterns give the same bytes and status, and those that do not."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pairs = list(pool.map(lambda args: (args, *both(args, corpus, env)), patterns))
    compared = [(args, theirs, ours) for args, theirs, ours in pairs if theirs.status <= 1]
    different = [args for args, theirs, ours in compared if theirs != ours]
    same = [theirs for _, theirs, ours in compared if theirs == ours]
    return {"same": len(same), "lines": sum(one.lines for one in same), "different": different}


def both(args: Sequence[str], corpus: str, env: Mapping[str, str]) -> tuple[Printed, Printed]:
    """What git grep prints, which may be known from before, and what we print."""
    command = ["git", "grep", "--threads=1", "-nE", *args]
    cache = os.environ.get("BENCH_CACHE")
    key = hashlib.sha256(repr((corpus, describe(corpus), command)).encode()).hexdigest()
    file = Path(cache, key) if cache else None
    if file is not None and file.exists():
        theirs = Printed(*json.loads(file.read_text()))
    else:
        theirs = printed(command, corpus, env)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(theirs))
    return theirs, printed([*PROGRAM, "grep", *args], corpus, env)


def printed(command: Sequence[str], corpus: str, env: Mapping[str, str]) -> Printed:
    with subprocess.Popen(
        command, cwd=corpus, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        digest, lines = hashlib.sha256(), 0
        assert process.stdout is not None
        while piece := process.stdout.read(1 << 20):
            digest.update(piece)
            lines += piece.count(b"\n")
    return Printed(process.returncode, digest.hexdigest(), lines)


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
    commands = {"greppy": [*PROGRAM, "grep", *args], "git grep": ["git", "grep", "-n", *args]}
    commands["greppy --no-refresh"] = [*PROGRAM, "grep", "--no-refresh", *args]
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
