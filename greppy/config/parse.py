"""config.toml → `Config`. Cold: importing `tomllib` costs two warm searches.

In: the file's bytes. Out: a checked `Config` with a warning for everything that it does not know.
"""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING

from greppy.config.settings import SETTINGS, Config, Setting, checked, expected, made_config
from greppy.errors import BadArguments

if TYPE_CHECKING:
    from greppy.config.settings import Value


def parse_config(data: bytes, path: str) -> Config:
    """The configuration in `data`; `path` names the file in messages. Raises BadArguments."""
    try:
        tree = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadArguments(f"{path} is not valid TOML: {error}", "correct the file") from error
    reader = _Reader(path)
    projects = reader.table(tree.pop("projects", {}), "projects")
    values = reader.sections(tree, "")
    overrides = {name: reader.project(table, name) for name, table in projects.items()}
    return made_config(values, dict.fromkeys(values, path), overrides, reader.warnings)


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
        value = checked(setting, item)
        if value is None:
            raise BadArguments(f"{self.path}: {where} must be {expected(setting)}, not {item!r}", "correct the file")
        return value

    def unknown(self, what: str, name: str, known: list[str]) -> None:
        nearest = get_close_matches(name, known, 1)
        self.warnings.append(f"{self.path}: unknown {what}" + (f'; did you mean "{nearest[0]}"?' if nearest else ""))
