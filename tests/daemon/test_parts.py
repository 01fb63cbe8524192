"""The daemon's parts by themselves: the wire, the page that processes share, kept outputs, typed requests."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.daemon import protocol
from greppy.daemon.board import COUNTERS, MOST_SWEEPS, Board
from greppy.daemon.protocol import ERR, EXIT, OUT, Garbled, Run
from greppy.daemon.results import Results
from greppy.daemon.service import install, render, service
from greppy.daemon.typed import Reply, read_typed
from greppy.errors import BadArguments, DaemonFailure

WORDS = st.binary(max_size=20).filter(lambda word: b"\0" not in word)
NAMES = st.sampled_from([b"HOME", b"GREPPY_HOME", b"LC_ALL", b"GIT_DIR", b"TERM"])


@given(
    st.lists(WORDS, max_size=6),
    WORDS,
    st.dictionaries(NAMES, WORDS),
    st.booleans(),
    st.booleans(),
    st.integers(0, 9999),
    st.integers(0, 9999),
)
def test_a_run_arrives_as_it_was_sent(
    argv: list[bytes],
    folder: bytes,
    variables: dict[bytes, bytes],
    terminal: bool,
    joined: bool,
    columns: int,
    rows: int,
) -> None:
    run = Run(argv, b"/" + folder, variables, terminal, joined, columns, rows)
    sent = protocol.encode_run(run)
    assert sent[:1] == protocol.RUN
    assert int.from_bytes(sent[1:5], "big") == len(sent) - 5
    arrived = protocol.decode_run(sent[5:])
    assert {name: getattr(arrived, name) for name in Run.__slots__} == {
        name: getattr(run, name) for name in Run.__slots__
    }


@given(st.binary(max_size=200))
def test_any_other_bytes_are_garbled_or_a_run(data: bytes) -> None:
    try:
        run = protocol.decode_run(data)
    except Garbled:
        return
    assert run.cwd.startswith(b"/")


@given(st.lists(st.tuples(st.sampled_from([OUT, ERR, EXIT]), st.binary(max_size=50)), max_size=8), st.integers(1, 9))
def test_frames_arrive_in_any_pieces(sent: list[tuple[bytes, bytes]], piece: int) -> None:
    data = b"".join(protocol.frame(kind, payload) for kind, payload in sent)
    buffer, arrived = bytearray(), []
    for at in range(0, len(data), piece):
        buffer += data[at : at + piece]
        arrived += list(protocol.take_frames(buffer))
    assert arrived == sent
    assert not buffer


def test_large_output_goes_in_frames_that_a_client_takes() -> None:
    data = os.urandom(3 * protocol.MOST_FRAME + 7)
    taken = list(protocol.take_frames(bytearray(protocol.frames(OUT, data))))
    assert b"".join(payload for _, payload in taken) == data
    assert len(taken) == 4


@pytest.mark.parametrize(
    ("version", "newer"),
    [("0.2.0", True), ("0.1.0", False), ("0.0.9", False), ("1.0", True), ("x", False), ("", False)],
)
def test_only_a_later_version_is_newer(version: str, newer: bool) -> None:
    assert protocol.is_newer(version, "0.1.0") is newer


def test_the_board_keeps_what_each_has_written() -> None:
    board = Board()
    board.open(42, 2)
    counters = {name: number for number, name in enumerate(COUNTERS)}
    board.write_row(1, 77, counters)
    assert board.row(1) == (77, counters)
    assert board.head()[1:] == (42, 2)
    board.write_note(0, [{"path": b"/x", "idle": 1.5}])
    assert board.note(0) == [{"path": b"/x", "idle": 1.5}]
    assert board.note(1) == []
    board.write_note(0, [{"path": b"/" + b"x" * 5000} for _ in range(40)])
    assert 0 < len(board.note(0)) < 40


def test_the_board_forgets_the_oldest_sweep_first() -> None:
    board = Board()
    for key in range(1, MOST_SWEEPS + 2):
        board.write_sweep(key, float(key))
    assert (board.sweep(1), board.sweep(2), board.sweep(MOST_SWEEPS + 1)) == (0.0, 2.0, MOST_SWEEPS + 1)
    board.write_sweep(2, 1000.0)
    assert (board.sweep(2), board.sweep(999_999)) == (1000.0, 0.0)


def test_results_are_kept_for_a_minute_and_the_last_used_longest() -> None:
    results: Results[str] = Results(most=3, most_bytes=100, seconds=60)
    for name in "abc":
        results.put(name, name, 10, 0.0)
    assert results.get("a", 1.0) == "a"
    results.put("d", "d", 10, 1.0)
    assert [results.get(name, 2.0) for name in "abcd"] == ["a", None, "c", "d"]
    assert results.get("a", 61.0) is None
    results.put("e", "e", 95, 61.0)
    assert len(results) == 1
    assert (results.hits, results.misses) == (4, 2)


def test_typed_requests_become_command_lines() -> None:
    request = {"type": "Search", "project": "/x", "query": "--limit", "languages": ["c"], "refresh": False, "limit": 3}
    typed = read_typed(json.dumps(request).encode())
    assert typed.argv == ["search", "--json", "--limit=3", "--lang=c", "--no-refresh", "--", "--limit"]
    grep = read_typed(b'{"type":"Grep","project":"/x","pattern":"-e","fixed":true,"paths":["-a"]}')
    assert grep.argv == ["grep", "--json", "--regexp=-e", "--fixed-strings", "--", "-a"]
    assert read_typed(b'{"type":"Index","project":"/x","force":true}').argv == ["index", "--force"]
    with pytest.raises(BadArguments):
        read_typed(b"[" * 100_000)


def test_records_of_grep_are_sent_whole_and_an_error_ends_them() -> None:
    reply = Reply("Grep")
    assert reply.out(b'{"a":1}\n{"b"') == b'{"a":1}\n'
    assert reply.out(b':2}\n{"error":{"code":"IO_ERROR","message":"m","hint":""}}\n') == b'{"b":2}\n'
    assert json.loads(reply.end(3)) == {"type": "Error", "code": "IO_ERROR", "message": "m", "hint": ""}


def test_services_are_those_of_the_system() -> None:
    assert service("darwin").path.endswith(".plist")
    assert service("linux").path.endswith(".service")
    with pytest.raises(DaemonFailure):
        service("plan9")
    for template in ("greppy.service", "org.git-greppy.daemon.plist"):
        text = render(template, b"/home/x/.greppy")
        assert "/home/x/.greppy" in text
        assert "@" not in text
    with pytest.raises(DaemonFailure):
        render("greppy.service", b'/home/"x')


def test_no_program_of_the_current_folder_is_taken_for_the_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "systemctl").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (tmp_path / "systemctl").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", ":.")
    _, message = install(os.fsencode(tmp_path))
    assert "No such file" in message
    assert not (tmp_path / "ran").exists()
