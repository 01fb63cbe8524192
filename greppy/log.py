"""What the program tells on stderr beside results: log events for machines, notices for people.

In: a level, a target and fields, or one line of text. Out: one line on stderr, in one write, with nothing in it that a
terminal would obey. Exists because importing `logging` costs more than a warm search. HOT.

The only state is one sink, set by the command line from `GREPPY_LOG` and silent until then::

    GREPPY_LOG=info                          every target at info and worse
    GREPPY_LOG=greppy.search=debug,warn      that target (and what is below it) at debug, the rest at warn
    2026-01-07T10:30:45.123Z INFO greppy.search project=/x results=12 took_ms=3

Callers give no file content at all, and the query's text only at level debug.
"""

from __future__ import annotations

import os
import time

LEVELS = ("off", "error", "warn", "info", "debug")

# U+202A to 202E and U+2066 to 2069 reorder what a person reads (CVE-2021-42574).
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
# A byte that is no UTF-8 arrives as U+DC80 to DCFF (PEP 383).
_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_ESCAPES.update({0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)})
_ESCAPES.update({code: f"\\u{code:04x}" for code in _BIDI})


class _Sink:
    """Where events go: a file descriptor, the rank that every target has, and the ranks of single targets."""

    __slots__ = ("fd", "rank", "targets")

    def __init__(self) -> None:
        self.fd = 2
        self.rank = 0
        self.targets: dict[str, int] = {}


_sink = _Sink()


def configure(spec: str, fd: int = 2) -> None:
    """Set the sink from `spec`, the value of `GREPPY_LOG` ("" is silence). A word that is no level gets a notice."""
    _sink.fd, _sink.rank, _sink.targets = fd, 0, {}
    for word in spec.replace(" ", "").split(","):
        target, _, level = word.rpartition("=")
        if level.lower() in LEVELS:
            _set_rank(target, LEVELS.index(level.lower()))
        elif word:
            notice(f'GREPPY_LOG: "{word}" is not understood; use error, warn, info, debug or TARGET=LEVEL')


def _set_rank(target: str, rank: int) -> None:
    if target:
        _sink.targets[target] = rank
    else:
        _sink.rank = rank


def enabled(level: str, target: str) -> bool:
    """Whether an event would be written; of the targets configured the longest that holds `target` decides."""
    rank, longest = _sink.rank, -1
    for name, wanted in _sink.targets.items():
        if len(name) > longest and (target == name or target.startswith(name + ".")):
            rank, longest = wanted, len(name)
    return LEVELS.index(level) <= rank


def event(level: str, target: str, /, **fields: object) -> None:
    """Write one event; `level` is one of `LEVELS` but off, `fields` are printed in the order given."""
    if not enabled(level, target):
        return
    now = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
    pairs = "".join(f" {key}={_field(value)}" for key, value in fields.items())
    _write_line(f"{stamp}.{int(now * 1000) % 1000:03d}Z {level.upper()} {target}{pairs}")


def notice(message: str) -> None:
    """Tell a person something that is true whatever the log level, such as a repair: `greppy: MESSAGE`."""
    _write_line(f"greppy: {message}")


def printable(text: str) -> str:
    """`text` with C0, DEL, C1, bidi controls and undecodable bytes shown as escapes such as `\\x1b`."""
    return text if text.isprintable() else text.translate(_ESCAPES)


def _field(value: object) -> str:
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    plain = text != "" and text.isprintable() and not any(mark in text for mark in ' "=\\')
    return text if plain else '"' + printable(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def _write_line(line: str) -> None:
    data = (printable(line) + "\n").encode("utf-8", "backslashreplace")
    try:
        os.write(_sink.fd, data)
    except OSError:
        return  # nobody reads stderr; the answer on stdout must not suffer
