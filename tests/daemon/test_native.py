"""The native client, compiled with sanitizers: it answers as the Python program, whatever becomes of the daemon."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from greppy import __version__
from greppy.daemon import protocol
from greppy.daemon.protocol import DIRECT, ERR, EXIT, OUT, WAIT
from tests.daemon.conftest import CLIENT, Site, eventually, told

Native = list[str | bytes]
FUZZ = r"""
#include "reply.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static size_t taken;
static int sink(void *context, int fd, const uint8_t *data, size_t size)
{
    (void)context;
    if ((fd != 1 && fd != 2) || (size && memchr(data, data[0], size) == NULL)) abort();
    taken += size;
    return 0;
}
/* Every input at once and cut into pieces of every small size: the same answer, whatever the pieces. */
static ReplyState feed(const uint8_t *data, size_t size, size_t piece, int *status)
{
    Reply reply = {0};
    ReplyState state = REPLY_MORE;
    taken = 0;
    for (size_t at = 0; at < size && state == REPLY_MORE; at += piece) {
        size_t part = size - at < piece ? size - at : piece;
        uint8_t *copy = malloc(part ? part : 1); /* its ends are guarded */
        memcpy(copy, data + at, part);
        state = reply_feed(&reply, copy, part, sink, NULL);
        free(copy);
    }
    *status = reply.status;
    return state;
}
int main(void)
{
    static uint8_t data[4096];
    unsigned long seed = 1, runs = 0;
    for (; runs < 200000; runs++) {
        size_t size = 0;
        while (size < 60) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            unsigned value = (unsigned)(seed >> 33);
            if (value % 3) { /* a frame that is almost right */
                unsigned length = value / 7 % 9, kind = value / 64 % 6;
                memcpy(data + size, "OEWXD?" + kind, 1);
                memset(data + size + 1, 0, 3);
                data[size + 4] = (uint8_t)length;
                memset(data + size + 5, (int)(value >> 8), length);
                size += 5 + length - (value % 11 == 0 && length);
            } else
                data[size++] = (uint8_t)(value >> 4);
        }
        int status, other;
        size_t whole;
        ReplyState state = feed(data, size, size, &status);
        whole = taken;
        for (size_t piece = 1; piece < 8; piece++) {
            ReplyState again = feed(data, size, piece, &other);
            if (state == REPLY_DONE && (again != REPLY_DONE || other != status || taken != whole)) abort();
            if (state == REPLY_MORE && (again != REPLY_MORE || taken != whole)) abort();
        }
    }
    printf("%lu", runs);
    return 0;
}
"""


def test_the_parser_of_replies_stands_any_bytes_in_any_pieces(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler here")
    (tmp_path / "fuzz.c").write_text(FUZZ)
    command = [compiler, "-std=c11", "-O1", "-g", f"-I{CLIENT}", str(tmp_path / "fuzz.c"), str(CLIENT / "reply.c")]
    checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    target = ["-o", str(tmp_path / "fuzz")]
    if subprocess.run([*command, *checks, *target], capture_output=True).returncode:
        subprocess.run([*command, *target], check=True)
    assert subprocess.run([str(tmp_path / "fuzz")], capture_output=True, text=True, check=True).stdout == "200000"


class Impostor:
    """A daemon that says what it is told to say."""

    def __init__(self, site: Site, behave: Callable[[socket.socket], None]) -> None:
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(os.fsencode(site.socket))
        self._listening.listen(5)
        self._behave = behave
        self.asked = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connected, _ = self._listening.accept()
            except OSError:
                return
            self.asked += 1
            with connected:
                try:
                    connected.recv(1 << 16)
                    self._behave(connected)
                except OSError:
                    continue

    def __enter__(self) -> Impostor:
        return self

    def __exit__(self, *_error: object) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(5)


PART = protocol.frame(OUT, b"half an answer\n")
BEHAVIOURS: dict[str, Callable[[socket.socket], None]] = {
    "nothing": lambda connected: None,
    "silence": lambda connected: time.sleep(6),
    "garbage": lambda connected: connected.sendall(b"\0\xff{]not json\n"),
    "huge": lambda connected: connected.sendall(b'{"results":[' + b"1," * 300_000),
    "sent away": lambda connected: connected.sendall(protocol.frame(DIRECT, b"not here")),
    "half a frame": lambda connected: connected.sendall(PART[:-3]),
    "half an answer": lambda connected: connected.sendall(PART),
    "no status": lambda connected: connected.sendall(PART + protocol.frame(EXIT)),
    "more after the end": lambda connected: connected.sendall(protocol.frame(EXIT, b"\0") + PART),
    "a frame too long": lambda connected: connected.sendall(OUT + b"\xff\xff\xff\xff" + b"x" * 100_000),
}


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_whatever_an_impostor_says_the_answer_is_the_right_one(site: Site, native: Native, behaviour: str) -> None:
    wanted = told(site.direct("search", "session"))
    with Impostor(site, BEHAVIOURS[behaviour]) as impostor:
        assert told(site.run("search", "session", program=native)) == wanted
        assert impostor.asked == 1
        assert told(site.run("search", "session")) == wanted


def test_a_daemon_that_works_long_but_says_so_is_waited_for(site: Site, native: Native) -> None:
    def slow(connected: socket.socket) -> None:
        for _ in range(6):
            time.sleep(0.5)
            connected.sendall(protocol.frame(WAIT))
        connected.sendall(protocol.frame(OUT, b"out") + protocol.frame(ERR, b"err") + protocol.frame(EXIT, b"\5"))

    with Impostor(site, slow):
        assert told(site.run("search", "session", program=native)) == (5, b"out", b"err")
        assert told(site.run("search", "session")) == (5, b"out", b"err")


def test_an_answer_that_breaks_off_after_it_was_passed_on_is_completed(site: Site, native: Native) -> None:
    site.write("big.txt", "".join(f"session {number}\n" for number in range(700_000)))
    without = site.direct("grep", "session")
    assert len(without.stdout) > 12_000_000

    def break_off(connected: socket.socket) -> None:
        connected.sendall(protocol.frames(OUT, without.stdout[:9_500_000]))

    with Impostor(site, break_off):
        assert told(site.run("grep", "session", program=native)) == told(without)
        light = site.run("grep", "session")
    assert (light.returncode, without.stdout.startswith(light.stdout)) == (3, True)
    assert light.stderr.startswith(b"Error: the daemon ended in the middle of an answer")


def test_it_starts_the_python_program_where_no_daemon_is(site: Site, native: Native) -> None:
    assert told(site.run("search", "session", program=native)) == told(site.direct("search", "session"))
    assert site.run("--version", program=native).stdout == site.direct("--version").stdout
    assert site.run("daemon", "status", program=native).returncode == 1


def test_another_users_socket_is_not_talked_to(site: Site, native: Native) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make one")
    with Impostor(site, lambda connected: connected.sendall(protocol.frame(EXIT, b"\0"))) as impostor:
        os.chown(site.socket, 12345, -1)
        for program in (native, None):
            assert b"src/session.py" in site.run("search", "session", program=program).stdout
        assert impostor.asked == 0


def test_a_request_that_is_too_long_for_the_daemon_is_answered_all_the_same(served: Site, native: Native) -> None:
    many = [f"--include=*{number:0120}*" for number in range(9_000)]
    ran = served.run("search", "session", *many, program=native)
    assert told(ran) == told(served.direct("search", "session", *many))


def test_ctrl_c_ends_it_quietly_with_130(site: Site, native: Native) -> None:
    with Impostor(site, lambda connected: time.sleep(5)) as impostor:
        process = subprocess.Popen(
            [*native, "search", "x"],
            cwd=site.project,
            env=site.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        eventually(lambda: impostor.asked)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == (b"", b"")
        assert process.returncode == 130


@pytest.mark.start_up
def test_ctrl_c_while_it_starts_never_shows_a_traceback(site: Site, native: Native) -> None:
    """Whenever it comes: before the client is there to receive it, during the start of Python, or after it."""
    ends = set()
    for attempt in range(40):
        process = subprocess.Popen(
            [*native, "search", "session"],
            cwd=site.project,
            env=site.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        time.sleep(0.002 + 0.003 * attempt)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=20)[1] == b""
        ends.add(process.returncode)
    assert 130 in ends
    assert ends <= {0, 130, -signal.SIGINT}


@pytest.mark.parametrize(("ignoring", "held"), [("", True), ("trap '' INT;", False)])
def test_ctrl_c_waits_for_the_python_program(native: Native, tmp_path: Path, ignoring: str, held: bool) -> None:
    """It is held back over the start of the interpreter, unless whoever started the client ignores it anyway."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("no way to see the mask here")
    program = shutil.copy2(os.fsdecode(native[0]), tmp_path / "greppy")
    script = tmp_path / "greppy-py"
    script.write_text("#!/bin/sh\nexec grep SigBlk /proc/self/status\n")
    script.chmod(0o755)
    ran = subprocess.run(["sh", "-c", f'{ignoring} "$0" x', program], capture_output=True, text=True, check=True)
    assert bool(int(ran.stdout.split()[1], 16) & 1 << signal.SIGINT - 1) == held


def test_a_reader_that_leaves_ends_it_quietly_with_141(served: Site, native: Native) -> None:
    process = subprocess.Popen(
        [*native, "search", "session"],
        cwd=served.project,
        env=served.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, complaints = process.communicate(timeout=20)
    assert (process.returncode, complaints) == (141, b"")


def test_a_full_disk_is_told_as_the_program_tells_it(served: Site, native: Native) -> None:
    answers = []
    for command, more in ((native, {}), (served.command(), {}), (served.command(), {"GREPPY_NO_DAEMON": "1"})):
        with open("/dev/full", "wb") as full:
            ran = subprocess.run(
                [*command, "search", "session"],
                cwd=served.project,
                env={**served.environment, **more},
                stdout=full,
                stderr=subprocess.PIPE,
            )
        answers.append((ran.returncode, ran.stderr))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0] == 3


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(served: Site, native: Native, closed: str) -> None:
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *native, "search", "session"]
    ran = subprocess.run(shell, cwd=served.project, env=served.environment, capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_descriptors_that_it_was_given_stay_open(served: Site, native: Native) -> None:
    """A build tool's jobserver, say, is there for the Python program as it was for the client."""
    shell = f'exec 7</dev/null; "{native[0]!s}" daemon status >/dev/null; : <&7 && echo open'
    ran = subprocess.run(["sh", "-c", shell], cwd=served.project, env=served.environment, capture_output=True)
    assert ran.stdout == b"open\n"


def test_git_finds_it_as_its_own_command(served: Site, native: Native) -> None:
    folder = Path(str(native[0])).parent
    if not (folder / "git-greppy").exists():
        shutil.copy(str(native[0]), folder / "git-greppy")
    path = f"{folder}{os.pathsep}{served.environment['PATH']}"
    ran = served.run("greppy", "search", "session", program=["git"], more={"PATH": path})
    assert told(ran) == told(served.direct("search", "session"))


SCRIPT = """\
#!{python}
# -*- coding: utf-8 -*-
import re
import sys
from greppy.cli.main import main
raise SystemExit("the script itself ran")
"""


def test_the_script_that_pip_writes_is_passed_by_and_the_current_folder_imports_nothing(
    native: Native, tmp_path: Path
) -> None:
    """pip's script imports what it does not need; but a script that is something else is run as it is."""
    program = tmp_path / "bin" / "greppy"
    program.parent.mkdir()
    shutil.copy2(os.fsdecode(native[0]), program)
    script = program.with_name("greppy-py")
    script.write_text(SCRIPT.format(python=sys.executable))
    script.chmod(0o755)
    here = tmp_path / "here"
    for package in ("greppy", "xxhash"):
        (here / package).mkdir(parents=True)
        (here / package / "__init__.py").write_text("raise SystemExit('imported from the current folder')\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    for arguments, out in ((["--version"], f"greppy {__version__}\n"), (["search", "--", "-P -c x"], "")):
        ran = subprocess.run(
            [program, *arguments], cwd=here, env=environment, capture_output=True, text=True, check=False
        )
        assert ran.stdout == out, ran.stderr
        assert "current folder" not in ran.stderr
    assert ran.returncode == 2
    script.write_text(SCRIPT.format(python=sys.executable).replace("cli.main import", "cli.other import"))
    ran = subprocess.run([program, "--version"], cwd=here, env=environment, capture_output=True, text=True, check=False)
    assert "No module named 'greppy.cli.other'" in ran.stderr
