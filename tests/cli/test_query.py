"""`greppy query` from its words to its records, with real projects."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.output.schema import faults

if TYPE_CHECKING:
    from tests.cli.conftest import Program

AUTH = '''"""Who may enter."""


def check_session(request):
    """Whether the session of a request is valid."""
    token = request.cookies["token"]
    return token in request.store


def revoke(token, store):
    store.remove(token)
'''
GUIDE = "# Guide\n\n## Sessions\n\nA session is checked by its token.\n\n## Logging\n\nNothing is logged.\n"
CONTRACT = """SERVICE AGREEMENT

1. Definitions

1.1 "Licensee" means the party to whom the license is granted under this agreement.

2. Termination

2.1 Either party may terminate this agreement for material breach upon written notice.

3. Liability

3.1 No party shall be liable for damages, notwithstanding any warranty in this license.
"""
LOG = "".join(f"2026-01-31 23:{n:02d}:00 INFO request served in {n} ms\n" for n in range(40)) + (
    "2026-01-31 23:59:59 ERROR connection refused by database\n"
    "Traceback (most recent call last):\n"
    '  File "db.py", line 3\n'
    "OSError: refused\n"
)

Ask = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def filled(program: Program) -> Program:
    """A repository with code, documentation, a contract and a log, committed."""
    files = {"src/auth.py": AUTH, "docs/guide.md": GUIDE, "legal/contract.txt": CONTRACT, "var/app.log": LOG}
    files["tests/test_auth.py"] = "from auth import check_session\n\n\ndef test_session():\n    check_session(None)\n"
    for name, text in files.items():
        (program.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (program.folder / name).write_text(text, encoding="utf-8")
    git(program, "add", "-A")
    git(program, "commit", "-qm", "c")
    return program


def git(program: Program, *argv: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
    subprocess.run(["git", *identity, *argv], cwd=program.folder, env=program.environment, check=True)


def records(program: Program, *argv: str | bytes, **options: Any) -> list[dict[str, Any]]:
    ran = program("query", *argv, **options)
    assert ran.returncode in (0, 1), ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_every_record_is_what_the_schema_says_in_every_mode(filled: Program) -> None:
    for mode in ("text", "structure", "hybrid"):
        for query in ("where is the session checked", "terminate the agreement", "connection refused", "check_session"):
            found = records(filled, query, "--mode", mode)
            assert found
            assert [fault for record in found for fault in faults(record)] == []


def test_the_parts_of_a_score_add_up_to_it_and_the_best_comes_first(filled: Program) -> None:
    for mode in ("text", "structure", "hybrid"):
        found = records(filled, "session token", "--mode", mode)
        assert all(abs(sum(r["score_breakdown"].values()) - r["score"]) < 1e-9 for r in found)
        assert [r["score"] for r in found] == sorted((r["score"] for r in found), reverse=True)
        assert all(0 < r["score"] <= 1 for r in found)


def test_an_id_is_the_hash_of_what_names_the_record(filled: Program) -> None:
    for record in records(filled, "session token"):
        span = f"{record['span']['start']}-{record['span']['end']}"
        named = ":".join((record["source_type"], record["path"], record["anchor"], span, "session token"))
        assert record["id"] == hashlib.sha1(named.encode()).hexdigest()


def test_the_span_is_where_the_snippet_lies_in_the_file(filled: Program) -> None:
    (filled.folder / "bom.py").write_bytes(b"\xef\xbb\xbf# session\r\nx = 'caf\xe9 session'\r\n")
    for mode in ("text", "structure", "hybrid"):
        for record in records(filled, "session", "--mode", mode):
            data = (filled.folder / record["path"]).read_bytes()
            shown = data[record["span"]["start"] : record["span"]["end"]]
            assert shown.decode("latin-1" if b"\xe9" in data else "utf-8").replace("\r\n", "\n") == record["snippet"]
            before = data[: record["span"]["start"]]
            assert before.count(b"\n") + 1 == record["start_line"]


def test_each_record_says_which_bytes_it_shows_and_whether_they_are_committed(filled: Program) -> None:
    (filled.folder / "src" / "auth.py").write_text(AUTH + "# changed\n", encoding="utf-8")
    (filled.folder / "new.py").write_text("session = token = 1\n", encoding="utf-8")
    for mode in ("text", "hybrid"):
        found = {r["path"]: r for r in records(filled, "session token", "--mode", mode)}
        assert {path: r["dirty"] for path, r in found.items() if path != "docs/guide.md"} == {
            "src/auth.py": True,
            "new.py": True,
        } | ({"tests/test_auth.py": False} if "tests/test_auth.py" in found else {})
        assert found["docs/guide.md"]["dirty"] is False
        for path, record in found.items():
            data = (filled.folder / path).read_bytes()
            assert record["oid"] == hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            assert record["freshness"]["stale"] is False


def test_stale_is_told_only_where_nothing_is_refreshed(filled: Program) -> None:
    records(filled, "session")
    (filled.folder / "src" / "auth.py").write_text(AUTH + "# changed\n", encoding="utf-8")
    stale = {r["path"]: r["freshness"]["stale"] for r in records(filled, "session", "--no-refresh")}
    assert stale["src/auth.py"] is True
    assert stale["docs/guide.md"] is False
    assert not any(r["freshness"]["stale"] for r in records(filled, "session"))


def test_signals_tell_tests_and_text_that_could_not_be_parsed(filled: Program) -> None:
    (filled.folder / "broken.py").write_text("def session(:\n    token ===\n", encoding="utf-8")
    found = {r["path"]: r["signals"] for r in records(filled, "session token")}
    assert found["tests/test_auth.py"]["test"] and not found["src/auth.py"]["test"]
    assert found["broken.py"]["parse_error"] and not found["src/auth.py"]["parse_error"]


def test_anchors_are_symbols_sections_and_lines(filled: Program) -> None:
    anchors = {r["path"]: r["anchor"] for r in records(filled, "session checked token")}
    assert anchors["src/auth.py"] == "check_session"
    assert anchors["docs/guide.md"] == "section-sessions"
    assert records(filled, "material breach")[0]["anchor"].startswith("section-2")
    assert records(filled, "refused by database")[0]["anchor"] == "line-41"


def test_domains_are_told_apart_and_one_can_be_asked_for(filled: Program) -> None:
    for query, domain, path in (
        ("how is the agreement ended", "legal", "legal/contract.txt"),
        ("failed connection", "logs", "var/app.log"),
        ("session", "docs", "docs/guide.md"),
        ("session", "code", "src/auth.py"),
    ):
        found = records(filled, query, "--domain", domain)
        assert {r["source_type"] for r in found} == {domain}
        assert found[0]["path"] == path
        assert records(filled, f"{query} domain:{domain}")[0]["path"] == path


def test_an_empty_file_that_the_query_names_is_no_result(filled: Program) -> None:
    (filled.folder / "zebra.py").touch()
    assert records(filled, "zebra") == records(filled, "zebra", "--mode", "structure") == []


def test_a_file_is_told_once_in_hybrid_mode_with_its_other_places(filled: Program) -> None:
    whole = records(filled, "token", "--mode", "structure")
    folded = records(filled, "token")
    assert [r["path"] for r in whole].count("src/auth.py") == 2
    assert [r["path"] for r in folded].count("src/auth.py") == 1
    assert {place["symbol"] for r in folded if r["path"] == "src/auth.py" for place in r["also"]} == {"revoke"}


@pytest.mark.parametrize("mode", ["text", "structure", "hybrid"])
def test_pages_by_cursor_are_the_answer_cut_into_pieces(filled: Program, mode: str) -> None:
    for number in range(23):
        (filled.folder / f"f{number}.py").write_text(f"def session_{number}():\n    return token\n", encoding="utf-8")
    whole = [r["id"] for r in records(filled, "session token", "--mode", mode, "--max-results", "100")]
    paged: list[str] = []
    more: list[str] = []
    while True:
        page = records(filled, "session token", "--mode", mode, "--max-results", "7", *more)
        assert all("cursor" not in record for record in page[:-1])
        paged += [record["id"] for record in page]
        if "cursor" not in page[-1]:
            break
        more = ["--cursor", page[-1]["cursor"]]
    assert paged == whole
    assert len(whole) > 20


def test_a_cursor_goes_on_behind_its_record_when_others_came_before(filled: Program) -> None:
    for number in range(9):
        (filled.folder / f"f{number}.py").write_text("zebra = 1\n", encoding="utf-8")
    first = records(filled, "zebra", "--max-results", "3")
    (filled.folder / "a.py").write_text("zebra = 1\n", encoding="utf-8")
    second = records(filled, "zebra", "--max-results", "3", "--cursor", first[-1]["cursor"])
    assert [r["path"] for r in first + second] == [f"f{n}.py" for n in range(6)]


@pytest.mark.parametrize("cursor", ["x", "1.2.3", "9.aaaaaaaa.aaaaaa", "", "-1.aaaaaaaa.aaaaaa", "1.ZZ\n.a"])
def test_a_cursor_of_nothing_or_of_another_query_is_status_4(filled: Program, cursor: str) -> None:
    ran = filled("query", "session", "--cursor", cursor)
    assert (ran.returncode, json.loads(ran.stdout)["error"]["code"]) == (4, "PARSE_ERROR")


@pytest.mark.parametrize("form", ["jsonl", "json", "table", "compact"])
@pytest.mark.parametrize("tokens", [32, 60, 150, 400, 2000])
def test_a_budget_is_never_exceeded_and_never_leaves_nothing(filled: Program, form: str, tokens: int) -> None:
    for number in range(30):
        text = f"def session_{number}():\n" + "    token = session\n" * 30
        (filled.folder / f"f{number}.py").write_text(text, encoding="utf-8")
    ran = filled("query", "session token", "--format", form, "--max-tokens", str(tokens), "--max-results", "20")
    assert ran.returncode == 0
    assert len(ran.stdout.encode()) <= 4 * tokens
    assert "f" in ran.stdout


def test_a_small_budget_goes_to_the_best_results(filled: Program) -> None:
    whole = [r["path"] for r in records(filled, "session token")]
    few = [r["path"] for r in records(filled, "session token", "--max-tokens", "450")]
    assert few == whole[: len(few)]
    assert 1 <= len(few) < len(whole)


def test_context_lines_are_those_around_the_best_line(filled: Program) -> None:
    for mode in ("text", "hybrid"):
        one = records(filled, "revoke token", "--mode", mode, "--context-lines", "0", "--path", "src")[0]
        assert one["start_line"] == one["end_line"]
        three = records(filled, "revoke token", "--mode", mode, "--context-lines", "1", "--path", "src")[0]
        assert (three["start_line"], three["end_line"]) in ((one["start_line"] - 1, n) for n in range(99))
        assert three["end_line"] - three["start_line"] <= 2


def test_long_lines_are_cut_around_what_matched(filled: Program) -> None:
    (filled.folder / "long.js").write_text("a" * 5000 + " zebra " + "b" * 5000 + "\n", encoding="utf-8")
    for mode in ("text", "structure", "hybrid"):
        (record,) = records(filled, "zebra", "--mode", mode)
        assert "zebra" in record["snippet"] and len(record["snippet"]) < 300
        assert 4700 < record["cut"][0]["column"] < 5001


def test_text_mode_takes_a_folder_that_is_no_project_and_writes_no_index(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "loose"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.txt").write_text("the zebra crossed\n\nnothing\n", encoding="utf-8")
    found = records(program, "zebra", "--mode", "text", "--path", str(folder), cwd=tmp_path)
    assert [(r["path"], r["anchor"], r["dirty"]) for r in found] == [("sub/a.txt", "line-1", None)]
    assert not (program.home / "indexes").exists()
    assert program("query", "zebra", "--path", str(folder), cwd=tmp_path).returncode == 2


def test_a_path_that_is_no_utf8_is_told_without_loss(filled: Program) -> None:
    (filled.folder / os.fsdecode(b"caf\xe9.py")).write_text("zebra = 1\n", encoding="utf-8")
    for mode in ("text", "hybrid"):
        (record,) = records(filled, "zebra", "--mode", mode)
        assert record["path"] == {"bytes": "Y2Fm6S5weQ=="}
        assert list(faults(record)) == []


def test_the_path_limits_the_answer_to_a_folder_or_a_file(filled: Program) -> None:
    for mode in ("text", "hybrid"):
        for place in ("docs", "docs/guide.md", str(filled.folder / "docs")):
            assert {r["path"] for r in records(filled, "session", "--mode", mode, "--path", place)} == {"docs/guide.md"}
    assert filled("query", "x", "--path", "nowhere").returncode == 2


def test_filters_hold_as_options_and_in_the_query(filled: Program) -> None:
    for argv, path in (
        (["--include", "*.md"], "docs/guide.md"),
        (["--exclude", "*.py", "--exclude", "legal", "--exclude", "var"], "docs/guide.md"),
        (["ext:md"], "docs/guide.md"),
        (["--ext", "md"], "docs/guide.md"),
        (["lang:markdown"], "docs/guide.md"),
        (["file:guide"], "docs/guide.md"),
        (["--file", "guide*"], "docs/guide.md"),
        (["path:src"], "src/auth.py"),
        (["lang:py -path:tests"], "src/auth.py"),
        (["sym:check_ses"], "src/auth.py"),
        (["--sym", "check_*"], "src/auth.py"),
        (["kind:section"], "docs/guide.md"),
    ):
        for mode in ("text", "hybrid") if "sym" not in str(argv) and "kind" not in str(argv) else ("hybrid",):
            found = records(filled, "session", *argv, "--mode", mode)
            assert {r["path"] for r in found} == {path}, (argv, mode)


def test_text_mode_refuses_what_it_cannot_hold_to(filled: Program) -> None:
    for argv in (["--sym", "x"], ["session kind:class"], ["--rev", "HEAD"]):
        assert filled("query", "session", "--mode", "text", *argv).returncode == 4


def test_text_mode_knows_a_contract_and_a_log_by_their_text(filled: Program) -> None:
    for query, domain in (("party", "legal"), ("refused", "logs")):
        (filled.folder / "plain.txt").write_text(CONTRACT if domain == "legal" else LOG, encoding="utf-8")
        found = records(filled, query, "--mode", "text", "--include", "plain.txt")
        assert {r["source_type"] for r in found} == {domain}


def test_a_revision_is_searched_as_it_was_committed(filled: Program) -> None:
    (filled.folder / "src" / "auth.py").write_text("nothing = 1\n", encoding="utf-8")
    for argv in (["session token", "--rev", "HEAD"], ["session token rev:HEAD"]):
        found = {r["path"]: r for r in records(filled, *argv)}
        assert found["src/auth.py"]["dirty"] is False
        assert found["src/auth.py"]["revisions"] == ["HEAD"]
        assert list(faults(found["src/auth.py"])) == []


def test_a_phrase_must_stand_there_and_an_excluded_word_must_not(filled: Program) -> None:
    for mode in ("text", "hybrid"):
        assert {r["path"] for r in records(filled, '"session is checked"', "--mode", mode)} == {"docs/guide.md"}
        left = {r["path"] for r in records(filled, "session -cookies -logging", "--mode", mode)}
        assert "docs/guide.md" in left
    assert "check_session" not in {r["anchor"] for r in records(filled, "session -cookies", "--mode", "structure")}


def test_a_phrase_that_stands_nowhere_becomes_its_words_and_that_is_said(filled: Program) -> None:
    ran = filled("query", '"token session"')
    assert ran.returncode == 0
    assert '"token session" stands nowhere' in ran.stderr


def test_a_word_that_the_project_lacks_is_corrected_and_that_is_said(filled: Program) -> None:
    (filled.folder / "z.py").write_text("def middleware(): pass\n", encoding="utf-8")
    ran = filled("query", "midleware")
    assert json.loads(ran.stdout)["path"] == "z.py"
    assert 'this is for "middleware"' in ran.stderr
    assert filled("query", "qqqqzzzz").returncode == 1


@pytest.mark.parametrize("argv", [["--mode", "x"], ["--format", "x"], ["--domain", "x"], ["--max-results", "0"]])
def test_a_value_that_there_is_not_is_status_4(filled: Program, argv: list[str]) -> None:
    ran = filled("query", "session", *argv)
    assert (ran.returncode, json.loads(ran.stdout)["error"]["code"]) == (4, "PARSE_ERROR")


def test_nothing_found_is_status_1_and_no_record(filled: Program) -> None:
    for mode in ("text", "structure", "hybrid"):
        ran = filled("query", "qqqzzz", "--mode", mode)
        assert (ran.returncode, ran.stdout) == (1, "")
        assert 'no results for "qqqzzz"' in ran.stderr


def test_the_document_has_the_records_and_what_is_said_of_all(filled: Program) -> None:
    ran = filled("query", "session", "--format", "json", "--max-results", "2")
    document = json.loads(ran.stdout)
    assert [r["id"] for r in document["results"]] == [r["id"] for r in records(filled, "session", "--max-results", "2")]
    assert (document["query"], document["index"]) == ("session", "full")
    assert "cursor" in document["results"][-1]
    assert json.loads(filled("query", "qqqzzz", "--format", "json").stdout)["results"] == []


def test_table_and_compact_have_a_line_a_result(filled: Program) -> None:
    table = filled("query", "revoke", "--format", "table", "--path", "src").stdout
    assert table.splitlines()[0].split()[1:] == ["src/auth.py:10-11", "revoke", "function"]
    compact = filled("query", "revoke", "--format", "compact", "--path", "src").stdout
    assert compact == "src/auth.py:10 revoke | def revoke(token, store):\n"


def test_explain_names_the_parts_of_each_score(filled: Program) -> None:
    lines = filled("query", "revoke", "--format", "table", "--explain", "--path", "src").stdout.splitlines()
    total, _, parts = lines[1].partition(" = ")
    assert abs(float(total) - sum(float(part.split()[1]) for part in parts.split(" + "))) < 1e-3
    assert lines[0].startswith(total.strip())


def test_the_plan_is_shown_and_nothing_searched(program: Program, tmp_path: Path) -> None:
    ran = program("query", "where is auth checked path:src", "--show-plan", "--format", "table", cwd=tmp_path)
    assert ran.returncode == 0
    assert "intent     locate\n" in ran.stdout
    assert "filters    path:src\n" in ran.stdout
    plan = json.loads(program("query", "where is auth checked", "--show-plan", cwd=tmp_path).stdout)
    assert {"term": "jwt", "word": "jwt", "weight": 0.5, "from": "lexicon:auth", "for": "auth"} in plan["terms"]
    assert not program.home.exists() or not (program.home / "indexes").exists()


def test_a_lexicon_of_the_users_own_widens_the_plan(program: Program) -> None:
    program.home.mkdir()
    (program.home / "config.toml").write_text('[lexicon]\nconcepts = ["gizmo > sprocket"]\n', encoding="utf-8")
    (program.folder / "a.py").write_text("sprocket = 1\n", encoding="utf-8")
    assert [r["path"] for r in records(program, "gizmo")] == ["a.py"]
