"""Clients of every kind: typed, silent, hostile, gone, many; and a daemon that loses its parts."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from greppy.daemon import protocol
from greppy.daemon.protocol import DIRECT, EXIT, OUT
from tests.daemon.conftest import Site, eventually, is_alive, timeless, told


def found(site: Site) -> None:
    assert b"src/session.py" in site.run("search", "session").stdout


# Typed requests


def test_a_typed_search_gives_the_document_of_the_command(served: Site) -> None:
    (answer,) = served.ask({"type": "Search", "project": str(served.project), "query": "session", "limit": 3})
    document = json.loads(served.direct("search", "session", "--json", "--limit", "3").stdout)
    for each in (answer, document):
        each.pop("took_ms")
    assert answer.pop("type") == "Results"
    assert answer == document


def test_a_typed_search_of_a_project_without_an_index_makes_one(served: Site) -> None:
    other = served.folder / "other"
    other.mkdir()
    (other / "package.json").write_text('{"session": 1}')
    (answer,) = served.ask({"type": "Search", "project": str(other), "query": "session"})
    assert (answer["type"], len(answer["results"])) == ("Results", 1)


def test_a_typed_grep_gives_records_and_an_end(served: Site) -> None:
    request = {"type": "Grep", "project": str(served.project), "pattern": "SESSION", "ignore_case": True, "word": True}
    *records, end = served.ask(request)
    direct = served.direct("grep", "--json", "-i", "-w", "SESSION").stdout.splitlines()
    assert records == [json.loads(line) for line in direct]
    assert (end["type"], end["status"]) == ("End", 0)


def test_a_typed_index_takes_in_what_is_new(served: Site) -> None:
    served.write("src/late.py", "def late_arrival(): pass\n")
    (answer,) = served.ask({"type": "Index", "project": str(served.project)})
    assert answer["type"] == "Indexed"
    assert b"late_arrival" in served.direct("search", "late_arrival", "--no-refresh").stdout


@pytest.mark.parametrize(
    "document",
    [
        {"type": "Search", "query": "x"},
        {"type": "Search", "project": "relative", "query": "x"},
        {"type": "Search", "project": "/", "query": 3},
        {"type": "Search", "project": "/", "query": "x", "limit": True},
        {"type": "Search", "project": "/", "query": "x", "limit": -1},
        {"type": "Search", "project": "/", "query": "x", "paths": "src"},
        {"type": "Search", "project": "/", "query": "x", "paths": [1]},
        {"type": "Search", "project": "/", "query": "x", "nonsense": 1},
        {"type": "Search", "project": "/", "query": "a\0b"},
        {"type": "Search", "project": "/", "query": "x" * 20_000},
        {"type": "Grep", "project": "/"},
        {"type": "Run"},
        {"type": 3},
        {},
        [],
        3,
        None,
    ],
)
def test_a_request_that_cannot_be_taken_is_a_typed_error(served: Site, document: Any) -> None:
    (answer,) = served.ask(json.dumps(document).encode() + b"\n")
    assert (answer["type"], answer["code"]) == ("Error", "PARSE_ERROR")
    assert answer["message"]


def test_errors_of_the_engine_are_typed_too(served: Site) -> None:
    empty = served.folder / "empty"
    empty.mkdir()
    for document in ({"type": "Search", "query": "x"}, {"type": "Grep", "pattern": "x"}):
        (answer,) = served.ask({**document, "project": str(empty)})
        assert (answer["type"], answer["code"]) == ("Error", "NO_PROJECT")
    (answer,) = served.ask({"type": "Grep", "pattern": "(", "project": str(served.project)})
    assert (answer["type"], answer["code"]) == ("Error", "PARSE_ERROR")


def test_a_client_may_end_his_side_when_he_has_asked(served: Site) -> None:
    with served.connect() as connected:
        connected.sendall(json.dumps({"type": "Grep", "project": str(served.project), "pattern": "session"}).encode())
        connected.sendall(b"\n")
        connected.shutdown(socket.SHUT_WR)
        data = b""
        while part := connected.recv(1 << 16):
            data += part
    assert json.loads(data.splitlines()[-1])["type"] == "End"


# Versions


def test_a_client_of_another_version_does_it_himself(served: Site) -> None:
    assert [kind for kind, _ in served.frames(served.describe("search", "session", version="0.0.1"))] == [DIRECT]
    assert [kind for kind, _ in served.frames(served.describe("search", "session", version="nonsense"))] == [DIRECT]
    found(served)
    assert served.status()["pid"]


def test_a_daemon_steps_down_for_a_newer_client(served: Site) -> None:
    holder = served.status()["pid"]
    assert [kind for kind, _ in served.frames(served.describe("search", "session", version="999.0.0"))] == [DIRECT]
    eventually(lambda: not is_alive(holder))
    assert not served.socket.exists()
    found(served)


# Hostile and absent clients


def test_bytes_of_any_kind_harm_nobody(served: Site) -> None:
    source = random.Random(5)
    head = served.describe("search", "session")
    garbage = [source.randbytes(source.randrange(1, 3000)) for _ in range(60)]
    garbage += [b"R" + source.randbytes(4) + source.randbytes(200) for _ in range(60)]
    garbage += [head[: source.randrange(1, len(head))] for _ in range(40)]
    garbage += [b"R\xff\xff\xff\xff", b"R\0\0\0\0", b"{" * 100_000 + b"\n", b"\0" * 10_000, b'{"type":"Search"', b"\n"]
    for _ in range(60):
        damaged = bytearray(head)
        damaged[source.randrange(len(head))] = source.randrange(256)
        garbage.append(bytes(damaged))
    for data in garbage:
        with served.connect() as connected:
            try:
                connected.sendall(data)
                connected.shutdown(socket.SHUT_WR)
                while connected.recv(1 << 16):
                    pass
            except (BrokenPipeError, ConnectionResetError):
                continue
    found(served)
    status = served.status()
    assert all(is_alive(process) for process in [status["pid"], *status["workers"]])


def test_a_request_that_is_too_long_is_refused(served: Site) -> None:
    with served.connect() as connected:
        try:
            connected.sendall(b'{"type":"Search","query":"' + b"x" * (2 * protocol.MOST_REQUEST))
        except (BrokenPipeError, ConnectionResetError):
            return
        assert b"PARSE_ERROR" in connected.recv(1 << 16)


def test_silent_clients_keep_nobody_waiting(served: Site) -> None:
    idle = [served.connect() for _ in range(150)]
    idle[0].sendall(b"R\0\0")
    found(served)
    assert served.by_daemon() > 0
    for each in idle:
        each.close()


def test_a_client_that_reads_nothing_keeps_nobody_waiting(served: Site) -> None:
    served.write("big.txt", "session of many words\n" * 300_000)
    lazy = [served.connect() for _ in range(4)]
    for each in lazy:
        each.sendall(served.describe("grep", "session"))
    time.sleep(0.5)
    found(served)
    for each in lazy:
        each.close()
    eventually(lambda: not children_of(served))


def children_of(site: Site) -> list[int]:
    """Processes that the workers have started."""
    found: list[int] = []
    for worker in site.status()["workers"]:
        try:
            found += map(int, Path(f"/proc/{worker}/task/{worker}/children").read_text().split())
        except FileNotFoundError:
            continue
    return found


def test_a_request_is_ended_when_its_client_goes_away(served: Site) -> None:
    served.write("big.txt", "session of many words\n" * 300_000)
    client = subprocess.Popen(
        served.command("grep", "session"),
        cwd=served.project,
        env=served.environment,
        stdout=subprocess.PIPE,
    )
    eventually(lambda: served.status()["forked"] > 0)
    client.kill()
    client.communicate()
    eventually(lambda: not children_of(served))
    found(served)


def test_a_hundred_and_fifty_clients_at_once_all_get_their_answers(served: Site) -> None:
    wanted = timeless(served.direct("search", "session").stdout)
    answers: list[bytes] = []

    def client() -> None:
        frames = served.frames(served.describe("search", "session"))
        answers.append(timeless(b"".join(payload for kind, payload in frames if kind == OUT)))

    threads = [threading.Thread(target=client) for _ in range(150)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 150
    assert set(answers) <= {wanted, b""}
    assert answers.count(wanted) > 100


def test_large_output_arrives_whole(served: Site) -> None:
    served.write("big.txt", "".join(f"session {number}\n" for number in range(400_000)))
    through, without = served.run("grep", "session"), served.direct("grep", "session")
    assert len(without.stdout) > 8_000_000
    assert told(through) == told(without)


# Losing parts


def test_answers_stay_the_same_while_workers_and_supervisors_are_killed(served: Site) -> None:
    wanted = {argv: told(served.direct(*argv)) for argv in [("search", "session"), ("grep", "session")]}
    source = random.Random(3)
    over = threading.Event()

    def killer() -> None:
        while not over.is_set():
            time.sleep(source.uniform(0.02, 0.2))
            if served.socket.exists():
                holder = Path(f"{served.socket}.lock").read_text().strip()
                workers = Path(f"/proc/{holder}/task/{holder}/children").read_text().split() if holder else []
                victims = [*workers, *([holder] if source.random() < 0.2 else [])]
                if victims:
                    os.kill(int(source.choice(victims)), signal.SIGKILL)
            elif source.random() < 0.5:
                served.run("daemon", "start")

    def careful_killer() -> None:
        while not over.is_set():
            try:
                killer()
            except (OSError, ValueError):
                continue

    thread = threading.Thread(target=careful_killer)
    thread.start()
    try:
        for _ in range(12):
            for argv, answer in wanted.items():
                assert told(served.run(*argv)) == answer
    finally:
        over.set()
        thread.join()


def test_a_worker_that_is_killed_is_replaced(served: Site) -> None:
    before = served.status()["workers"]
    for worker in before:
        os.kill(worker, signal.SIGKILL)
    eventually(lambda: served.socket.exists() and not set(before) & set(served.status()["workers"]))
    found(served)


def test_when_the_supervisor_is_killed_its_workers_go_and_another_can_start(served: Site) -> None:
    status = served.status()
    os.kill(status["pid"], signal.SIGKILL)
    served.start()
    assert not any(map(is_alive, status["workers"]))
    found(served)
    assert served.status()["pid"] != status["pid"]


def test_a_socket_that_is_removed_comes_back(served: Site) -> None:
    holder = served.status()["pid"]
    served.socket.unlink()
    found(served)
    eventually(served.socket.exists)
    assert served.status()["pid"] == holder
    found(served)


def test_an_index_or_a_log_that_is_removed_is_no_loss(served: Site) -> None:
    found(served)
    (served.home / "daemon.log").unlink()
    assert served.direct("forget", ".").returncode == 0
    found(served)
    assert told(served.run("search", "session")) == told(served.direct("search", "session"))
    eventually((served.home / "daemon.log").exists)


def test_a_damaged_shard_is_repaired_as_without_a_daemon(served: Site) -> None:
    found(served)
    for shard in served.home.glob("indexes/*/shards/*"):
        data = bytearray(shard.read_bytes())
        data[len(data) // 3 : len(data) // 3 + 64] = bytes(64)
        shard.write_bytes(data)
    ran = served.run("search", "session")
    assert ran.returncode == 0
    assert b"src/session.py" in ran.stdout
    assert told(served.run("search", "session")) == told(served.direct("search", "session"))


def test_a_project_that_goes_away_is_said_to_be_gone(served: Site) -> None:
    other = served.folder / "other"
    other.mkdir()
    (other / "package.json").write_text('{"session": 1}')
    assert served.run("search", "session", cwd=other).returncode == 0
    assert served.run("search", "session", cwd=other).returncode == 0
    (other / "package.json").unlink()
    assert told(served.run("search", "session", cwd=other)) == told(served.direct("search", "session", cwd=other))


def test_the_last_frame_is_the_exit_status(served: Site) -> None:
    kinds = served.frames(served.describe("search", "nosuchword"))
    assert kinds[-1] == (EXIT, b"\1")
