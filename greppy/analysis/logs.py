"""Logs by their entries: lines in, ranges of whole entries out, or nothing where the text is no log.

An entry begins with a time or a level; what follows without one (a stack trace, a wrapped message) belongs to it. A
range, of kind "entries", holds a few entries that stand together, either all alarming (error, fatal, failed, ...) or
all quiet, so that what went wrong is not lost among routine. An entry never spans two ranges, unless it is longer than
one may be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from greppy.analysis.lines import MOST_BYTES, Lines, Range, Window, windows

KIND = "entries"
SAMPLE = 200
"""Lines that decide."""

SHARE = 0.6
"""Of the sampled lines that are not indented, those that must begin an entry."""

FEWEST = 4
ENTRIES = 6
"""Entries of a range at most (6 and 3 find as much in bench/domains.py, 12 less)."""

_LONG_ENTRY = Window(20, 30, 30)

_START = re.compile(
    rb"""[\[<(]?(?:
      \d{4}[-/.]\d\d[-/.]\d\d[T\x20_]+\d\d:\d\d                       # 2026-01-31 23:59
    | [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d                         # Jan 31 23:59:59
    | (?:[A-Z][a-z]{2},?\ )?\d?\d[-/\ ][A-Z][a-z]{2}[-/\ ]\d{4}[:\ ]\d\d:\d\d    # 31/Jan/2026:23:59
    | [A-Z][a-z]{2}\ [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d          # Sat Jan 31 23:59:59
    | \d\d:\d\d:\d\d[.,\]\x20]
    | \d{10}(?:\d{3})?[.\x20]\d*
    | \x20*\d+\.\d{3,6}\]                                             # [   12.345678]
    | [IWEF]\d{4}\ \d\d:\d\d
    | (?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|SEVERE)\b[\]>):\ |-]
    | \S+\ \S+\ \S+\ \[\d\d/[A-Z][a-z]{2}/\d{4}:                      # access logs
    )
    | \{"(?:time|ts|timestamp|level|@timestamp)":
    | (?:time|ts|level)=
    """,
    re.VERBOSE,
)
_ALARM = re.compile(
    rb"\b(?:err|error|fatal|critical|crit|panic|severe|emerg|alert|fail(?:ed|ure)?|warn(?:ing)?)\b", re.IGNORECASE
)


def cut(lines: Lines) -> tuple[list[Range], list[tuple[int, int, int]]] | None:
    """The ranges of a log, without marks; None for other text."""
    if not is_log(lines):
        return None
    starts = [number for number in range(lines.count) if _begins_entry(lines, number)]
    return _ranges(lines, starts), []


def is_log(lines: Lines) -> bool:
    """Whether a text is a log, by its first lines."""
    begun = plain = 0
    for number in range(min(lines.count, SAMPLE)):
        if _begins_entry(lines, number):
            begun += 1
        elif not lines.is_blank(number) and not lines.content(number)[:1].isspace():
            plain += 1
    return begun >= FEWEST and begun >= SHARE * (begun + plain)


def _begins_entry(lines: Lines, number: int) -> bool:
    return _START.match(lines.text, lines.starts[number], lines.starts[number + 1]) is not None


def _ranges(lines: Lines, starts: Sequence[int]) -> list[Range]:
    """Ranges of entries that are neither too many nor too long together."""
    ranges: list[Range] = []
    first = count = 0
    alarming = False
    for start, end in zip(starts, [*starts[1:], lines.count], strict=True):
        size = lines.starts[end] - lines.starts[first]
        is_alarm = _ALARM.search(lines.text, lines.starts[start], lines.starts[start + 1]) is not None
        if count and (count >= ENTRIES or size > MOST_BYTES or end - first > _LONG_ENTRY.most or is_alarm != alarming):
            ranges += _whole(lines, first, start - 1)
            first, count = start, 0
        count += 1
        alarming = is_alarm
    return ranges + _whole(lines, first, lines.count - 1)


def _whole(lines: Lines, first: int, last: int) -> list[Range]:
    return [(a, b, KIND, "") for a, b in windows(lines, first, last, _LONG_ENTRY)]
