"""The same bytes and the same exit status, with the daemon and without it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from typing import TYPE_CHECKING

import pytest

from tests.daemon.conftest import Site, timeless, told

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS: list[list[str | bytes]] = [
    ["where", "are", "sessions", "validated"],
    ["search", "session", "--json"],
    ["search", "session", "-jl2", "--no-content"],
    ["search", "session", "--path", "src", "--lang", "python"],
    ["search", "nosuchword"],
    ["search", "nosuchword", "--json"],
    ["search", "sesion"],
    ["search", ""],
    ["search", "x", "--limit", "0"],
    ["search", "x", "--nonsense"],
    ["search", "session", "--project", "/nowhere"],
    ["search", "session", "--project", "."],
    ["search", "session", "--no-refresh"],
    ["search", b"caf\xe9 session"],
    ["grep", "session"],
    ["grep", "-c", "session"],
    ["grep", "-l", "session"],
    ["grep", "-L", "session"],
    ["grep", "--json", "session"],
    ["grep", "-n", "-C1", "validate"],
    ["grep", "-p", "token"],
    ["grep", "--coverage", "session"],
    ["grep", "nosuchword"],
    ["grep", "("],
    ["grep", "session", "HEAD"],
    ["grep", "--cached", "session"],
    ["grep", "session", "--", "docs"],
    ["grep", "session", "nowhere"],
    ["query", "session"],
    ["query", "session", "--format", "json"],
    ["status", "--json"],
    ["list"],
    ["config"],
    ["--version"],
    ["help"],
    ["hooks", "status"],
    [],
]


def same(
    site: Site, argv: list[str | bytes], program: list[str | bytes] | None = None, cwd: Path | None = None
) -> None:
    without = site.direct(*argv, cwd=cwd)
    assert told(site.run(*argv, program=program, cwd=cwd)) == told(without), argv


def test_every_command_gives_the_same_through_the_light_client(served: Site) -> None:
    before = served.by_daemon()
    for argv in COMMANDS:
        same(served, argv)
    assert served.by_daemon() - before > 20
    assert served.status()["failed"] == 0


def test_every_command_gives_the_same_through_the_native_client(served: Site, native: list[str | bytes]) -> None:
    before = served.by_daemon()
    for argv in COMMANDS:
        same(served, argv, native)
    assert served.by_daemon() - before > 20
    assert served.status()["failed"] == 0


def test_a_repeated_search_is_not_searched_again_and_says_the_same(served: Site) -> None:
    for _ in range(6):
        same(served, ["search", "session"])
    assert served.status()["cache_hits"] >= 2


def test_the_current_folder_counts(served: Site) -> None:
    for folder in ("src", "docs", "."):
        for argv in (["search", "session", "--path", "."], ["grep", "session"], ["grep", "--full-name", "session"]):
            same(served, [*argv], cwd=served.project / folder)


def test_the_environment_counts(served: Site) -> None:
    other = served.folder / "other-home"
    for more in ({"GREPPY_HOME": str(other), "GREPPY_DAEMON_SOCKET": str(served.socket)}, {"LC_ALL": "C"}):
        through = served.run("search", "session", more=more)
        assert timeless(through.stdout) == timeless(served.direct("search", "session", more=more).stdout)
    assert (other / "indexes").is_dir()
    through = served.run("search", "session", more={"GREPPY_LOG": "info"})
    assert b"INFO greppy.search" in through.stderr


@pytest.mark.parametrize("argv", [["search", "session"], ["search", "nosuchword"], ["grep", "--coverage", "session"]])
def test_two_streams_into_one_file_keep_their_order(served: Site, argv: list[str]) -> None:
    def mixed(**more: str) -> bytes:
        command = served.command(*argv)
        ran = subprocess.run(
            command,
            cwd=served.project,
            env={**served.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return timeless(ran.stdout)

    assert mixed() == mixed(GREPPY_NO_DAEMON="1")


def on_terminal(site: Site, program: list[str | bytes], argv: list[str], rows: int, **more: str) -> tuple[int, bytes]:
    """What a terminal of 60 columns shows."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 60, 0, 0))
    environment = {**site.environment, "TERM": "xterm", "GREPPY_PAGER": "cat", **more}
    process = subprocess.Popen(
        [*program, *argv], cwd=site.project, env=environment, stdin=follower, stdout=follower, stderr=follower
    )
    os.close(follower)
    parts = []
    while True:
        try:
            part = os.read(leader, 1 << 16)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(leader)
    return process.wait(20), timeless(b"".join(parts))


@pytest.mark.parametrize("rows", [3, 500])
@pytest.mark.parametrize("argv", [["search", "session"], ["grep", "session"], ["search", "nosuchword"]])
def test_a_terminal_shows_the_same(served: Site, native: list[str | bytes], argv: list[str], rows: int) -> None:
    python = served.command()
    wanted = on_terminal(served, python, argv, rows, GREPPY_NO_DAEMON="1")
    assert on_terminal(served, python, argv, rows) == wanted
    assert on_terminal(served, native, argv, rows) == wanted
