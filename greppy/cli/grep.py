"""`greppy grep`: options → a `Question` and a `Request` → exact search → stdout. HOT.

In: a `Parsed`. Out: 0 when a line (with -L: a file) was found, else 1, or 5 where --coverage was asked for and a file
could not be searched. What cannot be read is told on stderr, as git does, and changes no other status.
"""

from __future__ import annotations

import os

from greppy import log
from greppy.cli.environment import Environment, config_at, current_folder, existing_folder
from greppy.cli.meter import Meter
from greppy.cli.values import read_since
from greppy.errors import BadArguments, NoProject
from greppy.index import view as index
from greppy.output import grep as output
from greppy.output.grep_names import Names
from greppy.output.stream import look_at_screen, write_error
from greppy.search.exact.binary import BinaryRule
from greppy.search.exact.context import NO_LIMIT, Context
from greppy.search.exact.engine import FOLDER, STAGED, TREE, Request, search
from greppy.search.exact.question import Reading, make_question
from greppy.search.exact.receipt import Receipt
from greppy.search.exact.selection import prefix_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.cli.parse import Parsed
    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.output.grep import Form, Sink
    from greppy.output.grep_json import JsonForm
    from greppy.search.exact.engine import Found
    from greppy.search.exact.question import Question

INCOMPLETE = 5
LONGEST_FILE = 1 << 24
"""Bytes that are read of a file of patterns."""


def run(parsed: Parsed, environment: Environment) -> int:
    """Search, print, and say by the exit status what came of it."""
    tokens, words = read_patterns(parsed)
    question = make_question(
        tokens, read_reading(parsed, environment.single_bytes), parsed.flag("invert_match"), parsed.flag("column")
    )
    request = read_request(parsed, words)
    config = config_at(request.cwd, environment)
    open_view = environment.warm.open_view if environment.warm is not None else index.open_view
    if parsed.number("max_count", NO_LIMIT) == 0:
        return 1
    sink = output.Sink()
    form = _form(parsed, sink, request, config, environment)
    receipt = Receipt()
    with Meter() as meter, BinaryRule() as rule:
        printer = output.Printer(form, sink, question, read_context(parsed), rule, _show(parsed))
        found = False
        for file in search(request, question, environment.home, config, meter.show, receipt, open_view):
            found = _print(printer, file, question, receipt) or found
            if found and parsed.flag("quiet"):
                break
    if parsed.flag("json"):
        _as_json(form).end(receipt, parsed.flag("coverage"))
    sink.flush()
    return _account(parsed, receipt, found)


def _print(printer: output.Printer, file: Found, question: Question, receipt: Receipt) -> bool:
    """Print one file; a pattern that may backtrack without end gets a bounded time for it."""
    if not question.backtracks:
        return printer.print_file(file)
    from greppy.search.exact.engines import MOST_SLOW, SECONDS, TimeLimit, TooSlow

    try:
        with TimeLimit():
            return printer.print_file(file)
    except TooSlow:
        receipt.fail(file.source, "took too long")
    if sum(reason == "took too long" for _, reason in receipt.failed) >= MOST_SLOW:
        hint = "write the pattern so that it cannot match one text in many ways, or without look-around"
        raise BadArguments(f"-P: {MOST_SLOW} files took more than {SECONDS:g} s each", hint)
    return False


def _as_json(form: Form) -> JsonForm:
    from greppy.output.grep_json import JsonForm

    assert isinstance(form, JsonForm)
    return form


def _account(parsed: Parsed, receipt: Receipt, found: bool) -> int:
    for path, reason in receipt.failed:
        log.notice(f"cannot read {os.fsdecode(path)}: {reason}")
    if parsed.flag("coverage"):
        write_error(receipt_text(receipt))
    incomplete = parsed.flag("coverage") and receipt.failed
    return 0 if found else INCOMPLETE if incomplete else 1


def receipt_text(receipt: Receipt) -> str:
    """The receipt for a person: counts, then every path that was not searched with its reason."""
    left_out = [*receipt.failed, *receipt.skipped]
    head = f"searched {receipt.searched} files, skipped {len(receipt.skipped)}, failed {len(receipt.failed)}\n"
    return head + "".join(f"  {log.printable(os.fsdecode(path))}: {reason}\n" for path, reason in left_out)


# What is asked


def read_patterns(parsed: Parsed) -> tuple[list[str | bytes], list[bytes]]:
    """(pattern texts and operators, the words that are none). Raises BadArguments."""
    given = iter(parsed.texts("expression"))
    tokens: list[str | bytes] = []
    for form in given:
        if form == "--regexp":
            tokens.append(os.fsencode(next(given)))
        elif form == "--file":
            tokens += _patterns_of(next(given))
        elif form != "--or":
            tokens.append({"--open": "(", "--close": ")"}.get(form, form))
    words = [os.fsencode(word) for word in parsed.words]
    if not any(isinstance(token, bytes) for token in tokens) and "--file" not in parsed.texts("expression"):
        if not words and parsed.rest:
            words = [os.fsencode(parsed.rest.pop(0))]
        if not words:
            raise BadArguments("no pattern given", "write 'greppy grep PATTERN', or -e PATTERN")
        tokens.append(words.pop(0))
    return tokens, words


def _patterns_of(name: str) -> list[str | bytes]:
    """The lines of a file that are not empty."""
    try:
        with open(0 if name == "-" else name, "rb", closefd=name != "-") as file:
            text = file.read(LONGEST_FILE)
    except OSError as error:
        raise BadArguments(f"--file {name}: {error.strerror}", "name a file of patterns, one a line") from None
    return [line for line in text.split(b"\n") if line]


def read_reading(parsed: Parsed, single_bytes: bool = False) -> Reading:
    """How the patterns are to be read: of -E, -F and -P the last counts."""
    last = (parsed.texts("dialect") or ["--extended-regexp"])[-1]
    return Reading(
        {"--fixed-strings": "fixed", "--perl-regexp": "perl"}.get(last, "extended"),
        fold=parsed.flag("ignore_case"),
        smart_case=parsed.flag("smart_case"),
        word=parsed.flag("word_regexp"),
        multiline=parsed.flag("multiline"),
        single_bytes=single_bytes,
    )


def read_context(parsed: Parsed) -> Context:
    """The context that is wanted; of options that speak of the same lines the last counts."""
    given = iter(parsed.texts("around"))
    before = after = 0
    for form in given:
        lines = int(next(given))
        before = before if form == "--after-context" else lines
        after = after if form == "--before-context" else lines
    return Context(
        before,
        after,
        parsed.flag("show_function"),
        parsed.flag("function_context"),
        parsed.number("max_count", NO_LIMIT),
    )


def read_request(parsed: Parsed, words: list[bytes]) -> Request:
    """Where to search. Raises NoProject, BadArguments."""
    folder = parsed.text("project")
    cwd = os.path.realpath(current_folder() if folder is None else existing_folder(folder))
    revisions = [os.fsencode(name) for name in parsed.texts("rev")]
    staged = revisions in ([b":"], [b":0"])
    kind = FOLDER if parsed.flag("no_index") else STAGED if staged or parsed.flag("cached") else TREE
    project = None if kind == FOLDER else _project(cwd, bare=bool(words or revisions or parsed.flag("all_branches")))
    if kind == STAGED and (project is None or project.git_dir is None):
        raise BadArguments("--cached needs a git repository", "leave it out")
    return Request(
        project,
        cwd,
        kind,
        words,
        None if parsed.rest is None else [os.fsencode(spec) for spec in parsed.rest],
        [*([] if staged else revisions), *(_branches(project) if parsed.flag("all_branches") else ())],
        [os.fsencode(glob) for glob in parsed.texts("glob")],
        _languages(parsed.texts("type")),
        refresh=not parsed.flag("no_refresh"),
        every=parsed.flag("files_without_match"),
        since=read_since(parsed),
        recurse=parsed.flag("recurse_submodules"),
    )


def _branches(project: Project | None) -> list[bytes]:
    if project is None or project.git_dir is None:
        raise BadArguments("--all-branches needs a git repository", "leave it out")
    from greppy.git.trees import branches

    return branches(project)


def _project(cwd: bytes, bare: bool) -> Project:
    from greppy.git.project import find_project

    try:
        return find_project(cwd, bare)
    except NoProject as error:
        raise NoProject(error.message, f"{error.hint}; or search the folder as it is with --no-index") from None


def _languages(names: list[str]) -> list[str]:
    if not names:
        return []
    from greppy.cli.search import read_language

    return [read_language(name) for name in names]


# How it is shown


def _show(parsed: Parsed) -> output.Show:
    return output.Show(_mode(parsed), _binaries(parsed), parsed.flag("quiet"))


def _mode(parsed: Parsed) -> str:
    if parsed.flag("files_without_match"):
        return output.NAMES_WITHOUT
    if parsed.flag("files_with_matches") or parsed.flag("name_only"):
        return output.NAMES
    return output.COUNTS if parsed.flag("count") else output.LINES


def _binaries(parsed: Parsed) -> str:
    last = parsed.texts("binaries")[-1:]
    return {"--text": output.AS_TEXT, "--skip-binary": output.LEAVE_OUT}[last[0]] if last else output.AS_GIT


def _form(parsed: Parsed, sink: Sink, request: Request, config: Config, environment: Environment) -> Form:
    if parsed.flag("json"):
        from greppy.output.grep_json import JsonForm

        return JsonForm(sink)
    null = parsed.flag("null")
    prefix = b"" if parsed.flag("full_name") else prefix_of(request.cwd, request.root)
    names = Names(prefix, lambda: _quotes_names(request), raw=null)
    screen = look_at_screen(_color(parsed, config), environment.plain, environment.window)
    columns, only = parsed.flag("column"), parsed.flag("only_matching") and not parsed.flag("invert_match")
    if screen.terminal and not null and not parsed.flag("no_filename"):
        from greppy.output.grep_terminal import TerminalForm

        return TerminalForm(sink, names, screen, columns, only)
    numbers = parsed.flag("line_number", True)
    return output.PlainForm(sink, names, not parsed.flag("no_filename"), numbers, columns, only, null)


def _color(parsed: Parsed, config: Config) -> str:
    when = parsed.text("color") or config.color
    if when not in ("auto", "always", "never"):
        raise BadArguments(f'--color: "{when}" is none of auto, always and never', "use one of them")
    return "never" if parsed.flag("no_color") else when


def _quotes_names(request: Request) -> bool:
    if request.project is None or request.project.git_dir is None:
        return True
    from greppy.git.revisions import quotes_names

    return quotes_names(request.project)
