"""A real repository for the walk, cut off from the configuration of the machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Repository:
    """A working tree at `root`, an index below `home`. `environment` is that of git and of the program."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(root.parent),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
            "GREPPY_HOME": str(home),
            "GREPPY_NO_BACKGROUND": "1",
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        }
        for role in ("AUTHOR", "COMMITTER"):
            self.environment |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.invalid"}

    def git(self, *args: str, check: bool = True) -> bytes:
        """What git writes; with `check` it must succeed."""
        ran = subprocess.run(["git", *args], cwd=self.root, env=self.environment, capture_output=True)
        if check and ran.returncode:
            raise RuntimeError(f"git {' '.join(args)}: {ran.stderr.decode()}")
        return ran.stdout

    def succeeds(self, *args: str) -> bool:
        """Whether git does it."""
        return not subprocess.run(["git", *args], cwd=self.root, env=self.environment, capture_output=True).returncode

    def blobs(self, oids: list[bytes]) -> list[bytes]:
        """The contents of blobs."""
        command = ["git", "cat-file", "--batch"]
        given = b"\n".join(oids) + b"\n" if oids else b""
        out = subprocess.run(command, cwd=self.root, env=self.environment, input=given, capture_output=True).stdout
        found = []
        for _ in oids:
            head, _, out = out.partition(b"\n")
            size = int(head.split(b" ")[2])
            found.append(out[:size])
            out = out[size + 1 :]
        return found
