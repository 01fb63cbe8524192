"""What opening an index imports: a search pays for it every time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.start_up


SOURCE = str(Path(__file__).resolve().parents[2])
HEAVY = (
    *("typing", "re", "json", "dataclasses", "enum", "functools", "contextlib", "pathlib", "inspect"),
    *("subprocess", "multiprocessing", "ctypes", "hashlib", "tree_sitter", "zstandard", "logging", "shutil", "fcntl"),
)


@pytest.mark.parametrize("module", ["greppy.index.view", "greppy.index.names"])
def test_opening_an_index_imports_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {[SOURCE, *sys.path]!r}; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_refresh_after_an_edit_does_not_import_what_only_a_listing_needs() -> None:
    code = "import sys, greppy.index.maintenance; print('subprocess' in sys.modules, 'multiprocessing' in sys.modules)"
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {[SOURCE]!r}; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
