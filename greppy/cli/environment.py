"""What a run takes from outside argv: environment variables, the current folder, the configuration. HOT.

In: `os.environ`. Out: an `Environment`, made once by `main` and handed down; nothing below `greppy.cli` reads variables
of its own (git's, which `greppy.git.plumbing` passes on, are the exception).
"""

from __future__ import annotations

import os

from greppy import log
from greppy.config import Config, load_config
from greppy.errors import NoProject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from greppy.daemon.warm import Warm


class Environment:
    """`home` is $GREPPY_HOME, absolute; `log` is $GREPPY_LOG; `plain` asks for no colours; `pager` is a shell command,
    "" for none, None for the default one; `background` allows builds that outlive the run; `single_bytes`: the locale
    is none of UTF-8; `socket` is where a daemon may be asked, b"" where none shall be.

    In a daemon `warm` has the views and `window` is the size of the client's terminal, None where it has none.
    """

    __slots__ = ("background", "home", "log", "pager", "plain", "single_bytes", "socket", "warm", "window")

    def __init__(
        self,
        home: bytes,
        log_spec: str = "",
        plain: bool = False,
        pager: str | None = None,
        background: bool = True,
        single_bytes: bool = False,
        socket: bytes = b"",
    ) -> None:
        self.home = home
        self.log = log_spec
        self.plain = plain
        self.pager = pager
        self.background = background
        self.single_bytes = single_bytes
        self.socket = socket
        self.warm: Warm | None = None
        self.window: tuple[int, int] | None = None


def read_environment() -> Environment:
    """The environment of this process. An empty variable is as good as none, except for the pagers."""
    variables = os.environ
    home = os.path.abspath(os.path.expanduser(os.fsencode(variables.get("GREPPY_HOME") or "~/.greppy")))
    plain = bool(variables.get("NO_COLOR") or variables.get("GREPPY_NO_COLOR"))
    return Environment(
        home,
        variables.get("GREPPY_LOG", ""),
        plain or variables.get("TERM", "dumb") == "dumb",
        variables.get("GREPPY_PAGER", variables.get("PAGER")),
        not variables.get("GREPPY_NO_BACKGROUND"),
        _is_of_single_bytes(variables.get("LC_ALL") or variables.get("LC_CTYPE") or variables.get("LANG") or ""),
        b"" if variables.get("GREPPY_NO_DAEMON") else socket_path(home, variables),
    )


def socket_path(home: bytes, variables: Mapping[str, str]) -> bytes:
    """Where the daemon of a home listens: $GREPPY_DAEMON_SOCKET, else `daemon.sock` in the home."""
    named = variables.get("GREPPY_DAEMON_SOCKET")
    return os.path.abspath(os.fsencode(named)) if named else home + b"/daemon.sock"


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
