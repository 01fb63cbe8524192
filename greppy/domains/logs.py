"""Logs: entries that begin with a time or a level, and go over several lines where a trace follows. Hot path."""

from __future__ import annotations

from greppy.domains.description import Domain

LOGS = Domain(
    "logs",
    fields="the text of the entries",
    chunker="greppy.analysis.logs",
    lexicons=("logs", "code"),
    languages=frozenset(("text",)),
    kinds=frozenset(("entries",)),
    folders=frozenset((b"log", b"logs")),
    endings=(b".log", b".err", b".out", b"syslog", b".trace"),
    signs=frozenset((b"log", b"syslog", b"journal", b"dmesg", b"stacktrac", b"traceback")),
    signs_needed=2,
    preferred=frozenset((b"log", b"logs", b"error", b"syslog", b"messages")),
)
