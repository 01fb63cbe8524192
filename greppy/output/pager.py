"""Output longer than the terminal, through a pager. Cold.

In: text and the user's pager command. Out: nothing; the pager has shown it. The command comes from the environment
only ($GREPPY_PAGER, $PAGER), never from a repository, and is run by the shell as git and man do, but not from relative
folders of PATH.
"""

from __future__ import annotations

import os
import subprocess

from greppy.git.calling import program, program_folders
from greppy.output.stream import write_text

# As git sets them where the user has not: quit when one screen holds it, show colours, leave the screen as it is.
_DEFAULTS = {"LESS": "FRX", "LV": "-c"}


def page(text: str, command: str | None) -> None:
    """Show `text` by `command`, "" or `cat` being none and None `less` where there is one; else write it as it is."""
    if command is None:
        command = "less" if program(b"less") else ""
    if command.strip() in ("", "cat"):
        write_text(text)
        return
    environment = _DEFAULTS | dict(os.environ) | {"PATH": os.fsdecode(b":".join(program_folders()))}
    pager = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, env=environment)
    try:
        _feed(pager, text.encode("utf-8", "backslashreplace"))
    finally:
        _wait(pager)
    if pager.returncode in (126, 127):  # the shell could not run it
        write_text(text)


def _feed(pager: subprocess.Popen[bytes], data: bytes) -> None:
    assert pager.stdin is not None
    try:
        with pager.stdin as pipe:
            pipe.write(data)
    except (BrokenPipeError, KeyboardInterrupt):
        return  # the reader has seen enough


def _wait(pager: subprocess.Popen[bytes]) -> None:
    """Wait for the pager's end: Ctrl-C inside it is the pager's own affair."""
    while pager.returncode is None:
        try:
            pager.wait()
        except KeyboardInterrupt:
            continue
