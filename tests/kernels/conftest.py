"""The two twins of the kernels, for tests that hold of both and for tests that compare them."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from greppy.kernels import reference


def _compiled() -> ModuleType:
    try:
        return importlib.import_module("greppy.kernels._fast")
    except ImportError as reason:
        pytest.skip(f"the compiled kernels are not installed: {reason}")


@pytest.fixture(scope="session", params=["reference", "compiled"])
def twin(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the twins in turn."""
    return reference if request.param == "reference" else _compiled()


@pytest.fixture(scope="session")
def fast() -> ModuleType:
    """The compiled twin, to be compared with the reference."""
    return _compiled()
