"""One identifier as the query: how often does the first result hold a definition of it?

    python bench/identifiers.py REPOSITORY... > bench/results/identifiers.json

In: git repositories. Names are drawn at random, sixty of each with a fixed seed, from what Universal Ctags finds: of
the kinds that define something by which code is called or typed. Out: the share, and each name whose definition does
not come first, with what does. Ctags takes keys of JavaScript's object literals for classes: lower-case ones are left
out.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = str(Path(sys.executable).parent / "greppy")
SEED = 5
DRAWN = 60
KINDS = {
    *("class", "struct", "union", "enum", "interface", "trait", "function", "func", "method", "macro", "define"),
    *("typedef", "type", "singletonMethod", "accessor", "prototype", "procedure", "var"),
}
SHORTEST = 3

Place = tuple[str, int]


def main() -> None:
    random.seed(SEED)
    rows = []
    with tempfile.TemporaryDirectory(prefix="greppy-bench-") as home:
        env = {**os.environ, "GREPPY_HOME": home}
        for folder in sys.argv[1:]:
            places = definitions(folder)
            for name in random.sample(sorted(places), min(DRAWN, len(places))):
                rows.append({"repository": os.path.basename(folder), **ask(name, places[name], folder, env)})
    right = sum(1 for row in rows if row["right"])
    missed = [row for row in rows if not row["right"]]
    print(json.dumps({"names": len(rows), "first": right, "share": right / len(rows), "missed": missed}, indent=1))


def definitions(folder: str) -> dict[str, list[Place]]:
    """By name the places (path, line) that ctags calls its definitions."""
    command = ["ctags", "-R", "-f", "-", "--output-format=json", "--fields=+nK", "."]
    listed = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    places: dict[str, list[Place]] = {}
    for line in listed.stdout.decode("utf-8", "replace").splitlines():
        tag = json.loads(line)
        if tag["_type"] == "tag" and tag.get("kind") in KINDS and is_name(tag["name"], tag["kind"], tag["path"]):
            places.setdefault(tag["name"], []).append((os.path.normpath(tag["path"]), tag["line"]))
    return places


def is_name(name: str, kind: str, path: str) -> bool:
    """Whether a tag is a name that somebody could ask for."""
    if kind == "class" and name[0].islower() and path.endswith((".js", ".jsx", ".ts", ".tsx", ".mjs")):
        return False
    return len(name) >= SHORTEST and name.replace("_", "").isalnum() and not name.startswith("__anon")


def ask(name: str, places: list[Place], folder: str, env: dict[str, str]) -> dict[str, object]:
    """Whether the first result has one of these places."""
    command = [PROGRAM, "search", "--json", "--no-content", "--wait", "--limit", "1", "--", name]
    answer = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)
    first = [(one["path"], one["start_line"], one["end_line"]) for one in json.loads(answer.stdout)["results"]]
    right = any(path == one and start <= line <= end for path, start, end in first for one, line in places)
    return {"name": name, "right": right, "defined": places[:3], "first": first}


if __name__ == "__main__":
    main()
