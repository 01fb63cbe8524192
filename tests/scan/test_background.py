"""The build behind a first answer: one detached process, its progress, and what becomes of it when it is killed."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from greppy.index import background

from .conftest import Program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

NOTICE = "greppy: indexing 8 files in the background; this answer comes from a scan\n"


def answer(out: str) -> tuple[str, str]:
    """How an answer was made, and its first file."""
    document = json.loads(out)
    return document["index"], document["results"][0]["path"]


def status(program: Program) -> dict[str, object]:
    return dict(json.loads(program("status", "--json")[1]))


def test_the_first_answer_comes_from_a_scan_and_a_later_one_from_the_index(program: Program) -> None:
    code, out, err = program("search", "--json", "validate session")
    assert (code, answer(out), err) == (0, ("scan", "src/session.py"), NOTICE)
    program.wait(lambda: not program.builders())
    code, out, err = program("search", "--json", "validate session")
    assert (code, answer(out), err) == (0, ("full", "src/session.py"), "")
    assert not program.index_files("progress")
    assert status(program)["building"] is None


def test_ten_searches_at_once_start_one_build(program: Program) -> None:
    builder, first = program.held("search", "--json", "validate session")
    running = [program.start("search", "--json", "validate session") for _ in range(9)]
    ends = [first] + [
        (process.returncode, *ended) for process in running for ended in [process.communicate(timeout=120)]
    ]
    assert program.builders() == [builder]
    assert all(process.returncode == 0 for process in running)
    assert {answer(out) for _, out, _ in ends} == {("scan", "src/session.py")}
    assert {err for _, _, err in ends} == {NOTICE}
    os.kill(builder, signal.SIGCONT)
    program.wait(lambda: not program.builders())
    assert answer(program("search", "--json", "validate session")[1])[0] == "full"


def test_ten_first_searches_at_the_same_moment_start_one_build(program: Program) -> None:
    running = [program.start("search", "--json", "validate session") for _ in range(10)]
    seen: set[int] = set()
    while any(process.poll() is None for process in running):
        seen.update(program.builders())
    outputs = [process.communicate()[0] for process in running]
    assert [(process.returncode, answer(out)[1]) for process, out in zip(running, outputs, strict=True)] == [
        (0, "src/session.py")
    ] * 10
    assert len(seen) == 1


def test_progress_is_shown_while_a_build_is_going_on(program: Program) -> None:
    builder, _ = program.held("search", "session")
    assert status(program)["building"] is None  # it has not begun yet
    os.kill(builder, signal.SIGCONT)
    program.wait(lambda: program.index_files("progress"))
    os.kill(builder, signal.SIGSTOP)
    going_on = status(program)["building"]
    assert isinstance(going_on, dict)
    assert going_on["pid"] == builder
    assert 0 <= going_on["done"] <= going_on["total"]
    lines = program("status")[1].splitlines()
    assert [line for line in lines if line.startswith("Building") and f"(process {builder})" in line]
    os.kill(builder, signal.SIGCONT)


def test_after_a_builder_was_killed_the_next_search_scans_and_starts_another(program: Program) -> None:
    builder, _ = program.held("search", "session")
    os.kill(builder, signal.SIGCONT)
    program.wait(lambda: program.index_files("progress"))
    os.kill(builder, signal.SIGKILL)
    program.wait(lambda: not program.builders())
    if program.index_files("progress"):
        assert status(program)["building"] is None
    if not [path for path in program.index_files("*") if path.parent.name == "manifests"]:
        other, (code, out, err) = program.held("search", "--json", "validate session")
        assert (code, answer(out), err) == (0, ("scan", "src/session.py"), NOTICE)
        assert other != builder
        os.kill(other, signal.SIGCONT)
    program.wait(lambda: not program.builders())
    assert answer(program("search", "--json", "validate session")[1]) == ("full", "src/session.py")
    assert not program.index_files("progress")


def test_the_builder_keeps_nothing_of_its_caller(program: Program) -> None:
    theirs, ours = os.pipe()
    with program.start("search", "session", fds=(ours,)) as process:
        program.wait(lambda: program.builders() or process.poll() is not None)
        (builder,) = program.builders()
        os.kill(builder, signal.SIGSTOP)
        out, _ = process.communicate(timeout=120)  # comes to its end although the builder is still there
    os.close(ours)
    assert "src/session.py" in out
    assert os.read(theirs, 1) == b""
    os.close(theirs)
    files = {os.readlink(f"/proc/{builder}/fd/{fd}") for fd in os.listdir(f"/proc/{builder}/fd")}
    assert {name.rpartition("/")[2].partition(":")[0] for name in files} == {"null", "lock", "pipe"}
    fields = Path(f"/proc/{builder}/stat").read_text().rpartition(")")[2].split()
    assert fields[4] == "0"  # no terminal
    assert int(fields[16]) == 10  # nice
    assert os.getsid(builder) not in (os.getsid(0), builder)
    assert os.readlink(f"/proc/{builder}/cwd") == "/"


def test_wait_builds_first(program: Program) -> None:
    code, out, _ = program("search", "--wait", "--json", "validate session")
    assert (code, answer(out)) == (0, ("full", "src/session.py"))
    assert program.builders() == []


def test_no_build_is_started_where_the_environment_forbids_it(program: Program) -> None:
    code, out, _ = program("search", "--json", "validate session", GREPPY_NO_BACKGROUND="1")
    assert (code, answer(out)) == (0, ("full", "src/session.py"))
    assert program.builders() == []


def test_no_build_is_started_where_the_configuration_forbids_it(program: Program) -> None:
    (program.home / "config.toml").write_text("[index]\nworkers = 1\nbackground = false\n")
    code, out, _ = program("search", "--json", "validate session")
    assert (code, answer(out)) == (0, ("full", "src/session.py"))


def test_without_refresh_there_is_no_scan(program: Program) -> None:
    code, out, _ = program("search", "--json", "--no-refresh", "session")
    assert (code, json.loads(out)["error"]["code"]) == (3, "NO_INDEX")
    assert program.builders() == []


def test_a_home_that_cannot_be_used_gives_a_scan_and_no_build(program: Program) -> None:
    (program.home / "indexes").touch()
    code, out, err = program("search", "--json", "validate session")
    assert (code, answer(out)) == (0, ("scan", "src/session.py"))
    assert err.count("\n") == 1 and "this answer comes from a scan" in err
    assert program.builders() == []


def test_a_small_project_is_indexed_at_once(program: Program) -> None:
    for number in range(1, 6):
        (program.path / f"words{number}.txt").unlink()
    code, out, err = program("search", "--json", "validate session")
    assert (code, answer(out), err) == (0, ("full", "src/session.py"), "")


def test_nonsense_in_a_progress_file_is_no_build(program: Program) -> None:
    directory = program.home / "indexes"
    directory.mkdir()
    for text in (b"", b"1 2", b"x y z", b"\xff" * 128):
        (directory / "progress").write_bytes(text)
        assert background.building(os.fsencode(directory)) is None
