"""The user's configuration: defaults, `$GREPPY_HOME/config.toml`, and what a project overrides.

In: the home folder (bytes). Out: a `Config`, a plain value that the command line makes and everything below is given.
HOT: without a config.toml nothing is parsed. Parsing TOML costs two warm searches, so what it yields is kept beside it
in `config.cache`, text of one setting a line, fields parted by tabs::

    greppy 0.1.0 config 1
    signature   482  1767780645123456789  1767780645123456789  131842
    warning     /home/x/.greppy/config.toml: unknown key "limt" in [general]; did you mean "limit"?
    set                  limit     50
    set         /home/x  patterns  *.min.js  docs/_build
    end

A backslash, tab, newline or return in a field is written `\\\\`, `\\t`, `\\n`, `\\r`. A cache whose signature (size,
mtime, ctime, inode of config.toml) or version differs, or in which anything is odd, is not used. None is written for a
file that changed in the last two seconds, since it may change again without its stat data showing it.
"""

from __future__ import annotations

import os
import stat
import time

from greppy import __version__
from greppy.errors import BadArguments, IoFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = int | bool | str | tuple[str, ...]
    Overrides = Mapping[str, Mapping[str, Value]]

_HEADER = f"greppy {__version__} config 1"
_LARGEST_FILE = 1 << 20
_SETTLED_NS = 2_000_000_000
_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Setting:
    """One key of config.toml. `kind` is count, size, flag, choice or patterns; numbers lie in `lowest..highest`."""

    __slots__ = ("choices", "default", "help", "highest", "key", "kind", "lowest", "name", "section")

    def __init__(
        self,
        section: str,
        key: str,
        name: str,
        kind: str,
        default: Value,
        text: str,
        lowest: int = 0,
        highest: int = 0,
        choices: tuple[str, ...] = (),
    ) -> None:
        self.section = section
        self.key = key
        self.name = name
        self.kind = kind
        self.default = default
        self.help = text
        self.lowest = lowest
        self.highest = highest
        self.choices = choices


SETTINGS = (
    Setting("general", "limit", "limit", "count", 20, "results shown when --limit is not given", 1, 100),
    Setting("general", "snippet_lines", "snippet_lines", "count", 8, "lines shown of one result", 1, 1000),
    Setting("general", "color", "color", "choice", "auto", "colours", choices=("auto", "always", "never")),
    Setting("general", "pager", "pager", "flag", True, "page output that is longer than the terminal"),
    Setting("general", "content", "content", "flag", True, "show lines of the file below each result"),
    Setting("ignore", "patterns", "ignore_patterns", "patterns", (), "files to leave out, as in a .gitignore"),
    Setting("index", "max_file_size", "max_file_size", "size", 1 << 20, "larger files are not indexed", 1, 1 << 30),
    Setting("index", "max_files", "max_files", "count", 100_000, "most files of one project", 1, 10_000_000),
    Setting("index", "workers", "workers", "count", 0, "processes of a build; 0 is one for each core", 0, 256),
    Setting("index", "shard_bytes", "shard_bytes", "size", 1 << 25, "size of a shard", 1 << 16, 1 << 30),
    Setting("index", "background", "background", "flag", True, "index a large project behind the first answer"),
    Setting("hooks", "max_seconds", "hook_seconds", "count", 300, "longest refresh that a hook starts", 1, 86_400),
    Setting("hooks", "first_index", "hook_first_index", "flag", False, "hooks index what is not indexed yet, too"),
)


class Config:
    """The effective settings, named as in `SETTINGS`; sizes in bytes.

    `origins` maps a setting's name to where its value came from (absent: the default), `overrides` a project's path to
    its own values, `warnings` are lines for stderr about keys that were not understood.
    """

    __slots__ = (
        "background",
        "color",
        "content",
        "hook_first_index",
        "hook_seconds",
        "ignore_patterns",
        "limit",
        "max_file_size",
        "max_files",
        "origins",
        "overrides",
        "pager",
        "shard_bytes",
        "snippet_lines",
        "warnings",
        "workers",
    )

    def __init__(
        self,
        limit: int = 20,
        snippet_lines: int = 8,
        color: str = "auto",
        pager: bool = True,
        content: bool = True,
        ignore_patterns: Sequence[str] = (),
        max_file_size: int = 1 << 20,
        max_files: int = 100_000,
        workers: int = 0,
        shard_bytes: int = 1 << 25,
        background: bool = True,
        hook_seconds: int = 300,
        hook_first_index: bool = False,
        origins: Mapping[str, str] | None = None,
        overrides: Overrides | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self.limit = limit
        self.snippet_lines = snippet_lines
        self.color = color
        self.pager = pager
        self.content = content
        self.ignore_patterns = tuple(ignore_patterns)
        self.max_file_size = max_file_size
        self.max_files = max_files
        self.workers = workers
        self.shard_bytes = shard_bytes
        self.background = background
        self.hook_seconds = hook_seconds
        self.hook_first_index = hook_first_index
        self.origins = dict(origins or {})
        self.overrides = dict(overrides or {})
        self.warnings = tuple(warnings)

    def digest(self) -> bytes:
        """8 bytes that change when a setting does that decides what is in an index."""
        from xxhash import xxh3_64_digest

        fields = (str(self.max_file_size), str(self.max_files), *self.ignore_patterns)
        return xxh3_64_digest("\0".join(fields).encode("utf-8", "surrogatepass"))

    def for_project(self, root: bytes) -> Config:
        """This configuration with what `[projects."PATH"]` overrides, where PATH names the folder `root`."""
        for path, values in self.overrides.items():
            if root in (folder := _folder(path), os.path.realpath(folder)):
                return self._replaced(values, f'[projects."{path}"]')
        return self

    def _replaced(self, values: Mapping[str, Value], origin: str) -> Config:
        merged = {setting.name: getattr(self, setting.name) for setting in SETTINGS} | dict(values)
        return _made(merged, self.origins | dict.fromkeys(values, origin), self.overrides, self.warnings)


def _made(
    values: Mapping[str, Value], origins: Mapping[str, str], overrides: Overrides, warnings: Sequence[str]
) -> Config:
    """A Config from values that were checked against `SETTINGS`, which the type checker cannot see."""
    return Config(**values, origins=origins, overrides=overrides, warnings=warnings)  # type: ignore[arg-type]


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
    cached = _read_cache(home, state)
    return cached if cached is not None else _parse_and_cache(home, path)


def _parse_and_cache(home: bytes, path: bytes) -> Config:
    data, state = _read_regular(path)
    config = _parse(data, os.fsdecode(path))
    if time.time_ns() - max(state.st_mtime_ns, state.st_ctime_ns) > _SETTLED_NS:
        _write_cache(home, state, config)
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


def _folder(path: str) -> bytes:
    return os.path.normpath(os.path.expanduser(os.fsencode(path)))


def _parse(data: bytes, path: str) -> Config:
    import tomllib

    try:
        tree = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadArguments(f"{path} is not valid TOML: {error}", "correct the file") from error
    reader = _Reader(path)
    projects = reader.table(tree.pop("projects", {}), "projects")
    values = reader.sections(tree, "")
    overrides = {name: reader.project(table, name) for name, table in projects.items()}
    return _made(values, dict.fromkeys(values, path), overrides, reader.warnings)


class _Reader:
    """Checks tables against `SETTINGS`; collects warnings about what it does not know."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.warnings: list[str] = []

    def table(self, value: object, name: str) -> dict[str, object]:
        if not isinstance(value, dict):
            raise BadArguments(f"{self.path}: {name} must be a table", f"write it as [{name}]")
        return value

    def sections(self, tree: dict[str, object], prefix: str) -> dict[str, Value]:
        values: dict[str, Value] = {}
        known = {setting.section for setting in SETTINGS}
        for name, content in tree.items():
            if name in known:
                values |= self.section(self.table(content, prefix + name), prefix, name)
            else:
                self.unknown(f"section [{prefix}{name}]", name, [*sorted(known), "projects"])
        return values

    def section(self, table: dict[str, object], prefix: str, section: str) -> dict[str, Value]:
        keys = {setting.key: setting for setting in SETTINGS if setting.section == section}
        return self.keys(table, keys, f"{prefix}{section}")

    def project(self, value: object, name: str) -> dict[str, Value]:
        """A project's table holds keys directly, or the same sections as the top of the file."""
        where = f'projects."{name}"'
        table = self.table(value, where)
        nested: dict[str, object] = {key: item for key, item in table.items() if isinstance(item, dict)}
        flat = {key: item for key, item in table.items() if key not in nested}
        keys = {setting.key: setting for setting in SETTINGS}
        return self.sections(nested, where + ".") | self.keys(flat, keys, where)

    def keys(self, table: dict[str, object], keys: dict[str, Setting], where: str) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for key, item in table.items():
            if key in keys:
                values[keys[key].name] = self.value(keys[key], item, f"{where}.{key}")
            else:
                self.unknown(f'key "{key}" in [{where}]', key, list(keys))
        return values

    def value(self, setting: Setting, item: object, where: str) -> Value:
        value = _checked(setting, item)
        if value is None:
            raise BadArguments(f"{self.path}: {where} must be {expected(setting)}, not {item!r}", "correct the file")
        return value

    def unknown(self, what: str, name: str, known: list[str]) -> None:
        from difflib import get_close_matches

        nearest = get_close_matches(name, known, 1)
        self.warnings.append(f"{self.path}: unknown {what}" + (f'; did you mean "{nearest[0]}"?' if nearest else ""))


def expected(setting: Setting) -> str:
    """What a value of `setting` must be, in words that fit after "must be"."""
    if setting.kind in ("count", "size"):
        size = ' of bytes, or text such as "1MB",' if setting.kind == "size" else ""
        return f"a number{size} from {setting.lowest} to {setting.highest}"
    words = {"flag": "true or false", "patterns": "a list of texts", "choice": "one of " + ", ".join(setting.choices)}
    return words[setting.kind]


def _checked(setting: Setting, item: object) -> Value | None:
    """`item` as a value of `setting`, or None when it is none."""
    if setting.kind == "flag":
        return item if isinstance(item, bool) else None
    if setting.kind == "choice":
        return item if isinstance(item, str) and item in setting.choices else None
    if setting.kind == "patterns":
        texts = isinstance(item, list | tuple) and all(isinstance(text, str) for text in item)
        return tuple(item) if texts else None  # type: ignore[arg-type]
    number = _size(item) if setting.kind == "size" and isinstance(item, str) else item
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    return number if setting.lowest <= number <= setting.highest else None


def _size(text: str) -> int | None:
    """Bytes of "1048576", "512 KB", "1MB" or "1.5 MiB"; units are powers of 1024, as `ls -h` has them."""
    number = text.strip().upper()
    unit = number.lstrip("0123456789.")
    number = number[: len(number) - len(unit)]
    scale = _UNITS.get(unit.strip().removesuffix("IB").removesuffix("B"))
    try:
        return None if scale is None else int(float(number) * scale)
    except (ValueError, OverflowError):
        return None


def _cache_file(home: bytes) -> bytes:
    return os.path.join(home, b"config.cache")


def _signature(state: os.stat_result) -> list[str]:
    return [str(part) for part in (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)]


def _escape(field: str) -> str:
    return field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _unescape(field: str) -> str:
    parts = (part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in field.split("\\\\"))
    return "\\".join(parts)


def _write_cache(home: bytes, state: os.stat_result, config: Config) -> None:
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


def _read_cache(home: bytes, state: os.stat_result) -> Config | None:
    try:
        with open(os.open(_cache_file(home), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            lines = file.read(2 * _LARGEST_FILE).decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return None
    rows = [[_unescape(field) for field in line.split("\t")] for line in lines[1:-2]]
    whole = lines[0] == _HEADER and lines[-2:] == ["end", ""] and rows[:1] == [["signature", *_signature(state)]]
    return _from_rows(rows[1:], os.fsdecode(config_file(home))) if whole else None


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
    return _made(top, dict.fromkeys(top, path), values, warnings)


def _from_fields(setting: Setting, fields: list[str]) -> Value | None:
    if setting.kind == "patterns":
        return tuple(fields)
    text = "".join(fields)
    if setting.kind == "flag":
        return {"True": True, "False": False}.get(text)
    return _checked(setting, int(text) if text.isdecimal() else text)
