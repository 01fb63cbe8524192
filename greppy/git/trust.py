"""Which folders the user's environment says that git may trust (cold).

In: the environment, as `git -c safe.directory=…` and GIT_CONFIG_COUNT leave settings in it. Out: the values of
`safe.directory`, in git's order. It is the one setting that may come from there: it makes git take a repository of
another owner and runs nothing, where an alias, a pager or a filter would.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

_NAME = "safe.directory"


def trusted_folders(environment: Mapping[str, str]) -> list[str]:
    """The values, "" being the one that revokes those before it. Settings that git could not read yield nothing."""
    settings = [*_numbered(environment), *_quoted(environment.get("GIT_CONFIG_PARAMETERS", ""))]
    return [value for name, value in settings if name.lower() == _NAME]


def _numbered(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    count = environment.get("GIT_CONFIG_COUNT", "")
    for at in range(int(count) if count.isdecimal() else 0):
        name, value = (environment.get(f"GIT_CONFIG_{kind}_{at}") for kind in ("KEY", "VALUE"))
        if name is None or value is None:
            return
        yield name, value


def _quoted(parameters: str) -> Iterator[tuple[str, str]]:
    """From `'name'='value' …`, or `'name=value' …` as git wrote it before 2.31."""
    try:
        words = shlex.split(parameters)
    except ValueError:
        return
    for word in words:
        name, _, value = word.partition("=")
        yield name, value
