"""What a scan answers: what the index would."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greppy.analysis.tokens import terms_of_text
from greppy.errors import BadArguments
from greppy.index.processes import in_processes
from greppy.query.plan import make_plan
from greppy.search.scan import first, survey
from greppy.search.scan.named import named_files

from .conftest import Scanned, ranked

NAMES = ["session", "user", "store", "token", "request", "validate", "find", "cache"]
TEMPLATES = [
    "def {0}_{1}({2}):\n    return {2}.{3}\n\n\n",
    "class {0}{1}:\n    '''The {2} of a {3}.'''\n\n    def {2}(self):\n        pass\n\n\n",
    "# {0} {1} {2}\nx = {3}\n",
    "value = 1\n" * 20,
]
part = st.builds(
    lambda template, words: template.format(*words),
    st.sampled_from(TEMPLATES),
    st.lists(st.sampled_from(NAMES), min_size=4, max_size=4),
)
FOLDERS = ["src", "lib", "tests"]
paths = st.builds(
    "{}/{}_{}.{}".format,
    st.sampled_from(FOLDERS),
    st.sampled_from(NAMES),
    st.integers(0, 9),
    st.sampled_from(["py", "txt"]),
)
trees = st.dictionaries(paths, st.lists(part, min_size=1, max_size=5).map("".join), min_size=1, max_size=12)
queries = st.lists(
    st.sampled_from([*NAMES, "where", "sessions", "UserStore", "find_token", "caching"]), min_size=1, max_size=3
).map(" ".join)


def replace_tree(project: Scanned, tree: dict[str, str]) -> None:
    for path in [path for path in project.path.rglob("*") if path.is_file() and path.name != ".greppy"]:
        path.unlink()
    project.write(dict(tree))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=trees, query=queries)
def test_a_scan_finds_the_files_that_the_index_finds_and_the_same_one_first(
    project: Scanned, tree: dict[str, str], query: str
) -> None:
    replace_tree(project, tree)
    scanned, indexed = ranked(project.scan(query), query), ranked(project.view(), query)
    assert {path for path, _ in scanned} == {path for path, _ in indexed}
    if len(indexed) > 1 and indexed[0][1] > 1.25 * indexed[1][1]:
        assert scanned[0][0] == indexed[0][0]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=trees, query=queries)
def test_a_scan_never_misses_a_file_that_has_a_term(project: Scanned, tree: dict[str, str], query: str) -> None:
    replace_tree(project, tree)
    terms = {term.term for term in make_plan(query).terms}
    holding = {
        path
        for path, text in tree.items()
        if any(terms.intersection(found) for _, found in terms_of_text(text.encode()))
    }
    manifest = project.scan(query).manifest
    assert holding <= {os.fsdecode(path) for path in manifest.paths[: manifest.meta.files]}


@pytest.mark.parametrize("query", ["SessionStore", "session store", "Größe", "東京", "parse http request"])
def test_a_scan_answers_like_the_index(project: Scanned, query: str) -> None:
    project.write(
        {
            "a/session_store.py": "class SessionStore:\n    def load(self):\n        pass\n",
            "a/use.py": "store = SessionStore()\n" * 3,
            "b/latin.txt": "Größe und GRÖSSE\n".encode("latin-1"),
            "b/wide.txt": "Größe, 東京都\n".encode("utf-16"),
            "c/http.go": "package c\n\nfunc ParseRequest(r *Request) error {\n\treturn nil\n}\n",
            "c/binary.bin": b"SessionStore\0" * 10,
        }
    )
    scanned, indexed = ranked(project.scan(query), query), ranked(project.view(), query)
    assert [path for path, _ in scanned] == [path for path, _ in indexed]


def test_estimates_come_near_what_an_index_counts(project: Scanned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "PROMISING", 20)
    monkeypatch.setattr(survey, "STRONGEST", 5)
    monkeypatch.setattr(survey, "SAMPLE", 5)
    body = "".join(f"def step_{at}(value):\n    total = value + {at}\n    return total\n\n\n" for at in range(12))
    project.write({f"m{at}.py": body + ("def find_token(): pass\n" if at % 4 == 0 else "") for at in range(300)})
    view = project.scan("find token value")
    assert view.estimate is not None
    plan = make_plan("find token value")
    df = {term.term: view.estimate.df[term.bit] for term in plan.terms}
    indexed = project.view()
    assert indexed.manifest.meta.chunks == pytest.approx(view.estimate.chunks, rel=1.5)
    assert 60 <= df[b"token"] <= 90
    assert df[b"valu"] > 10 * df[b"token"]


def test_only_files_that_the_filters_allow_are_answered_with(project: Scanned) -> None:
    project.write({"a/x.py": "session = 1\n", "b/x.py": "session = 2\n", "b/x.go": "var session = 3\n"})
    assert [path for path, _ in ranked(project.scan("session", paths=[b"b"]), "session")] == ["b/x.go", "b/x.py"]
    assert [path for path, _ in ranked(project.scan("session", include=[b"*.go"]), "session")] == ["b/x.go"]
    assert [path for path, _ in ranked(project.scan("session", languages=["go"]), "session")] == ["b/x.go"]
    with pytest.raises(BadArguments):
        project.scan("session", paths=[b"nowhere"])


def test_a_query_that_nothing_answers_gives_an_empty_view(project: Scanned) -> None:
    project.write({"a.py": "x = 1\n"})
    view = project.scan("zebra")
    assert ranked(view, "zebra") == []
    assert view.estimate is not None and list(view.estimate.df) == [0]
    project.write({"b.bin": b"\0\1"})
    assert ranked(project.scan("???"), "???") == []


def test_the_best_files_are_analysed_and_no_more(project: Scanned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first, "ANALYSED_FILES", 3)
    project.write({f"f{at}.py": "session = 1\n" * (at + 1) for at in range(20)})
    assert project.scan("session", limit=2).manifest.meta.files == 5
    monkeypatch.setattr(first, "ANALYSED_BYTES", 500)
    assert 1 <= project.scan("session", limit=2).manifest.meta.files <= 3


def test_paths_are_named_as_by_an_index() -> None:
    paths = [b"auth/session_store.py", b"src/Validate.go", b"docs/readme.md", b"a/sess.py", b"x/session.py"]
    named = named_files(make_plan("session validate"), enumerate(paths))
    assert named.files == {b"session": {0, 3, 4}, b"validate": {1}, b"\1valid": {1}}
    assert named.stems == {1, 4}


def test_a_process_that_dies_leaves_its_work_to_the_caller(tmp_path: Path) -> None:
    def work(number: int) -> bytes:
        if number == 1:
            os._exit(3)
        if number == 2:
            raise ValueError("odd")
        return b"x" * (1 << 20)

    assert in_processes(4, work) == [b"x" * (1 << 20), None, None, b"x" * (1 << 20)]
