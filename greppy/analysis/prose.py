"""Prose by its headings: Markdown, reStructuredText, AsciiDoc, Org. Lines in, sections and marks of headings out.

A section is a heading with the text up to the next heading of any level; its symbol is the path of headings that it
lies under, "Guide > Install > Linux". Long sections are cut into windows that keep it. Line numbers count from 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from greppy.analysis.lines import Lines, Range, Window, windows
from greppy.analysis.model import NAME

SECTION_WINDOW = Window(20, 40, 45)
LONGEST_HEADING = 200

Mark = tuple[int, int, int]


class Heading(NamedTuple):
    """A heading whose first line is `line`; `level` is 1 for the highest, `start..end` the bytes of its title."""

    line: int
    level: int
    start: int
    end: int


def cut(lines: Lines, language: str) -> tuple[list[Range], list[Mark]]:
    """Sections that cover every line once, and a NAME mark for each heading."""
    headings = list(HEADINGS[language](lines))
    edges = [*(heading.line for heading in headings), lines.count]
    ranges = _windowed(lines, 0, edges[0] - 1, "text", "")
    for heading, symbol, following in zip(headings, _symbols(lines, headings), edges[1:], strict=True):
        ranges += _windowed(lines, heading.line, following - 1, "section", symbol)
    return ranges, [(heading.start, heading.end, NAME) for heading in headings]


def _windowed(lines: Lines, first: int, last: int, kind: str, symbol: str) -> list[Range]:
    return [(a, b, kind, symbol) for a, b in windows(lines, first, last, SECTION_WINDOW)]


def _symbols(lines: Lines, headings: list[Heading]) -> list[str]:
    """The symbol of each heading, qualified by the headings above it."""
    path: list[tuple[int, str]] = []
    symbols = []
    for heading in headings:
        while path and path[-1][0] >= heading.level:
            path.pop()
        title = lines.text[heading.start : min(heading.end, heading.start + LONGEST_HEADING)]
        path.append((heading.level, " ".join(title.decode("utf-8", "ignore").split())))
        symbols.append(" > ".join(title for _, title in path if title))
    return symbols


_ATX = re.compile(rb" {0,3}(#{1,6})[ \t]+(\S.*?)(?:[ \t]+#+)?\s*$")
_FENCE = re.compile(rb" {0,3}(```+|~~~+)")
_SETEXT = re.compile(rb" {0,3}(=+|-+)\s*$")
_NO_PARAGRAPH = re.compile(rb" {4}|\t|\s*$| {0,3}(?:[>#|]|[-*+] |\d+[.)] )")


_MARKDOWN_SIGN = re.compile(rb"\n {0,3}[#`~=-]")


def _markdown(lines: Lines) -> Iterator[Heading]:
    """Headings by their sign or by the line below. Only lines that begin with a sign are looked at, and those above."""
    fence = b""
    text, starts = lines.text, lines.starts
    begin = _after_front_matter(lines)
    settled = begin - 1
    for number in _lines_with(_MARKDOWN_SIGN, lines, begin):
        line = text[starts[number] : starts[number + 1]]
        fenced = _FENCE.match(line)
        if fence:
            if fenced and fenced.group(1).startswith(fence) and not line[fenced.end() :].strip():
                fence, settled = b"", number
        elif fenced:
            fence = fenced.group(1)
        elif atx := _ATX.match(line):
            yield Heading(number, len(atx.group(1)), starts[number] + atx.start(2), starts[number] + atx.end(2))
            settled = number
        elif number - 1 > settled and (setext := _SETEXT.match(line)) and _is_paragraph(lines, number - 1):
            yield _titled(lines, number - 1, number - 1, 1 if setext.group(1).startswith(b"=") else 2)
            settled = number


def _lines_with(sign: re.Pattern[bytes], lines: Lines, begin: int) -> Iterator[int]:
    """The line `begin` and the later ones that begin with `sign`, a pattern that starts with the line feed above."""
    if begin < lines.count:
        yield begin
        for found in sign.finditer(lines.text, lines.starts[begin + 1] - 1):
            yield lines.at(found.start() + 1)


def _is_paragraph(lines: Lines, number: int) -> bool:
    return not _NO_PARAGRAPH.match(lines.content(number))


def _titled(lines: Lines, first: int, title_line: int, level: int) -> Heading:
    """The heading that begins in line `first` and has the stripped `title_line` for its title."""
    line = lines.content(title_line)
    start = lines.starts[title_line] + len(line) - len(line.lstrip())
    return Heading(first, level, start, start + len(line.strip()))


def _after_front_matter(lines: Lines) -> int:
    opening = lines.content(0).strip()
    if opening not in (b"---", b"+++"):
        return 0
    for number in range(1, lines.count):
        if lines.content(number).strip() == opening:
            return number + 1
    return 0


_ADORNMENT = re.compile(rb"([!-/:-@\[-`{-~])\1+[ \t\r]*\n?$")


_ADORNMENT_BELOW = re.compile(rb"\n([!-/:-@\[-`{-~])\1+[ \t\r]*(?=\n|\Z)")


def _rst(lines: Lines) -> Iterator[Heading]:
    """Titles underlined, or between two lines, at full length; the styles are levels in order of appearance."""
    styles: list[tuple[int, bool]] = []
    least = 1
    for found in _ADORNMENT_BELOW.finditer(lines.text):
        number = lines.at(found.start() + 1)
        title, line = lines.content(number - 1), lines.content(number)
        if number < least or not _is_rst_title(title, line):
            continue
        over = number >= 2 and lines.content(number - 2).rstrip() == line.rstrip()
        if title[:1].isspace() and not over:
            continue
        style = (line[0], over)
        if style not in styles:
            styles.append(style)
        yield _titled(lines, number - 2 if over else number - 1, number - 1, styles.index(style) + 1)
        least = number + 2


def _is_rst_title(title: bytes, line: bytes) -> bool:
    stripped = title.strip()
    if not stripped or _ADORNMENT.match(title):
        return False
    return len(line.rstrip()) >= len(stripped.decode("utf-8", "replace")) and not stripped.startswith(b".. ")


_ASCIIDOC = re.compile(rb"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?\s*$")
_ASCIIDOC_BLOCK = re.compile(rb"(-{4,}|={4,}|\.{4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|```)\s*$")


def _asciidoc(lines: Lines) -> Iterator[Heading]:
    fence = b""
    for number in range(lines.count):
        line = lines.content(number)
        block = _ASCIIDOC_BLOCK.match(line)
        if fence:
            fence = b"" if block and block.group(1) == fence else fence
        elif block:
            fence = block.group(1)
        elif heading := _ASCIIDOC.match(line):
            at = lines.starts[number]
            yield Heading(number, len(heading.group(1)), at + heading.start(2), at + heading.end(2))


_ORG = re.compile(rb"(\*+)[ \t]+(\S.*?)\s*$")


def _org(lines: Lines) -> Iterator[Heading]:
    for number in range(lines.count):
        heading = _ORG.match(lines.content(number))
        if heading:
            at = lines.starts[number]
            yield Heading(number, len(heading.group(1)), at + heading.start(2), at + heading.end(2))


HEADINGS: dict[str, Callable[[Lines], Iterator[Heading]]] = {
    "markdown": _markdown,
    "rst": _rst,
    "asciidoc": _asciidoc,
    "org": _org,
}
"""The languages that are cut by heading, and how their headings are found."""
