"""A project that counts as large, its index's home, and the processes that build in the background."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from greppy.git.listing import list_project
from greppy.git.project import find_project
from greppy.index.view import View, store_of
from greppy.query.plan import make_plan
from greppy.search.filters import path_filter
from greppy.search.rank import rank
from greppy.search.result import Request
from greppy.search.scan.first import scan
from greppy.search.score import score_chunks
from tests.projects import Searched

SOURCE = str(Path(__file__).resolve().parents[2])
WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "kilo", "lima", "mike"]


class Scanned(Searched):
    """A project of which a search looks at everything, as if it were large."""

    def request(self, query: str, **fields: object) -> Request:
        return super().request(query, **{"limit": 100, **fields})

    def scan(self, query: str, **fields: object) -> View:
        """The view of a scan."""
        request = self.request(query, **fields)
        project = find_project(request.start)
        files = list_project(project).files
        plan = make_plan(query)
        takes = path_filter(request, project.root, plan.filters)
        return scan(request, plan, project, store_of(project, self.home), self.config, files, takes)


def ranked(view: View, query: str, limit: int = 100) -> list[tuple[str, float]]:
    """The files of an answer with the score of their best chunk, best first."""
    plan = make_plan(query)
    scores, frequencies = score_chunks(plan, view, [None] * len(view.shards))
    best: dict[str, float] = {}
    for hit in rank(plan, view, scores, frequencies, None, limit):
        best.setdefault(os.fsdecode(hit.path), hit.score)
    return list(best.items())


class Program:
    """The program in a process of its own, in a project that one core needs more than two seconds to index."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "large"
        self.home = folder / "home"
        self.home.mkdir(mode=0o700)
        (self.home / "config.toml").write_text("[index]\nworkers = 1\n")
        (self.path / "src").mkdir(parents=True)
        (self.path / ".greppy").touch()
        filler = "\n".join(" ".join(WORDS[(at + n) % 12] for n in range(12)) for at in range(12_000)) + "\n"
        for number in range(6):
            (self.path / f"words{number}.txt").write_text(f"number {number}\n" + filler)
        (self.path / "src" / "session.py").write_text("def validate_session(session):\n    return session.valid\n")
        self.environment = {
            # so that the coverage of what it starts is counted
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GREPPY_HOME": str(self.home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "LANG": "C.UTF-8",
            "PYTHONPATH": SOURCE,
        }

    def start(self, *words: str, fds: Sequence[int] = (), **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "greppy", *words],
            cwd=self.path,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            pass_fds=fds,
        )

    def __call__(self, *words: str, **environment: str) -> tuple[int, str, str]:
        """Run to the end: exit status, stdout, stderr."""
        with self.start(*words, fds=(), **environment) as process:
            out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def builders(self) -> list[int]:
        """The processes that build this project's index in the background."""
        mark = f"GREPPY_HOME={self.home}".encode()
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _builds(entry, mark)]

    def wait(self, is_so: Callable[[], object]) -> None:
        """Until something is so; the test's own time limit is a minute."""
        for _ in range(1200):
            if is_so():
                return
            time.sleep(0.05)
        raise AssertionError("it never came to be so")

    def held(self, *words: str) -> tuple[int, tuple[int, str, str]]:
        """Search; the builder that this starts is stopped before it begins. Its process id, and the search's end."""
        with self.start(*words) as process:
            self.wait(lambda: self.builders() or process.poll() is not None)
            (builder,) = self.builders()
            os.kill(builder, signal.SIGSTOP)
            out, err = process.communicate(timeout=120)
        return builder, (process.returncode, out, err)

    def index_files(self, name: str) -> list[Path]:
        return [path for path in self.home.rglob(name) if path.is_file()]


def _builds(entry: Path, mark: bytes) -> bool:
    try:
        return (
            (entry / "comm").read_text() == "greppy-index\n"
            and mark in (entry / "environ").read_bytes().split(b"\0")
            and ") Z " not in (entry / "stat").read_text()
        )
    except OSError:
        return False


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scanned:
    """An empty plain project."""
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".greppy").touch()
    return Scanned(tmp_path / "p", tmp_path / "home")


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    """The program; what it leaves running is ended."""
    made = Program(Path(os.path.realpath(tmp_path)))
    yield made
    for builder in made.builders():
        os.kill(builder, signal.SIGKILL)
    made.wait(lambda: not made.builders())
