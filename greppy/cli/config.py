"""`greppy config`: the effective configuration of the current project, each value with where it comes from. Cold.

In: a `Parsed`. Out: TOML-like lines with the origin as a comment, or one JSON document.
"""

from __future__ import annotations

import os

from greppy.cli.environment import Environment, config_at, current_folder
from greppy.cli.parse import Parsed
from greppy.config import Config, config_file, load_config
from greppy.config.settings import SETTINGS
from greppy.errors import NoProject
from greppy.log import printable
from greppy.output.json_text import to_json
from greppy.output.quote import quote_path
from greppy.output.stream import write_text


def run(parsed: Parsed, environment: Environment) -> int:
    """Print the configuration; outside of a project that of no project."""
    try:
        config = config_at(current_folder(), environment)
    except NoProject:
        config = load_config(environment.home)
    path = config_file(environment.home)
    write_text(to_json(_document(config, path)) + "\n" if parsed.flag("json") else _lines(config, path))
    return 0


def _document(config: Config, path: bytes) -> dict[str, object]:
    settings = {
        f"{setting.section}.{setting.key}": {
            "value": getattr(config, setting.name),
            "origin": _origin(config, setting.name),
        }
        for setting in SETTINGS
    }
    return {"file": path, "exists": os.path.exists(path), "settings": settings}


def _origin(config: Config, name: str) -> str:
    return config.origins.get(name, "default")


def _lines(config: Config, path: bytes) -> str:
    lines = [f"# {quote_path(path)}" + ("" if os.path.exists(path) else " (does not exist; these are the defaults)")]
    section = ""
    for setting in SETTINGS:
        if setting.section != section:
            section = setting.section
            lines += ["", f"[{section}]"]
        value = f"{setting.key} = {to_json(getattr(config, setting.name))}"
        lines.append(f"{value:<28}  # {setting.help} ({printable(_origin(config, setting.name))})")
    return "\n".join(lines) + "\n"
