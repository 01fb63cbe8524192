"""Every verb from end to end: the real program, the real engine, real repositories."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program

AUTH = '''class Auth:
    def check_session(self, request):
        """Validate the session of a request."""
        return self.sessions.find(request.cookie)
'''


@pytest.fixture
def project(program: Program) -> Program:
    """A repository with something to find."""
    (program.folder / "src").mkdir()
    (program.folder / "src" / "auth.py").write_text(AUTH)
    (program.folder / "readme.md").write_text("# Sessions\n\nHow sessions are validated.\n")
    (program.folder / "image.bin").write_bytes(b"\x00\x01\x02")
    return program


def document(program: Program, *argv: str, status: int = 0) -> dict[str, Any]:
    ran = program(*argv)
    assert ran.returncode == status, ran.stderr
    read: dict[str, Any] = json.loads(ran.stdout)
    return read


def places(program: Program, *argv: str, status: int = 0) -> set[str]:
    return {result["path"] for result in document(program, "search", "--json", *argv, status=status)["results"]}


def test_the_first_search_indexes_and_answers(project: Program) -> None:
    ran = project("where", "are", "sessions", "validated")
    assert ran.returncode == 0, ran.stderr
    assert "src/auth.py:2-4  Auth.check_session  method\n│     def check_session(self, request):\n" in ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("Found 2 results in ")
    assert ran.stderr == ""


def test_json_has_the_agreed_names(project: Program) -> None:
    read = document(project, "search", "check_session", "--json")
    first = read["results"][0]
    assert (first["path"], first["symbol_name"], first["symbol_kind"]) == (
        "src/auth.py",
        "Auth.check_session",
        "method",
    )
    assert (first["start_line"], first["end_line"], first["language"]) == (2, 4, "python")
    assert first["content"] == AUTH.split("\n", 1)[1].rstrip("\n")
    assert (read["total"], read["query"]) == (len(read["results"]), "check_session")


def test_a_search_that_finds_nothing_names_the_nearest_words(project: Program) -> None:
    ran = project("sesions")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith('No results for "sesions"\n')
    assert "session" in ran.stderr.split("\n", 1)[1]


def test_a_search_may_be_narrowed(project: Program) -> None:
    assert places(project, "session") == {"src/auth.py", "readme.md"}
    assert places(project, "session", "--path", "src") == {"src/auth.py"}
    assert places(project, "session", "--include", "*.md") == {"readme.md"}
    assert places(project, "session", "--exclude", "auth") == {"readme.md"}
    assert places(project, "session", "--lang", "py") == {"src/auth.py"}
    assert len(document(project, "session", "-jl1")["results"]) == 1


def test_a_search_sees_what_was_written_just_before(project: Program) -> None:
    assert places(project, "zebraquartz", status=1) == set()
    (project.folder / "new.py").write_text("def zebraquartz():\n    pass\n")
    assert places(project, "zebraquartz") == {"new.py"}


def test_a_query_may_begin_with_a_dash_after_two(project: Program) -> None:
    assert places(project, "--", "session") == {"src/auth.py", "readme.md"}
    assert project("search", "--", "-session").returncode == 0


def test_a_project_may_be_named(project: Program, tmp_path: Path) -> None:
    ran = project("search", "session", "-p", str(project.folder), cwd=tmp_path)
    assert (ran.returncode, "src/auth.py" in ran.stdout) == (0, True)
    assert project("search", "session", "-p", "project/src", cwd=tmp_path).returncode == 0


def test_outside_of_a_project_the_status_is_2(project: Program, tmp_path: Path) -> None:
    for argv in (["search", "x", "--json"], ["status", "--json"]):
        ran = project(*argv, cwd=tmp_path)
        assert (ran.returncode, json.loads(ran.stdout)["error"]["code"]) == (2, "NO_PROJECT")
    assert project("index", cwd=tmp_path).returncode == 2


def test_odd_names_are_quoted_for_people_and_exact_for_programs(project: Program) -> None:
    names = [b"new\nline.py", b"caf\xe9.py", b"evil\x1b]0;x\x07.py"]
    for name in names:
        (project.folder / os.fsdecode(name)).write_text("def zebraquartz():\n    pass\n")
    shown = project("zebraquartz").stdout
    assert all(name in shown for name in ('"new\\nline.py":1-2', '"caf\\351.py":1-2', '"evil\\033]0;x\\a.py":1-2'))
    found = [result["path"] for result in document(project, "zebraquartz", "--json")["results"]]
    assert {"bytes": "Y2Fm6S5weQ=="} in found
    assert "new\nline.py" in found


def test_an_index_is_built_once_and_again_when_forced(project: Program) -> None:
    first, second, forced = project("index"), project("index", str(project.folder / "src")), project("index", "-f")
    assert [ran.returncode for ran in (first, second, forced)] == [0, 0, 0]
    assert f"{project.folder}: 2 files (2 analysed, 0 known, 1 not indexed)" in first.stdout
    assert "2 files, nothing changed" in second.stdout
    assert "2 analysed" in forced.stdout


def test_projects_below_a_folder_are_all_indexed(project: Program, tmp_path: Path) -> None:
    other = tmp_path / "deep" / "other"
    other.mkdir(parents=True)
    (other / "package.json").write_text("{}")
    ran = project("index", "--recursive", str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    assert {line.split(":")[0] for line in ran.stdout.splitlines()} == {str(project.folder), str(other)}
    assert project("index", "-r", str(other / "nothing")).returncode == 2


def test_a_folder_without_projects_is_status_2_for_recursive_too(project: Program, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = project("index", "-r", str(tmp_path / "empty"))
    assert (ran.returncode, ran.stdout) == (2, "")


def test_watching_takes_changes_in_until_ctrl_c(project: Program) -> None:
    watching = subprocess.Popen(
        project.command("index", "--watch"),
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert watching.stdout is not None and watching.stderr is not None
    assert "2 files" in watching.stdout.readline()
    assert "watching" in watching.stderr.readline()
    (project.folder / "new.py").write_text("def zebraquartz():\n    pass\n")
    assert "3 files (1 analysed, 2 known" in watching.stdout.readline()
    watching.send_signal(signal.SIGINT)
    assert watching.communicate(timeout=20) == ("", "")
    assert watching.returncode == 130
    assert places(project, "zebraquartz", "--no-refresh") == {"new.py"}


def test_what_is_indexed_is_listed_and_can_be_forgotten(project: Program) -> None:
    assert project("list").stderr == "No project is indexed yet\n"
    assert document(project, "list", "--json") == {"projects": []}
    project("index")
    assert project("list").stdout.startswith(f"{project.folder}  2 files, ")
    assert document(project, "list", "--json")["projects"][0]["path"] == str(project.folder)
    ran = project("forget", ".")
    assert (ran.returncode, ran.stdout.startswith(f"Forgot {project.folder} (")) == (0, True)
    assert project("forget", str(project.folder)).returncode == 3
    assert document(project, "list", "--json") == {"projects": []}


def test_a_project_that_is_gone_is_listed_as_such_and_can_be_forgotten(project: Program, tmp_path: Path) -> None:
    project("index")
    shutil.rmtree(project.folder)
    assert "folder is gone" in project("list", cwd=tmp_path).stdout
    assert project("forget", "project", cwd=tmp_path).returncode == 0


def test_an_index_that_must_not_be_built_is_missed(project: Program) -> None:
    ran = project("search", "session", "--no-refresh", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["error"]["code"]) == (3, "NO_INDEX")


def test_the_status_tells_what_is_there_and_what_changed(project: Program) -> None:
    assert document(project, "status", "--json")["indexed"] is False
    project("index")
    read = document(project, "status", "--json", "--skipped", "-p", ".")
    assert (read["path"], read["indexed"], read["files"], read["stale"]) == (str(project.folder), True, 2, 0)
    assert read["languages"] == {"markdown": 1, "python": 1}
    assert [skipped["path"] for skipped in read["skipped_files"]] == ["image.bin"]
    assert project("status", "--skipped").stdout.startswith("image.bin: ")
    (project.folder / "readme.md").write_text("# Changed\n")
    assert "since; the next search takes them in" in project("status").stdout


def test_the_configuration_is_shown_with_where_it_comes_from(project: Program) -> None:
    assert "(does not exist; these are the defaults)" in project("config").stdout
    project.home.mkdir(exist_ok=True)
    file = project.home / "config.toml"
    file.write_text(f'[general]\nlimit = 5\n[projects."{project.folder}"]\nmax_files = 7\n')
    shown = project("config").stdout
    assert f"limit = 5                     # results shown when --limit is not given ({file})" in shown
    read = document(project, "config", "--json")
    assert read["settings"]["general.limit"] == {"value": 5, "origin": str(file)}
    assert read["settings"]["index.max_files"] == {"value": 7, "origin": f'[projects."{project.folder}"]'}
    assert read["settings"]["general.color"] == {"value": "auto", "origin": "default"}


def test_a_size_of_the_configuration_decides_what_is_indexed(project: Program) -> None:
    project.home.mkdir(exist_ok=True)
    (project.home / "config.toml").write_text("[index]\nmax_file_size = 50\n")
    assert places(project, "session") == {"readme.md"}
    (project.home / "config.toml").write_text("[ignore]\npatterns = ['*.md']\n")
    assert places(project, "session") == {"src/auth.py"}


def test_a_file_that_was_not_indexed_for_its_size_is_searched_by_what_the_note_names(program: Program) -> None:
    (program.folder / "a.py").write_text("alpha = 1\n")
    (program.folder / "big.txt").write_text("zebra\n" + "okapi\n" * 400_000)
    (program.folder / ".gitignore").write_text(".coverage*\n")  # measured processes leave such files where they are run
    answer = program("search", "zebra").stderr
    notes = json.loads(program("search", "zebra", "--json").stdout)["notes"]
    assert notes == [
        '"zebra" is in no indexed file',
        "1 file is not indexed: 'greppy status --skipped' lists it, 'greppy grep' searches it",
    ]
    assert all(f"{note}\n" in answer for note in notes)
    assert "big.txt" in program("status", "--skipped").stdout
    assert program("grep", "zebra").stdout == "big.txt:1:zebra\n"
    (program.folder / "big.txt").unlink()
    assert json.loads(program("search", "zebra", "--json").stdout)["notes"] == ['"zebra" is nowhere in this project']
