"""A fixed list of patterns over this project's own source gives what git grep gives."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.exact.conftest import Repository

HERE = Path(__file__).resolve().parent
LISTED = HERE / "patterns.txt"


def listed() -> list[list[str]]:
    """The words of each line: flags, then -e and the pattern."""
    rows = [line.split("\t", 1) for line in LISTED.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [[*flags.split(), "-e", pattern] for flags, pattern in rows]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """The package's modules and queries, and some odd files, committed and indexed."""
    root = tmp_path_factory.mktemp("corpus") / "r"
    built = ("__pycache__", "*.so", "*.c", "*.h", "CMake*", "cmake*", ".cmake", "*.ninja", ".ninja*", ".skbuild*")
    shutil.copytree(HERE.parents[1] / "greppy", root, ignore=shutil.ignore_patterns(*built))
    with pytest.MonkeyPatch.context() as patch:
        repository = Repository(root, patch, None)
        repository.write("odd/café.txt", "café, ÜBER, naïve\r\nfoo(bar)\tbaz\n\n\nno end of line".encode())
        repository.write("odd/binary", b"\0import foo\n")
        repository.commit()
        assert repository.run("index", str(root)).status == 0
        yield repository


@pytest.mark.parametrize("args", listed(), ids=" ".join)
def test_a_listed_pattern_gives_git_greps_lines(corpus: Repository, args: list[str]) -> None:
    corpus.same(*args)
