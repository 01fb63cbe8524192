"""Exit statuses, errors and streams of the whole program, in a process of its own; the engine is a fake."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program

RESULT = (
    "src/auth.py:15-16  Auth.check  method\n│ def check(self):\n│     return self.session\n\nFound 1 result in 3ms\n"
)


def request_of(program: Program, *argv: str | bytes) -> dict[str, Any]:
    ran = program(*argv, fake="request")
    assert ran.returncode == 0, ran.stderr
    made: dict[str, Any] = ast.literal_eval(ran.stderr)
    return made


def test_results_are_printed_and_the_status_is_0(program: Program) -> None:
    ran = program("search", "x", fake="one")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, RESULT, "")


def test_no_result_is_said_on_stderr_with_notes_and_the_status_is_1(program: Program) -> None:
    ran = program("search", "sesion", "x\x1b"[:1], fake="none")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == 'No results for "sesion x"\n"sesion" is nowhere in this project; nearest: session\n'


def test_no_result_is_a_whole_json_document(program: Program) -> None:
    ran = program("search", "sesion", "--json", fake="none")
    document = json.loads(ran.stdout)
    assert (ran.returncode, ran.stderr, document["results"], len(document["notes"])) == (1, "", [], 1)


def test_a_first_word_that_is_no_command_is_a_query(program: Program) -> None:
    made = request_of(program, "where", "are", "sessions", "validated", "-l3")
    assert (made["query"], made["limit"]) == ("where are sessions validated", 3)


def test_options_reach_the_engine(program: Program) -> None:
    made = request_of(
        program, "search", "a\tb", "c\nd", "--path", "x", "--path=y", "--include", "*.py", "--exclude", "t",
        "--lang", "py", "--no-refresh", "--no-content",
    )  # fmt: skip
    expected = {
        "query": "a b c d",
        "limit": 20,
        "paths": [b"x", b"y"],
        "include": [b"*.py"],
        "exclude": [b"t"],
        "languages": ["python"],
        "refresh": False,
        "content": False,
        "wait": False,
        "background": True,
        "domain": "auto",
        "filters": None,
    }
    assert {name: made[name] for name in expected} == expected


def test_bytes_that_are_no_utf8_pass_through_paths_and_are_replaced_in_queries(program: Program) -> None:
    made = request_of(program, "search", b"caf\xe9", b"--path=d\xff")
    assert (made["query"], made["paths"]) == ("caf\ufffd", [b"d\xff"])


@pytest.mark.parametrize("query", ["", " ", "\t\n", "x" * 1001, "a\x1bb", "a\rb", "a\x7f", "a\x9bb"])
def test_a_query_that_cannot_be_taken_is_status_4(program: Program, query: str) -> None:
    ran = program("search", "--json", "--", query, fake="one")
    assert (ran.returncode, json.loads(ran.stdout)["error"]["code"]) == (4, "PARSE_ERROR")


def test_a_query_of_1000_characters_is_taken(program: Program) -> None:
    assert program("search", "é" * 1000, fake="one").returncode == 0


@pytest.mark.parametrize("limit", ["0", "101", "x", "-1", "1.5", ""])
def test_a_bad_limit_is_status_4(program: Program, limit: str) -> None:
    ran = program("search", "x", "--limit", limit, fake="one")
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr.startswith("Error: --limit: ")


def test_an_unknown_language_is_status_4_with_the_nearest_name(program: Program) -> None:
    ran = program("search", "x", "--lang", "pyton", fake="one")
    assert (ran.returncode, ran.stderr) == (4, 'Error: unknown language "pyton"\ndid you mean "python"?\n')


@pytest.mark.parametrize("argv", [["search", "x", "-p", "nowhere"], ["status", "-p", "nowhere"], ["index", "nowhere"]])
def test_a_folder_that_does_not_exist_is_status_2(program: Program, argv: list[str]) -> None:
    ran = program(*argv, fake="one")
    assert ran.returncode == 2
    assert ran.stderr.startswith("Error: nowhere does not exist\n")


def test_a_deleted_current_folder_is_status_2(program: Program, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "os.chdir(sys.argv[1]); os.rmdir(sys.argv[1]); sys.argv[1:] = ['search', 'x']\n"
    ran = program.python(code + "from greppy.cli.main import main\nsys.exit(main())", str(gone))
    assert ran.returncode == 2
    assert ran.stderr.startswith("Error: the current folder is gone")


def test_nothing_asked_gives_help_on_stderr_and_status_4(program: Program) -> None:
    ran = program()
    assert (ran.returncode, ran.stdout) == (4, "")
    assert "Usage: greppy" in ran.stderr


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["help"]])
def test_help_is_on_stdout_with_status_0(program: Program, argv: list[str]) -> None:
    ran = program(*argv)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert all(verb in ran.stdout for verb in ("search", "index", "list", "forget", "status", "config"))


@pytest.mark.parametrize("verb", ["search", "index", "list", "forget", "status", "config", "help"])
def test_every_command_has_help_of_its_own(program: Program, verb: str) -> None:
    asked, told = program(verb, "--help"), program("help", verb)
    assert (asked.returncode, told.returncode) == (0, 0)
    assert asked.stdout.startswith(f"Usage: greppy {verb}")
    assert told.stdout.startswith(f"Usage: greppy {verb}")


def test_help_for_no_command_is_status_4(program: Program) -> None:
    assert program("help", "sarch").returncode == 4


def test_the_version_is_printed(program: Program) -> None:
    ran = program("--version")
    assert (ran.returncode, ran.stdout) == (0, "greppy 0.1.0\n")


@pytest.mark.parametrize(
    ("fake", "status", "code", "message"),
    [
        ("no project", 2, "NO_PROJECT", "no project here"),
        ("index", 3, "INDEX_ERROR", "the index is broken"),
        ("os", 3, "IO_ERROR", "No space left on device"),
        ("memory", 3, "INDEX_ERROR", "out of memory"),
        ("bug", 3, "INDEX_ERROR", "unexpected ValueError: odd"),
        ("recursion", 3, "INDEX_ERROR", "unexpected RecursionError: deep"),
    ],
)
def test_an_error_of_the_engine_becomes_a_status_a_line_and_a_hint(
    program: Program, fake: str, status: int, code: str, message: str
) -> None:
    told = program("search", "x", fake=fake)
    assert (told.returncode, told.stdout) == (status, "")
    lines = told.stderr.splitlines()
    assert (lines[0], len(lines)) == (f"Error: {message}", 2)
    asked = program("x", "-j", fake=fake)
    error = json.loads(asked.stdout)["error"]
    assert (asked.returncode, asked.stderr, error["code"], error["message"]) == (status, "", code, message)
    assert error["hint"] == lines[1]


def test_a_traceback_is_shown_only_when_the_log_level_is_debug(program: Program) -> None:
    assert "Traceback" not in program("x", fake="bug", GREPPY_LOG="info").stderr
    assert "Traceback" in program("x", fake="bug", GREPPY_LOG="debug").stderr


def test_a_search_is_logged_without_its_query_below_debug(program: Program) -> None:
    ran = program("secret", fake="one", GREPPY_LOG="greppy.search=info")
    assert ran.stderr.endswith("INFO greppy.search project=/p results=1 took_ms=3.1\n")
    assert "secret" not in ran.stderr
    assert "query=secret" in program("secret", fake="one", GREPPY_LOG="debug").stderr


def test_names_and_content_never_reach_the_terminal_raw(program: Program) -> None:
    ran = program("x", fake="cursed")
    assert ran.stdout == (
        '"a\\033]0;x\\a.py":3  ev\\x1bil  function\n│ x\\x1b[2J\\x9b\\u202ey\n\nFound 1 result in 1ms\n'
    )
    asked = program("x", "--json", fake="cursed").stdout
    assert asked.rstrip("\n").isprintable()
    assert json.loads(asked)["results"][0]["content"] == "x\x1b[2J\x9b\u202ey"


def test_ctrl_c_ends_quietly_with_130(program: Program) -> None:
    process = subprocess.Popen(
        program.command("search", "x", fake="sleep"),
        env=program.with_fake("sleep"),
        cwd=program.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20) == (b"", b"")
    assert process.returncode == 130


HELD = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
{}
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.parametrize("argv", [["search", "x"], ["--help"], ["--version"], ["search", "x", "--json"], []])
def test_ctrl_c_that_was_held_back_while_the_program_started_ends_it_quietly(program: Program, argv: list[str]) -> None:
    before = HELD.format("os.kill(os.getpid(), signal.SIGINT)")
    command = [sys.executable, "-c", before, *program.command(*argv)]
    ran = subprocess.run(command, cwd=program.folder, env=program.environment, capture_output=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")


def test_ctrl_c_is_no_longer_held_back_once_the_program_runs(program: Program) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HELD.format(""), *map(os.fsdecode, program.command("search", "x", fake="sleep"))],
        env=program.with_fake("sleep"),
        cwd=program.folder,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    assert (process.communicate(timeout=20)[1], process.returncode) == (b"", 130)


INTERRUPTED_IN = """
import os, signal, time
from greppy.cli import main

class Callback:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)

def in_a_callback(*_):
    Callback()
    time.sleep(20)

def on_the_way_out(*_):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(20)
    finally:
        os.close(99)

main._run = {}
sys.exit(main.main())
"""


@pytest.mark.parametrize("where", ["in_a_callback", "on_the_way_out"])
def test_ctrl_c_is_neither_lost_nor_taken_for_another_error(program: Program, where: str) -> None:
    """Python drops what a callback raises; and what fails while an interrupt is cleaned up after is no failure."""
    ran = program.python(INTERRUPTED_IN.replace("{}", where))
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")


def test_ctrl_c_while_the_interpreter_is_taken_down_comes_too_late(program: Program) -> None:
    code = "import atexit, signal, threading\natexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
    ran = program.python(code + "from greppy.cli.main import main\nsys.exit(main())", "--version")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("greppy ")


@pytest.mark.parametrize("argv", [["search", "x"], ["search", "x", "--json"], ["--help"], ["config"]])
def test_a_reader_that_leaves_ends_the_program_quietly_with_141(program: Program, argv: list[str]) -> None:
    command = program.command(*argv, fake="many")
    process = subprocess.Popen(
        command, env=program.with_fake("many"), cwd=program.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, complaints = process.communicate(timeout=20)
    assert (process.returncode, complaints) == (141, b"")


@pytest.mark.parametrize("argv", [["search", "x"], ["search", "x", "--json"], ["--help"], ["config"], ["--version"]])
def test_a_full_disk_under_stdout_is_status_3(program: Program, argv: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        command = program.command(*argv, fake="one")
        ran = subprocess.run(
            command, env=program.with_fake("one"), cwd=program.folder, stdout=full, stderr=subprocess.PIPE
        )
    assert ran.returncode == 3
    assert ran.stderr.startswith(b"Error: cannot write the output: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_no_harm(program: Program, closed: str) -> None:
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *program.command("search", "x", fake="one")]
    ran = subprocess.run(shell, env=program.with_fake("one"), cwd=program.folder, capture_output=True)
    assert ran.returncode == 0
    assert ran.stderr == b""
    if ">&-" not in closed.replace("2>&-", ""):
        assert ran.stdout.decode() == RESULT


def test_a_file_that_the_engine_opens_never_takes_the_place_of_a_closed_stdout(program: Program) -> None:
    code = "from greppy.cli.main import main\nmain(['--version'])\nsys.exit(os.open('f', os.O_CREAT | os.O_RDWR))"
    assert program.python(code, shell=">&-").returncode > 2


def test_stdin_is_never_read(program: Program) -> None:
    process = subprocess.Popen(
        program.command("search", "x", fake="one"),
        env=program.with_fake("one"),
        cwd=program.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.wait(20) == 0
    process.communicate()


def test_the_limit_and_the_content_come_from_the_configuration_unless_given(program: Program) -> None:
    program.home.mkdir()
    (program.home / "config.toml").write_text("[general]\nlimit = 7\ncontent = false\n")
    assert request_of(program, "x")["limit"] == 7
    assert request_of(program, "x")["content"] is False
    assert request_of(program, "x", "-l9", "--content")["limit"] == 9


def test_a_project_has_its_own_settings(program: Program) -> None:
    program.home.mkdir()
    (program.home / "config.toml").write_text(f'[projects."{program.folder}"]\nlimit = 3\n')
    below = program.folder / "below"
    below.mkdir()
    assert "'limit': 3" in program("x", fake="request", cwd=below).stderr


def test_a_setting_that_cannot_be_taken_is_status_4_and_an_unknown_one_a_warning(program: Program) -> None:
    program.home.mkdir()
    file = program.home / "config.toml"
    file.write_text("[general]\nlimt = 7\n")
    ran = program("x", fake="one")
    assert (ran.returncode, ran.stdout) == (0, RESULT)
    assert ran.stderr == f'greppy: {file}: unknown key "limt" in [general]; did you mean "limit"?\n'
    file.write_text("[general]\nlimit = 'many'\n")
    ran = program("x", fake="one")
    assert ran.returncode == 4
    assert "general.limit must be a number from 1 to 100" in ran.stderr
