"""The documents that are made from the option table: man page, README tables, shell completions. Cold.

In: `python -m greppy.cli.man NAME`, NAME one of `git-greppy.1`, `greppy.1`, `readme`, `greppy.bash`, `_greppy`,
`greppy.fish`. Out: the document on stdout. contrib/ holds what this prints, and a test keeps the two in step. With
`--write DIR` all but `readme` are written into DIR.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from greppy.cli import completion
from greppy.cli.options import VERBS, Option, Verb
from greppy.config.settings import SETTINGS, Setting
from greppy.output.stream import write_text

_HEAD = r""".\" Made from greppy/cli/options.py by python -m greppy.cli.man; do not edit.
.TH GIT\-GREPPY 1 "" "git greppy" "Git Manual"
.SH NAME
git\-greppy \- search and navigation of code that lives in git
.SH SYNOPSIS
"""
_DESCRIPTION = """Answers questions about a project from one local index that is brought up to date before every \
search. Nothing leaves the machine.
A first word that is no command is a query: 'greppy where are sessions validated' is the same as 'greppy search where \
are sessions validated'; so is a command line that begins with an option. '--' ends options: 'greppy -- list' searches \
for the word list."""
_EXITS = (
    ("0", "there are results, or the command did what it says"),
    ("1", "a search found nothing"),
    ("2", "no project here, or the folder does not exist"),
    ("3", "the index or the output failed"),
    ("4", "an argument, the query or the configuration cannot be taken"),
    ("5", "'grep --coverage' found nothing, and not everything could be searched"),
    ("130", "ended by Ctrl-C"),
    ("141", "whoever read stdout stopped reading"),
)
_JSON = """'search --json' prints one document on one line: "results" (each with "path", "start_line", "end_line", \
"content", "symbol_name", "symbol_kind", "language", "score", "flags", "matched_lines"), "total" (before the limit), \
"took_ms", "index", "query" and "notes". Lines count from 1 and include both ends. A path that is not UTF-8 is \
{"bytes":"<base64>"}; content that is not is shown with U+FFFD.
With --explain each result has "score_breakdown", whose parts add up to "score".
'query' prints one record a line, as greppy/output/record.schema.json says: "id", "source_type" (code, docs, legal or \
logs), "path", "anchor", "span" (bytes), "start_line", "end_line", "snippet", "score" (0 to 1, comparable across \
domains), "score_breakdown", "signals" (with "confidence", the calibrated probability that the record is \
right), "freshness", "oid", "dirty", "matched_terms", "language", and where there is any "symbol", "kind", "cut", \
"also", "revisions" and "cursor". "id" is the SHA-1 of source_type:path:anchor:START-END:query. --format json prints \
one document with them as "results".
An error is {"error":{"code","message","hint"}} on stdout, its code one of NO_PROJECT, NO_INDEX, INDEX_ERROR, \
PARSE_ERROR, DAEMON_ERROR and IO_ERROR; the exit status is the same as without --json."""
_GREP = """'grep --json' prints one record a line. For a line that matches its "type" is "match", with "path", \
"line_number", "column", "text" and "submatches" (each with "start" and "end"); "context" and "function" are lines \
around it; "binary", "file" and "count" are told of a whole file; "summary" is the last one, and with --coverage \
"skipped" and "failed" come before it, each with "path" and "reason". Columns count bytes from 1, start and end bytes \
from 0; a file of a revision has "revision". Texts and paths that are not UTF-8 are {"bytes":"<base64>"}."""
_ENVIRONMENT = (
    ("GREPPY_HOME", "where indexes and config.toml are kept (default ~/.greppy)"),
    ("GREPPY_LOG", "what to log on stderr: error, warn, info or debug, or TARGET=LEVEL, separated by commas"),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "grep takes characters for those of UTF-8, or, where they name another locale, for bytes",
    ),
    ("GREPPY_NO_COLOR, NO_COLOR", "no colours when not empty; TERM=dumb says the same"),
    ("GREPPY_NO_BACKGROUND", "when not empty nothing is indexed in the background, neither by searches nor by hooks"),
    ("GREPPY_DAEMON_SOCKET", "where the daemon listens (default daemon.sock in GREPPY_HOME); at most 107 bytes"),
    ("GREPPY_NO_DAEMON", "when not empty no daemon is asked"),
    ("GREPPY_PAGER, PAGER", "the pager for output longer than the terminal (default less; empty for none)"),
)
_FILES = """$GREPPY_HOME/hooks/log tells what hooks have done, $GREPPY_HOME/daemon.log what the daemon has.
$GREPPY_HOME/config.toml has the settings below. [projects."PATH"] overrides any of them for the project \
at PATH, by the key alone or in a section such as [projects."PATH".index]. Sizes may be written as "1MB"; units are \
powers of 1024."""


def man_page() -> str:
    """git-greppy(1) in roff."""
    parts = [_HEAD, *map(_synopsis, VERBS.values()), _section("DESCRIPTION"), _paragraphs(_description())]
    parts += [_section("COMMANDS"), *map(_man_verb, VERBS.values())]
    parts += [
        _section("JSON"),
        _paragraphs(_JSON),
        _paragraphs(_GREP),
        _section("EXIT STATUS"),
        *(_item(*row) for row in _EXITS),
    ]
    parts += [_section("ENVIRONMENT"), *(_item(*row) for row in _ENVIRONMENT)]
    parts += [_section("CONFIGURATION"), _paragraphs(_FILES), *map(_man_setting, SETTINGS)]
    return "".join(parts)


def readme_tables() -> str:
    """The tables of commands, options and settings in Markdown."""
    lines = ["| command | |", "|---|---|"]
    # A bar would end the cell, in code too.
    lines += ["| `" + _command(verb).replace("|", "\\|") + f"` | {verb.summary} |" for verb in VERBS.values()]
    for verb in VERBS.values():
        if verb.options:
            lines += ["", f"| `greppy {verb.name}` | |", "|---|---|"]
            lines += [f"| {_markdown_forms(option)} | {option.about} |" for option in verb.options]
    lines += ["", "| `config.toml` | default | |", "|---|---|---|"]
    lines += [f"| `[{s.section}] {s.key}` | `{_default(s)}` | {s.help} |" for s in SETTINGS]
    return "\n".join(lines) + "\n"


DOCUMENTS: dict[str, Callable[[], str]] = {
    "git-greppy.1": man_page,
    "greppy.1": lambda: ".so man1/git-greppy.1\n",
    "readme": readme_tables,
    "greppy.bash": completion.bash,
    "_greppy": completion.zsh,
    "greppy.fish": completion.fish,
}


def _description() -> str:
    return _DESCRIPTION


def _command(verb: Verb) -> str:
    return " ".join(part for part in ("greppy", verb.name, "[OPTIONS]" if verb.options else "", verb.usage) if part)


def _synopsis(verb: Verb) -> str:
    options = "".join(f" [{_forms(option)}]" + ("..." if option.repeatable else "") for option in verb.options)
    return f".B greppy {_roff(verb.name)}\n{_roff((options + ' ' + verb.usage).strip())}\n.br\n"


def _forms(option: Option) -> str:
    forms = [form for form in (option.short, option.long, option.negative) if form]
    return "|".join(forms) + (f" {option.metavar}" if option.takes_value else "")


def _markdown_forms(option: Option) -> str:
    forms = [form for form in (option.short, option.long, option.negative) if form]
    return ", ".join(f"`{form}`" for form in forms) + (f" `{option.metavar}`" if option.takes_value else "")


def _man_verb(verb: Verb) -> str:
    head = f".SS {_roff(verb.name + (' ' + verb.usage if verb.usage else ''))}\n"
    text = verb.summary[0].upper() + verb.summary[1:] + ". " + verb.about
    return (
        head + _paragraphs(text.strip()) + "".join(_item(_forms(o).replace("|", ", "), o.about) for o in verb.options)
    )


def _man_setting(setting: Setting) -> str:
    return _item(f"[{setting.section}] {setting.key} = {_default(setting)}", setting.help)


def _default(setting: Setting) -> str:
    from greppy.output.json_text import to_json

    return to_json(setting.default)


def _section(name: str) -> str:
    return f".SH {name}\n"


def _paragraphs(text: str) -> str:
    return "".join(f".PP\n{_roff(line)}\n" for line in text.split("\n"))


def _item(term: str, text: str) -> str:
    return f".TP\n.B {_roff(term)}\n{_roff(text)}\n"


def _roff(text: str) -> str:
    """`text` with nothing in it that roff would obey; a hyphen is a minus, so that options can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


def main(argv: list[str]) -> int:
    """Print one document, or write all into a folder."""
    if len(argv) == 2 and argv[0] == "--write":
        for name, document in DOCUMENTS.items():
            if name != "readme":
                with open(os.path.join(argv[1], name), "w", encoding="utf-8") as file:
                    file.write(document())
        return 0
    if len(argv) != 1 or argv[0] not in DOCUMENTS:
        print(f"usage: python -m greppy.cli.man {'|'.join(DOCUMENTS)} or --write DIR", file=sys.stderr)
        return 4
    write_text(DOCUMENTS[argv[0]]())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
