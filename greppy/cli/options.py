"""Every verb, argument and option, declared once.

In: nothing. Out: `VERBS`, from which the small parser (`parse`), click (`app`), the help, the man page, the README's
tables and the shell completions all come, so that none can say what another does not do. HOT.
"""

from __future__ import annotations

ANY_NUMBER = 1 << 30


class Option:
    """One option. `kind` is flag, switch (`--x/--no-x`), number, text, pattern (which may be empty) or path; a value is
    `metavar` in the help.

    A number lies in `lowest..highest`. `default` is shown, never applied here: what is not given stays out of the
    parsed result, since config.toml may have its own default. Options of one `group` are parsed into one list, in the
    order of the command line: their long forms, each with its value behind it where it takes one.
    """

    __slots__ = (
        "default",
        "group",
        "help",
        "highest",
        "kind",
        "long",
        "lowest",
        "metavar",
        "name",
        "repeatable",
        "short",
    )

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
        group: str = "",
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
        self.group = group

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
        limits = f"{self.lowest} to {self.highest}" if self.kind == "number" and self.highest < ANY_NUMBER else ""
        default = f"default {self.default}" if self.default else ""
        notes = ", ".join(part for part in (limits, default) if part)
        return self.help + (f" ({notes})" if notes else "")


class Verb:
    """One verb. `argument` is the metavar of its words ("" for none), of which `least` to `most` are taken.

    With `synopsis` it is read as git's own commands are: that is how its words are shown, those behind `--` are kept
    apart, and `(`, `)` and `-NUM` are short for --open, --close and --context.
    """

    __slots__ = ("about", "argument", "least", "most", "name", "options", "summary", "synopsis")

    def __init__(
        self,
        name: str,
        summary: str,
        about: str,
        options: tuple[Option, ...] = (),
        argument: str = "",
        least: int = 0,
        most: int = 0,
        synopsis: str = "",
    ) -> None:
        self.name = name
        self.summary = summary
        self.about = about
        self.options = options
        self.argument = argument
        self.least = least
        self.most = most
        self.synopsis = synopsis

    @property
    def usage(self) -> str:
        """The argument as a synopsis has it: `QUERY...`, `[PATH]` or ""."""
        if self.synopsis:
            return self.synopsis
        shown = self.argument + ("..." if self.most > 1 else "")
        return shown if self.least or not shown else f"[{shown}]"


_JSON = Option("--json", "flag", "print one JSON document", "-j")
_PROJECT = Option("--project", "path", "the project of this folder, not of the current one", "-p", "DIR")

_VIEW = (
    Option("--rev", "text", "search this revision (:0 is the staging area)", metavar="REV", repeatable=True),
    Option("--all-branches", "flag", "search every local branch"),
    Option("--since", "text", "only files that differ from this revision", metavar="REV"),
    Option("--changed", "flag", "only files that differ from HEAD, and untracked ones"),
    Option("--recurse-submodules", "flag", "search submodules too, as far as they are checked out"),
)

_FILTERS = (
    Option("--file", "path", "only files whose name has this in it, or matches it", metavar="GLOB", repeatable=True),
    Option("--ext", "text", "only files whose name ends so (py)", metavar="EXT", repeatable=True),
    Option("--sym", "text", "only definitions whose qualified name has this in it", metavar="NAME", repeatable=True),
    Option("--kind", "text", "only this kind: function, class, method, section, ...", metavar="KIND", repeatable=True),
    Option("--domain", "text", "what it is about: code, docs, legal, logs", metavar="NAME", default="auto"),
)
_WHY = (
    Option("--show-plan", "flag", "print how the query is understood, and search nothing"),
    Option("--explain", "flag", "print the parts of each result's score"),
)

SEARCH = Verb(
    "search",
    "find the places that answer a question",
    "Several words are one query, joined by spaces. 'search' may be left out where the first word is no command. The "
    "first search of a project indexes it; every later one first takes in what changed on disk. Where indexing takes "
    "longer than some two seconds, the first answer comes from a scan, and the index is built in the background. A "
    "pattern of --include or --exclude without glob characters matches any path that contains it. A query may hold "
    'filters (lang: path: file: ext: sym: kind: rev: domain:, and -path: -file: -ext:), "phrases" that must stand '
    "there, and -words that must not; what is odd is text.",
    (
        Option("--limit", "number", "most results to show", "-l", "N", default="20", lowest=1, highest=100),
        _PROJECT,
        Option("--path", "path", "only below this file or folder", metavar="DIR", repeatable=True),
        Option("--include", "path", "only paths that match the pattern", metavar="GLOB", repeatable=True),
        Option("--exclude", "path", "no paths that match the pattern", metavar="GLOB", repeatable=True),
        Option("--lang", "text", "only files in this language", metavar="NAME", repeatable=True),
        *_FILTERS,
        *_VIEW,
        _JSON,
        *_WHY,
        Option("--no-refresh", "flag", "answer from the index as it is, without looking for changes"),
        Option("--wait", "flag", "build the index first where there is none, however long it takes"),
        Option("--content", "switch", "show lines of the file below each result", default="on"),
    ),
    "QUERY",
    1,
    ANY_NUMBER,
)
QUERY = Verb(
    "query",
    "the same search for agents: records with provenance, within a budget",
    "Prints a JSON record a line, best first, each with its place, text, score and where it comes from; filters are "
    "those of 'search'. Mode text ranks lines and needs no index and no project, structure ranks whole definitions and "
    "sections, hybrid gives each file once with its best lines. With --max-tokens the best results get the room there "
    "is; a token is counted as four bytes of output. The last record has a cursor where there are more. --path is the "
    "folder to search; inside a project, what to search of it.",
    (
        Option("--path", "path", "the folder or file to search", metavar="DIR", default="the current folder's project"),
        Option("--mode", "text", "text, structure or hybrid", metavar="MODE", default="hybrid"),
        Option("--format", "text", "jsonl, json, table or compact", metavar="FORM", default="jsonl"),
        Option("--max-results", "number", "most records", "-l", "N", default="10", lowest=1, highest=1000),
        Option("--context-lines", "number", "lines around the best one", "-C", "N", highest=1000),
        Option("--max-tokens", "number", "most tokens of output", metavar="N", lowest=32, highest=ANY_NUMBER),
        Option("--cursor", "text", "go on behind the record that had it", metavar="CURSOR"),
        Option("--include", "path", "only paths that match the pattern", metavar="GLOB", repeatable=True),
        Option("--exclude", "path", "no paths that match the pattern", metavar="GLOB", repeatable=True),
        Option("--lang", "text", "only files in this language", metavar="NAME", repeatable=True),
        *_FILTERS,
        Option("--rev", "text", "search this revision (:0 is the staging area)", metavar="REV", repeatable=True),
        *_WHY,
        Option("--no-refresh", "flag", "answer from the index as it is, without looking for changes"),
    ),
    "QUERY",
    1,
    ANY_NUMBER,
)
_PATTERNS, _DIALECT, _BINARIES, _AROUND = "expression", "dialect", "binaries", "around"
GREP = Verb(
    "grep",
    "print the lines that match a pattern, as git grep does",
    "Prints exactly the lines that git grep prints, in its order and form, with line numbers: of tracked and of "
    "untracked but not ignored files as they are on disk, of the staging area, or of revisions. Words behind the "
    "pattern are revisions and then paths; paths may also follow --. Patterns are extended regular expressions read as "
    "RE2 reads them. On a terminal each file has a heading, and of a long line the part around its match is shown. "
    "Exit status: 0 lines were found, 1 none, 5 none, and with --coverage something could not be searched.",
    (
        Option("--regexp", "pattern", "a pattern; several are joined by or", "-e", "PATTERN", group=_PATTERNS),
        Option("--file", "path", "patterns from a file, one a line; - is stdin", "-f", "FILE", group=_PATTERNS),
        Option("--and", "flag", "lines must match what stands on both sides", group=_PATTERNS),
        Option("--or", "flag", "lines must match what stands on either side, as without it", group=_PATTERNS),
        Option("--not", "flag", "lines must not match what follows", group=_PATTERNS),
        Option("--open", "flag", "begin a group of patterns; ( does the same", group=_PATTERNS),
        Option("--close", "flag", "end it; ) does the same", group=_PATTERNS),
        Option(
            "--extended-regexp", "flag", "patterns are extended regular expressions (the default)", "-E", group=_DIALECT
        ),
        Option("--fixed-strings", "flag", "patterns are plain text", "-F", group=_DIALECT),
        Option(
            "--perl-regexp", "flag", "patterns may have look-around and back-references; slow", "-P", group=_DIALECT
        ),
        Option("--ignore-case", "flag", "upper and lower case are the same", "-i"),
        Option("--smart-case", "flag", "they are unless a pattern has an upper-case letter", "-S"),
        Option("--word-regexp", "flag", "only whole words match", "-w"),
        Option("--invert-match", "flag", "print the lines that do not match", "-v"),
        Option("--multiline", "flag", "a match may go over the ends of lines", "-U"),
        Option("--line-number", "switch", "print line numbers", "-n", default="on"),
        Option("--column", "flag", "print the column of the first match"),
        Option("--no-filename", "flag", "do not print file names", "-h"),
        Option("--with-filename", "flag", "print file names (the default)", "-H"),
        Option("--full-name", "flag", "print file names from the project's root"),
        Option("--null", "flag", "put NULs behind file names and print them unquoted", "-z"),
        Option("--files-with-matches", "flag", "print only the names of files with a match", "-l"),
        Option("--name-only", "flag", "the same"),
        Option("--files-without-match", "flag", "print only the names of files without a match", "-L"),
        Option("--count", "flag", "print only how many lines of each file match", "-c"),
        Option("--only-matching", "flag", "print only what matches, a line each", "-o"),
        Option("--quiet", "flag", "print nothing; the exit status tells", "-q"),
        Option("--max-count", "number", "at most so many lines of each file", "-m", "N", highest=ANY_NUMBER),
        Option(
            "--after-context", "number", "lines to print after a match", "-A", "N", highest=ANY_NUMBER, group=_AROUND
        ),
        Option("--before-context", "number", "lines to print before it", "-B", "N", highest=ANY_NUMBER, group=_AROUND),
        Option(
            "--context",
            "number",
            "lines to print around it; -N is short for it",
            "-C",
            "N",
            highest=ANY_NUMBER,
            group=_AROUND,
        ),
        Option("--show-function", "flag", "print the head of the function that a match is in", "-p"),
        Option("--function-context", "flag", "print the whole function", "-W"),
        Option("--text", "flag", "take binary files for text", "-a", group=_BINARIES),
        Option("--skip-binary", "flag", "leave binary files out", "-I", group=_BINARIES),
        Option("--recursive", "flag", "look into folders (the default)", "-r"),
        Option("--cached", "flag", "search the staging area"),
        Option("--untracked", "flag", "search untracked files too (the default)"),
        Option("--no-index", "flag", "search the current folder, whatever git thinks of its files"),
        *_VIEW,
        Option("--type", "text", "only files in this language", "-t", "NAME", repeatable=True),
        Option("--glob", "path", "only paths that match, or with ! none that do", "-g", "GLOB", repeatable=True),
        Option("--project", "path", "search from this folder, not from the current one", metavar="DIR"),
        Option("--color", "text", "colours: auto, always or never", metavar="WHEN", default="auto"),
        Option("--no-color", "flag", "no colours"),
        Option("--json", "flag", "print JSON Lines: a record a line that matches, a summary at the end"),
        Option("--coverage", "flag", "say on stderr what was searched and what was not, and why"),
        Option("--no-refresh", "flag", "take the files from the index as it is, without looking for new ones"),
    ),
    "PATTERN",
    most=ANY_NUMBER,
    synopsis="PATTERN [REV...] [[--] PATHSPEC...]",
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
HOOKS = Verb(
    "hooks",
    "install, uninstall or show (status) git hooks that keep the index fresh",
    "After a commit, checkout, merge, rebase or am the index, if there is one, is then refreshed in the background; "
    "git does not wait for it and cannot fail for it. A hook that is there already runs first, as before, and "
    "'uninstall' puts it back as it was. Hooks that pre-commit, husky or lefthook manage are left to them, as is a "
    "folder that core.hooksPath names outside of the git folder: what to add there is said. With --global all your "
    "repositories are served, where your git can do that without replacing their own hooks. 'status' exits with 1 "
    "where a hook is missing, 'uninstall' where one that you have edited, or that calls greppy by hand, stays.",
    (Option("--global", "flag", "for all repositories, not for this one"), _JSON, _PROJECT),
    "install|uninstall|status",
    1,
    1,
)
DAEMON = Verb(
    "daemon",
    "start, stop, restart or show (status) the daemon that answers from memory, or be it (run)",
    "With a daemon the same answers come in the time that a process takes to start. It is one for each GREPPY_HOME, "
    "ends with 'stop', and without it everything works as before. 'run' stays in the foreground, for service managers; "
    "'start --install' makes it a service of your session (systemd, launchd) and 'start --uninstall' undoes that. "
    "'status' exits with 1 where no daemon is running. [daemon] autostart has the first search start one.",
    (
        Option("--install", "flag", "start it with every session from now on"),
        Option("--uninstall", "flag", "no longer do so, and stop it"),
        _JSON,
    ),
    "start|stop|restart|status|run",
    1,
    1,
)
HISTORY = Verb(
    "history",
    "find the commits in which lines that match came and went",
    "Newest first and as they are found, each with the lines that went (-) and came (+), renames followed and merges "
    "left out as by git log -G. REV is what git log takes: a branch, v1..v2, ^REV; HEAD if it is left out. Patterns "
    "are extended regular expressions read as RE2 reads them. The first use reads what each commit changes and keeps "
    "it in the index; later ones read only new commits. Exit status: 0 commits were found, 1 none.",
    (
        Option("--ignore-case", "flag", "upper and lower case are the same", "-i"),
        Option("--fixed-strings", "flag", "the pattern is plain text", "-F", group=_DIALECT),
        Option(
            "--extended-regexp",
            "flag",
            "the pattern is an extended regular expression (the default)",
            "-E",
            group=_DIALECT,
        ),
        Option("--word-regexp", "flag", "only whole words match", "-w"),
        Option("--occurrences", "flag", "where the number of matches changes, as by git log -S", "-S"),
        Option("--lines", "flag", "where matching lines come or go, as by git log -G (the default)", "-G"),
        Option("--max-count", "number", "at most so many commits", "-n", "N", lowest=1, highest=ANY_NUMBER),
        Option("--since", "text", "only commits after this time, as git takes it", metavar="DATE"),
        Option("--until", "text", "only commits before it", metavar="DATE"),
        Option("--all", "flag", "commits of all branches and tags"),
        Option("--json", "flag", "print JSON Lines: a record a commit, a summary at the end", "-j"),
        _PROJECT,
    ),
    "PATTERN",
    most=ANY_NUMBER,
    synopsis="PATTERN [REV...] [-- PATHSPEC...]",
)
GC = Verb(
    "gc",
    "remove what no index needs any more, and put small shards together",
    "Removes indexes of folders that are gone, analyses that no file has had for [gc] keep_days, revisions that were "
    "not asked for as long, and temporary files; with [gc] max_size, whole indexes until the rest fits, those first "
    "that were not searched for longest. PATH names one project; without it all are tended. An index that is being "
    "changed is left alone. Nothing that is removed is lost: the next search makes it again.",
    (Option("--dry-run", "flag", "only say what would be freed", "-n"), _JSON),
    "PATH",
    most=1,
)
DOCTOR = Verb(
    "doctor",
    "check that everything is as it should be, and repair what is not",
    "Looks at the home's owner and modes, the disk, config.toml, every sum of every index and what lies beside it, "
    "git, the compiled kernels, the grammars, the hooks of the project here and what they wait for. A line is 'ok', "
    "'warn' (answers are right all the same) or 'FAIL', with what to do below it. With --fix what was damaged is "
    "analysed again, modes are set, hooks renewed, and what lies about is removed. Exit status: 0 nothing is wrong, "
    "3 something is and was not repaired.",
    (Option("--fix", "flag", "repair what can be repaired"), _JSON, _PROJECT),
)
CONFIG = Verb("config", "show the effective configuration, and where each value comes from", "", (_JSON,))
HELP = Verb("help", "show the help of a command", "", (), "COMMAND", most=1)

VERBS = {
    verb.name: verb
    for verb in (SEARCH, QUERY, GREP, INDEX, LIST, FORGET, STATUS, HOOKS, DAEMON, HISTORY, GC, DOCTOR, CONFIG, HELP)
}

HELP_FLAGS = ("-h", "--help")
VERSION_FLAG = "--version"
