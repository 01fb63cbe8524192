"""`python -m tests.model STEPS SEED [direct|hooks|daemon] [REPOSITORY]`: a long random walk.

In: the number of steps, a seed, how the program runs, and a repository to clone (without one a small one is made). Out:
a line about what was compared, or the difference and the folder where it can be seen, with exit status 1.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .git import Repository
from .oracle import Difference
from .run import DIRECT, compare, inside


def begin(repository: Repository, source: str = "") -> None:
    """A repository to walk in: a clone of `source`, or a new one. What is unused for a moment is unused for long."""
    if source:
        subprocess.run(["git", "clone", "-q", source, str(repository.root)], check=True, env=repository.environment)
    else:
        repository.root.mkdir()
        repository.git("init", "-q", "-b", "main")
        for number in range(30):
            folder = repository.root / f"pkg{number % 5}"
            folder.mkdir(exist_ok=True)
            (folder / f"m{number}.py").write_text(f"def still{number}():\n    return {number}\n")
        repository.git("add", "-A")
        repository.git("commit", "-q", "-m", "begin")
    repository.git("config", "gc.auto", "0")
    repository.home.mkdir(mode=0o700)
    (repository.home / "config.toml").write_text("[gc]\nkeep_days = 0\n")


def main(argv: list[str]) -> int:
    steps, seed, *rest = argv
    mode, source = rest[0] if rest else DIRECT, rest[1] if len(rest) > 1 else ""
    top = Path(tempfile.mkdtemp(prefix="greppy-model-")).resolve()
    repository = Repository(top / "r", top / "home")
    begin(repository, source)
    started = time.monotonic()

    def tell(step: int) -> None:
        if step % 500 == 499:
            print(f"{step + 1} steps, {time.monotonic() - started:.0f} s", flush=True)

    try:
        with inside(repository):
            tally = compare(repository, int(steps), int(seed), mode, tell)
    except Difference as difference:
        print(f"{difference}\n{top}")
        return 1
    print(f"{steps} steps, {mode}, seed {seed}, no difference: {tally}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
