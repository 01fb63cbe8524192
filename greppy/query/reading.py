"""A query's text → its filters, phrases, exclusions, and the words that remain. Hot path.

In: the text as typed. Out: a `Reading`. What is recognised, each between white space::

    lang:go  path:src/auth  file:*.py  ext:py  sym:Session.save  kind:class  rev:v1.2  domain:legal     a filter
    -path:tests  -file:*.min.js  -ext:md                                                                the opposite
    "must stand there"                                                                                  a phrase
    -word  -"some words"                                                                                an exclusion

A value with spaces is quoted (`path:"my docs"`). Filters of one kind are alternatives, of different kinds all hold.
Whatever is odd is text, so that no query is refused: an unknown key or value, a quote that is not closed, `--flag`,
`-x` (one letter), a minus before nothing, and all of it where nothing but restrictions would remain.
"""

from __future__ import annotations

from greppy import kernels
from greppy.analysis.languages import resolve
from greppy.domains import AUTO, DOMAINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = ("lang", "path", "file", "ext", "sym", "kind", "rev", "domain")
NEGATABLE = ("path", "file", "ext")
_NAMING = ("sym", "file", "path")
"""Filters whose value says what is looked for: its words are the query where there are no others."""

SHORTEST_EXCLUDED = 2


class Filters:
    """What restricts the answer, by key of `KEYS`; a key of `not_` values is one of `NEGATABLE`.

    Values are as typed, but that languages and domains are resolved, symbols are written with dots and extensions
    without.
    """

    __slots__ = ("not_", "values")

    def __init__(
        self, values: dict[str, tuple[str, ...]] | None = None, not_: dict[str, tuple[str, ...]] | None = None
    ) -> None:
        self.values = values or {}
        self.not_ = not_ or {}

    def __bool__(self) -> bool:
        return bool(self.values or self.not_)

    def get(self, key: str) -> tuple[str, ...]:
        """The values that a key allows, () for any."""
        return self.values.get(key, ())

    def one(self, key: str) -> str:
        """The last value of a key, "" for none."""
        return self.values.get(key, ("",))[-1]

    def joined(self, other: Filters) -> Filters:
        """Both: values of the same key are alternatives."""
        return Filters(_joined(self.values, other.values), _joined(self.not_, other.not_))


def _joined(one: dict[str, tuple[str, ...]], other: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {key: (*one.get(key, ()), *other.get(key, ())) for key in (*one, *other)}


class Reading:
    """A query taken apart. `text` has the words to rank by, in order, those of phrases too."""

    __slots__ = ("excluded", "filters", "phrases", "text")

    def __init__(self, text: str, phrases: list[str], excluded: list[str], filters: Filters) -> None:
        self.text = text
        self.phrases = phrases
        self.excluded = excluded
        self.filters = filters


def read_query(query: str) -> Reading:
    """Take a query apart."""
    if not any(sign in query for sign in ':"-'):
        return Reading(query, [], [], Filters())
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    found: list[tuple[str, str]] = []
    for minus, key, value, quoted, raw in _pieces(query):
        taken = filter_value(key, value) if key else None
        if key and taken is not None and (not minus or key in NEGATABLE):
            found.append((minus + key, taken))
        elif key or not _has_word(value):
            words.append(raw)
        elif minus and (quoted or _is_word_to_exclude(value)):
            excluded.append(value)
        elif quoted and not minus:
            phrases.append(value)
            words.append(value)
        else:
            words.append(raw)
    return _checked(query, words, phrases, excluded, found)


def _checked(
    query: str, words: list[str], phrases: list[str], excluded: list[str], found: list[tuple[str, str]]
) -> Reading:
    """The reading, or the whole query as text where it has nothing to look for."""
    filters = _filters(found)
    if not any(map(_has_word, words)):
        words += [value.replace("*", " ") for key, value in found if key in _NAMING]
        if not any(map(_has_word, words)):
            return Reading(query, [], [], Filters())
    return Reading(" ".join(words), phrases, excluded, filters)


def _filters(found: list[tuple[str, str]]) -> Filters:
    values: dict[str, tuple[str, ...]] = {}
    not_: dict[str, tuple[str, ...]] = {}
    for key, value in found:
        table, key = (not_, key[1:]) if key.startswith("-") else (values, key)
        table[key] = (*table.get(key, ()), value)
    return Filters(values, not_)


def filter_value(key: str, value: str) -> str | None:
    """A filter's value as it is compared, None where it is none. `key` is one of `KEYS`."""
    if key == "lang":
        return resolve(value)
    if key == "domain":
        return value.lower() if value.lower() in (*DOMAINS, AUTO) else None
    if key == "ext":
        return value.lower().lstrip(".") or None
    if key == "kind":
        return value.lower() if value.isalpha() else None
    if key == "sym":
        value = value.replace("::", ".").replace("#", ".").removesuffix("()").strip(".")
        return value if _has_word(value) else None
    if key == "path":
        return _as_listed(value) or None
    return None if value.startswith(("/", ":")) else value or None


def _as_listed(path: str) -> str:
    """The path as paths are listed: without the `./` in front and the doubled slashes that shells complete."""
    while "//" in path:
        path = path.replace("//", "/")
    while path.startswith("./") and path != "./":
        path = path[2:]
    return path


def _has_word(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _is_word_to_exclude(value: str) -> bool:
    return value[0].isalpha() and len(value) >= SHORTEST_EXCLUDED


def _pieces(query: str) -> Iterator[tuple[str, str, str, bool, str]]:
    """(minus, key, value, quoted, as typed) of each piece between white space; a quote holds spaces together."""
    at, end = 0, len(query)
    while at < end:
        if query[at].isspace():
            at += 1
            continue
        start = at
        minus = "-" if query[at] == "-" else ""
        at += len(minus)
        key, at = _key_at(query, at)
        close = _closing_quote(query, at)
        if close >= 0:
            yield minus, key, query[at + 1 : close], True, query[start : close + 1]
            at = close + 1
            continue
        value_start = at
        while at < end and not query[at].isspace():
            at += 1
        yield minus, key, query[value_start:at], False, query[start:at]


def _key_at(query: str, at: int) -> tuple[str, int]:
    """The key of a filter that begins here, and where its value does."""
    for key in KEYS:
        if query.startswith(key + ":", at) and not query.startswith("::", at + len(key)):
            return key, at + len(key) + 1
    return "", at


def _closing_quote(query: str, at: int) -> int:
    """Where the quoted text that begins here ends, at white space or the end; -1 for none."""
    if not query.startswith('"', at):
        return -1
    close = query.find('"', at + 1)
    followed = close + 1 < len(query) and not query[close + 1].isspace()
    return -1 if close <= at + 1 or followed else close


def words_of_phrase(phrase: str) -> list[bytes]:
    """The runs of a phrase, as they are found in text."""
    data = phrase.encode("utf-8", "replace")
    return kernels.runs(data, 0, len(data))
