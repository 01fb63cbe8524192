"""On a terminal there are colours, a pager and progress; a pseudo-terminal plays it."""

from __future__ import annotations

import os
import pty
import select
import struct
import time
from fcntl import ioctl
from termios import TIOCSWINSZ
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program

COLORED = "\x1b[35msrc/auth.py\x1b[0m:\x1b[32m15-16\x1b[0m"


def on_terminal(
    program: Program,
    *argv: str,
    fake: str,
    size: tuple[int, int] = (24, 80),
    interrupt_at: bytes = b"",
    **environment: str,
) -> tuple[int, str]:
    """Run under a pseudo-terminal of `size` rows and columns; status, and what it showed. Ctrl-C when that is shown."""
    command = program.command(*argv, fake=fake)
    variables = program.with_fake(fake, **{"TERM": "xterm-256color", **environment})
    process, terminal = pty.fork()
    if process == 0:
        try:
            ioctl(0, TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            os.chdir(program.folder)
            os.execvpe(command[0], command, variables)
        finally:
            os._exit(126)
    shown = _read_all(terminal, time.monotonic() + 30, interrupt_at)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return status, shown.decode("utf-8", "replace").replace("\r\n", "\n")


def _read_all(terminal: int, deadline: float, interrupt_at: bytes) -> bytes:
    shown = b""
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # Linux says so when the last writer is gone
            break
        if not chunk:
            break
        shown += chunk
        if interrupt_at and interrupt_at in shown:
            os.write(terminal, b"\x03")
            interrupt_at = b""
    os.close(terminal)
    return shown


def test_a_terminal_gets_colours(program: Program) -> None:
    status, shown = on_terminal(program, "x", fake="one", GREPPY_PAGER="")
    assert status == 0
    assert COLORED in shown
    assert "self.\x1b[1;31msession\x1b[0m" in shown


@pytest.mark.parametrize("variable", ["NO_COLOR", "GREPPY_NO_COLOR"])
def test_colours_can_be_turned_off_by_the_environment(program: Program, variable: str) -> None:
    program.environment[variable] = "1"
    assert "\x1b" not in on_terminal(program, "x", fake="one", GREPPY_PAGER="")[1]


def test_a_dumb_terminal_gets_no_colours(program: Program) -> None:
    assert "\x1b" not in on_terminal(program, "x", fake="one", GREPPY_PAGER="", TERM="dumb")[1]


@pytest.mark.parametrize(("color", "colored"), [("never", False), ("always", True)])
def test_colours_follow_the_configuration(program: Program, color: str, colored: bool) -> None:
    program.home.mkdir()
    (program.home / "config.toml").write_text(f'[general]\ncolor = "{color}"\n')
    assert ("\x1b" in on_terminal(program, "x", fake="one", GREPPY_PAGER="")[1]) is colored
    assert ("\x1b" in program("x", fake="one", TERM="xterm").stdout) is colored


def test_lines_are_cut_to_the_width_of_the_terminal(program: Program) -> None:
    shown = on_terminal(program, "x", fake="one", size=(24, 20), GREPPY_PAGER="", NO_COLOR="1")[1]
    assert "│ ...rn self.session\n" in shown


def test_long_output_goes_through_the_pager_of_the_environment(program: Program) -> None:
    run = "sed s/^/paged:/"
    status, shown = on_terminal(program, "x", fake="many", PAGER=run, NO_COLOR="1")
    assert status == 0
    assert "paged:f0.py:1-500\n" in shown
    assert shown.endswith("paged:Found 100 of 135 results in 3ms\n")
    assert "greppy:" in on_terminal(program, "x", fake="many", PAGER=run, GREPPY_PAGER="sed s/^/greppy:/")[1]


def test_short_output_is_not_paged(program: Program) -> None:
    assert "paged:" not in on_terminal(program, "x", fake="one", PAGER="sed s/^/paged:/")[1]


def test_the_pager_can_be_turned_off(program: Program) -> None:
    assert on_terminal(program, "x", fake="many", PAGER="")[1].count("Found 100") == 1
    program.home.mkdir()
    (program.home / "config.toml").write_text("[general]\npager = false\n")
    assert "paged:" not in on_terminal(program, "x", fake="many", PAGER="sed s/^/paged:/")[1]


def test_a_pager_that_quits_early_is_no_error(program: Program) -> None:
    assert on_terminal(program, "x", fake="many", PAGER="head -n1 | sed s/^/first:/", NO_COLOR="1") == (
        0,
        "first:f0.py:1-500\n",
    )


def test_a_pager_that_does_not_exist_costs_nothing_but_a_message(program: Program) -> None:
    status, shown = on_terminal(program, "x", fake="many", PAGER="no-such-pager-here", NO_COLOR="1")
    assert status == 0
    assert shown.endswith("Found 100 of 135 results in 3ms\n")


def test_a_pipe_is_never_paged_or_coloured(program: Program) -> None:
    ran = program("x", fake="many", PAGER="sed s/^/paged:/", TERM="xterm")
    assert "paged:" not in ran.stdout
    assert "\x1b" not in ran.stdout + ran.stderr


def test_progress_is_a_bar_on_a_terminal_and_gone_at_the_end(program: Program) -> None:
    status, shown = on_terminal(program, "x", fake="progress", GREPPY_PAGER="")
    assert status == 0
    assert "indexing" in shown and "/40" in shown
    assert shown.index("\x1b[?25l") < shown.rindex("\x1b[?25h") < shown.index("src/auth.py")


def test_progress_is_silent_elsewhere_when_it_is_short(program: Program) -> None:
    assert program("x", fake="progress").stderr == ""


def test_ctrl_c_during_a_build_erases_the_bar_and_gives_the_cursor_back(program: Program) -> None:
    status, shown = on_terminal(program, "x", fake="building", interrupt_at=b"indexing")
    assert status == 130
    assert "Traceback" not in shown
    assert shown.rindex("\x1b[?25l") < shown.rindex("\x1b[?25h")


def test_ctrl_c_while_a_pager_shows_the_output_is_the_pagers_affair(program: Program) -> None:
    pager = "trap '' INT; head -n1; sleep 0.5; echo end of pager"
    status, shown = on_terminal(program, "x", fake="many", PAGER=pager, NO_COLOR="1", interrupt_at=b"f0.py")
    assert (status, shown.endswith("end of pager\n")) == (0, True)
