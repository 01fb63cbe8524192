"""The daemon as a service of the user's session: a unit of systemd, or an agent of launchd. Cold.

In: the templates in `contrib/service`. Out: a file where the session looks for it, and the session told. Nothing is
changed for other users or for the system.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from greppy.errors import DaemonFailure, IoFailure
from greppy.git.calling import program

_TIMEOUT_SECONDS = 30


class Service(NamedTuple):
    """`template` in contrib/service, `path` of the installed file, and what tells the session to start or stop it."""

    template: str
    path: str
    started: Sequence[Sequence[str]]
    stopped: Sequence[Sequence[str]]


def service(platform: str = sys.platform) -> Service:
    """What this system has. Raises DaemonFailure where it is neither."""
    home = os.path.expanduser("~")
    if platform == "darwin":
        path = os.path.join(home, "Library", "LaunchAgents", "org.git-greppy.daemon.plist")
        return Service(
            "org.git-greppy.daemon.plist",
            path,
            [["launchctl", "load", "-w", path]],
            [["launchctl", "unload", "-w", path]],
        )
    if platform == "linux":
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        control = ["systemctl", "--user"]
        return Service(
            "greppy.service",
            os.path.join(base, "systemd", "user", "greppy.service"),
            [[*control, "daemon-reload"], [*control, "enable", "--now", "greppy.service"]],
            [[*control, "disable", "--now", "greppy.service"]],
        )
    raise DaemonFailure(f"there are no services to install on {platform}", "run 'greppy daemon start' at login")


def install(home: bytes) -> tuple[str, str]:
    """Put the file there and start the service: its path, and what kept the session from starting it ("" for
    nothing). Raises IoFailure, DaemonFailure."""
    wanted = service()
    text = render(wanted.template, home)
    try:
        os.makedirs(os.path.dirname(wanted.path), exist_ok=True)
        with open(wanted.path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    except OSError as error:
        raise IoFailure(f"cannot write {wanted.path}: {error.strerror}", "make the folder writable") from None
    return wanted.path, _tell(wanted.started)


def uninstall() -> tuple[str, bool]:
    """Stop the service and take the file away: its path, and whether it was there. Raises IoFailure, DaemonFailure."""
    wanted = service()
    if not os.path.lexists(wanted.path):
        return wanted.path, False
    _tell(wanted.stopped)
    try:
        os.unlink(wanted.path)
    except OSError as error:
        raise IoFailure(f"cannot remove {wanted.path}: {error.strerror}", "remove it by hand") from None
    return wanted.path, True


def render(template: str, home: bytes) -> str:
    """The text of a service that starts this very program with this home."""
    values = {
        "@PYTHON@": os.path.abspath(sys.executable),
        "@PACKAGES@": os.path.dirname(_package()),
        "@HOME@": os.fsdecode(home),
    }
    text = _template(template)
    for placeholder, value in values.items():
        if any(char in value for char in '\n"\\%<>&$'):
            raise DaemonFailure(f"{value} cannot be written into a service", "use a path without special characters")
        text = text.replace(placeholder, value)
    return text


def _package() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _template(name: str) -> str:
    """contrib/service lies in the package when it was installed, beside it in a checkout."""
    for folder in (os.path.join(_package(), "service"), os.path.join(_package(), "..", "contrib", "service")):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return file.read()
        except OSError:
            continue
    raise IoFailure(f"contrib/service/{name} is missing from the installation", "install git-greppy again")


def _found(name: str) -> str:
    """A program's path. Raises FileNotFoundError."""
    path = program(os.fsencode(name))
    if not path:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return os.fsdecode(path)


def _tell(commands: Sequence[Sequence[str]]) -> str:
    """Run each; the first message of one that fails."""
    for command in commands:
        try:
            ran = subprocess.run(
                [_found(command[0]), *command[1:]],
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{command[0]}: {error}"
        if ran.returncode:
            return f"{' '.join(command)}: {ran.stderr.strip() or ran.returncode}"
    return ""
