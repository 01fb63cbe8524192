"""How git is called: with which settings and environment; and the cheapest call. Hot path.

In: a project's root and a plumbing command. Out: the command line, the environment, or, where whatever goes wrong only
means that there is no answer, its standard output. Everything else goes through `greppy.git.plumbing`, which costs the
import of `subprocess`, as much as a whole warm search.

What of the environment counts: the absolute folders of PATH, HOME, git's own choice of configuration files
(GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM, XDG_CONFIG_HOME), and of other settings `safe.directory`
(`trust`). What names a repository does not, where the project's folder has one: the project decides.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# `git rev-parse --local-env-vars` of git 2.39, and what belongs with it.
LOCAL_VARIABLES = (
    # other object stores
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    # the file that `git config` edits
    "GIT_CONFIG",
    # `-c` of the git that called us
    "GIT_CONFIG_PARAMETERS",
    # settings as GIT_CONFIG_KEY_n, GIT_CONFIG_VALUE_n
    "GIT_CONFIG_COUNT",
    # where objects are
    "GIT_OBJECT_DIRECTORY",
    # which repository: a hook exports its own
    "GIT_DIR",
    # which working tree
    "GIT_WORK_TREE",
    # whether GIT_DIR implies the current folder as working tree
    "GIT_IMPLICIT_WORK_TREE",
    # rewritten parents
    "GIT_GRAFT_FILE",
    # which staging area: `git commit -a` exports a temporary one to its hooks
    "GIT_INDEX_FILE",
    # whether replacement objects are used
    "GIT_NO_REPLACE_OBJECTS",
    # where they are
    "GIT_REPLACE_REF_BASE",
    # the folder that git was called in
    "GIT_PREFIX",
    # the same for submodules
    "GIT_INTERNAL_SUPER_PREFIX",
    # where a shallow clone ends
    "GIT_SHALLOW_FILE",
    # what worktrees share
    "GIT_COMMON_DIR",
    # not local to git, but they too decide which repository is found, or what a path means
    "GIT_CEILING_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    # another attribute source than the working tree
    "GIT_ATTR_SOURCE",
)
FIXED_VARIABLES = {
    # a promised object that is missing stays missing
    "GIT_NO_LAZY_FETCH": "1",
    # nor does a git that does not know the last one fetch it
    "GIT_ALLOW_PROTOCOL": "",
    # the staging area's file is not refreshed
    "GIT_OPTIONAL_LOCKS": "0",
    # nothing asks for a password
    "GIT_TERMINAL_PROMPT": "0",
    # messages as they are looked for below
    "LC_ALL": "C",
    # `project` looks for `.git` across mounts too
    "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1",
}
FIXED_OPTIONS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


def program(name: bytes) -> bytes:
    """The absolute path of a program, b"" where there is none."""
    for folder in program_folders():
        path = folder + b"/" + name
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return b""


def program_folders() -> list[bytes]:
    """The folders of PATH that are absolute. Relative ones (and empty ones, which mean the current folder) do not
    count: they would be the project's, and what lies in a project is never run."""
    entries = os.environb.get(b"PATH", os.fsencode(os.defpath)).split(b":")
    return [entry for entry in entries if entry.startswith(b"/")]


def git_command(root: bytes, args: Sequence[bytes | str]) -> list[bytes]:
    """The command line of `git ARGS`, run in `root`; it begins with git's path, b"" where there is no git."""
    options = [*FIXED_OPTIONS, *_trust()]
    return [program(b"git"), *map(os.fsencode, options), b"-C", root, *map(os.fsencode, args)]


def _trust() -> list[str]:
    """The options for what the environment trusts, which is mostly silent."""
    if "GIT_CONFIG_COUNT" not in os.environ and "GIT_CONFIG_PARAMETERS" not in os.environ:
        return []
    from greppy.git.trust import trusted_folders

    return [word for folder in trusted_folders(os.environ) for word in ("-c", "safe.directory=" + folder)]


def git_environment(work_tree: bytes) -> dict[bytes, bytes]:
    """The environment that git gets: ours, without what names a repository, with what keeps it from acting.

    GIT_WORK_TREE alone leaves finding the repository to git, with its check of ownership, but overrules
    `core.worktree`, which could name any folder of the machine.
    """
    dropped = set(map(os.fsencode, LOCAL_VARIABLES))
    environment = {
        name: value
        for name, value in os.environb.items()
        if name not in dropped and not name.startswith((b"GIT_TRACE", b"GIT_CONFIG_KEY_", b"GIT_CONFIG_VALUE_"))
    }
    environment.update((os.fsencode(name), os.fsencode(value)) for name, value in FIXED_VARIABLES.items())
    environment[b"PATH"] = b":".join(program_folders())
    if not os.path.lexists(work_tree + b"/.git"):
        environment.update(_named(work_tree))
    environment[b"GIT_WORK_TREE"] = work_tree
    return environment


def _named(work_tree: bytes) -> dict[bytes, bytes]:
    """GIT_DIR, where the user's environment makes this folder its working tree (`project.find_project`)."""
    git_dir, named = (os.environb.get(name, b"") for name in (b"GIT_DIR", b"GIT_WORK_TREE"))
    if not git_dir or not named or os.path.realpath(named) != work_tree:
        return {}
    return {b"GIT_DIR": os.path.realpath(git_dir)}


def ask(root: bytes, args: Sequence[bytes | str], work_tree: bytes | None = None) -> tuple[int, bytes]:
    """The exit status of `git ARGS` and what it writes to standard output; status -1 where it cannot be run."""
    command = git_command(root, args)
    if not command[0]:
        return -1, b""
    theirs, ours = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, ours, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        pid = os.posix_spawn(command[0], command, git_environment(work_tree or root), file_actions=actions)
    except OSError:
        os.close(theirs)
        return -1, b""
    finally:
        os.close(ours)
    with open(theirs, "rb") as pipe:
        out = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out
