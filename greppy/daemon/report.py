"""What a daemon says of itself. Cold.

In: the page that its processes share. Out: the `Status` response, which `greppy daemon status` shows.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from greppy import __version__
from greppy.daemon.board import COUNTERS

if TYPE_CHECKING:
    from greppy.daemon.board import Board


def status_document(board: Board) -> dict[str, object]:
    """Uptime (s), processes with their memory (bytes), counters of all requests, and the projects in use.

    `rss_bytes` counts what the processes share once for each of them, `pss_bytes` once.
    """
    started, supervisor, workers = board.head()
    rows = [board.row(number) for number in range(workers)]
    processes = [supervisor, *(process for process, _ in rows if process)]
    return {
        "type": "Status",
        "version": __version__,
        "pid": supervisor,
        "uptime": max(time.time() - started, 0.0),
        "workers": [process for process, _ in rows if process],
        "rss_bytes": sum(map(resident_bytes, processes)),
        "pss_bytes": sum(map(proportional_bytes, processes)),
        **{name: sum(counters[name] for _, counters in rows) for name in COUNTERS},
        "projects": _projects(board, workers),
    }


def _projects(board: Board, workers: int) -> list[dict[str, object]]:
    """The projects of all workers, each once: as the worker has it that used it last."""
    found: dict[object, dict[str, object]] = {}
    for number in range(workers):
        for note in board.note(number):
            known = found.get(note["path"])
            if known is None or _idle(note) < _idle(known):
                found[note["path"]] = note
    return sorted(found.values(), key=_idle)


def _idle(note: dict[str, object]) -> float:
    idle = note["idle"]
    return idle if isinstance(idle, float) else 0.0


def resident_bytes(process: int | None = None) -> int:
    """Bytes of a process (this one) that are in memory; 0 where the system does not tell."""
    try:
        with open(f"/proc/{process or os.getpid()}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def proportional_bytes(process: int) -> int:
    """The same, where a page that n processes share counts for an n-th."""
    try:
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (OSError, ValueError, StopIteration):
        return resident_bytes(process)
