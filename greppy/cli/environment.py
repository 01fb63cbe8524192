"""What a run takes from outside argv: environment variables, the current folder, the configuration. HOT.

In: `os.environ`. Out: an `Environment`, made once by `main` and handed down; nothing below `greppy.cli` reads variables
of its own (git's, which `greppy.git.plumbing` passes on, are the exception).
"""

from __future__ import annotations

import os

from greppy import log
from greppy.config import Config, load_config
from greppy.errors import NoProject


class Environment:
    """`home` is $GREPPY_HOME, absolute; `log` is $GREPPY_LOG; `plain` asks for no colours; `pager` is a shell command,
    "" for none, None for the default one; `background` allows builds that outlive the run; `single_bytes`: the locale
    is none of UTF-8."""

    __slots__ = ("background", "home", "log", "pager", "plain", "single_bytes")

    def __init__(
        self,
        home: bytes,
        log_spec: str = "",
        plain: bool = False,
        pager: str | None = None,
        background: bool = True,
        single_bytes: bool = False,
    ) -> None:
        self.home = home
        self.log = log_spec
        self.plain = plain
        self.pager = pager
        self.background = background
        self.single_bytes = single_bytes


def read_environment() -> Environment:
    """The environment of this process. An empty variable is as good as none, except for the pagers."""
    variables = os.environ
    home = os.fsencode(variables.get("GREPPY_HOME") or "~/.greppy")
    plain = bool(variables.get("NO_COLOR") or variables.get("GREPPY_NO_COLOR"))
    return Environment(
        os.path.abspath(os.path.expanduser(home)),
        variables.get("GREPPY_LOG", ""),
        plain or variables.get("TERM", "dumb") == "dumb",
        variables.get("GREPPY_PAGER", variables.get("PAGER")),
        not variables.get("GREPPY_NO_BACKGROUND"),
        _is_of_single_bytes(variables.get("LC_ALL") or variables.get("LC_CTYPE") or variables.get("LANG") or ""),
    )


def _is_of_single_bytes(locale: str) -> bool:
    """Whether a locale is named and none of UTF-8. (Where none is named Python itself sets LC_CTYPE to C.UTF-8.)"""
    return bool(locale) and "utf8" not in locale.lower().replace("-", "")


def current_folder() -> bytes:
    """The current folder. Raises NoProject where it was deleted."""
    try:
        return os.getcwdb()
    except OSError as error:
        raise NoProject(f"the current folder is gone: {error.strerror}", "change to another folder") from error


def existing_folder(name: str) -> bytes:
    """The folder that the user named, absolute. Raises NoProject where there is none."""
    folder = os.fsencode(name)
    if not os.path.isdir(folder):
        there = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise NoProject(f"{name} {there}", "name a folder of the project")
    return folder if os.path.isabs(folder) else os.path.join(current_folder(), folder)


def config_at(start: bytes, environment: Environment) -> Config:
    """The configuration for the project around `start`; what config.toml has that is not understood goes to stderr."""
    config = load_config(environment.home)
    for warning in config.warnings:
        log.notice(warning)
    if not config.overrides:
        return config
    from greppy.git.project import find_project

    return config.for_project(find_project(start).root)
