"""The files outside the listing that decide it: git's configuration and rule files (cold).

In: a project, what `git config --list -z --show-origin` printed, the rule files that the walk met. Out: absolute paths,
existing or not. The default places of the user's configuration are derived from HOME, XDG_CONFIG_HOME,
GIT_CONFIG_GLOBAL and GIT_CONFIG_SYSTEM as git does it, since a file that does not exist yet can begin to count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from greppy.git.project import Project

LIST_CONFIG = ("config", "--list", "-z", "--show-origin")
"""What git is asked for its configuration."""

SYSTEM_CONFIG = b"/etc/gitconfig"
SYSTEM_ATTRIBUTES = b"/etc/gitattributes"


class Inputs(NamedTuple):
    """`paths` is everything, sorted; `attribute_files` those of them that can give attributes."""

    paths: list[bytes]
    attribute_files: list[bytes]


class Settings(NamedTuple):
    """Of git's configuration: the files that it came from, and its last value of each key (lower case)."""

    origins: set[bytes]
    values: dict[bytes, bytes]


def git_inputs(project: Project, config_listing: bytes, rule_files: Iterable[bytes]) -> Inputs:
    """Where a change may change the listing of a git project; `rule_files` are relative to its root."""
    assert project.git_dir is not None
    assert project.common_dir is not None
    assert project.work_tree is not None
    settings = read_settings(config_listing, project.work_tree)
    paths = {os.path.join(project.git_dir, name) for name in (b"index", b"config.worktree")}
    paths.update(os.path.join(project.common_dir, name) for name in (b"config", b"config.worktree", b"info/exclude"))
    paths.update(settings.origins, user_config_files())
    paths.add(_setting_path(settings, b"core.excludesfile", project.work_tree) or _user_file(b"ignore"))
    if any(key.startswith(b"includeif.onbranch:") for key in settings.values):
        paths.add(os.path.join(project.git_dir, b"HEAD"))
    attribute_files = {
        os.path.join(project.common_dir, b"info/attributes"),
        _setting_path(settings, b"core.attributesfile", project.work_tree) or _user_file(b"attributes"),
        SYSTEM_ATTRIBUTES,
    }
    for folder in _folders_above(project.root, project.work_tree):
        paths.add(os.path.join(folder, b".gitignore"))
        attribute_files.add(os.path.join(folder, b".gitattributes"))
    for path in rule_files:
        where = attribute_files if path.endswith(b".gitattributes") else paths
        where.add(os.path.join(project.root, path))
    return Inputs(sorted(paths | attribute_files), sorted(attribute_files))


def read_settings(config_listing: bytes, work_tree: bytes) -> Settings:
    """From NUL-ended fields, `file:PATH` then `KEY<newline>VALUE`; a relative PATH starts at the work tree."""
    fields = config_listing.split(b"\0")
    origins, values = set(), {}
    for origin, setting in zip(fields[0::2], fields[1::2], strict=False):
        if origin.startswith(b"file:"):
            origins.add(os.path.normpath(os.path.join(work_tree, origin[5:])))
        key, _, value = setting.partition(b"\n")
        values[key] = value
    return Settings(origins, values)


def is_set(config_listing: bytes, key: bytes) -> bool:
    """Whether git's configuration may say yes to a setting (lower case): whatever is not plainly no counts."""
    value = read_settings(config_listing, b"/").values.get(key)
    return value is not None and value.lower() not in (b"false", b"no", b"off", b"0")


def user_config_files() -> list[bytes]:
    """The configuration files outside the repository that git reads where they exist."""
    env = os.environb
    own = env.get(b"GIT_CONFIG_GLOBAL")
    found = [own] if own is not None else [os.path.expanduser(b"~/.gitconfig"), _user_file(b"config")]
    if env.get(b"GIT_CONFIG_NOSYSTEM", b"0") in (b"", b"0", b"false", b"no", b"off"):
        found.append(env.get(b"GIT_CONFIG_SYSTEM", SYSTEM_CONFIG))
    return [path for path in found if path]


def _user_file(name: bytes) -> bytes:
    base = os.environb.get(b"XDG_CONFIG_HOME") or os.path.expanduser(b"~/.config")
    return os.path.join(base, b"git", name)


def _setting_path(settings: Settings, key: bytes, work_tree: bytes) -> bytes:
    value = settings.values.get(key, b"")
    return os.path.normpath(os.path.join(work_tree, os.path.expanduser(value))) if value else b""


def _folders_above(root: bytes, work_tree: bytes) -> list[bytes]:
    """The folders from the work tree's root down to the parent of `root`."""
    found = []
    while root != work_tree and len(root) > len(work_tree):
        root = os.path.dirname(root)
        found.append(root)
    return found
