"""One identifier as the query: how often does the first result hold a definition of it?

    python bench/identifiers.py REPOSITORY... > bench/results/identifiers.json

In: git repositories. Names are drawn at random, sixty of each with a fixed seed, from what Universal Ctags finds: of
the kinds that define something by which code is called or typed. Out: the share whose first result holds a tag of the
name, and of one of these kinds (`strict`: that takes `const Todo = () => …` for no definition); and each name whose
definition does not come first, with what does. Ctags takes keys of JavaScript's object literals for classes: lower-case
ones are left out, and the names that it makes up for what has none.
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

MADE_UP = ("__anon", "AnonymousFunction", "AnonymousClass")

Place = tuple[str, int]
"""(path, line)."""

Places = dict[str, list[Place]]
"""By name."""


def main() -> None:
    random.seed(SEED)
    rows = []
    with tempfile.TemporaryDirectory(prefix="greppy-bench-") as home:
        env = {**os.environ, "GREPPY_HOME": home}
        for folder in sys.argv[1:]:
            drawn, tagged = definitions(folder)
            for name in random.sample(sorted(drawn), min(DRAWN, len(drawn))):
                row = ask(name, tagged[name], drawn[name], folder, env)
                rows.append({"repository": os.path.basename(folder), **row})
    right, strict = (sum(1 for row in rows if row[kind]) for kind in ("right", "strict"))
    missed = [row for row in rows if not row["right"]]
    shares = {"share": right / len(rows), "strict": strict / len(rows)}
    print(json.dumps({"names": len(rows), **shares, "missed": missed}, indent=1))


def definitions(folder: str) -> tuple[Places, Places]:
    """The places of the definitions of `KINDS`, and of whatever ctags finds."""
    command = ["ctags", "-R", "-f", "-", "--output-format=json", "--fields=+nK", "."]
    listed = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    drawn: Places = {}
    tagged: Places = {}
    for line in listed.stdout.decode("utf-8", "replace").split("\n"):
        tag = json.loads(line) if line else {"_type": ""}
        if tag["_type"] == "tag":
            place = os.path.normpath(tag["path"]), tag["line"]
            tagged.setdefault(tag["name"], []).append(place)
            if tag.get("kind") in KINDS and is_name(tag["name"], tag["kind"], tag["path"]):
                drawn.setdefault(tag["name"], []).append(place)
    return drawn, tagged


def is_name(name: str, kind: str, path: str) -> bool:
    """Whether a tag is a name that somebody could ask for."""
    if kind == "class" and name[0].islower() and path.endswith((".js", ".jsx", ".ts", ".tsx", ".mjs")):
        return False
    return len(name) >= SHORTEST and name.replace("_", "").isalnum() and not name.startswith(MADE_UP)


def ask(name: str, tagged: list[Place], drawn: list[Place], folder: str, env: dict[str, str]) -> dict[str, object]:
    """Whether the first result has one of these places."""
    command = [PROGRAM, "search", "--json", "--no-content", "--wait", "--limit", "1", "--", name]
    answer = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)
    first = [(one["path"], one["start_line"], one["end_line"]) for one in json.loads(answer.stdout)["results"]]
    right, strict = (
        any(path == one and start <= line <= end for path, start, end in first for one, line in places)
        for places in (tagged, drawn)
    )
    return {"name": name, "right": right, "strict": strict, "defined": drawn[:3], "first": first}


if __name__ == "__main__":
    main()
