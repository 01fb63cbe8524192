"""Which paths `--path`, `--include`, `--exclude` and `--lang` allow."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from greppy.errors import BadArguments
from greppy.search.filters import folder_of, matcher

if TYPE_CHECKING:
    from pathlib import Path

    from tests.projects import Searched


@pytest.mark.parametrize(
    ("pattern", "allowed", "refused"),
    [
        ("auth", ["src/auth.py", "auth/x", "a/oauth2.c"], ["src/aut.py"]),
        ("*.py", ["a.py", "deep/b.py"], ["a.pyc", "a.py.txt"]),
        ("test_*", ["a/test_x.py", "test_dir/x.c"], ["a/xtest_.py"]),
        ("*.{ts,tsx}", ["a.ts", "b/c.tsx"], ["a.js"]),
        ("src/*.py", ["src/a.py"], ["src/b/a.py", "x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/b/c/a.py"], ["a.py"]),
        ("**/vendor", ["vendor/a", "x/vendor/b/c"], ["vendored/a"]),
        ("src/?.py", ["src/a.py"], ["src/ab.py"]),
        ("[ab].py", ["a.py", "x/b.py"], ["c.py"]),
        ("[!ab].py", ["c.py"], ["a.py"]),
        ("src*/", ["src1/a/b.py"], ["lib/a.py"]),
        ("/src/*", ["src/a", "src/a/b"], ["x/src/a"]),
        ("*[[]*", ["a[b"], ["ab"]),
        ("a,b*", ["a,bc"], ["a", "bc"]),
        ("*.\xff", [], ["a.py"]),
    ],
)
def test_a_pattern_allows_what_a_reader_would_think(pattern: str, allowed: list[str], refused: list[str]) -> None:
    matches = matcher(os.fsencode(pattern))
    assert [path for path in allowed if not matches(os.fsencode(path))] == []
    assert [path for path in refused if matches(os.fsencode(path))] == []


@pytest.mark.parametrize("pattern", [b"", b"[ab", b"{a,b", b"*[z-a]"])
def test_a_pattern_that_is_none_is_refused(pattern: bytes) -> None:
    with pytest.raises(BadArguments):
        matcher(pattern)


def test_include_exclude_path_and_language_narrow_together(project: Searched) -> None:
    project.write(dict.fromkeys(("a/x.py", "a/x.js", "a/y_test.py", "b/x.py", "README.md"), "zebra = 1\n"))
    assert project.paths("zebra", include=[b"*.py"]) == ["a/x.py", "b/x.py", "a/y_test.py"]
    assert project.paths("zebra", include=[b"*.py"], exclude=[b"test"]) == ["a/x.py", "b/x.py"]
    assert project.paths("zebra", languages=["javascript"]) == ["a/x.js"]
    assert sorted(project.paths("zebra", paths=[b"a"])) == ["a/x.js", "a/x.py", "a/y_test.py"]
    assert project.paths("zebra", paths=[b"b", b"README.md"]) == ["b/x.py", "README.md"]
    assert project.paths("zebra", paths=[b"b"], exclude=[b"b"]) == []


def test_a_filter_does_not_change_the_scores_of_what_it_allows(project: Searched) -> None:
    project.write({"a/x.py": "zebra = quagga\n", "b/y.py": "zebra = okapi\n", "c/z.py": "zebra\n"})
    free = {r.path: r.breakdown["coverage"] for r in project.search("zebra quagga", paths=[b"a"]).results}
    assert list(free) == [b"a/x.py"]
    assert project.search("zebra", paths=[b"b"]).total == 1


def test_a_path_is_looked_for_from_where_one_stands_and_then_from_the_root(project: Searched) -> None:
    project.write({"a/x.py": "zebra\n", "a/b/x.py": "zebra\n", "c/x.py": "zebra\n"})
    inside = os.fsencode(project.path / "a")
    assert project.paths("zebra", paths=[b"b"], cwd=inside) == ["a/b/x.py"]
    assert project.paths("zebra", paths=[b"c"], cwd=inside) == ["c/x.py"]
    assert project.paths("zebra", paths=[b"../c"], cwd=inside) == ["c/x.py"]
    assert sorted(project.paths("zebra", paths=[b"."], cwd=inside)) == ["a/b/x.py", "a/x.py"]


def test_a_path_outside_the_project_is_refused_however_it_is_written(tmp_path: Path) -> None:
    root = tmp_path / "p"
    (root / "a").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "inner").symlink_to("a")
    here = os.fsencode(root)
    for path in (b"..", b"../secret", b"a/../../secret", b"link", os.fsencode(tmp_path), b"/", b"nowhere", b"a\0b"):
        with pytest.raises(BadArguments):
            folder_of(path, here, here)
    assert folder_of(b"inner", here, here) == b"a"
    assert folder_of(b"a/..", here, here) == b""
