"""Hooks for all repositories of a user at once (`--global`). Cold.

In: the home folder. Out: a `Report`, or a refusal. There are two places where that is safe:

- the folder that the user's own core.hooksPath names already: git runs no others, so the shims go there;
- from git 2.54 on, `[hook "greppy"]` in the user's configuration, which git runs beside a repository's own hooks.

Where neither is, this refuses. Setting core.hooksPath would replace every hook of every repository, and shims that
called those could not make up for it: that `push-to-checkout` or `proc-receive` exists changes what git does.
"""

from __future__ import annotations

from greppy.errors import IoFailure
from greppy.git import hooks
from greppy.git.hooks import HOOKS, Report
from greppy.git.hooks.folder import UNSET, global_folder, is_no_folder
from greppy.git.hooks.managers import LINE
from greppy.git.hooks.slots import ABSENT, INSTALLED, OUTDATED, Slot
from greppy.git.plumbing import run
from greppy.git.project import printable

FIRST_WITH_HOOKS = (2, 54)
_TOP = b"/"
_ABSENT, _NO_SECTION = (1, 5), 128


def install(home: bytes) -> Report:
    """Install for all repositories. Raises IoFailure where that is not safe."""
    folder = global_folder()
    if folder is not None:
        if is_no_folder(folder):
            raise IoFailure(f"your core.hooksPath, {printable(folder)}, is not a folder, so git runs no hooks", UNSET)
        return hooks.install_into(folder, home)
    _require_hooks_in_configuration()
    hooks.write_refresh(home)
    before = _configured()
    if all(slot.state == INSTALLED for slot in before.slots):
        return before
    _git("--replace-all", "hook.greppy.command", LINE)
    _git("--unset-all", "hook.greppy.event")
    for name in HOOKS:
        _git("--add", "hook.greppy.event", name)
    return _configured()._replace(changed=True)


def uninstall() -> Report:
    """Take away what `install` put. Raises IoFailure."""
    folder = global_folder()
    report = hooks.uninstall_from(folder) if folder is not None else _configured()
    if all(slot.state == ABSENT for slot in _configured().slots):
        return report
    _git("--remove-section", "hook.greppy")
    return (report if folder is not None else _configured())._replace(changed=True)


def status() -> Report:
    """How the hooks for all repositories are."""
    folder = global_folder()
    return hooks.status_of(folder) if folder is not None else _configured()


def git_version() -> tuple[int, int]:
    """The version of the git that is on PATH, (0, 0) where it does not say."""
    words = run(_TOP, ["version"]).decode("ascii", "replace").split()
    numbers = words[2].split(".") if len(words) > 2 else []
    return (int(numbers[0]), int(numbers[1])) if len(numbers) > 1 and numbers[1].isdecimal() else (0, 0)


def _require_hooks_in_configuration() -> None:
    version = git_version()
    if version < FIRST_WITH_HOOKS:
        raise IoFailure(
            f"git {version[0]}.{version[1]} has no hooks for all repositories that leave each one's own in force "
            "(git 2.54 has), and you have set no core.hooksPath of your own",
            "run 'greppy hooks install' in each repository",
        )


def _configured() -> Report:
    """The state of `[hook "greppy"]`, as if each event were a hook."""
    commands = _git("--get-all", "hook.greppy.command")
    events = _git("--get-all", "hook.greppy.event")
    known = INSTALLED if commands == [LINE] else OUTDATED
    slots = [Slot(name, b"", known if commands and name in events else ABSENT) for name in HOOKS]
    return Report(b"", tuple(slots))


def _git(*args: str) -> list[str]:
    answer = run(_TOP, ["config", "--global", "-z", *args], accept=(0, *_ABSENT, _NO_SECTION))
    return [value.decode("utf-8", "replace") for value in answer.split(b"\0") if value]
