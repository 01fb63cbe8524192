"""`greppy help [COMMAND]`: the same text as `--help`, on stdout. Cold.

In: a `Parsed`. Out: 0; BadArguments for a command that there is not.
"""

from __future__ import annotations

from greppy.cli.app import short_help, verb_help
from greppy.cli.environment import Environment
from greppy.cli.parse import Parsed
from greppy.output.stream import write_text


def run(parsed: Parsed, environment: Environment) -> int:
    """Print the help of the whole program or of one command."""
    write_text(verb_help(parsed.words[0]) if parsed.words else short_help())
    return 0
