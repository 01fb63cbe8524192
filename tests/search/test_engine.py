"""A search from beginning to end, over real files: what it answers, and that it is what lies on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from greppy.errors import NoIndex
from greppy.search.rank import rank
from greppy.search.result import Request, Response
from tests.projects import Searched

AUTH = '''"""Who may do what."""

import hashlib


class SessionStore:
    """Keeps sessions."""

    def save(self, session):
        # write the session to the table
        self.rows[session.key] = session.data
        return session.key

    def validate(self, session):
        """Is the session still valid?"""
        if session.expired():
            raise PermissionError("expired")
        return session.key in self.rows


def hash_password(text, salt):
    return hashlib.scrypt(text, salt=salt, n=2, r=8, p=1)
'''
CONFIG = """# Settings

How to configure the program.

## Sessions

A session lives for an hour, and is validated at each request.
"""


@pytest.fixture
def filled(project: Searched) -> Searched:
    project.write({"src/auth.py": AUTH, "docs/settings.md": CONFIG, "src/other.py": "def unrelated():\n    return 7\n"})
    return project


def test_a_question_is_answered_by_the_method_that_does_it(filled: Searched) -> None:
    first = filled.search("where are sessions validated").results[0]
    assert (first.path, first.symbol, first.kind) == (b"src/auth.py", "SessionStore.validate", "method")
    assert first.language == "python"


def test_the_content_of_a_result_is_the_lines_of_the_file(filled: Searched) -> None:
    lines = AUTH.split("\n")
    for result in filled.search("session").results:
        if result.path == b"src/auth.py":
            assert result.content.split("\n") == lines[result.start_line - 1 : result.end_line]
            assert all(result.start_line <= number <= result.end_line for number in result.matched_lines)
            assert all("session" in lines[number - 1].lower() for number in result.matched_lines)


def test_the_lines_that_matter_most_come_first(filled: Searched) -> None:
    result = filled.search("write session table").results[0]
    assert AUTH.split("\n")[result.matched_lines[0] - 1].strip() == "# write the session to the table"
    assert set(result.terms) >= {"write", "session", "table"}


def test_the_breakdown_of_a_score_adds_up_to_it(filled: Searched) -> None:
    for result in filled.search("hash a password").results:
        assert sum(result.breakdown.values()) == pytest.approx(result.score)
        assert {"bm25f", "structure", "coverage", "proximity", "path", "domain"} == set(result.breakdown)


def test_the_same_search_gives_the_same_answer(filled: Searched) -> None:
    def answer() -> list[tuple[object, ...]]:
        return [(r.path, r.start_line, r.end_line, r.score, r.content) for r in filled.search("session key").results]

    assert answer() == answer()


def test_an_index_with_a_history_answers_as_a_fresh_one(
    filled: Searched, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for number in range(30):
        filled.write(
            {f"src/gone{number}.py": f"def session_{number}(): validate()\n", "src/auth.py": AUTH + f"# {number}\n"}
        )
        filled.search("session")
        (filled.path / f"src/gone{number}.py").unlink()
    filled.write({"src/auth.py": AUTH})
    old = [(r.path, r.start_line, r.score) for r in filled.search("validate session hour").results]
    filled.home = os.fsencode(tmp_path_factory.mktemp("fresh"))
    assert [(r.path, r.start_line, r.score) for r in filled.search("validate session hour").results] == old


def test_a_file_that_was_edited_is_right_in_the_next_search(filled: Searched) -> None:
    assert filled.paths("zebra") == []
    filled.write({"src/other.py": "def zebra():\n    return 7\n"})
    assert filled.paths("zebra") == ["src/other.py"]
    assert "src/other.py" not in filled.paths("unrelated")


def test_one_blob_under_two_paths_is_found_under_both(filled: Searched) -> None:
    filled.write({"a/copy.py": "def quagga(): pass\n", "b/copy.py": "def quagga(): pass\n"})
    assert sorted(filled.paths("quagga")) == ["a/copy.py", "b/copy.py"]
    (filled.path / "a/copy.py").unlink()
    assert filled.paths("quagga") == ["b/copy.py"]


def test_without_refresh_the_index_answers_as_it_was(filled: Searched) -> None:
    with pytest.raises(NoIndex):
        filled.search("session", refresh=False)
    filled.search("session")
    filled.write({"src/other.py": "def zebra(): pass\n"})
    assert filled.paths("zebra", refresh=False) == []
    assert filled.paths("unrelated", refresh=False) == ["src/other.py"]


def test_a_file_that_changes_while_it_is_searched_makes_the_search_start_over(
    filled: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.search("session")
    edits = iter(["def session_moved():\n    return 8\n"])

    def rank_and_edit(*arguments: object) -> object:
        hits = rank(*arguments)  # type: ignore[arg-type]
        for text in edits:
            filled.write({"src/auth.py": text})
        return hits

    monkeypatch.setattr("greppy.search.engine.rank", rank_and_edit)
    results = filled.search("session").results
    assert [r.content for r in results if r.path == b"src/auth.py"] == ["def session_moved():\n    return 8"]


def test_a_file_that_never_holds_still_is_left_out(filled: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(100))

    def rank_and_edit(*arguments: object) -> object:
        hits = rank(*arguments)  # type: ignore[arg-type]
        filled.write({"src/auth.py": f"def session_{next(numbers)}(): pass\n"})
        return hits

    monkeypatch.setattr("greppy.search.engine.rank", rank_and_edit)
    assert filled.paths("session") == ["docs/settings.md"]


def test_content_can_be_left_out(filled: Searched) -> None:
    results = filled.search("session", content=False).results
    assert results
    assert {result.content for result in results} == {""}


def test_no_more_results_than_the_limit_and_the_total_is_told(filled: Searched) -> None:
    response = filled.search("session", limit=2)
    assert len(response.results) == 2
    assert response.total > 2


def test_a_file_is_found_by_its_name_alone(filled: Searched) -> None:
    filled.write({"src/zebra.py": "x = 1\n"})
    assert filled.paths("zebra") == ["src/zebra.py"]


def test_all_places_of_one_file_are_there_when_there_is_room(project: Searched) -> None:
    project.write({"a.py": "\n\n".join(f"def f{n}():\n    return okapi({n})" for n in range(30))})
    results = project.search("okapi", limit=100).results
    assert len(results) == 30
    assert [result.score for result in results] == sorted((result.score for result in results), reverse=True)


def test_one_file_with_many_places_does_not_crowd_out_others(project: Searched) -> None:
    project.write({"a.py": "\n\n".join(f"def okapi{n}():\n    return okapi(okapi({n}))" for n in range(30))})
    project.write({f"m{n}.py": "def other():\n    return okapi(1)\n" for n in range(5)})
    assert len(project.paths("okapi", limit=10)) == 6


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "def größe(): return 'zebra'\n"),
        ("utf-16", "def größe(): return 'zebra'\n"),
        ("latin-1", "def größe(): return 'zebra'\n"),
    ],
)
def test_text_in_any_encoding_is_found_and_shown(project: Searched, encoding: str, text: str) -> None:
    project.write({"a.py": text.encode(encoding)})
    for query in ("zebra", "größe"):
        assert project.search(query).results[0].content.strip() == text.strip()


def test_a_nul_late_in_a_file_does_not_hide_it(project: Searched) -> None:
    project.write({"a.txt": b"zebra\n" + b"x" * 70 + b"\n" * 9000 + b"\0end quagga\n"})
    assert project.paths("quagga") == ["a.txt"]


def test_words_that_the_project_lacks_are_named_with_their_nearest(filled: Searched) -> None:
    assert filled.search("sesion").notes == ['"sesion" is nowhere in this project; nearest: session']


def test_a_query_without_a_word_says_so(filled: Searched) -> None:
    assert filled.search("?!").notes == ["the query has no word in it"]


def test_filters_that_leave_nothing_are_blamed(filled: Searched) -> None:
    response = filled.search("unrelated", include=[b"*.md"])
    assert response.notes == ["the query's words are in this project, but in no file that the filters allow"]


def test_a_test_file_ranks_below_the_source_unless_tests_are_asked_for(project: Searched) -> None:
    project.write({"lib/parse.py": "def parse(): pass\n", "tests/test_parse.py": "def test_parse(): parse()\n"})
    assert project.paths("parse")[0] == "lib/parse.py"
    assert project.paths("parse tests")[0] == "tests/test_parse.py"
    flags = {r.path: r.flags for r in project.search("parse").results}
    assert flags == {b"lib/parse.py": [], b"tests/test_parse.py": ["test"]}


def test_files_that_follow_each_other_and_define_one_name_are_both_its_definitions(project: Searched) -> None:
    project.write({f"{name}.py": f"# {name}\ndef okapi_size(): pass\n" for name in "abc"})
    found = project.search("okapi_size").results
    assert all(result.breakdown["structure"] > 0 for result in found)
    assert len(found) == 3


def test_generated_code_ranks_below_its_twin(project: Searched) -> None:
    project.write({"a_gen.py": "# @generated\ndef okapi(): pass\n", "b.py": "# by hand\ndef okapi(): pass\n"})
    assert project.paths("okapi") == ["b.py", "a_gen.py"]


def test_an_identifier_finds_its_definition_before_its_uses(project: Searched) -> None:
    uses = "def run():\n    load_config()\n    load_config()\n    load_config()\n"
    project.write({"a.py": uses, "b.py": uses, "z.py": "def load_config():\n    return 1\n"})
    assert project.paths("load_config")[0] == "z.py"
    assert project.search("loadConfig").results[0].symbol == "load_config"


def test_a_qualified_name_finds_that_method(project: Searched) -> None:
    methods = "    def save(self):\n        a = 1\n        b = 2\n        return a + b\n"
    project.write({"m.py": f"class Store:\n{methods}\n\nclass Session:\n{methods}"})
    for query in ("Session.save", "Session::save()"):
        assert project.search(query).results[0].symbol == "Session.save"


def test_a_name_that_is_defined_inside_of_a_chunk_comes_before_its_uses(project: Searched) -> None:
    macros = "".join(f"#define LIMIT_OF_{name} {number}\n" for number, name in enumerate("ABCDEFG"))
    use = "int f(int x)\n{\n    if (x > LIMIT_OF_C && LIMIT_OF_C)\n        return LIMIT_OF_C;\n    return x;\n}\n"
    outer = "def outer():\n    def read_quickly(x):\n        return x\n\n    return outer(1)\n"
    other = "def other():\n    return read_quickly(1) + read_quickly(2) + read_quickly(3)\n"
    project.write({"limits.h": macros, "a_use.c": use, "outer.py": outer, "a_use.py": other})
    assert project.paths("LIMIT_OF_C")[0] == "limits.h"
    assert project.paths("read_quickly")[0] == "outer.py"


def test_a_heading_with_a_name_in_it_defines_nothing(project: Searched) -> None:
    code = "\n\n".join(f"def f{number}():\n    return uv_handle_t({number})" for number in range(3))
    project.write({"guide.md": "# About uv_handle_t\n\nIt is uv_handle_t.\n", "f.py": code + "\n"})
    assert all(
        "structure" not in one.breakdown or not one.breakdown["structure"]
        for one in project.search("uv_handle_t").results
    )


def test_a_word_names_the_files_that_have_another_form_of_it(project: Searched) -> None:
    text = "def f():\n    return 'routing'\n"
    project.write({"a.py": text, "pkg/router.py": text, "pkg2/rot.py": text})
    assert project.paths("routing")[0] == "pkg/router.py"
    project.write({"z/routing.py": text})
    assert project.paths("routing")[0] == "z/routing.py"


def test_what_defines_nothing_ranks_below_what_does(project: Searched) -> None:
    uses = "print(quick)\nprint(quick)\nprint(quick)\n"
    project.write({"a.py": uses, "b.py": "def f():\n    print(quick)\n    print(quick)\n    print(quick)\n"})
    first, second = project.search("quick", limit=2).results
    assert (first.path, second.path) == (b"b.py", b"a.py")


def test_a_request_for_a_hundred_answers_from_ties_in_order_of_paths(project: Searched) -> None:
    project.write({f"d{n:02}/f.txt": "same words here\n" for n in range(40)})
    found = [os.fsdecode(r.path) for r in project.search("same words", limit=40).results]
    assert found == sorted(found)


def test_a_response_is_a_plain_value() -> None:
    request = Request("q", b"/p", b"/p")
    assert (request.limit, request.refresh, request.content) == (20, True, True)
    assert Response([], 0, 1.0, b"/p").index == "full"


def test_how_blobs_are_divided_among_shards_does_not_show(project: Searched, tmp_path: Path) -> None:
    project.write({f"d{n % 7}/f{n:03}.txt": f"zebra {'quartz ' * (n % 3)}\n" for n in range(300)})
    project.write({f"z{n}.py": f"def zebra_{n}():\n    return {n}\n" for n in range(40)})
    whole = project.search("zebra quartz", limit=15).results
    parted = Searched(project.path, tmp_path / "other")
    parted.config.shard_bytes = 600
    assert len(parted.view().shards) > len(project.view().shards)
    found = parted.search("zebra quartz", limit=15).results
    assert [(r.path, r.start_line, r.score) for r in found] == [(r.path, r.start_line, r.score) for r in whole]
