"""What the processes of one daemon tell each other: a page of memory that they share. Cold.

In: counters and projects of each worker, the supervisor's sweeps. Out: the same, for `status` and for the workers. ::

    head     f64 started (s since the epoch), u64 supervisor's process, u64 workers
    row      a worker: u64 process, u64 each of COUNTERS
    sweep    u64 key of a project, f64 when it was last looked at as a whole (`now`)
    note     a worker's projects: u32 length, u64 xxh3-64, marshal

Each place has one writer, and readers check what may be half written: there are no locks that a killed process could
keep.
"""

from __future__ import annotations

import marshal
import mmap
import struct
import time

from xxhash import xxh3_64_intdigest

COUNTERS = ("requests", "answered", "forked", "direct", "failed", "cache_hits", "cache_misses", "refreshed")
MOST_WORKERS = 16
MOST_SWEEPS = 256

_HEAD = struct.Struct("<dQQ")
_ROW = struct.Struct(f"<Q{len(COUNTERS)}Q")
_SWEEP = struct.Struct("<Qd")
_KEY = struct.Struct("<Q")
_NOTE = struct.Struct("<IQ")
_NOTE_BYTES = 1 << 15
_ROWS = _HEAD.size
_SWEEPS = _ROWS + MOST_WORKERS * _ROW.size
_NOTES = _SWEEPS + MOST_SWEEPS * _SWEEP.size


def now() -> float:
    """Seconds on a clock that all processes share, that nobody sets, and that goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Board:
    """The shared page. Made by the supervisor, inherited by its workers."""

    __slots__ = ("_memory",)

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _NOTES + MOST_WORKERS * _NOTE_BYTES)

    def open(self, process: int, workers: int) -> None:
        """Write the head."""
        _HEAD.pack_into(self._memory, 0, time.time(), process, workers)

    def head(self) -> tuple[float, int, int]:
        """When the daemon started, its supervisor, how many workers there are."""
        started, process, workers = _HEAD.unpack_from(self._memory, 0)
        return started, process, min(workers, MOST_WORKERS)

    def write_row(self, worker: int, process: int, counters: dict[str, int]) -> None:
        """A worker's counters, which go on from those of the process that had its place before."""
        _ROW.pack_into(self._memory, _ROWS + worker * _ROW.size, process, *(counters[name] for name in COUNTERS))

    def row(self, worker: int) -> tuple[int, dict[str, int]]:
        """A worker's process and counters."""
        process, *values = _ROW.unpack_from(self._memory, _ROWS + worker * _ROW.size)
        return process, dict(zip(COUNTERS, values, strict=True))

    def write_sweep(self, key: int, moment: float) -> None:
        """The project with this key was looked at as a whole at `moment`. The oldest entry makes room."""
        places = range(_SWEEPS, _NOTES, _SWEEP.size)
        entries = [(*_SWEEP.unpack_from(self._memory, at), at) for at in places]
        mine = next((entry for entry in entries if entry[0] == key), None) or min(entries, key=lambda entry: entry[1])
        _SWEEP.pack_into(self._memory, mine[2], key, moment)

    def sweep(self, key: int) -> float:
        """When the project with this key was last looked at as a whole; 0 for never."""
        at = self._memory.find(_KEY.pack(key), _SWEEPS, _NOTES)
        if at < 0 or (at - _SWEEPS) % _SWEEP.size:
            return 0.0  # not there, or its number stands in another one's place
        found, moment = _SWEEP.unpack_from(self._memory, at)
        return float(moment) if found == key else 0.0

    def write_note(self, worker: int, projects: list[dict[str, object]]) -> None:
        """A worker's projects; those that there is no room for are left out."""
        data = marshal.dumps(projects)
        while len(data) > _NOTE_BYTES - _NOTE.size:
            projects = projects[: len(projects) // 2]
            data = marshal.dumps(projects)
        at = _NOTES + worker * _NOTE_BYTES
        _NOTE.pack_into(self._memory, at, len(data), xxh3_64_intdigest(data))
        self._memory[at + _NOTE.size : at + _NOTE.size + len(data)] = data

    def note(self, worker: int) -> list[dict[str, object]]:
        """A worker's projects; none while they are being written."""
        at = _NOTES + worker * _NOTE_BYTES
        length, digest = _NOTE.unpack_from(self._memory, at)
        data = self._memory[at + _NOTE.size : at + _NOTE.size + min(length, _NOTE_BYTES)]
        if not length or xxh3_64_intdigest(data) != digest:
            return []
        found: list[dict[str, object]] = marshal.loads(data)
        return found
