"""Filters, phrases and exclusions in a query, with a real index."""

from __future__ import annotations

import pytest

from tests.projects import Searched

FILES = {
    "src/store.py": "class SessionStore:\n    def save(self, session):\n        return 'session saved'\n\n\n"
    "def open_session(path):\n    return SessionStore()\n",
    "src/store.go": "package store\n\n// Save keeps a session.\nfunc Save(session string) error {\n\treturn nil\n}\n",
    "docs/store.md": "# Store\n\nA session is\n  saved   there.\n",
    "tests/test_store.py": "def test_session_store():\n    assert session\n",
}


@pytest.fixture
def filled(project: Searched) -> Searched:
    project.write(dict(FILES))
    return project


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("session lang:go", {"src/store.go"}),
        ("session lang:go lang:markdown", {"src/store.go", "docs/store.md"}),
        ("session path:src ext:py", {"src/store.py"}),
        ("session file:test_", {"tests/test_store.py"}),
        ("session file:*.go", {"src/store.go"}),
        ("session path:*/store.*", {"src/store.py", "src/store.go", "docs/store.md"}),
        ("session path:[", set()),
        ("session -path:src -ext:md", {"tests/test_store.py"}),
        ("session sym:sessionstore", {"src/store.py"}),
        ("session sym:SessionStore.save", {"src/store.py"}),
        ("session sym:*save", {"src/store.py", "src/store.go"}),
        ("session kind:section", {"docs/store.md"}),
        ("session kind:class kind:section", {"src/store.py", "docs/store.md"}),
        ('"session is saved"', {"docs/store.md"}),
        ('"SESSION SAVED"', {"src/store.py"}),
        ('session -"is saved" -path:src', {"tests/test_store.py"}),
        ("domain:docs session", {"docs/store.md"}),
    ],
)
def test_a_filter_holds_for_every_result(filled: Searched, query: str, paths: set[str]) -> None:
    assert set(filled.paths(query)) == paths


def test_a_filter_that_names_a_symbol_is_the_query_where_there_is_no_other(filled: Searched) -> None:
    assert filled.search("sym:SessionStore").results[0].symbol == "SessionStore"


def test_a_phrase_that_stands_nowhere_gives_the_places_of_its_words(filled: Searched) -> None:
    response = filled.search('"saved session"')
    assert response.results
    assert response.notes == ['"saved session" stands nowhere like that; these places have the words']


def test_frequencies_do_not_depend_on_filters(filled: Searched) -> None:
    def texts(query: str) -> dict[bytes, float]:
        return {result.path: result.breakdown["bm25f"] for result in filled.search(query, fold=True).results}

    whole = texts("session saved")
    assert texts("session saved path:src") == {path: pytest.approx(whole[path]) for path in whole if b"src" in path}


def test_related_words_find_what_the_query_does_not_say(project: Searched) -> None:
    project.write({"a.py": "def authenticate(user):\n    return jwt(user)\n", "b.py": "def paint(): pass\n"})
    assert project.paths("auth") == ["a.py"]
    assert project.paths("auth", expand=False) == []


def test_what_was_asked_for_ranks_above_what_is_related(project: Searched) -> None:
    project.write({"a.py": "def jwt(): pass\n", "b.py": "def auth(): pass\n"})
    assert project.paths("auth")[0] == "b.py"


def test_the_definition_of_a_name_comes_before_files_that_are_named_like_it(project: Searched) -> None:
    project.write(
        {
            "src/get_session.py": "import sessions\n\nsessions.get(session)\nsession = get_session()\n",
            "src/other.py": "def get_session():\n    return 1\n",
        }
    )
    assert project.paths("get_session")[0] == "src/other.py"
