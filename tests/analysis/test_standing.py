"""How files stand in their project: outside of the main package, or superseded by a newer version."""

from __future__ import annotations

import pytest

from greppy.analysis.classify import SATELLITE, SUPERSEDED, TEST
from greppy.analysis.standing import MAIN_SHARE, Standing


def standing(name: str, *paths: str, flags: int = 0) -> Standing:
    return Standing(name.encode(), [(path.encode(), flags) for path in paths])


@pytest.mark.parametrize("name", ["flask", "Flask", "flask.git", "f-lask"])
def test_what_lies_outside_of_the_folder_named_like_the_project_is_beside_it(name: str) -> None:
    found = standing(name, "src/flask/app.py", "src/flask/json/tag.py", "examples/a.py", "setup.py")
    assert found.flags(b"src/flask/json/tag.py") == 0
    assert found.flags(b"examples/a.py") == found.flags(b"setup.py") == found.flags(b"src/new.py") == SATELLITE


def test_without_a_folder_of_that_name_nothing_is_beside_it() -> None:
    assert standing("flask", "src/app.py", "setup.py").flags(b"setup.py") == 0


def test_a_name_is_a_coincidence_where_the_folder_has_little_of_the_source() -> None:
    rest = [f"kernel/k{n}.c" for n in range(int(2 / MAIN_SHARE))]
    assert standing("linux", "include/linux/fs.h", *rest).flags(b"kernel/k0.c") == 0


def test_tests_and_the_like_do_not_count_as_source() -> None:
    files = [(b"pkg/a.py", 0), *((b"tests/t%d.py" % n, TEST) for n in range(50))]
    assert Standing(b"pkg", files).flags(b"tests/t1.py") == SATELLITE


@pytest.mark.parametrize(
    ("path", "flags"),
    [
        ("src/v3/types.ts", SUPERSEDED),
        ("src/v3/deep/types.ts", SUPERSEDED),
        ("src/v4/types.ts", 0),
        ("src/v10/types.ts", 0),
        ("other/v3/types.ts", 0),
        ("src/http1/a.ts", 0),
        ("src/rev3/a.ts", 0),
    ],
)
def test_a_version_is_superseded_by_a_higher_one_beside_it(path: str, flags: int) -> None:
    others = ("src/v10/x.ts", "src/http2/a.ts", "src/rev4/a.ts", "other/v3/x.ts")
    expected = SUPERSEDED if path == "src/v4/types.ts" else flags
    assert standing("p", path, *others).flags(path.encode()) == expected


def test_flags_that_an_index_kept_do_not_count_as_what_a_file_is() -> None:
    files = [(b"pkg/a.py", 0), (b"x/b.py", SATELLITE), (b"x/c.py", SATELLITE)]
    assert Standing(b"pkg", files).flags(b"x/b.py") == SATELLITE
