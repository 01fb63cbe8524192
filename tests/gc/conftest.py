"""The same projects and indexes as the tests of the index have."""

from __future__ import annotations

from tests.index.conftest import isolated, make, work

__all__ = ["isolated", "make", "work"]
