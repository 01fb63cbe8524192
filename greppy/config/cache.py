"""What config.toml yields, kept beside it in `config.cache`. HOT.

In: the home folder and the stat data of config.toml. Out: a `Config`, or None. Text of one setting a line, fields
parted by tabs::

    greppy 0.1.0 config 1
    signature   482  1767780645123456789  1767780645123456789  131842
    warning     /home/x/.greppy/config.toml: unknown key "limt" in [general]; did you mean "limit"?
    set                  limit     50
    set         /home/x  patterns  *.min.js  docs/_build
    end

A backslash, tab, newline or return in a field is written `\\\\`, `\\t`, `\\n`, `\\r`. A cache whose signature (size,
mtime, ctime, inode of config.toml) or version differs, or in which anything is odd, is not used.
"""

from __future__ import annotations

import os

from greppy import __version__
from greppy.config.settings import SETTINGS, Config, Setting, checked, made_config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.config.settings import Value

_LARGEST_FILE = 1 << 21
_HEADER = f"greppy {__version__} config 1"


def _cache_file(home: bytes) -> bytes:
    return os.path.join(home, b"config.cache")


def _signature(state: os.stat_result) -> list[str]:
    return [str(part) for part in (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)]


def _escape(field: str) -> str:
    return field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _unescape(field: str) -> str:
    parts = (part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in field.split("\\\\"))
    return "\\".join(parts)


def write_cache(home: bytes, state: os.stat_result, config: Config) -> None:
    """Keep `config`, which a config.toml with this stat data yields."""
    rows = [["signature", *_signature(state)], *(["warning", line] for line in config.warnings)]
    rows += [_row("", setting, getattr(config, setting.name)) for setting in SETTINGS if setting.name in config.origins]
    for path, values in config.overrides.items():
        rows += [["project", path], *(_row(path, s, values[s.name]) for s in SETTINGS if s.name in values)]
    lines = [_HEADER, *("\t".join(map(_escape, row)) for row in rows), "end\n"]
    _replace(_cache_file(home), "\n".join(lines).encode("utf-8", "surrogateescape"))


def _row(path: str, setting: Setting, value: Value) -> list[str]:
    return ["set", path, setting.name, *(value if isinstance(value, tuple) else [str(value)])]


def _replace(path: bytes, data: bytes) -> None:
    """Best effort: a home that cannot be written only costs the parse again."""
    from contextlib import suppress

    temporary = path + b".%d" % os.getpid()
    with suppress(OSError):
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with open(fd, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)


def read_cache(home: bytes, state: os.stat_result) -> Config | None:
    """What was kept for a config.toml with this stat data."""
    try:
        with open(os.open(_cache_file(home), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            lines = file.read(_LARGEST_FILE).decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return None
    rows = [[_unescape(field) for field in line.split("\t")] for line in lines[1:-2]]
    whole = lines[0] == _HEADER and lines[-2:] == ["end", ""] and rows[:1] == [["signature", *_signature(state)]]
    return _from_rows(rows[1:], os.path.join(os.fsdecode(home), "config.toml")) if whole else None


def _from_rows(rows: list[list[str]], path: str) -> Config | None:
    names = {setting.name: setting for setting in SETTINGS}
    values: dict[str, dict[str, Value]] = {"": {}}
    warnings: list[str] = []
    for row in rows:
        if row[0] == "warning" and len(row) == 2:
            warnings.append(row[1])
        elif row[0] == "project" and len(row) == 2:
            values[row[1]] = {}
        elif row[0] == "set" and len(row) >= 3 and row[1] in values and row[2] in names:
            value = _from_fields(names[row[2]], row[3:])
            if value is None:
                return None
            values[row[1]][row[2]] = value
        else:
            return None
    top = values.pop("")
    return made_config(top, dict.fromkeys(top, path), values, warnings)


def _from_fields(setting: Setting, fields: list[str]) -> Value | None:
    if setting.kind == "patterns":
        return tuple(fields)
    text = "".join(fields)
    if setting.kind == "flag":
        return {"True": True, "False": False}.get(text)
    return checked(setting, int(text) if text.isdecimal() else text)
