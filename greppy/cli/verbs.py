"""Which module runs which verb. Cold: `search` and `grep`, the hot ones, are found by `main` itself.

In: a `Parsed` and the environment. Out: the exit status of the verb.
"""

from __future__ import annotations

from greppy.cli import config, forget, help, hooks, index, list, status
from greppy.cli.environment import Environment
from greppy.cli.parse import Parsed

_RUN = {
    "index": index.run,
    "list": list.run,
    "forget": forget.run,
    "status": status.run,
    "hooks": hooks.run,
    "config": config.run,
    "help": help.run,
}


def run_verb(parsed: Parsed, environment: Environment) -> int:
    """Run the verb and return its exit status."""
    return _RUN[parsed.verb](parsed, environment)
