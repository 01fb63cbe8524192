"""Which module runs which verb. Cold: `search` and `grep`, the hot ones, are found by `main` itself.

In: a `Parsed` and the environment. Out: the exit status of the verb.
"""

from __future__ import annotations

from importlib import import_module

from greppy.cli.environment import Environment
from greppy.cli.parse import Parsed


def run_verb(parsed: Parsed, environment: Environment) -> int:
    """Run the verb and return its exit status. Only its own module is imported: some need much."""
    status: int = import_module(f"greppy.cli.{parsed.verb}").run(parsed, environment)
    return status
