"""The way from process start to a search imports nothing that costs more than the search."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program

pytestmark = pytest.mark.start_up
DEAR = frozenset(filter(None, """
    argparse click collections contextlib dataclasses difflib enum functools json logging pathlib re rich select shutil
    signal subprocess textwrap threading tomllib traceback typing unicodedata
""".replace("\n", " ").split(" ")))  # fmt: skip
CODE = """
before = set(sys.modules)
from greppy.cli.main import main
status = main(sys.argv[1:])
print(status, *sorted(set(sys.modules) - before), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "argv",
    [
        ["where", "are", "sessions"],
        ["search", "x", "-jl5", "-p", "."],
        ["search", "x", "--lang", "py", "--include", "*.py", "--no-content"],
        ["query", "x", "--max-tokens", "500"],
        ["--version"],
    ],
)
def test_an_ordinary_search_imports_no_dear_module(program: Program, argv: list[str]) -> None:
    status, *imported = program.python(CODE, *argv).stderr.split()
    assert status == "0"
    assert not {name.split(".")[0] for name in imported} & DEAR


def test_a_configuration_that_was_read_before_is_not_parsed_again(program: Program) -> None:
    program.home.mkdir()
    file = program.home / "config.toml"
    file.write_text("[general]\nlimit = 5\n")
    settled = file.stat().st_mtime - 60
    os.utime(file, (settled, settled))
    slow = "import time\nreal = time.time_ns\ntime.time_ns = lambda: real() + 10**10\n"
    assert "tomllib" in program.python(slow + CODE, "x").stderr
    assert (program.home / "config.cache").exists()
    assert "tomllib" not in program.python(slow + CODE, "x").stderr
