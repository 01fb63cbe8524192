"""A repository of its own to search, by this program and by git grep."""

from __future__ import annotations

import os
import subprocess
from itertools import zip_longest
from pathlib import Path

import pytest

from greppy.cli.main import main
from greppy.output import grep as output
from greppy.output import stream


class Ran:
    """What a run gave: exit status, stdout, stderr."""

    def __init__(self, status: int, out: bytes, err: str = "") -> None:
        self.status = status
        self.out = out
        self.err = err


class Repository:
    """A git repository. The program runs in this process, in the repository's folder."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str] | None) -> None:
        self.root = root
        self._capfd = capfd
        self._parts: list[bytes] = []
        self.environment = {
            # so that the coverage of what it starts is counted
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
            "PATH": os.environ["PATH"],
            "HOME": str(root.parent),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GREPPY_HOME": str(root.parent / "home"),
            "LC_ALL": "C.UTF-8",
        }
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(output, "write_out", self._parts.append)
        monkeypatch.setattr(stream, "write_out", self._write)
        monkeypatch.chdir(root)
        self.git("init", "-q", "-b", "main")

    def _write(self, data: bytes, fd: int = 1) -> None:
        if fd == 1:
            self._parts.append(data)
        else:
            os.write(fd, data)

    def write(self, name: str | bytes, content: bytes) -> None:
        """Put a file there, with the folders above it."""
        path = os.path.join(os.fsencode(self.root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)

    def git(self, *args: str | bytes, locale: str = "C.UTF-8", cwd: Path | None = None) -> Ran:
        """Run git."""
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
        ran = subprocess.run(
            ["git", *identity, *args],
            cwd=cwd or self.root,
            env={**self.environment, "LC_ALL": locale},
            capture_output=True,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr.decode("utf-8", "replace"))

    def commit(self) -> None:
        """Commit everything."""
        assert self.git("add", "-A").status == 0
        assert self.git("commit", "-q", "--allow-empty", "-m", "c").status == 0

    def git_grep(self, *args: str | bytes, locale: str = "C.UTF-8", cwd: Path | None = None) -> Ran:
        """What git grep prints, with line numbers and by extended regular expressions."""
        return self.git("grep", "--threads=1", "-nE", *args, locale=locale, cwd=cwd)

    def grep(self, *args: str | bytes, locale: str = "C.UTF-8") -> Ran:
        """What this program's `grep` prints."""
        os.environ["LC_ALL"] = locale
        return self.run("grep", *args)

    def run(self, *args: str | bytes) -> Ran:
        """What this program prints, run in this process."""
        self._parts.clear()
        if self._capfd:
            self._capfd.readouterr()
        status = main(list(map(os.fsdecode, args)))
        return Ran(status, b"".join(self._parts), self._capfd.readouterr().err if self._capfd else "")

    def same(
        self, *args: str | bytes, git: tuple[str | bytes, ...] = ("--untracked",), locale: str = "C.UTF-8"
    ) -> bytes:
        """Run both; they must print the same and end alike. `git` are further words for git grep alone."""
        wanted = self.git_grep(*git, *args, locale=locale, cwd=Path.cwd())
        got = self.grep(*args, locale=locale)
        if got.out != wanted.out:  # pytest's own comparison of long outputs takes minutes
            differ = [pair for pair in zip_longest(got.out.splitlines(), wanted.out.splitlines()) if pair[0] != pair[1]]
            raise AssertionError((args, differ[:3], wanted.err, got.err))
        assert got.status == wanted.status, (args, wanted.err, got.err)
        return got.out


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repository:
    """An empty repository."""
    root = tmp_path / "r"
    root.mkdir()
    return Repository(root, monkeypatch, capfd)
