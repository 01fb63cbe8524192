"""argv → `Parsed`, for what can be understood without click. HOT.

In: the words after the program's name. Out: a `Parsed`, or None where there is anything to explain (help, an unknown
option, a value that is missing or wrong): click then parses the same words from the same table and says it. Where both
give a result it is the same one; a property test holds them together.

The rules are those of POSIX with GNU's extensions, as click has them: `-l5`, `-l 5`, `-jl5`, `--limit=5`, `--limit 5`;
options may follow the words; `--` ends options; the last of a repeated option counts unless it is repeatable; an option
that wants a value takes the next word whatever it looks like.
"""

from __future__ import annotations

from greppy.cli.options import HELP_FLAGS, VERBS, VERSION_FLAG, Option, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Value = bool | int | str | list[str]


class Parsed:
    """A verb, its words, and the options that were given: name → True/False, int, text, or list of texts. `rest` are
    the words behind `--` where the verb keeps them apart, None where there was none."""

    __slots__ = ("options", "rest", "verb", "words")

    def __init__(
        self, verb: str, words: Sequence[str], options: dict[str, Value], rest: list[str] | None = None
    ) -> None:
        self.verb = verb
        self.words = list(words)
        self.options = options
        self.rest = rest

    def flag(self, name: str, default: bool = False) -> bool:
        """A flag or switch; `default` where it was not given."""
        return bool(self.options.get(name, default))

    def number(self, name: str, default: int) -> int:
        """A number; `default` where it was not given."""
        value = self.options.get(name, default)
        return value if isinstance(value, int) else default

    def text(self, name: str) -> str | None:
        """The value of an option that is not repeatable, None where it was not given."""
        value = self.options.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> list[str]:
        """The values of a repeatable option, in the order given."""
        value = self.options.get(name)
        return value if isinstance(value, list) else []


def with_verb(argv: Sequence[str]) -> list[str]:
    """argv with `search` put first where its first word is neither a verb nor a question about the program."""
    first = argv[0] if argv else ""
    known = first in VERBS or first in HELP_FLAGS or first == VERSION_FLAG
    return [*argv] if known or not argv else ["search", *argv]


def parse(argv: Sequence[str]) -> Parsed | None:
    """`argv` understood, or None when click should look at it."""
    verb, *rest = with_verb(argv) or [""]
    if verb not in VERBS:
        return None
    scan = _Scan(VERBS[verb])
    if not VERBS[verb].synopsis:
        return Parsed(verb, scan.words, scan.options) if scan.read(rest) else None
    as_git = read_as_git(VERBS[verb], rest)
    if not scan.read(as_git.argv):
        return None
    return Parsed(verb, scan.words, as_git.grouped(scan.options), as_git.rest)


def _forms(verb: Verb) -> dict[str, tuple[Option, bool]]:
    """Form → the option and whether the form turns it on."""
    table: dict[str, tuple[Option, bool]] = {}
    for option in verb.options:
        for form in (option.long, option.short):
            table[form] = (option, True)
        table[option.negative] = (option, False)
    table.pop("", None)
    return table


class AsGit:
    """A command line in git's manner, made ready for either parser: `argv` without what is special there, `rest` the
    words behind `--`, `groups` the options whose order counts."""

    __slots__ = ("argv", "groups", "rest")

    def __init__(self) -> None:
        self.argv: list[str] = []
        self.rest: list[str] | None = None
        self.groups: dict[str, list[str]] = {}

    def grouped(self, options: dict[str, Value]) -> dict[str, Value]:
        """`options` with those of a group replaced by the group."""
        members = {option.name for verb in VERBS.values() for option in verb.options if option.group}
        kept = {name: value for name, value in options.items() if name not in members}
        return {**kept, **self.groups}


_SHORTENED = {"(": "--open", ")": "--close"}


def read_as_git(verb: Verb, argv: Sequence[str]) -> AsGit:
    """Take apart what the parsers do not know; what they refuse stays as it is, for them to refuse."""
    table, found = _forms(verb), AsGit()
    words = iter(argv)
    for word in words:
        if word == "--":
            found.rest = list(words)
            break
        if word[:1] == "-" and word[1:].isascii() and word[1:].isdecimal():
            word = "--context=" + word[1:]
        word = _SHORTENED.get(word, word)
        found.argv.append(word)
        if word.startswith("--"):
            form, equals, value = word.partition("=")
            taken = _take(found, table.get(form), value if equals else None, words)
        else:
            taken = word[:1] != "-" or _take_letters(found, table, word, words)
        if not taken:
            found.argv += words
    return found


def _take_letters(found: AsGit, table: dict[str, tuple[Option, bool]], word: str, words: Iterator[str]) -> bool:
    for at, letter in enumerate(word[1:], 2):
        entry = table.get("-" + letter)
        if entry is None or entry[0].takes_value:
            return _take(found, entry, word[at:] or None, words)
        _take(found, entry, None, words)
    return True


def _take(found: AsGit, entry: tuple[Option, bool] | None, value: str | None, words: Iterator[str]) -> bool:
    """Follow one option, with its value where that is the next word; whether it is known and complete."""
    if entry is None:
        return False
    option = entry[0]
    if option.takes_value and value is None:
        value = next(words, None)
        if value is None:
            return False
        found.argv.append(value)
    if option.group:
        found.groups.setdefault(option.group, []).extend([option.long] + ([value] if value is not None else []))
    return True


class _Scan:
    """The words and options of one verb as they are read; `bad` are the options whose last value so far is none."""

    __slots__ = ("bad", "options", "table", "verb", "words")

    def __init__(self, verb: Verb) -> None:
        self.verb = verb
        self.words: list[str] = []
        self.options: dict[str, Value] = {}
        self.bad: set[str] = set()
        self.table = _forms(verb)

    def read(self, argv: list[str]) -> bool:
        """Whether all of `argv` is understood."""
        words = iter(argv)
        for word in words:
            if word == "--":
                self.words += words
            elif not word.startswith("-") or word == "-":
                self.words.append(word)
            elif not (self._long(word, words) if word.startswith("--") else self._short(word, words)):
                return False
        return not self.bad and self.verb.least <= len(self.words) <= self.verb.most

    def _long(self, word: str, words: Iterator[str]) -> bool:
        form, equals, value = word.partition("=")
        if form not in self.table:
            return False
        option, on = self.table[form]
        if option.takes_value:
            return self._store(option, value if equals else next(words, None))
        return not equals and self._set(option, on)

    def _short(self, word: str, words: Iterator[str]) -> bool:
        for at, letter in enumerate(word[1:], 2):
            if "-" + letter not in self.table:
                return False
            option, on = self.table["-" + letter]
            if option.takes_value:
                return self._store(option, word[at:] or next(words, None))
            self._set(option, on)
        return True

    def _set(self, option: Option, on: bool) -> bool:
        self.options[option.name] = on
        return True

    def _store(self, option: Option, text: str | None) -> bool:
        if text is None:
            return False
        value = read_value(option, text)
        if option.repeatable:
            before = self.options.get(option.name)
            self.options[option.name] = [*(before if isinstance(before, list) else []), str(value)]
            return value is not None
        if value is None:
            self.bad.add(option.name)
        else:
            self.options[option.name] = value
            self.bad.discard(option.name)
        return True


def read_value(option: Option, text: str) -> int | str | None:
    """`text` as a value of `option`, or None when it is none. A number is plain decimal digits."""
    if option.kind == "pattern":
        return text
    if option.kind != "number":
        return text or None
    digits = text.isascii() and text.isdecimal() and len(text) < 10
    return int(text) if digits and option.lowest <= int(text) <= option.highest else None
