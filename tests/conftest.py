"""What holds for all tests: one Hypothesis profile, the same examples on every machine and no clock in the verdict; and
tests of what a start imports are left out where coverage, which imports much, watches."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("fixed", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("fixed")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("start_up") and any(name.startswith("COVERAGE_") for name in os.environ):
        pytest.skip("coverage imports much; tests/__main__.py runs this without it")
