"""Timing whole processes fairly: commands in turn, many times, medians and ratios. Used by the benchmarks in this
folder.

In: named commands. Out: for each its runs: wall and CPU seconds, peak RSS in bytes of the process (and of its tree, on
request). Machines are noisy and drift, so commands that are compared run alternately, and ratios are of medians of one
call.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Run(NamedTuple):
    """One run: seconds of wall clock, seconds of CPU of all its processes, peak RSS in bytes of the largest of them."""

    wall: float
    cpu: float
    rss: int
    status: int


def run(command: Sequence[str], cwd: str, env: Mapping[str, str]) -> Run:
    """Run a command with its output thrown away."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, process.returncode)


def alternate(
    commands: Mapping[str, Sequence[str]], rounds: int, cwd: str, env: Mapping[str, str]
) -> dict[str, list[Run]]:
    """Each command `rounds` times, in turn, after one warm-up of each that is not counted."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            result = run(command, cwd, env)
            if number:
                runs[name].append(result)
    return runs


def median(runs: Sequence[Run], field: str = "wall") -> float:
    return statistics.median(getattr(run, field) for run in runs)


def peak_of_tree(command: Sequence[str], cwd: str, env: Mapping[str, str]) -> tuple[float, int]:
    """(wall seconds, peak of the summed RSS in bytes of a command and all its descendants), sampled every 10 ms.

    Pages that the processes share are counted for each of them, so the figure is an upper bound. Linux only.
    """
    peak = 0
    process = subprocess.Popen(command, cwd=cwd, env=dict(env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done = threading.Event()

    def sample() -> None:
        nonlocal peak
        while not done.wait(0.01):
            peak = max(peak, sum(_rss(pid) for pid in _tree(process.pid)))

    sampler = threading.Thread(target=sample)
    started = time.perf_counter()
    sampler.start()
    process.wait()
    wall = time.perf_counter() - started
    done.set()
    sampler.join()
    return wall, peak


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
                found.extend(int(child) for child in file.read().split())
        except OSError:
            continue
    return found


def _rss(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
