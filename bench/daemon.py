"""The figures of the daemon on one or more corpora, as ratios to peers taken in the same run.

    python bench/daemon.py FOLDER... [--rounds N] [--soak SECONDS] > bench/results/daemon.json

FOLDERs are git repositories (`bench/README.md` tells how the corpora are made); the indexes go to a temporary
GREPPY_HOME. The programs measured are `greppy`, the native client, and `greppy-py` beside the interpreter that runs
this. Prints the raw data as JSON and a table to stderr. Queries are distinct unless they are said to be repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from core import machine
from measure import alternate, median

from greppy.daemon import protocol
from greppy.daemon.protocol import Run

SCRIPTS = Path(sys.executable).parent
WORDS = tuple(filter(None, """
    session model query field form view url admin cache test user auth save load check clean render parse token cookie
    header request response signal template filter loader middleware index lock buffer page memory device driver
""".replace("\n", " ").split(" ")))  # fmt: skip
QUERY = "where are sessions validated"


class Daemon:
    """A daemon with a home of its own."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.environment = {**os.environ, "GREPPY_HOME": home, "GIT_OPTIONAL_LOCKS": "0"}
        self.socket = os.path.join(home, "daemon.sock")

    def greppy(self, *words: str, cwd: str = "/") -> str:
        """What the program prints."""
        command = [str(SCRIPTS / "greppy"), *words]
        return subprocess.run(command, cwd=cwd, env=self.environment, capture_output=True, text=True).stdout

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.greppy("daemon", "status", "--json"))
        return found

    def request(self, cwd: str, query: str) -> bytes:
        """A search as the native client sends it."""
        variables = {os.fsencode(name): os.fsencode(value) for name, value in self.environment.items()}
        run = Run([b"search", query.encode()], os.fsencode(cwd), protocol.relevant(variables))
        return protocol.encode_run(run)

    def ask(self, request: bytes) -> tuple[float, int]:
        """Seconds from connecting to the last byte, and how many bytes there were."""
        size = 0
        began = time.perf_counter()
        with socket.socket(socket.AF_UNIX) as connected:
            connected.connect(self.socket)
            connected.sendall(request)
            while part := connected.recv(1 << 17):
                size += len(part)
        return time.perf_counter() - began, size


def queries(count: int, seed: int) -> list[str]:
    """Queries that are all different."""
    source = random.Random(seed)
    return [" ".join(source.sample(WORDS, 3)) + f" {seed}x{number}" for number in range(count)]


def whole_process(daemon: Daemon, corpus: str, rounds: int) -> dict[str, Any]:
    """`greppy search` through the client and `git --version`, in turn."""
    commands = {
        "git --version": ["git", "--version"],
        "greppy": [str(SCRIPTS / "greppy"), "search", QUERY],
        "greppy-py": [str(SCRIPTS / "greppy-py"), "search", QUERY],
    }
    direct = {"greppy-py, no daemon": [str(SCRIPTS / "greppy-py"), "search", QUERY]}
    runs = alternate(commands, rounds, corpus, daemon.environment)
    runs |= alternate(direct, max(rounds // 10, 5), corpus, {**daemon.environment, "GREPPY_NO_DAEMON": "1"})
    return {"runs": runs}


def server_time(daemon: Daemon, corpus: str, rounds: int) -> dict[str, Any]:
    """One connection after the other, distinct queries and one repeated."""
    distinct = [daemon.ask(daemon.request(corpus, query))[0] for query in queries(rounds, 1)]
    same = daemon.request(corpus, QUERY)
    return {"distinct": distinct, "repeated": [daemon.ask(same)[0] for _ in range(rounds)]}


def throughput(daemon: Daemon, corpus: str, count: int, clients: int = 16) -> dict[str, float]:
    """Answers a second with so many clients at once."""
    distinct = [daemon.request(corpus, query) for query in queries(count, 2)]
    return {
        "distinct": _per_second(daemon, distinct, clients),
        "repeated": _per_second(daemon, [daemon.request(corpus, QUERY)] * (10 * count), clients),
    }


def _per_second(daemon: Daemon, requests: list[bytes], clients: int) -> float:
    waiting = iter(requests)
    lock = threading.Lock()

    def client() -> None:
        while True:
            with lock:
                request = next(waiting, None)
            if request is None:
                return
            daemon.ask(request)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(requests) / (time.perf_counter() - began)


def after_a_save(daemon: Daemon, corpus: str, rounds: int) -> dict[str, Any]:
    """A search right after a file got a new word, against one of an unchanged project; and whether it was found."""
    names = subprocess.check_output(["git", "ls-files", "-z", "*.py", "*.c"], cwd=corpus, text=True).split("\0")[:-1]
    path = Path(corpus) / min(names, key=lambda name: abs((Path(corpus) / name).stat().st_size - 12_000))
    before, saved, clean, found = path.read_bytes(), [], [], 0
    try:
        for number in range(rounds):
            word = "zebra" + "".join(chr(97 + int(digit)) for digit in f"{number:05}") + "quartz"
            path.write_bytes(before + f"\n# {word}\n".encode())
            began = time.perf_counter()
            found += path.name in daemon.greppy("search", word, "--json", cwd=corpus)
            saved.append(time.perf_counter() - began)
            time.sleep(1.5)
            began = time.perf_counter()
            daemon.greppy("search", word, "--json", cwd=corpus)
            clean.append(time.perf_counter() - began)
    finally:
        path.write_bytes(before)
    return {"saved": saved, "clean": clean, "found": found, "rounds": rounds}


def soak(daemon: Daemon, corpus: str, seconds: float) -> dict[str, Any]:
    """Random edits and queries: memory and descriptors on the way, and answers that were wrong."""
    source = random.Random(7)
    names = subprocess.check_output(["git", "ls-files", "-z", "*.py", "*.c"], cwd=corpus, text=True).split("\0")[:-1]
    samples, wrong, rounds = [], 0, 0
    end = time.monotonic() + seconds
    due = 0.0
    while time.monotonic() < end:
        path = Path(corpus) / source.choice(names)
        before = path.read_bytes()
        word = "zebra" + "".join(source.choices("abcdefghij", k=6)) + "quartz"
        path.write_bytes(before + f"\n# {word}\n".encode())
        wrong += path.name not in daemon.greppy("search", word, "--json", cwd=corpus)
        path.write_bytes(before)
        wrong += '"results":[]' not in daemon.greppy("search", word, "--json", cwd=corpus)
        rounds += 1
        if time.monotonic() > due:
            due = time.monotonic() + max(seconds / 30, 1)
            samples.append(_sample(daemon))
    return {"seconds": seconds, "rounds": rounds, "wrong": wrong, "samples": samples}


def _sample(daemon: Daemon) -> dict[str, int]:
    status = daemon.status()
    processes = [status["pid"], *status["workers"]]
    descriptors = sum(len(os.listdir(f"/proc/{process}/fd")) for process in processes)
    return {"rss": status["rss_bytes"], "pss": status["pss_bytes"], "descriptors": descriptors}


def measure(daemon: Daemon, corpus: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Everything, of one corpus."""
    daemon.greppy("index", cwd=corpus)
    for _ in range(6):
        daemon.greppy("search", QUERY, cwd=corpus)
    time.sleep(1.5)
    result = {
        "name": Path(corpus).name,
        "load_before": os.getloadavg(),
        "idle": _sample(daemon),
        "process": whole_process(daemon, corpus, rounds),
        "server": server_time(daemon, corpus, rounds),
        "throughput": throughput(daemon, corpus, rounds),
        "save": after_a_save(daemon, corpus, max(rounds // 20, 5)),
        "busy": _sample(daemon),
        "projects": [{**one, "path": os.path.basename(one["path"])} for one in daemon.status()["projects"]],
    }
    if seconds:
        result["soak"] = soak(daemon, corpus, seconds)
    result["load_after"] = os.getloadavg()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="Figures of the daemon.")
    parser.add_argument("corpora", nargs="+", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--soak", type=float, default=0)
    wanted = parser.parse_args()
    home = tempfile.mkdtemp(prefix="greppy-bench-")
    daemon = Daemon(home)
    try:
        daemon.greppy("daemon", "start")
        corpora = [str(Path(corpus).resolve()) for corpus in wanted.corpora]
        found = [measure(daemon, corpus, wanted.rounds, wanted.soak) for corpus in corpora]
    finally:
        daemon.greppy("daemon", "stop")
        shutil.rmtree(home)
    print(json.dumps({"machine": machine(), "corpora": found}, indent=1))
    for result in found:
        print(table(result), file=sys.stderr)


def table(result: dict[str, Any]) -> str:
    runs, server, save = result["process"]["runs"], result["server"], result["save"]
    git = median(runs["git --version"])
    rows = [("corpus", result["name"], f"load {result['load_before'][0]:.1f} to {result['load_after'][0]:.1f}")]
    for name in ("git --version", "greppy", "greppy-py", "greppy-py, no daemon"):
        late = _quantile([run.wall for run in runs[name]], 0.99)
        ratio = f"{median(runs[name]) / git:.2f} x git --version, p99 {_ms(late)} ({late / git:.1f} x)"
        rows.append((name, _ms(median(runs[name])), ratio))
    for name in ("distinct", "repeated"):
        rows.append(
            (f"server, {name}", _ms(statistics.median(server[name])), f"p99 {_ms(_quantile(server[name], 0.99))}")
        )
        rows.append((f"16 clients, {name}", f"{result['throughput'][name]:.0f}/s", ""))
    extra = statistics.median(save["saved"]) - statistics.median(save["clean"])
    rows.append(("after a save", _ms(extra), f"more than a clean search; found {save['found']} of {save['rounds']}"))
    for when in ("idle", "busy"):
        rows.append((f"RSS, {when}", _mb(result[when]["rss"]), f"PSS {_mb(result[when]['pss'])}"))
    if "soak" in result:
        first, last = result["soak"]["samples"][0], result["soak"]["samples"][-1]
        text = f"{result['soak']['rounds']} rounds, {result['soak']['wrong']} wrong; descriptors "
        text += f"{first['descriptors']} to {last['descriptors']}, RSS {_mb(first['rss'])} to {_mb(last['rss'])}"
        rows.append((f"soak {result['soak']['seconds']:.0f} s", "", text))
    return "\n".join(f"{name:24}{value:>12}  {note}" for name, value, note in rows) + "\n"


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _mb(size: float) -> str:
    return f"{size / 1e6:.1f} MB"


if __name__ == "__main__":
    main()
