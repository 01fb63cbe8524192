"""The way out: bytes to a file descriptor, whole or with a clear error, and what stands at its other end. HOT.

In: bytes; descriptors 1 and 2. Out: everything written, or `ReaderGone` when the reader has closed the pipe, or
IoFailure when the output cannot be written (a full disk). Nothing goes through `sys.stdout`, whose buffer would be
flushed when the interpreter ends and fail there a second time, with noise.
"""

from __future__ import annotations

import os

from greppy.errors import IoFailure

PIPE_COLUMNS = 200
_DEFAULT_SIZE = (80, 24)


class ReaderGone(Exception):
    """Whoever read stdout closed it: not an error, only the end."""


class Screen:
    """What stdout is. `columns` limits a line, `rows` is a terminal's height, `color` whether to use colours."""

    __slots__ = ("color", "columns", "rows", "terminal")

    def __init__(self, terminal: bool = False, columns: int = PIPE_COLUMNS, rows: int = 0, color: bool = False) -> None:
        self.terminal = terminal
        self.columns = columns
        self.rows = rows
        self.color = color


def look_at_screen(color: str, plain: bool, window: tuple[int, int] | None = None, fd: int = 1) -> Screen:
    """What `fd` is; `color` is the setting general.color, `plain` that the environment asks for no colours.

    `window`: it stands for a terminal elsewhere, with so many columns and rows.
    """
    terminal = window is not None or is_terminal(fd)
    if window is not None:
        columns, rows = window[0] or _DEFAULT_SIZE[0], window[1] or _DEFAULT_SIZE[1]
    else:
        columns, rows = _terminal_size(fd) if terminal else (PIPE_COLUMNS, 0)
    wanted = color == "always" or (color == "auto" and terminal)
    return Screen(terminal, columns, rows, wanted and not plain)


def is_terminal(fd: int) -> bool:
    """Whether `fd` is open and a terminal."""
    try:
        return os.isatty(fd)
    except OSError:
        return False


def _terminal_size(fd: int) -> tuple[int, int]:
    try:
        columns, rows = os.get_terminal_size(fd)
    except OSError:
        return _DEFAULT_SIZE
    return columns or _DEFAULT_SIZE[0], rows or _DEFAULT_SIZE[1]


def write_out(data: bytes, fd: int = 1) -> None:
    """Write all of `data`; raises ReaderGone or IoFailure."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            _wait_until_writable(fd)
        except BrokenPipeError as error:
            raise ReaderGone from error
        except OSError as error:
            raise IoFailure(f"cannot write the output: {error.strerror}", "make room or send it elsewhere") from error


def write_text(text: str, fd: int = 1) -> None:
    """Write `text` as UTF-8; a lone surrogate, which UTF-8 cannot hold, is written as its escape."""
    write_out(text.encode("utf-8", "backslashreplace"), fd)


def write_error(text: str) -> None:
    """Write `text` on stderr. That nobody can read it must not change the answer."""
    try:
        write_text(text, 2)
    except (ReaderGone, IoFailure):
        return


def write_either(fd: int, data: bytes) -> None:
    """Write on stdout, as `write_out`, or on stderr, as `write_error`."""
    if fd == 1:
        write_out(data)
        return
    try:
        write_out(data, 2)
    except (ReaderGone, IoFailure):
        return


def _wait_until_writable(fd: int) -> None:
    import select

    select.select([], [fd], [])
