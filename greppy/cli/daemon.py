"""`greppy daemon`: start, stop, restart, show or be the daemon; and what the daemon runs. Cold.

In: a `Parsed`. Out: a line for a person, or one JSON document; `status` gives 1 where no daemon is running. Below
stands the command line as the daemon's workers see it: which requests are worth a daemon, and how they are run.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from greppy import log
from greppy.cli.environment import Environment, current_folder, existing_folder, read_environment, socket_path
from greppy.cli.parse import Parsed, parse
from greppy.config import load_config
from greppy.daemon import launch
from greppy.daemon.claim import Running, is_held, refuse_foreign
from greppy.daemon.preload import SHARED
from greppy.daemon.runner import CLIENT, FORKED, HERE, Asked
from greppy.daemon.supervisor import Settings
from greppy.errors import BadArguments, DaemonFailure, GreppyError
from greppy.output.json_text import to_json
from greppy.output.quote import quote_path
from greppy.output.report import count, format_age, format_size, seconds, timestamp
from greppy.output.stream import write_text

if TYPE_CHECKING:
    from typing import Any

    from greppy.config import Config
    from greppy.daemon.warm import Warm

_SHARED = tuple(f"greppy.cli.{name}" for name in ("grep", "main", "query", "search")) + tuple(
    f"greppy.output.{name}" for name in ("grep_json", "human", "json_text", "records")
)
ACTIONS = ("start", "stop", "restart", "status", "run")
_NOT_RUNNING = 1
_NO_DAEMON = "No daemon is running: not running at {}\n"


def run(parsed: Parsed, environment: Environment) -> int:
    """Do what the word says."""
    action = parsed.words[0]
    if action not in ACTIONS:
        raise BadArguments(f'greppy daemon: "{action}" is not understood', f"use one of {', '.join(ACTIONS)}")
    path = environment.socket or socket_path(environment.home, os.environ)
    if action == "start":
        return _start(parsed, environment, path)
    if action == "stop":
        return _stop(path)
    if action == "restart":
        _stop(path)
        return _start(parsed, environment, path)
    if action == "status":
        return _status(path, parsed.flag("json"))
    launch.serve(path, CommandLine(), _settings(environment, load_config(environment.home)))
    return 0


def _settings(environment: Environment, config: Config, idle_seconds: float = 0.0) -> Settings:
    folders = [os.path.abspath(os.path.expanduser(os.fsencode(folder))) for folder in config.watch_paths]
    return Settings(environment.home, config.daemon_workers, idle_seconds, folders)


def _start(parsed: Parsed, environment: Environment, path: bytes) -> int:
    if parsed.flag("install") or parsed.flag("uninstall"):
        from greppy.daemon import service
    if parsed.flag("uninstall"):
        name, there = service.uninstall()
        write_text(f"Removed {name}\n" if there else f"Nothing to do: there is no {name}\n")
        return 0
    if parsed.flag("install"):
        name, problem = service.install(environment.home)
        write_text(f"Installed {name}\n")
        if not problem:
            return 0
        log.notice(f"the session did not start it ({problem}); started without it")
    try:
        launch.start(path, CommandLine(), _settings(environment, load_config(environment.home)))
    except Running:
        write_text(f"A daemon is running already at {quote_path(path)}\n")
        return 0
    write_text(f"Started a daemon at {quote_path(path)}\n")
    return 0


def _stop(path: bytes) -> int:
    ended = launch.stop(path)
    if not ended.running:
        write_text(_NO_DAEMON.format(quote_path(path)))
    else:
        write_text("Stopped the daemon" + (" by force\n" if ended.forced else "\n"))
    return 0


def autostart(environment: Environment, config: Config) -> None:
    """Start a daemon that ends when it is not used; where that fails the search was answered all the same."""
    try:
        launch.start(environment.socket, CommandLine(), _settings(environment, config, 60.0 * config.daemon_idle))
    except GreppyError as error:
        log.event("warn", "greppy.daemon", autostart=error.message)


# What the daemon says of itself


def _status(path: bytes, as_json: bool) -> int:
    found = launch.ask_status(path)
    if found is None and is_held(path):
        raise DaemonFailure("the daemon does not answer", "'greppy daemon restart' ends it and starts another")
    if as_json:
        write_text(to_json({"running": found is not None, "socket": path, **_plain(found or {})}) + "\n")
    elif found is None:
        write_text(_NO_DAEMON.format(quote_path(path)) + _foreign(path))
    else:
        write_text(_lines(found, path))
    return 0 if found is not None else _NOT_RUNNING


def _foreign(path: bytes) -> str:
    try:
        refuse_foreign(path)
    except DaemonFailure as error:
        return f"{error.message}; {error.hint}\n"
    return ""


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != "type"}


def _lines(found: dict[str, Any], path: bytes) -> str:
    hits, misses = found["cache_hits"], found["cache_misses"]
    rows = [
        ("Daemon", f"process {found['pid']}, {count(len(found['workers']), 'worker')}, version {found['version']}"),
        ("Socket", quote_path(path)),
        ("Uptime", seconds(found["uptime"])),
        (
            "Memory",
            f"{format_size(found['pss_bytes'])}; {format_size(found['rss_bytes'])} with shared pages counted each",
        ),
        ("Requests", f"{found['requests']}: {_ways(found)}"),
        ("Results", f"{count(hits, 'hit')} of {hits + misses} searches"),
        *(("Project", _project(project)) for project in found["projects"]),
    ]
    return "".join(f"{topic:<10}{text}\n" for topic, text in rows)


def _ways(found: dict[str, Any]) -> str:
    ways = (("answered", "from memory"), ("forked", "by a process of their own"), ("direct", "left to the client"))
    return ", ".join([f"{found[name]} {text}" for name, text in ways] + [f"{found['failed']} failed"])


def _project(project: dict[str, Any]) -> str:
    path = project["path"]
    name = log.printable(path) if isinstance(path, str) else str(path)
    files = count(project["files"], "file")
    indexed = timestamp(project["indexed_at"])
    watched = f" of {count(project['folders_watched'], 'folder')}" if project["folders_watched"] else ""
    return f"{name}  ({files}, indexed {indexed}, {project['freshness']}{watched}, used {format_age(project['idle'])})"


# What the daemon runs


class CommandLine:
    """The program, for `greppy.daemon.runner`."""

    def preload(self) -> None:
        """Import what any command line may need that a daemon runs."""
        for name in (*SHARED, *_SHARED):
            import_module(name)

    def understand(self, argv: list[str], terminal: bool) -> Asked:
        """A search is answered by the worker; a grep or a query, which may take long, by a process of its own; the
        rest gains nothing, or needs a terminal."""
        parsed = parse(argv) if argv else None
        if parsed is None:
            return Asked(CLIENT, b"", b"")
        way = {"search": HERE, "grep": FORKED, "query": CLIENT if terminal else FORKED}.get(parsed.verb, CLIENT)
        if way == FORKED and "-" in parsed.texts("expression"):
            way = CLIENT  # patterns from stdin
        return Asked(way, _start_of(parsed), read_environment().home)

    def run(self, argv: list[str], warm: Warm, window: tuple[int, int] | None) -> int:
        """As a process of its own would."""
        from greppy.cli.main import run_guarded

        return run_guarded(argv, warm, window)


def _start_of(parsed: Parsed) -> bytes:
    name = parsed.text("project")
    try:
        return current_folder() if name is None else existing_folder(name)
    except GreppyError:
        return b"/"
