"""What `doctor` found, for people and as JSON. Cold.

In: outcomes of checks. Out: lines that end with a newline, or plain values for `json_text`. ::

    ok    kernels      compiled (greppy 0.1.0, Python 3.11.4)
    FAIL  index        /home/x/project: …/shards/0f3a… is damaged (wrong checksum of page 3)
                       the next search repairs it, or 'greppy doctor --fix' now
"""

from __future__ import annotations

from collections.abc import Sequence

from greppy.index.doctor.finding import OK, Outcome
from greppy.log import printable

_FIXED = "fixed"
_TOPIC = 12
_INDENT = " " * (6 + _TOPIC + 1)
_COLORS = {"ok": "32", "fixed": "32", "warn": "33", "FAIL": "31"}


def outcome_lines(outcome: Outcome, color: bool) -> str:
    """One finding, and below it what was done or what to do."""
    finding = outcome.finding
    state = _FIXED if outcome.fixed else finding.state
    shown = f"\x1b[{_COLORS[state]}m{state}\x1b[0m" + " " * (6 - len(state)) if color else f"{state:<6}"
    lines = [f"{shown}{finding.topic:<{_TOPIC}} {printable(finding.message)}"]
    if outcome.failed:
        lines.append(f"{_INDENT}could not be repaired: {printable(outcome.failed)}")
    below = outcome.fixed or (finding.advice if finding.state != OK else "")
    if below:
        lines.append(_INDENT + printable(below))
    return "".join(line + "\n" for line in lines)


def summary_line(outcomes: Sequence[Outcome]) -> str:
    """The last line: whether all is well."""
    wrong = sum(outcome.is_wrong for outcome in outcomes)
    fixed = sum(bool(outcome.fixed) for outcome in outcomes)
    said = [f"{fixed} repaired"] if fixed else []
    said.append(f"{wrong} wrong" if wrong else "nothing is wrong")
    return ", ".join(said)[0].upper() + ", ".join(said)[1:] + "\n"


def doctor_values(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The document of `doctor --json`."""
    return {"ok": not any(outcome.is_wrong for outcome in outcomes), "findings": [_values(each) for each in outcomes]}


def _values(outcome: Outcome) -> dict[str, object]:
    finding = outcome.finding
    return {
        "topic": finding.topic,
        "state": _FIXED if outcome.fixed else finding.state.lower(),
        "message": finding.message,
        "advice": finding.advice,
        "repairable": finding.repair is not None,
        "done": outcome.fixed or None,
        "failed": outcome.failed or None,
    }
