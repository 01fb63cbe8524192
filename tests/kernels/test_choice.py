"""Which twin stands behind `greppy.kernels`, and what importing it costs, each in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import greppy
from greppy import kernels

ROOT = Path(greppy.__file__).parent.parent
SLOW = {"typing", "dataclasses", "re", "json", "pathlib", "subprocess", "click", "enum", "functools", "contextlib"}


def run(code: str, **variables: str) -> str:
    """What a fresh interpreter, without site packages, prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    environment = {name: value for name, value in kept.items() if name != "GREPPY_KERNELS"}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-S", "-B", "-c", code],
        env={**environment, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_the_variable_forces_the_reference() -> None:
    shown = run("from greppy import kernels as k; print(k.compiled, k.why, k.runs.__module__)", GREPPY_KERNELS="python")
    assert shown == "False GREPPY_KERNELS=python is set greppy.kernels.reference.words"


def test_without_the_compiled_half_the_reference_stands_in_and_says_why() -> None:
    shown = run(
        "import sys; sys.modules['greppy.kernels._fast'] = None\n"
        "from greppy import kernels as k; print(k.compiled, k.why)"
    )
    assert shown.startswith("False ")
    assert "_fast" in shown


@pytest.mark.skipif(not kernels.compiled, reason="the compiled kernels are not in use")
def test_the_compiled_half_is_taken_where_it_is_there() -> None:
    assert kernels.why == ""
    assert type(kernels.runs).__name__ == "builtin_function_or_method"


@pytest.mark.parametrize("choice", ["", "python"])
def test_importing_the_kernels_imports_nothing_slow(choice: str) -> None:
    loaded = run("import sys; import greppy.kernels; print(*sys.modules)", GREPPY_KERNELS=choice).split()
    assert SLOW.isdisjoint(loaded)


@pytest.mark.skipif(not kernels.compiled, reason="the compiled kernels are not in use")
def test_importing_the_compiled_half_does_not_import_collections_for_the_sake_of_array() -> None:
    loaded = run("import sys; import greppy.kernels; print(*sys.modules)").split()
    assert {"array", "collections"}.isdisjoint(loaded)


def test_both_twins_have_the_names_that_the_package_promises() -> None:
    for choice in ("", "python"):
        assert run("from greppy.kernels import *; print('fine')", GREPPY_KERNELS=choice) == "fine"
