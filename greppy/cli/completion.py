"""Shell completions from the option table. Cold, and only when contrib/ is made: a shell completes without us.

In: the table. Out: three scripts, which know commands, options, languages, and where a file or folder belongs. The one
for bash serves `git greppy` too, by the name that git's own completion looks for.
"""

from __future__ import annotations

from greppy.analysis.languages import NAMES
from greppy.cli.options import VERBS, Option, Verb

_NOTE = "# Made from greppy/cli/options.py by python -m greppy.cli.man; do not edit.\n"
# Metavars whose values are names of files or folders, and verbs whose words are.
_FOLDERS = ("DIR", "PATH")

_BASH = r"""# Completion of greppy, git-greppy and "git greppy": source it, or put it where bash-completion looks.
__greppy_words() {
    case $1 in
@CASES@    *) echo "@VERBS@ --help --version" ;;
    esac
}
__greppy() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=search
    COMPREPLY=()
    case $previous in
        @FOLDER_OPTIONS@) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")); return ;;
        --lang) COMPREPLY=($(compgen -W "@LANGUAGES@" -- "$current")); return ;;
    esac
    if ((COMP_CWORD == $1)); then
        [[ $current == -* ]] || verb=
    else
        [[ " @VERBS@ " == *" ${COMP_WORDS[$1]} "* ]] && verb=${COMP_WORDS[$1]}
    fi
    if [[ -z $verb || $current == -* || $verb == @WORD_VERBS@ ]]; then
        COMPREPLY=($(compgen -W "$(__greppy_words "$verb")" -- "$current"))
    elif [[ $verb == @FOLDER_VERBS@ ]]; then
        compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current"))
    fi
}
_greppy() { __greppy 1; }
_git_greppy() { __greppy 2; }
complete -F _greppy greppy git-greppy
"""

_ZSH = r"""#compdef greppy git-greppy
@NOTE@
_greppy() {
    local -a verbs
    verbs=(
@VERBS@    )
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe command verbs
        return
    fi
    local verb=search
    (( ${verbs[(I)$words[2]:*]} )) && { verb=$words[2]; shift words; (( CURRENT-- )); }
    case $verb in
@CASES@    esac
}
_greppy "$@"
"""


def bash() -> str:
    """The script for bash."""
    cases = "".join(f'        {verb.name}) echo "{" ".join(_bash_words(verb))}" ;;\n' for verb in VERBS.values())
    values = {
        "CASES": cases,
        "VERBS": " ".join(VERBS),
        "FOLDER_OPTIONS": "|".join(form for option in _all_options() if _is_folder(option) for form in _forms(option)),
        "FOLDER_VERBS": "@(" + "|".join(verb.name for verb in VERBS.values() if verb.argument in _FOLDERS) + ")",
        "WORD_VERBS": "@(" + "|".join(["help", *(verb.name for verb in VERBS.values() if _choices(verb))]) + ")",
        "LANGUAGES": " ".join(NAMES),
    }
    return _NOTE + _filled(_BASH, values)


def zsh() -> str:
    """The script for zsh."""
    verbs = "".join(f"        {_quoted(f'{verb.name}:{verb.summary}')}\n" for verb in VERBS.values())
    cases = "".join(f"        {verb.name}) _arguments -s {' '.join(_zsh_specs(verb))} ;;\n" for verb in VERBS.values())
    return _filled(_ZSH, {"NOTE": _NOTE.rstrip("\n"), "VERBS": verbs, "CASES": cases})


def fish() -> str:
    """The script for fish."""
    lines = ["complete -c greppy -f", "complete -c greppy -n __fish_use_subcommand -l version -d 'show the version'"]
    lines += ["complete -c greppy -s h -l help -d 'show the help'"]
    for verb in VERBS.values():
        lines.append(f"complete -c greppy -n __fish_use_subcommand -a {verb.name} -d {_quoted(verb.summary)}")
        seen = f"'__fish_seen_subcommand_from {verb.name}'"
        lines += [f"complete -c greppy -n {seen} {part}" for part in _fish_parts(verb)]
    return _NOTE + "\n".join([*lines, "complete -c git-greppy -w greppy"]) + "\n"


def _all_options() -> list[Option]:
    return list({option.long: option for verb in VERBS.values() for option in verb.options}.values())


def _forms(option: Option) -> list[str]:
    return [form for form in (option.short, option.long, option.negative) if form]


def _is_folder(option: Option) -> bool:
    return option.metavar in _FOLDERS


def _choices(verb: Verb) -> list[str]:
    """The words of a verb that takes one of a few."""
    return verb.argument.split("|") if "|" in verb.argument else []


def _bash_words(verb: Verb) -> list[str]:
    forms = [*_choices(verb), *(form for option in verb.options for form in _forms(option))]
    return [*VERBS, *forms, "--help"] if verb.name == "help" else [*forms, "--help"]


def _zsh_specs(verb: Verb) -> list[str]:
    specs = []
    for option in verb.options:
        action = f":{option.metavar}:{_zsh_action(option)}" if option.takes_value else ""
        many = "*" if option.repeatable else ""
        specs += [_quoted(f"{many}{form}[{_plain(option.about)}]{action}") for form in _forms(option)]
    if verb.argument in _FOLDERS:
        specs.append("'*:folder:_files -/'")
    if _choices(verb):
        specs.append(_quoted(f"1:action:({' '.join(_choices(verb))})"))
    return [*specs, "'--help[show the help]'"]


def _zsh_action(option: Option) -> str:
    if option.metavar in _FOLDERS:
        return "_files -/"
    return f"({' '.join(NAMES)})" if option.name == "lang" else ""


def _fish_parts(verb: Verb) -> list[str]:
    parts = []
    for option in verb.options:
        short = f"-s {option.short[1:]} " if option.short else ""
        value = "-x " if option.takes_value else ""
        value += "-a '(__fish_complete_directories)' " if _is_folder(option) else ""
        value += f"-a '{' '.join(NAMES)}' " if option.name == "lang" else ""
        parts.append(f"{short}-l {option.long[2:]} {value}-d {_quoted(option.about)}")
        if option.negative:
            parts.append(f"-l {option.negative[2:]} -d {_quoted('do not ' + option.help)}")
    if verb.argument in _FOLDERS:
        parts.append("-a '(__fish_complete_directories)'")
    if _choices(verb):
        parts.append(f"-a '{' '.join(_choices(verb))}'")
    return parts


def _plain(text: str) -> str:
    """`text` without the characters that part a zsh specification."""
    return text.replace("[", "(").replace("]", ")").replace(":", ",")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "'\\''") + "'"


def _filled(template: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        template = template.replace(f"@{name}@", value)
    return template
