"""`greppy grep` itself: options → a `Question` and a `Request` → exact search → stdout. HOT.

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
from greppy.search.exact.engine import FOLDER, STAGED, TREE, Request, search
from greppy.search.exact.question import NO_LIMIT, Context, Reading, make_question
from greppy.search.exact.receipt import Receipt
from greppy.search.exact.rows import AS_GIT, AS_TEXT, COUNTS, LEAVE_OUT, LINES, NAMES, NAMES_WITHOUT, Rows
from greppy.search.exact.selection import prefix_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.cli.parse import Parsed
    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.look import Look
    from greppy.index.view import View
    from greppy.output.grep import Form, Sink
    from greppy.output.grep_json import JsonForm
    from greppy.search.exact.engine import Found, OpenView, Progress
    from greppy.search.exact.question import Question

INCOMPLETE = 5
LONGEST_FILE = 1 << 24
"""Bytes that are read of a file of patterns."""


def run(parsed: Parsed, environment: Environment, ahead: Look | None) -> int:
    """Search, print, and say by the exit status what came of it; `ahead` has begun to look at the working tree."""
    tokens, words = read_patterns(parsed)
    question = make_question(
        tokens, read_reading(parsed, environment.single_bytes), parsed.flag("invert_match"), parsed.flag("column")
    )
    request = read_request(parsed, words)
    config = config_at(request.cwd, environment)
    open_view = environment.warm.open_view if environment.warm is not None else _opening(ahead)
    if parsed.number("max_count", NO_LIMIT) == 0:
        return 1
    sink = output.Sink()
    prefix = b"" if parsed.flag("full_name") else prefix_of(request.cwd, request.root)
    views: list[View] = []
    names = Names(prefix, lambda: _quotes_names(request, views), raw=parsed.flag("null"))
    form = _form(parsed, sink, names, config, environment)
    rows = _rows(parsed, question, form, names, prefix)
    receipt = Receipt()
    with Meter() as meter, BinaryRule() as rule:
        printer = output.Printer(form, sink, question, read_context(parsed), rule, _show(parsed), rows)

        def print_in(view: View) -> Rows | None:
            views.append(view)
            asked = rows is not None and rows.asks_for_binaries and rule.is_asked(view)
            return None if asked else rows

        found = False
        for file in search(request, question, environment.home, config, meter.show, receipt, open_view, print_in):
            found = _print(printer, file, question, receipt) or found
            if found and parsed.flag("quiet"):
                break
    if parsed.flag("json"):
        _as_json(form).end(receipt, parsed.flag("coverage"))
    sink.flush()
    if receipt.unknown and views and environment.warm is None:
        _learn(views[-1], receipt.unknown)
    return _account(parsed, receipt, found)


def _opening(ahead: Look | None) -> OpenView:
    """What opens views; the first look was had already."""
    waiting = [ahead]

    def open_view(project: Project, home: bytes, config: Config, refresh: bool, progress: Progress) -> View:
        return index.open_view(project, home, config, refresh, progress, waiting.pop() if waiting else None)

    return open_view


def _learn(view: View, unknown: Sequence[int]) -> None:
    """Spare the next search what this one had to read in vain, where that is much."""
    from greppy.index.learning import learn, pays

    if pays(view, unknown):
        learn(view)


def _print(printer: output.Printer, file: Found | bytes, question: Question, receipt: Receipt) -> bool:
    """Print one file; a pattern that may backtrack without end gets a bounded time for it."""
    if isinstance(file, bytes):
        return printer.print_rows(file)
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


def _mode(parsed: Parsed) -> int:
    if parsed.flag("files_without_match"):
        return NAMES_WITHOUT
    if parsed.flag("files_with_matches") or parsed.flag("name_only"):
        return NAMES
    return COUNTS if parsed.flag("count") else LINES


def _binaries(parsed: Parsed) -> int:
    last = parsed.texts("binaries")[-1:]
    return {"--text": AS_TEXT, "--skip-binary": LEAVE_OUT}[last[0]] if last else AS_GIT


def _form(parsed: Parsed, sink: Sink, names: Names, config: Config, environment: Environment) -> Form:
    if parsed.flag("json"):
        from greppy.output.grep_json import JsonForm

        return JsonForm(sink)
    null = parsed.flag("null")
    screen = look_at_screen(_color(parsed, config), environment.plain, environment.window)
    columns, only = parsed.flag("column"), parsed.flag("only_matching") and not parsed.flag("invert_match")
    if screen.terminal and not null and not parsed.flag("no_filename"):
        from greppy.output.grep_terminal import TerminalForm

        return TerminalForm(sink, names, screen, columns, only)
    numbers = parsed.flag("line_number", True)
    return output.PlainForm(sink, names, not parsed.flag("no_filename"), numbers, columns, only, null)


def _rows(parsed: Parsed, question: Question, form: Form, names: Names, prefix: bytes) -> Rows | None:
    """What prints a file's lines in one step; None where more is asked for than that has."""
    plain = isinstance(form, output.PlainForm) and not parsed.flag("only_matching")
    show, context = _show(parsed), read_context(parsed)
    if not plain or show.mode == NAMES_WITHOUT or context or context.limit != NO_LIMIT:
        return None
    chains = question.chains()
    if chains is None:
        return None
    mode = NAMES if show.quiet else show.mode
    paths, numbers = not parsed.flag("no_filename"), parsed.flag("line_number", True)
    return Rows(chains, (mode, show.binaries, paths, numbers, parsed.flag("null")), prefix, names)


def _color(parsed: Parsed, config: Config) -> str:
    when = parsed.text("color") or config.color
    if when not in ("auto", "always", "never"):
        raise BadArguments(f'--color: "{when}" is none of auto, always and never', "use one of them")
    return "never" if parsed.flag("no_color") else when


def _quotes_names(request: Request, views: list[View]) -> bool:
    from greppy.search.exact.quoting import quotes_names

    return request.project is None or quotes_names(request.project, views[-1] if views and request.refresh else None)
