"""A pytest plugin that runs other tests again through a daemon: `pytest -p tests.daemon.through tests/cli tests/exact`.

In: tests that start `python -m greppy` as a process. Out: the same verdicts, the answers coming from one daemon for the
whole run, which serves the home of each. At the end a line says how many it has given, so that nobody is deceived.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[2]


class Through:
    """The daemon, and what sends every process to it."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "daemon.sock")
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("GREPPY_", "GIT_"))}
        self.environment = {
            **variables,
            "PYTHONPATH": str(SOURCE),
            "GREPPY_HOME": str(folder),
            "GREPPY_DAEMON_SOCKET": self.socket,
        }

    def greppy(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "greppy", *words]
        return subprocess.run(command, env=self.environment, cwd="/", capture_output=True, text=True)

    def redirect(self) -> None:
        """Have every `python -m greppy` ask this daemon."""
        real = subprocess.Popen.__init__
        socket = self.socket

        def start(self: Any, args: Any, *rest: Any, **more: Any) -> None:
            words = list(args) if isinstance(args, list | tuple) else []
            if words[1:3] == ["-m", "greppy"] and words[3:4] != ["daemon"]:
                given = more.get("env")
                more["env"] = {**(os.environ if given is None else given), "GREPPY_DAEMON_SOCKET": socket}
            real(self, args, *rest, **more)

        subprocess.Popen.__init__ = start  # type: ignore[method-assign]


def pytest_configure(config: pytest.Config) -> None:
    folder = tempfile.TemporaryDirectory(prefix="greppy-through-")
    through = Through(Path(folder.name))
    started = through.greppy("daemon", "start")
    assert started.returncode == 0, started.stderr
    through.redirect()

    def end() -> None:
        status = json.loads(through.greppy("daemon", "status", "--json").stdout)
        ways = {name: status[name] for name in ("requests", "answered", "forked", "direct", "failed", "cache_hits")}
        print(f"\nthrough the daemon: {ways}")
        through.greppy("daemon", "stop")
        folder.cleanup()

    config.add_cleanup(end)
