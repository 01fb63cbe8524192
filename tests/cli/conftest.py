"""Running the program as its users do: a process of its own, in a home and a git configuration of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = str(Path(__file__).resolve().parents[2])

# An engine whose answer is known, for what the command line does with answers. FAKE says what it does.
FAKE_ENGINE = """
import os, sys, types, time
sys.path.insert(0, os.environ["SOURCE"])
sys.argv[0] = "greppy"
from greppy.search.result import Response, Result
from greppy import errors

def search(request, home, config, progress, *ahead):
    what = os.environ.get("FAKE", "")
    if what == "request":
        names = [name for name in request.__slots__ if name not in ("start", "cwd")]
        sys.stderr.write(repr({name: getattr(request, name) for name in names}))
    if what == "none":
        return Response([], 0, 1.2, b"/p", ['"sesion" is nowhere in this project; nearest: session'])
    if what == "many":
        text = "\\n".join(f"line {n} session" for n in range(500))
        results = [Result(b"f%d.py" % n, 1, 500, 1.0, content=text, matched_lines=[9]) for n in range(100)]
        return Response(results, 135, 3.14159, b"/p")
    if what == "sleep":
        sys.stderr.write("ready\\n"); sys.stderr.flush()
        time.sleep(60)
    if what == "progress":
        for done in range(40):
            progress(done, 40, "indexing"); time.sleep(0.02)
    if what == "building":
        for done in range(10_000):
            progress(done, 10_000, "indexing"); time.sleep(0.02)
    if what == "cursed":
        evil = "x\\x1b[2J\\x9b\\u202ey"
        result = Result(b"a\\x1b]0;x\\x07.py", 3, 3, 1.0, "ev\\x1bil", "function", content=evil)
        return Response([result], 1, 1, b"/p")
    faults = {"no project": errors.NoProject("no project here", "go elsewhere"),
              "os": OSError(28, "No space left on device"), "memory": MemoryError(),
              "bug": ValueError("odd"), "recursion": RecursionError("deep"),
              "index": errors.IndexFailure("the index is broken", "rebuild it")}
    if what in faults:
        raise faults[what]
    return Response([Result(b"src/auth.py", 15, 16, 2.5, "Auth.check", "method", "python",
                            "def check(self):\\n    return self.session", [16], ["session"])], 1, 3.14159, b"/p")

class Ahead:
    open_view = find_project = None
    def __init__(self, start, home): pass

ahead = types.ModuleType("greppy.index.ahead")
ahead.Ahead = Ahead
sys.modules["greppy.index.ahead"] = ahead
engine = types.ModuleType("greppy.search.engine")
engine.search = search
sys.modules["greppy.search.engine"] = engine
"""
RUN = "\nfrom greppy.cli.main import main\nsys.exit(main())\n"


class Program:
    """Runs the program; `fake` says what the fake engine shall do, None means the real one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.home = folder / "home"
        self.folder.mkdir()
        self.environment = {
            # so that the coverage of what it starts is counted
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GREPPY_HOME": str(self.home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "LANG": "C.UTF-8",
            "SOURCE": SOURCE,
            "PYTHONPATH": SOURCE,
        }

    def command(self, *argv: str | bytes, fake: str | None = None) -> list[str | bytes]:
        """The words that start the program."""
        start = ["-m", "greppy"] if fake is None else ["-c", FAKE_ENGINE + RUN]
        return [sys.executable, *start, *argv]

    def with_fake(self, fake: str | None, **more: str) -> dict[str, str]:
        """The environment for a run."""
        return {**self.environment, "FAKE": fake or "", **more}

    def __call__(
        self, *argv: str | bytes, fake: str | None = None, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run to the end; stdout and stderr as text."""
        return subprocess.run(
            self.command(*argv, fake=fake),
            cwd=cwd or self.folder,
            env=self.with_fake(fake, **environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )

    def python(self, code: str, *argv: str, shell: str = "") -> subprocess.CompletedProcess[str]:
        """Run `code` after the fake engine is in place; `shell` are redirections."""
        command = ["sh", "-c", f'exec "$@" {shell}', "sh", sys.executable, "-c", FAKE_ENGINE + code, *argv]
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, encoding="utf-8")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program in a folder of its own, with a small repository to search."""
    made = Program(tmp_path)
    subprocess.run(["git", "init", "-q", str(made.folder)], check=True, env=made.environment)
    return made
