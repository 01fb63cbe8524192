"""A real daemon in processes of its own, asked by real clients, beside the program without one."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from greppy import __version__
from greppy.daemon import protocol
from greppy.daemon.protocol import Run

SOURCE = Path(__file__).resolve().parents[2]
CLIENT = SOURCE / "contrib" / "client"
TOOK = re.compile(
    rb"in \d+m?s\b|\d+ seconds? ago|just now"
    rb'|"took_ms":[0-9.e-]+|"indexed_at":"[^"]*"|"index":"(?:full|memory)"'
)
PATIENCE = 20.0


class Site:
    """A home, a project, and the daemon that serves it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.home = folder / "home"
        self.socket = self.home / "daemon.sock"
        self.project.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GREPPY_HOME": str(self.home),
            "GREPPY_NO_BACKGROUND": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(SOURCE),
            **{
                f"GIT_{role}_{what}": "a@example.invalid"
                for role in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        }
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.project, env=self.environment, check=True, capture_output=True)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def command(self, *argv: str | bytes) -> list[str | bytes]:
        """The words that start the Python program."""
        return [sys.executable, "-m", "greppy", *argv]

    def run(
        self,
        *argv: str | bytes,
        cwd: Path | None = None,
        program: list[str | bytes] | None = None,
        more: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the program, with `more` in its environment; it asks the daemon where there is one."""
        command = [*program, *argv] if program else self.command(*argv)
        return subprocess.run(
            command,
            cwd=cwd or self.project,
            env={**self.environment, **(more or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )

    def direct(
        self, *argv: str | bytes, cwd: Path | None = None, more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the program without a daemon."""
        return self.run(*argv, cwd=cwd, more={"GREPPY_NO_DAEMON": "1", **(more or {})})

    def start(self) -> None:
        ran = self.run("daemon", "start")
        assert ran.returncode == 0, ran.stderr
        eventually(lambda: len(self.status()["workers"]) >= 2)

    def stop(self) -> None:
        ran = self.run("daemon", "stop")
        assert ran.returncode == 0, ran.stderr

    def connect(self) -> socket.socket:
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.settimeout(PATIENCE)
        connected.connect(os.fsencode(self.socket))
        return connected

    def ask(self, document: dict[str, Any] | bytes) -> list[dict[str, Any]]:
        """The lines of the response to a line of JSON."""
        line = document if isinstance(document, bytes) else json.dumps(document).encode() + b"\n"
        with self.connect() as connected:
            connected.sendall(line)
            return [json.loads(each) for each in _read_all(connected).splitlines()]

    def describe(self, *argv: str, version: str = __version__, **more: Any) -> bytes:
        """The bytes of a Run."""
        variables = {os.fsencode(name): os.fsencode(value) for name, value in self.environment.items()}
        cwd = os.fsencode(os.path.realpath(self.project))
        words = [os.fsencode(word) for word in argv]
        return protocol.encode_run(Run(words, cwd, protocol.relevant(variables), version=version, **more))

    def frames(self, request: bytes) -> list[tuple[bytes, bytes]]:
        """The frames of the response to a Run."""
        with self.connect() as connected:
            connected.sendall(request)
            return list(protocol.take_frames(bytearray(_read_all(connected))))

    def status(self) -> dict[str, Any]:
        (document,) = self.ask({"type": "Status"})
        return document

    def by_daemon(self) -> int:
        """How many answers the daemon has given, itself or by a process of its own."""
        status = self.status()
        return int(status["answered"]) + int(status["forked"])


def _read_all(connected: socket.socket) -> bytes:
    parts = []
    while part := connected.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def timeless(data: bytes) -> bytes:
    """Output without what no two runs share: how long it took, and which of several equal indexes it came from."""
    return TOOK.sub(b"TOOK", data)


def told(ran: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return ran.returncode, timeless(ran.stdout), timeless(ran.stderr)


def eventually(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A project with an index, and no daemon yet."""
    made = Site(Path(os.path.realpath(tmp_path)))
    made.write(
        "src/session.py", "def validate_session(token):\n    return token in sessions\n\n\nclass Session:\n    pass\n"
    )
    made.write("src/auth.py", "from session import validate_session\n\ndef login(user):\n    '''Log a user in.'''\n")
    made.write("docs/guide.md", "# Sessions\n\nHow sessions are validated.\n")
    made.write("data/blob.bin", b"\0\1\2session\0")
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "c")
    assert made.direct("index").returncode == 0
    yield made
    end_all(made)


def end_all(made: Site) -> None:
    """Whatever the test did, no process of the daemon stays."""
    lock = Path(f"{made.socket}.lock")
    made.run("daemon", "stop")
    if lock.exists() and lock.read_text().strip().isdigit():
        holder = int(lock.read_text())
        if is_alive(holder) and b"greppy" in Path(f"/proc/{holder}/cmdline").read_bytes():
            os.kill(holder, signal.SIGKILL)


@pytest.fixture
def served(site: Site) -> Site:
    """The same with a daemon."""
    site.start()
    return site


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> list[str | bytes]:
    """The native client, compiled with every check that there is, and the Python program beside it."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler here")
    folder = tmp_path_factory.mktemp("native")
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", f'-DGREPPY_VERSION="{__version__}"']
    checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    sources = [str(CLIENT / "greppy-client.c"), str(CLIENT / "reply.c")]
    for extra in (checks, []):
        made = subprocess.run([compiler, *flags, *extra, *sources, "-o", str(folder / "greppy")], capture_output=True)
        if made.returncode == 0:
            break
    assert made.returncode == 0, made.stderr
    python = folder / "greppy-py"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m greppy "$@"\n')
    python.chmod(0o755)
    return [str(folder / "greppy")]
