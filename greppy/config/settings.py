"""Which settings there are, what a value of each must be, and the value that holds them all. HOT.

In: nothing. Out: `SETTINGS`, from which the reader of config.toml, `greppy config` and the documents come; `Config`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = int | bool | str | tuple[str, ...]
    Overrides = Mapping[str, Mapping[str, Value]]

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


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
    Setting("lexicon", "concepts", "lexicon", "patterns", (), 'related words: "k8s = kubernetes", "deploy > rollout"'),
    Setting("hooks", "max_seconds", "hook_seconds", "count", 300, "longest refresh that a hook starts", 1, 86_400),
    Setting("hooks", "first_index", "hook_first_index", "flag", False, "hooks index what is not indexed yet, too"),
    Setting("gc", "keep_days", "gc_keep_days", "count", 14, "days that gc keeps what no file has any more", 0, 36_500),
    Setting("daemon", "autostart", "daemon_autostart", "flag", False, "the first search starts the daemon"),
    Setting("daemon", "idle_minutes", "daemon_idle", "count", 60, "an autostarted one ends after", 1, 100_000),
    Setting("daemon", "workers", "daemon_workers", "count", 0, "processes that answer; 0: one for each core", 0, 16),
    Setting("watch", "paths", "watch_paths", "patterns", (), "projects that the daemon always keeps fresh"),
    Setting("gc", "max_size", "gc_max_size", "size", 0, "size of all indexes that gc leaves; 0: any", 0, 1 << 60),
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
        "daemon_autostart",
        "daemon_idle",
        "daemon_workers",
        "gc_keep_days",
        "gc_max_size",
        "hook_first_index",
        "hook_seconds",
        "ignore_patterns",
        "lexicon",
        "limit",
        "max_file_size",
        "max_files",
        "origins",
        "overrides",
        "pager",
        "shard_bytes",
        "snippet_lines",
        "warnings",
        "watch_paths",
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
        gc_keep_days: int = 14,
        gc_max_size: int = 0,
        lexicon: Sequence[str] = (),
        daemon_autostart: bool = False,
        daemon_idle: int = 60,
        daemon_workers: int = 0,
        watch_paths: Sequence[str] = (),
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
        self.gc_keep_days = gc_keep_days
        self.gc_max_size = gc_max_size
        self.lexicon = tuple(lexicon)
        self.daemon_autostart = daemon_autostart
        self.daemon_idle = daemon_idle
        self.daemon_workers = daemon_workers
        self.watch_paths = tuple(watch_paths)
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
        return made_config(merged, self.origins | dict.fromkeys(values, origin), self.overrides, self.warnings)


def made_config(
    values: Mapping[str, Value], origins: Mapping[str, str], overrides: Overrides, warnings: Sequence[str]
) -> Config:
    """A Config from values that were checked against `SETTINGS`, which the type checker cannot see."""
    return Config(**values, origins=origins, overrides=overrides, warnings=warnings)  # type: ignore[arg-type]


def _folder(path: str) -> bytes:
    return os.path.normpath(os.path.expanduser(os.fsencode(path)))


def expected(setting: Setting) -> str:
    """What a value of `setting` must be, in words that fit after "must be"."""
    if setting.kind in ("count", "size"):
        size = ' of bytes, or text such as "1MB",' if setting.kind == "size" else ""
        return f"a number{size} from {setting.lowest} to {setting.highest}"
    words = {"flag": "true or false", "patterns": "a list of texts", "choice": "one of " + ", ".join(setting.choices)}
    return words[setting.kind]


def checked(setting: Setting, item: object) -> Value | None:
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
