"""The same command line through click: help at every level, and errors that say what was meant. Cold.

In: argv that the small parser left. Out: a `Parsed`, or the exit status after help was printed, or BadArguments. The
commands are made from `greppy.cli.options`; running them is `greppy.cli.main`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from greppy import __version__
from greppy.cli.options import HELP_FLAGS, VERBS, VERSION_FLAG, Option, Verb
from greppy.cli.parse import Parsed, read_as_git, read_value, with_verb
from greppy.errors import BadArguments
from greppy.output.stream import write_text

if TYPE_CHECKING:
    from greppy.cli.parse import Value

PROGRAM = "greppy"
ABOUT = """Search and navigation of code that lives in git.

A first word that is no command is a query: 'greppy where are sessions validated'."""
EXITS = "Exit status: 0 results, 1 none, 2 no project, 3 index error, 4 bad arguments, 5 not all could be searched."
SETTINGS = {"help_option_names": [], "max_content_width": 100}


def parse_with_click(argv: Sequence[str]) -> Parsed | int:
    """`argv` (the words after the program's name) as click takes it; the exit status where click printed help.

    Raises BadArguments with the option or word in question, and the nearest known one.
    """
    program = group()
    name, *words = with_verb(argv) or [""]
    as_git = read_as_git(VERBS[name], words) if name in VERBS and VERBS[name].synopsis else None
    try:
        with program.make_context(PROGRAM, [name, *as_git.argv] if as_git else with_verb(argv)) as context:
            result: Parsed = program.invoke(context)
            if as_git:
                result = Parsed(result.verb, result.words, as_git.grouped(result.options), as_git.rest)
            return result
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        raise _refusal(error, argv) from error


class _InOrder(click.Group):
    """Commands in the order of the table, the most wanted first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


def group() -> click.Group:
    """The whole program as a click group; its commands return what they parsed."""
    commands = [_command(verb) for verb in VERBS.values()]
    return _InOrder(
        PROGRAM,
        commands={str(command.name): command for command in commands},
        help=ABOUT,
        epilog=EXITS,
        params=[_help_option(), _version_option()],
        context_settings=SETTINGS,
        subcommand_metavar="COMMAND [ARGUMENTS]",
        no_args_is_help=False,
    )


def short_help() -> str:
    """The help of the whole program."""
    with click.Context(group(), info_name=PROGRAM, max_content_width=100) as context:
        return context.get_help() + "\n"


def verb_help(name: str) -> str:
    """The help of one verb. Raises BadArguments when there is none of that name."""
    if name not in VERBS:
        raise BadArguments(f'there is no command "{name}"', "run 'greppy help' for those there are")
    with click.Context(group(), info_name=PROGRAM) as parent:
        command = _command(VERBS[name])
        with click.Context(command, parent, name, max_content_width=100) as context:
            return context.get_help() + "\n"


def _command(verb: Verb) -> click.Command:
    def collect(**values: Any) -> Parsed:
        given: dict[str, Value] = {name: _given(value) for name, value in values.items() if value not in (None, ())}
        words = given.pop("words", click.get_current_context().args)
        parsed = Parsed(verb.name, words if isinstance(words, list) else [], given)
        if len(parsed.words) > verb.most:
            raise _TooMany(parsed.words[verb.most])
        return parsed

    return click.Command(
        verb.name,
        callback=collect,
        params=[*_words(verb), *map(_option, verb.options), _help_option(verb)],
        help="\n\n".join(part for part in (_sentence(verb.summary), verb.about) if part),
        short_help=verb.summary,
        context_settings={**SETTINGS, "allow_extra_args": True},
    )


def _given(value: Any) -> Value:
    return list(value) if isinstance(value, tuple) else value


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


class _Value(click.ParamType):  # type: ignore[type-arg]
    """An option's value, judged by the function that the small parser uses."""

    def __init__(self, option: Option) -> None:
        self.option = option
        self.name = option.kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        taken = read_value(self.option, value) if isinstance(value, str) else value
        if taken is None:
            self.fail(_expectation(self.option, value), param, ctx)
        return taken


def _expectation(option: Option, value: str) -> str:
    if option.kind == "number":
        return f'"{value}" is not a number from {option.lowest} to {option.highest}'
    return "the value is empty"


def _words(verb: Verb) -> list[click.Parameter]:
    if not verb.argument:
        return []
    return [click.Argument(["words"], nargs=-1, required=verb.least > 0, type=click.UNPROCESSED, metavar=verb.usage)]


def _option(option: Option) -> click.Option:
    forms = [option.short] if option.short else []
    forms.append(f"{option.long}/{option.negative}" if option.negative else option.long)
    if not option.takes_value:
        return click.Option([option.name, *forms], is_flag=True, default=None, help=option.about)
    return click.Option(
        [option.name, *forms],
        type=_Value(option),
        metavar=option.metavar,
        multiple=option.repeatable or bool(option.group),
        help=option.about,
    )


def _help_option(verb: Verb | None = None) -> click.Option:
    taken = [option.short for option in verb.options] if verb else []
    return _question([flag for flag in HELP_FLAGS if flag not in taken], _print_help, "show this help")


def _version_option() -> click.Option:
    return _question([VERSION_FLAG], _print_version, "show the version")


def _question(forms: Sequence[str], answer: Callable[..., None], text: str) -> click.Option:
    return click.Option(forms, is_flag=True, is_eager=True, expose_value=False, callback=answer, help=text)


def _print_help(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        write_text(context.get_help() + "\n")
        context.exit()


def _print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        write_text(f"{PROGRAM} {__version__}\n")
        context.exit()


class _TooMany(click.UsageError):
    """More words than the verb takes; `message` is the first of them."""


def _refusal(error: click.UsageError, argv: Sequence[str]) -> BadArguments:
    """`error` in this program's words: what could not be taken, and what to do next."""
    verb = VERBS[with_verb(argv)[0]]
    command = f"{PROGRAM} {verb.name}"
    see = f"'{command} --help' lists what there is"
    if isinstance(error, click.NoSuchOption):
        return BadArguments(f'unknown option "{error.option_name}"', _nearest(error.option_name, argv, verb) + see)
    if isinstance(error, _TooMany):
        search = f"to search for these words: {PROGRAM} search {' '.join(argv)}"
        return BadArguments(f'unexpected word "{error.message}"', f"{see}; {search}")
    if isinstance(error, click.MissingParameter):
        return BadArguments(f"{command}: {verb.argument} is missing", see)
    if isinstance(error, click.BadParameter) and isinstance(error.param, click.Option):
        return BadArguments(f"{error.param.opts[-1]}: {error.message}", see)
    return BadArguments(error.format_message().rstrip("."), see)


def _nearest(option: str, argv: Sequence[str], verb: Verb) -> str:
    """`did you mean …` for an unknown option; a word such as `-json` is compared as `--json`."""
    from difflib import get_close_matches

    single = [word for word in argv if word.startswith("-") and not word.startswith("--") and option[1:] in word]
    wanted = "-" + single[0] if single and len(option) == 2 else option
    known = [form for o in verb.options for form in (o.long, o.negative) if form]
    matches = get_close_matches(wanted.partition("=")[0], [*known, "--help"], 1)
    if matches:
        return f'did you mean "{matches[0]}"? '
    return 'put "--" before a query that begins with "-"; ' if verb.name == "search" else ""
