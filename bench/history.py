"""Living in git: branches, worktrees, revisions, hooks and history, as ratios to what git itself takes.

    python bench/history.py FOLDER [ROUNDS [PATTERN...]] > bench/results/NAME.json

FOLDER is a git repository with at least twenty tags; PATTERNs are texts whose history is asked for, a rare one and
common ones (by default those of redis). Everything is done in clones of it in a temporary folder. The
program measured is the `greppy` beside the interpreter that runs this. Prints the raw data as JSON, and a table to
stderr.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core import describe, machine
from measure import Run, alternate, median, run

PROGRAM = str(Path(sys.executable).parent / "greppy")
QUERY = "where is the configuration read"
SWITCHED_FILES = 1000
COMMITS = 200
TAGS = 20
PATTERNS = ["maxmemory", "robj", "dict", "server"]
IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]


def main() -> None:
    source = str(Path(sys.argv[1]).resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    patterns = sys.argv[3:] or PATTERNS
    folder = Path(tempfile.mkdtemp(prefix="greppy-bench-"))
    env = {**os.environ, "GREPPY_HOME": str(folder / "home"), "GIT_OPTIONAL_LOCKS": "0", "GIT_EDITOR": "true"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        clone = str(folder / "clone")
        git(["clone", "--quiet", "--shared", source, clone], str(folder), env)
        run([PROGRAM, "index"], clone, env)
        result = {
            "machine": machine(),
            "corpus": describe(clone),
            "switch": branch_switch(clone, env, rounds),
            "worktree": second_worktree(clone, folder, env, rounds),
            "revisions": revisions(clone, env),
            "history": history(clone, env, rounds, patterns),
            "rebase": rebase(clone, env),
        }
    finally:
        shutil.rmtree(folder)
    print(json.dumps(result, indent=1))
    print(table(result), file=sys.stderr)


def git(args: list[str], cwd: str, env: Mapping[str, str]) -> str:
    return subprocess.run(
        ["git", *IDENTITY, *args], cwd=cwd, env=dict(env), check=True, capture_output=True, text=True
    ).stdout


def branch_switch(clone: str, env: Mapping[str, str], rounds: int) -> dict[str, Any]:
    """A search right after a checkout that rewrites many files, the first time and when both sides are known."""
    git(["checkout", "--quiet", "-b", "touched"], clone, env)
    names = git(["ls-files", "-z"], clone, env).split("\0")[:-1][:SWITCHED_FILES]
    for name in names:
        path = Path(clone) / name
        if path.is_file() and not path.is_symlink():
            path.write_bytes(path.read_bytes() + b"\ntouched\n")
    git(["commit", "--quiet", "--all", "--message", "touched"], clone, env)
    runs: dict[str, list[Run]] = {"first search there": [run([PROGRAM, "search", QUERY], clone, env)], "checkout": []}
    runs |= {"search after": [], "search clean": []}
    for _ in range(rounds):
        for branch in ("-", "-"):
            runs["checkout"].append(run(["git", "checkout", "--quiet", branch], clone, env))
            runs["search after"].append(run([PROGRAM, "search", QUERY], clone, env))
            runs["search clean"].append(run([PROGRAM, "search", QUERY], clone, env))
    return {"files": len(names), "runs": runs}


def second_worktree(clone: str, folder: Path, env: Mapping[str, str], rounds: int) -> dict[str, Any]:
    """The first `index` of another worktree, and of a clone, against `git status` there, each time in a new one."""
    runs: dict[str, list[Run]] = {"index": [], "git status": [], "index of a clone": [], "git status of a clone": []}
    for number in range(max(rounds // 2, 3)):
        worktree, other = str(folder / f"worktree{number}"), str(folder / f"clone{number}")
        git(["worktree", "add", "--quiet", "--detach", worktree], clone, env)
        git(["clone", "--quiet", "--shared", clone, other], str(folder), env)
        for where, suffix in ((worktree, ""), (other, " of a clone")):
            time.sleep(1.1)  # git takes what was written in this second for racy, and reads it each time
            git(["update-index", "--refresh", "--force-write-index"], where, env)
            runs["index" + suffix].append(run([PROGRAM, "index"], where, env))
            runs["git status" + suffix].append(run(["git", "status"], where, env))
        git(["worktree", "remove", "--force", worktree], clone, env)
        shutil.rmtree(other)
    return {"runs": runs}


def revisions(clone: str, env: Mapping[str, str]) -> dict[str, Any]:
    """A search of each of some tags, the first time and again, and of all at once; git grep of the same."""
    tags = git(["tag", "--sort=-creatordate"], clone, env).split()
    chosen = tags[:: max(len(tags) // TAGS, 1)][:TAGS]
    runs: dict[str, list[Run]] = {"first": [], "again": []}
    for name in runs:
        runs[name] = [run([PROGRAM, "search", "--rev", tag, QUERY], clone, env) for tag in chosen]
    every = [word for tag in chosen for word in ("--rev", tag)]
    runs["all at once"] = [run([PROGRAM, "search", *every, QUERY], clone, env)]
    runs |= alternate(
        {
            "greppy grep": [PROGRAM, "grep", "-c", "config", *chosen],
            "git grep": ["git", "grep", "-c", "config", *chosen],
        },
        3,
        clone,
        env,
    )
    return {"tags": chosen, "runs": runs}


def history(clone: str, env: Mapping[str, str], rounds: int, patterns: Sequence[str]) -> dict[str, Any]:
    """`history` against `git log -S` and `-G` for each pattern, once what commits change is known; and the first time.

    `equal`: whether both find the same commits.
    """
    runs: dict[str, list[Run]] = {"first": [run([PROGRAM, "history", patterns[0]], clone, env)]}
    equal = {}
    for pattern in patterns:
        commands = {
            f"greppy -S {pattern}": [PROGRAM, "history", "-S", pattern],
            f"git log -S {pattern}": ["git", "log", "--no-merges", "--format=%H", "-S", pattern],
            f"greppy {pattern}": [PROGRAM, "history", pattern],
            f"git log -G {pattern}": ["git", "log", "--no-merges", "--format=%H", "-G", pattern],
        }
        runs |= alternate(commands, max(rounds // 3, 2), clone, env)
        equal[pattern] = same_commits(clone, env, pattern)
    count = int(git(["rev-list", "--count", "HEAD"], clone, env))
    return {"commits": count, "patterns": list(patterns), "equal": equal, "runs": runs}


def same_commits(clone: str, env: Mapping[str, str], pattern: str) -> bool:
    """Whether `history -S` finds the commits that `git log -S` finds, in the same order."""
    command = [PROGRAM, "history", "--json", "-S", pattern]
    out = subprocess.run(command, cwd=clone, env=dict(env), capture_output=True, text=True).stdout
    found = [record["oid"] for record in map(json.loads, out.splitlines()) if record["type"] == "commit"]
    return found == git(["log", "--no-merges", "--format=%H", "-S", pattern], clone, env).split()


def rebase(clone: str, env: Mapping[str, str]) -> dict[str, Any]:
    """A rebase of many commits without hooks and with them; how many refreshes the hooks made."""
    git(["checkout", "--quiet", "-B", "onto", "HEAD"], clone, env)
    (Path(clone) / "onto.txt").write_text("onto\n")
    git(["add", "onto.txt"], clone, env)
    git(["commit", "--quiet", "--message", "onto"], clone, env)
    git(["checkout", "--quiet", "-b", "many", "HEAD~1"], clone, env)
    for number in range(COMMITS):
        (Path(clone) / "many.txt").write_text(f"line {number}\n")
        git(["add", "many.txt"], clone, env)
        git(["commit", "--quiet", "--message", f"m{number}"], clone, env)
    runs = {}
    for name in ("without", "with"):
        if name == "with":
            subprocess.run([PROGRAM, "hooks", "install"], cwd=clone, env=dict(env), check=True, capture_output=True)
        git(["checkout", "--quiet", "-B", name, "many"], clone, env)
        time.sleep(2)
        runs[name] = [run(["git", *IDENTITY, "rebase", "--quiet", "--force-rebase", "onto"], clone, env)]
    time.sleep(5)
    log = Path(env["GREPPY_HOME"]) / "hooks/log"
    lines = log.read_text().replace(os.path.dirname(clone) + "/", "").splitlines() if log.exists() else []
    return {"commits": COMMITS, "runs": runs, "log": lines[-20:]}


def table(result: dict[str, dict[str, Any]]) -> str:
    def wall(part: str, name: str) -> float:
        return median(result[part]["runs"][name])

    status, first = wall("worktree", "git status"), wall("worktree", "index")
    words = result["history"]["patterns"]
    status_there, first_there = wall("worktree", "git status of a clone"), wall("worktree", "index of a clone")
    rows = [
        (
            "search after a branch switch",
            wall("switch", "search after"),
            wall("switch", "search clean"),
            "clean search",
        ),
        ("first search on a branch", wall("switch", "first search there"), wall("switch", "checkout"), "checkout"),
        ("index of a second worktree", first, status, "git status"),
        ("index of a clone beside", first_there, status_there, "git status"),
        ("search --rev, first time", wall("revisions", "first"), wall("switch", "search clean"), "clean search"),
        ("search --rev, again", wall("revisions", "again"), wall("switch", "search clean"), "clean search"),
        ("search of all tags at once", wall("revisions", "all at once"), wall("revisions", "git grep"), "git grep"),
        ("grep of all tags", wall("revisions", "greppy grep"), wall("revisions", "git grep"), "git grep"),
        ("history, first time", wall("history", "first"), wall("history", f"git log -G {words[0]}"), "git log -G"),
        *(
            (f"history {flag} {word}".replace("  ", " "), wall("history", own), wall("history", peer), peer)
            for word in words
            for flag, own, peer in (
                ("", f"greppy {word}", f"git log -G {word}"),
                ("-S", f"greppy -S {word}", f"git log -S {word}"),
            )
        ),
        ("rebase with hooks", wall("rebase", "with"), wall("rebase", "without"), "without"),
    ]
    return "\n".join(
        f"{name:32}{own:9.3f} s  {own / peer:6.2f} x {what} ({peer:.3f} s)" for name, own, peer, what in rows
    )


if __name__ == "__main__":
    main()
