"""Repositories with hooks: real git, the real program, and a home whose log tells what the hooks did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SOURCE = str(Path(__file__).resolve().parents[2])


class World:
    """A home, a repository, and the two programs that meet in it."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.home = top / "gh"
        self.repository = top / "r"
        self.user = top / "home"
        self.repository.mkdir()
        self.user.mkdir()
        self.environment = {
            # so that the coverage of what it starts is counted
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
            "PATH": os.environ["PATH"],
            "HOME": str(self.user),
            "GREPPY_HOME": str(self.home),
            "GIT_CONFIG_GLOBAL": str(self.user / ".gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
            "LANG": "C.UTF-8",
        }
        for role in ("AUTHOR", "COMMITTER"):
            self.environment |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.invalid"}
        (self.user / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n")

    @property
    def hooks(self) -> Path:
        """Where the repository's hooks are."""
        return self.repository / ".git" / "hooks"

    def git(
        self, *args: str | Path, cwd: Path | None = None, variables: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run git, which must succeed, with more variables."""
        command = ["git", *map(str, args)]
        environment = self.environment | (variables or {})
        ran = subprocess.run(
            command, cwd=cwd or self.repository, env=environment, capture_output=True, encoding="utf-8", timeout=60
        )
        assert ran.returncode == 0, (args, ran.stderr)
        return ran

    def greppy(self, *args: str | Path, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the program from its source."""
        command = [sys.executable, "-m", "greppy", *map(str, args)]
        environment = self.environment | {"PYTHONPATH": SOURCE} | more
        return subprocess.run(
            command, cwd=cwd or self.repository, env=environment, capture_output=True, encoding="utf-8", timeout=60
        )

    def ok(self, *args: str | Path, cwd: Path | None = None) -> str:
        """What a run that succeeds says on stdout."""
        ran = self.greppy(*args, cwd=cwd)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def states(self) -> dict[str, str]:
        """The state of each hook by `hooks status`."""
        found = json.loads(self.greppy("hooks", "status", "--json").stdout)
        return {hook["name"]: hook["state"] for hook in found["hooks"]}

    def write(self, name: str, text: str = "zebraquartz\n") -> None:
        """Write a file of the working tree."""
        (self.repository / name).write_text(text)

    def commit(self, message: str = "c") -> subprocess.CompletedProcess[str]:
        """Commit everything."""
        self.git("add", "-A")
        return self.git("commit", "-q", "--allow-empty", "-m", message)

    def hook(self, name: str, text: str = "", mode: int = 0o755) -> Path:
        """Put a hook of the user's in place; by default it notes its name, arguments and stdin in `mark`."""
        self.hooks.mkdir(exist_ok=True)
        path = self.hooks / name
        mark = self.top / "mark"
        path.write_text(text or f'#!/bin/sh\n{{ echo "{name} $*"; cat; }} >>"{mark}"\n')
        path.chmod(mode)
        return path

    def marks(self) -> list[str]:
        """What hooks of the user's noted."""
        mark = self.top / "mark"
        return mark.read_text().splitlines() if mark.exists() else []

    def log(self) -> list[str]:
        """The lines of the hooks' log."""
        log = self.home / "hooks" / "log"
        return log.read_text().splitlines() if log.exists() else []

    def settled(self, lines: int = 1, seconds: float = 20) -> list[str]:
        """The log once it has so many lines and nothing is going on any more."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (len(self.log()) < lines or self._busy()):
            time.sleep(0.05)
        return self.log()

    def _busy(self) -> bool:
        lock = self.home / "hooks" / "lock"
        return (self.home / "hooks" / "queue").exists() or (lock.exists() and lock.stat().st_mtime > 0)

    def picture(self, folder: Path | None = None) -> dict[str, tuple[int, int, bytes | str]]:
        """Every file of a folder: mode, time, and bytes or target."""
        found: dict[str, tuple[int, int, bytes | str]] = {}
        for path in sorted((folder or self.hooks).rglob("*")):
            state = path.lstat()
            content = os.readlink(path) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
            found[str(path)] = (state.st_mode, 0 if path.is_dir() else state.st_mtime_ns, content)
        return found


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A repository with one commit, not indexed yet."""
    made = World(Path(os.path.realpath(tmp_path)))
    made.git("init", "-q")
    made.write("a.py", "def zebraquartz(): pass\n")
    made.commit()
    return made


@pytest.fixture
def indexed(world: World) -> World:
    """The same, indexed, with hooks installed."""
    world.ok("index")
    world.ok("hooks", "install")
    return world
