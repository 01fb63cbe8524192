"""Every verb, argument and option, declared once.

In: nothing. Out: `VERBS`, from which the small parser (`parse`), click (`app`), the help, the man page, the README's
tables and the shell completions all come, so that none can say what another does not do. HOT.
"""

from __future__ import annotations

ANY_NUMBER = 1 << 30


class Option:
    """One option. `kind` is flag, switch (`--x/--no-x`), number, text or path; a value is `metavar` in the help.

    A number lies in `lowest..highest`. `default` is shown, never applied here: what is not given stays out of the
    parsed result, since config.toml may have its own default.
    """

    __slots__ = ("default", "help", "highest", "kind", "long", "lowest", "metavar", "name", "repeatable", "short")

    def __init__(
        self,
        long: str,
        kind: str,
        text: str,
        short: str = "",
        metavar: str = "",
        repeatable: bool = False,
        default: str = "",
        lowest: int = 0,
        highest: int = 0,
    ) -> None:
        self.long = long
        self.name = long[2:].replace("-", "_")
        self.kind = kind
        self.help = text
        self.short = short
        self.metavar = metavar
        self.repeatable = repeatable
        self.default = default
        self.lowest = lowest
        self.highest = highest

    @property
    def takes_value(self) -> bool:
        """Whether the next word, or what stands after `=`, belongs to the option."""
        return self.kind not in ("flag", "switch")

    @property
    def negative(self) -> str:
        """The form of a switch that turns it off, else ""."""
        return "--no-" + self.long[2:] if self.kind == "switch" else ""

    @property
    def about(self) -> str:
        """The help text with range and default."""
        limits = f"{self.lowest} to {self.highest}" if self.kind == "number" else ""
        default = f"default {self.default}" if self.default else ""
        notes = ", ".join(part for part in (limits, default) if part)
        return self.help + (f" ({notes})" if notes else "")


class Verb:
    """One verb. `argument` is the metavar of its words ("" for none), of which `least` to `most` are taken."""

    __slots__ = ("about", "argument", "least", "most", "name", "options", "summary")

    def __init__(
        self,
        name: str,
        summary: str,
        about: str,
        options: tuple[Option, ...] = (),
        argument: str = "",
        least: int = 0,
        most: int = 0,
    ) -> None:
        self.name = name
        self.summary = summary
        self.about = about
        self.options = options
        self.argument = argument
        self.least = least
        self.most = most

    @property
    def usage(self) -> str:
        """The argument as a synopsis has it: `QUERY...`, `[PATH]` or ""."""
        shown = self.argument + ("..." if self.most > 1 else "")
        return shown if self.least or not shown else f"[{shown}]"


_JSON = Option("--json", "flag", "print one JSON document", "-j")
_PROJECT = Option("--project", "path", "the project of this folder, not of the current one", "-p", "DIR")

SEARCH = Verb(
    "search",
    "find the places that answer a question",
    "Several words are one query, joined by spaces. 'search' may be left out where the first word is no command. The "
    "first search of a project indexes it; every later one first takes in what changed on disk. A pattern of --include "
    "or --exclude without glob characters matches any path that contains it.",
    (
        Option("--limit", "number", "most results to show", "-l", "N", default="20", lowest=1, highest=100),
        _PROJECT,
        Option("--path", "path", "only below this file or folder", metavar="DIR", repeatable=True),
        Option("--include", "path", "only paths that match the pattern", metavar="GLOB", repeatable=True),
        Option("--exclude", "path", "no paths that match the pattern", metavar="GLOB", repeatable=True),
        Option("--lang", "text", "only files in this language", metavar="NAME", repeatable=True),
        _JSON,
        Option("--no-refresh", "flag", "answer from the index as it is, without looking for changes"),
        Option("--content", "switch", "show lines of the file below each result", default="on"),
    ),
    "QUERY",
    1,
    ANY_NUMBER,
)
INDEX = Verb(
    "index",
    "build or update the index of a project",
    "Searching does this by itself; 'index' does it ahead of time. PATH defaults to the current folder.",
    (
        Option("--force", "flag", "analyse everything again", "-f"),
        Option("--watch", "flag", "then keep the index up to date until Ctrl-C", "-w"),
        Option("--recursive", "flag", "every project at PATH and up to five folders below it", "-r"),
    ),
    "PATH",
    most=1,
)
LIST = Verb("list", "show every indexed project", "", (_JSON,))
FORGET = Verb("forget", "delete the index of a project", "The project itself is not touched.", (), "PATH", 1, 1)
STATUS = Verb(
    "status",
    "show the state of a project's index",
    "",
    (_JSON, Option("--skipped", "flag", "list the files that are not indexed, and why"), _PROJECT),
)
CONFIG = Verb("config", "show the effective configuration, and where each value comes from", "", (_JSON,))
HELP = Verb("help", "show the help of a command", "", (), "COMMAND", most=1)

VERBS = {verb.name: verb for verb in (SEARCH, INDEX, LIST, FORGET, STATUS, CONFIG, HELP)}

# Words that a user may expect to be commands: taking them for a query would answer the wrong question in silence.
RESERVED = ("grep", "query", "hooks", "daemon", "history", "gc", "doctor")

HELP_FLAGS = ("-h", "--help")
VERSION_FLAG = "--version"
