"""A repository with a history of its own, the program run in this process, and what git and Python say of it."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from greppy.cli.main import main

Lines = list[tuple[str, bytes]]


class Past:
    """A repository. `clock` gives every commit a second of its own, so that their order is certain."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[bytes]) -> None:
        self.root = root
        self.home = root.parent / "home"
        self.clock = 1_600_000_000
        self._capfd = capfd
        self._monkeypatch = monkeypatch
        for name in [name for name in os.environ if name.startswith(("GIT_", "GREPPY_", "XDG_"))]:
            monkeypatch.delenv(name)
        for name, value in {
            "HOME": str(root.parent),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GREPPY_HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
        }.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(root)
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str | bytes, cwd: Path | None = None, check: bool = True) -> bytes:
        stamp = f"{self.clock} +0000"
        who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@example.invalid", "GIT_AUTHOR_DATE": stamp}
        who |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@example.invalid", "GIT_COMMITTER_DATE": stamp}
        ran = subprocess.run(["git", *args], cwd=cwd or self.root, env={**os.environ, **who}, capture_output=True)
        assert not check or ran.returncode == 0, (args, ran.stderr)
        return ran.stdout

    def write(self, path: str | bytes, text: str | bytes) -> None:
        full = self.root / os.fsdecode(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, subject: str = "c") -> str:
        self.clock += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD").decode().strip()

    def run(self, *argv: str | bytes) -> tuple[int, bytes, bytes]:
        """`greppy history ARGV`: exit status, stdout, stderr."""
        self._capfd.readouterr()
        status = main(["history", *map(os.fsdecode, argv)])
        return status, *self._capfd.readouterr()

    def records(self, *argv: str | bytes) -> list[dict[str, Any]]:
        """The commits of `--json`."""
        status, out, err = self.run("--json", *argv)
        assert status in (0, 1), (out, err)
        *found, summary = [json.loads(line) for line in out.splitlines()]
        assert summary["commits"] == len(found)
        assert status == (0 if found else 1)
        return found

    def commits(self, *argv: str | bytes) -> list[str]:
        return [record["oid"] for record in self.records(*argv)]

    def log(self, *argv: str | bytes, cwd: Path | None = None) -> list[str]:
        """What `git log` finds."""
        return self.git("log", "--format=%H", *argv, cwd=cwd).decode().split()

    def differences(self, pattern: bytes, *argv: str) -> dict[str, dict[bytes, Lines]]:
        """Commit → path → lines that came and went, by git's own listing and Python's `re`."""
        search = re.compile(pattern).search
        out = self.git("log", "--raw", "-z", "-M", "--no-abbrev", "--format=%x01%H", "--no-merges", *argv)
        found: dict[str, dict[bytes, Lines]] = {}
        for block in out.split(b"\x01")[1:]:
            oid, _, rest = block.partition(b"\0")
            fields = iter(field for field in rest.lstrip(b"\n\0").split(b"\0") if field)
            for head in fields:
                path = next(fields)
                if head.split(b" ")[4][:1] in (b"R", b"C"):
                    path = next(fields)
                lines = self._difference(head.lstrip(b":").split(b" "), search)
                if lines:
                    found.setdefault(oid.decode(), {})[path] = lines
        return found

    def _difference(self, head: list[bytes], search: Any) -> Lines:
        old, new = self._content(head[0], head[2]), self._content(head[1], head[3])
        if b"\0" in old[:8000] or b"\0" in new[:8000]:
            return []
        had, has = (Counter(line for line in text.split(b"\n") if search(line)) for text in (old, new))
        for lines, text in ((had, old), (has, new)):
            if text.endswith(b"\n") or not text:
                lines[b""] -= 1 if search(b"") else 0
        went, came = had - has, has - had
        return sorted([("-", line) for line in went.elements()] + [("+", line) for line in came.elements()])

    def _content(self, mode: bytes, oid: bytes) -> bytes:
        if not oid.strip(b"0"):
            return b""
        if mode == b"160000":
            return b"Subproject commit " + oid + b"\n"
        return self.git("cat-file", "blob", oid)


@pytest.fixture
def past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Past:
    root = Path(os.path.realpath(tmp_path)) / "r"
    root.mkdir()
    return Past(root, monkeypatch, capfdbinary)


WORDS = ("alpha", "beta", "gamma", "delta", "Alpha", "alphabet", "épsilon", "x alpha y alpha", "")
NAMES = ("a.txt", "b.txt", "d/c.txt", "d/e/f.py", "sp ace.md", 'q"u\\o.txt', "n\newline.txt", "ü.txt")


class Walk:
    """A random history: edits, moves of lines, renames, links, binary files, branches and merges."""

    def __init__(self, past: Past, seed: int) -> None:
        self.past = past
        self.random = random.Random(seed)
        self.branches = 0

    def text(self) -> str:
        count = self.random.randrange(0, 12)
        text = "\n".join(self.random.choice(WORDS) for _ in range(count))
        return text + ("\n" if count and self.random.random() < 0.8 else "")

    def files(self) -> list[Path]:
        return sorted(path for path in self.past.root.rglob("*") if path.is_file() and ".git" not in path.parts)

    def step(self) -> None:
        files = self.files()
        choice = self.random.randrange(12)
        path = self.past.root / self.random.choice(NAMES)
        if choice < 4 or not files:
            self.put(path, self.text().encode())
        elif choice < 7:
            self.edit(self.random.choice(files))
        elif choice == 7:
            self.random.choice(files).unlink()
        elif choice == 8:
            self.rename(self.random.choice(files), path)
        elif choice == 9:
            self.put(path, b"alpha\0beta\n" * self.random.randrange(1, 4))
        elif choice == 10:
            self.link(path)
        else:
            self.merge()
        if self.random.random() < 0.7:
            self.past.commit(f"step {choice}")

    def put(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.write_bytes(data)

    def edit(self, path: Path) -> None:
        if path.is_symlink():
            return
        lines = path.read_bytes().split(b"\n")
        what = self.random.randrange(3)
        at = self.random.randrange(len(lines))
        if what == 0:
            lines.insert(at, self.random.choice(WORDS).encode())
        elif what == 1:
            del lines[at]
        else:
            lines.insert(0, lines.pop(at))
        path.write_bytes(b"\n".join(lines))

    def rename(self, path: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)

    def link(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(self.random.choice(("alpha", "nowhere/beta")))

    def merge(self) -> None:
        self.past.commit("before")
        self.branches += 1
        self.past.git(
            "checkout", "-q", "-b", f"side{self.branches}", self.random.choice(("HEAD", "HEAD~1", "HEAD")), check=False
        )
        self.put(self.past.root / f"side{self.branches}.txt", self.text().encode())
        self.past.commit("side")
        self.past.git("checkout", "-q", "main")
        self.past.clock += 1
        self.past.git("merge", "-q", "-X", "ours", "-m", "merge", f"side{self.branches}", check=False)
        self.past.git("add", "-A")
        self.past.git("commit", "-q", "-m", "merged", check=False)
