"""Real git in a temporary folder, cut off from the configuration of the machine that the tests run on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest


class Repository:
    """A working tree that a test fills with the real git."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def root(self) -> bytes:
        return os.fsencode(self.path)

    def git(self, *args: str | bytes, where: Path | None = None, stdin: bytes | None = None) -> bytes:
        command = [b"git", *map(os.fsencode, args)]
        done = subprocess.run(command, cwd=where or self.path, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, (args, done.stderr)
        return done.stdout

    def write(self, path: str | bytes, text: str | bytes = "zebraquartz\n") -> Path:
        full = self.path / os.fsdecode(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode() if isinstance(text, str) else text)
        return full

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "c")


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    who = {"NAME": "A", "EMAIL": "a@example.invalid"}
    for role in ("AUTHOR", "COMMITTER"):
        for key, value in who.items():
            monkeypatch.setenv(f"GIT_{role}_{key}", value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / ".gitconfig").write_text('[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n')
    return home


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    path = Path(os.path.realpath(tmp_path)) / "r"
    path.mkdir()
    made = Repository(path)
    made.git("init", "-q")
    return made
