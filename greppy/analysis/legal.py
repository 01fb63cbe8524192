"""Plain text by its headings: the clauses of contracts, licences and policies, the sections of RFCs and manuals.

In: lines. Out: ranges, of kind "clause" where the text speaks as lawyers do, else "section", and marks; or nothing
where the text has no headings and is not legal. A heading stands behind a blank line and is numbered (`2.1 Term`,
`ARTICLE IV`, `Section 3.`, `(b) …`) or all in capitals; numbers must go on from those before, so that a list of
figures is none. Its symbol is the path of headings that it lies under, as in `greppy.analysis.prose`. Titles, and the
terms that a clause defines (`"Licensee" means`, `(the "Work")`), are marked as names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from greppy.analysis.lines import Lines, Range, Window, windows
from greppy.analysis.model import NAME

CLAUSE, SECTION = "clause", "section"
FEWEST = 3
"""Headings that a text must have to be cut along them."""

LEGAL_WORDS = 4
LEGAL_SHARE = 0.024
"""Different words of law, and their share of all words, that make a text legal. On a Debian system all licences have
more (LGPL-3 4 and .0243, GPL-3 22 and .049), manuals that begin with a notice of permission less."""

_PROBE = 60_000
_LONGEST_TITLE = 100
_DEEPEST = 4
_SECTION_WINDOW = Window(15, 30, 40)

_NUMBERED = re.compile(
    rb"[ \t]{0,4}(?:(article|section|clause|chapter|part|schedule|exhibit|appendix|annex)[ ]+)?"
    rb"([0-9]{1,3}(?:\.[0-9]{1,3}){0,5}|[IVXLC]{1,7}|[A-Z](?:\.[0-9]{1,3}){0,4})(?:[.):]|[ ]-|[ ]\xe2\x80\x94)?"
    rb"(?:[ \t]+(\S.*?))?\s*$",
    re.IGNORECASE,
)
_CAPITALS = re.compile(rb"[ \t]{0,4}([A-Z][A-Z0-9 ,;:&/()'.-]{2,70}[A-Z0-9).:])\s*$")
_TITLE_END = re.compile(rb"[.:;](?:\s|$)")
_DEFINED = re.compile(
    rb'["\x27]([A-Z][^"\n]{1,60})["\x27]\s+(?:shall\s+)?(?:means?|refers?\s+to|is\s+defined|has\s+the\s+meaning|includes?)\b'
    rb'|\((?:the|each,?\s+an?|collectively,?(?:\s+the)?|hereinafter|an?)?\s*"([A-Z][^"\n]{1,60})"\)'
)
_LAW = re.compile(
    rb"\b(agreement|licen[cs]e[ds]?|licensor|licensee|warrant(?:y|ies|s)|liab(?:le|ility)|shall|hereby|herein|thereof|"
    rb"hereunder|indemnif\w+|part(?:y|ies)|terminat\w+|breach|copyright|damages|merchantability|governing law|"
    rb"jurisdiction|confidential\w*|notwithstanding|pursuant|obligations?|infringe\w*|permission|grant(?:s|ed)?|"
    rb"personal data|controller|consent|disclaim\w*|redistribut\w+|arbitration|tenant|landlord|lessee|rights)\b",
    re.IGNORECASE,
)
_ROMAN = {ord("i"): 1, ord("v"): 5, ord("x"): 10, ord("l"): 50, ord("c"): 100}


class _Heading(NamedTuple):
    """A heading in a line; `number` is () for one in capitals; `start..end` are the bytes of number and title."""

    line: int
    number: tuple[int, ...]
    start: int
    end: int


def cut(lines: Lines) -> tuple[list[Range], list[tuple[int, int, int]]] | None:
    """The ranges and marks of a text; None where it has too few headings and is not legal."""
    speaks_law = is_legal(lines.text)
    headings = list(_headings(lines))
    if len(headings) < FEWEST:
        headings = []
        if not speaks_law:
            return None
    kind = CLAUSE if speaks_law else SECTION
    marks = [(heading.start, heading.end, NAME) for heading in headings]
    if speaks_law:
        marks += _defined_terms(lines.text)
    return _ranges(lines, headings, kind), sorted(marks)


def is_legal(text: bytes) -> bool:
    """Whether a text speaks as lawyers do, by its first 60 KB."""
    head = text[:_PROBE]
    found = [match.group().lower()[:5] for match in _LAW.finditer(head)]
    return len(set(found)) >= LEGAL_WORDS and len(found) >= LEGAL_SHARE * len(head.split())


def _ranges(lines: Lines, headings: list[_Heading], kind: str) -> list[Range]:
    edges = [*(heading.line for heading in headings), lines.count]
    opening = kind if kind == CLAUSE else "text"
    ranges = [(a, b, opening, "") for a, b in windows(lines, 0, edges[0] - 1, _SECTION_WINDOW)]
    for heading, symbol, end in zip(headings, _symbols(lines, headings), edges[1:], strict=True):
        ranges += [(a, b, kind, symbol) for a, b in windows(lines, heading.line, end - 1, _SECTION_WINDOW)]
    return ranges


def _symbols(lines: Lines, headings: list[_Heading]) -> Iterator[str]:
    """The title of each heading behind those of the headings that it lies under."""
    path: list[tuple[int, str]] = []
    for heading in headings:
        depth = min(len(heading.number), _DEEPEST)
        while path and path[-1][0] >= depth:
            path.pop()
        title = lines.text[heading.start : heading.end].decode("utf-8", "ignore")
        path.append((depth, " ".join(title.split())))
        yield " > ".join(title for _, title in path)


def _headings(lines: Lines) -> Iterator[_Heading]:
    last: tuple[int, ...] = ()
    for number in range(lines.count):
        if lines.is_blank(number) or (number and not lines.is_blank(number - 1)):
            continue
        heading = _numbered(lines, number)
        if heading is not None and _follows(heading.number, last):
            last = heading.number
            yield heading
        elif heading is None and _is_alone(lines, number) and (found := _CAPITALS.match(lines.content(number))):
            start = lines.starts[number] + found.start(1)
            yield _Heading(number, (), start, lines.starts[number] + found.end(1))


def _is_alone(lines: Lines, number: int) -> bool:
    """Whether a line stands by itself, or above text that is indented more."""
    if number + 1 >= lines.count or lines.is_blank(number + 1):
        return True
    return _indent(lines.content(number + 1)) > _indent(lines.content(number))


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _numbered(lines: Lines, number: int) -> _Heading | None:
    line = lines.content(number)
    found = _NUMBERED.match(line)
    if found is None:
        return None
    word, figure, title = found.group(1, 2, 3)
    if not word and (figure[:1].isalpha() or not title):
        return None  # "A house" and "12" are no headings; "Article A" and "12 Term" are
    title = (title or b"")[:_LONGEST_TITLE]
    if title and not (title[:1].isupper() or title[:1] in b'"\xe2(' or word):
        return None
    stop = _TITLE_END.search(title)
    length = stop.start() if stop else len(title)
    end = found.start(3) + length if title else found.end(2)
    start = found.start(1) if word else found.start(2)
    base = lines.starts[number]
    return _Heading(number, _figures(figure), base + start, base + end)


def _figures(text: bytes) -> tuple[int, ...]:
    parts = text.lower().split(b".")
    return tuple(int(part) if part.isdigit() else _roman(part) for part in parts)


def _roman(part: bytes) -> int:
    """A Roman number; of one that is none, and of a letter alone that is not I, V or X, its place in the alphabet."""
    if len(part) == 1 and part not in b"ivx":
        return part[0] - ord("a") + 1
    values = [_ROMAN.get(letter, 0) for letter in part]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def _follows(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether a number may come after another: the next of its kind, or of one above, a first one below, or a new
    beginning; one number may be left out."""
    if number[-1] in (0, 1) and (len(number) == 1 or number[:-1] == last[: len(number) - 1]):
        return True
    same = last[: len(number)]
    return len(same) == len(number) and same[:-1] == number[:-1] and same[-1] < number[-1] <= same[-1] + 2


def _defined_terms(text: bytes) -> Iterator[tuple[int, int, int]]:
    for found in _DEFINED.finditer(text):
        group = 1 if found.group(1) else 2
        yield found.start(group), found.end(group), NAME
