"""The user's configuration: defaults, `$GREPPY_HOME/config.toml`, and what a project overrides. HOT.

In: the home folder (bytes). Out: a `Config`, a plain value that the command line makes and everything below is given.
Without a config.toml nothing is parsed. Parsing TOML costs two warm searches, so what it yields is kept beside it
(`cache`); not so for a file that changed in the last two seconds, since it may change again without its stat data
showing it. `settings` says what there is, `parse` reads it.
"""

from __future__ import annotations

import os
import stat
import time

from greppy.config.settings import Config
from greppy.errors import IoFailure

__all__ = ["Config", "config_file", "load_config"]

_SETTLED_NS = 2_000_000_000
_LARGEST_FILE = 1 << 20


def config_file(home: bytes) -> bytes:
    """Where the configuration of `home` is kept."""
    return os.path.join(home, b"config.toml")


def load_config(home: bytes) -> Config:
    """The configuration of `home`; the defaults where there is no config.toml.

    Raises BadArguments when the file is not TOML or a value has the wrong type or range, IoFailure when it is there
    and cannot be read.
    """
    path = config_file(home)
    try:
        state = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except OSError as error:
        raise _unreadable(path, error) from error
    from greppy.config.cache import read_cache

    cached = read_cache(home, state)
    return cached if cached is not None else _parse_and_cache(home, path)


def _parse_and_cache(home: bytes, path: bytes) -> Config:
    from greppy.config.cache import write_cache
    from greppy.config.parse import parse_config

    data, state = _read_regular(path)
    config = parse_config(data, os.fsdecode(path))
    if time.time_ns() - max(state.st_mtime_ns, state.st_ctime_ns) > _SETTLED_NS:
        write_cache(home, state, config)
    return config


def _read_regular(path: bytes) -> tuple[bytes, os.stat_result]:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            state = os.fstat(fd)
            if not stat.S_ISREG(state.st_mode):
                raise IoFailure(f"{os.fsdecode(path)} is not a regular file", "move it away")
            return file.read(_LARGEST_FILE), state
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: bytes, error: OSError) -> IoFailure:
    return IoFailure(f"cannot read {os.fsdecode(path)}: {error.strerror}", "make it readable or move it away")
