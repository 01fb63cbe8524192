"""One Hypothesis profile for all: the same examples on every machine, and no clock in the verdict."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fixed", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("fixed")
