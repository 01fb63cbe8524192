"""Prose by its headings: which lines are headings, and under which path of headings a section stands."""

from __future__ import annotations

import re
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from greppy.analysis import prose
from greppy.analysis.chunks import NAME, analyze
from greppy.analysis.lines import Lines


def _sections(text: str, language: str) -> list[tuple[int, int, str, str]]:
    analysis = analyze(text.encode(), language)
    assert analysis is not None
    return [(chunk.start_line, chunk.end_line, chunk.kind, chunk.symbol) for chunk in analysis.chunks]


MARKDOWN = """\
---
title: Guide
# not a heading
---
Before.

# Guide #
Text.
```sh
# not a heading
```
## Install
Text
Linux
-----
- item
---
### Debian
~~~
```
# no
~~~
#No heading
# Use
"""


def test_markdown_is_cut_at_its_headings() -> None:
    assert _sections(MARKDOWN, "markdown") == [
        (1, 6, "text", ""),
        (7, 11, "section", "Guide"),
        (12, 13, "section", "Guide > Install"),
        (14, 17, "section", "Guide > Linux"),
        (18, 23, "section", "Guide > Linux > Debian"),
        (24, 24, "section", "Use"),
    ]


RST = """\
=====
Guide
=====

Text.

Install
=======

On Linux
--------

::

    code
    ----

.. note::
   A note.

Short
--

Use
===
"""


def test_restructured_text_is_cut_at_its_headings() -> None:
    assert _sections(RST, "rst") == [
        (1, 6, "section", "Guide"),
        (7, 9, "section", "Guide > Install"),
        (10, 23, "section", "Guide > Install > On Linux"),
        (24, 25, "section", "Guide > Use"),
    ]


ASCIIDOC = """\
= Guide
Text.

== Install
----
== no heading
----
=== Linux
== Use
"""


def test_asciidoc_is_cut_at_its_headings() -> None:
    assert _sections(ASCIIDOC, "asciidoc") == [
        (1, 3, "section", "Guide"),
        (4, 7, "section", "Guide > Install"),
        (8, 8, "section", "Guide > Install > Linux"),
        (9, 9, "section", "Guide > Use"),
    ]


def test_org_is_cut_at_its_headings() -> None:
    assert _sections("* Guide\ntext *bold*\n** Install\n", "org") == [
        (1, 2, "section", "Guide"),
        (3, 3, "section", "Guide > Install"),
    ]


def test_a_heading_is_the_name_of_its_section() -> None:
    analysis = analyze(b"# The guide\ntext\n\nOther\n=====\n", "markdown")
    assert analysis is not None
    names = [analysis.text[a:b] for chunk in analysis.chunks for field, a, b in chunk.spans if field == NAME]
    assert names == [b"The guide", b"Other"]


def test_a_long_section_is_windowed_and_keeps_its_symbol() -> None:
    sections = _sections("# Guide\n" + "text\n" * 99, "markdown")
    assert [(first, last, symbol) for first, last, _, symbol in sections] == [
        (1, 40, "Guide"),
        (41, 80, "Guide"),
        (81, 100, "Guide"),
    ]


_ROWS = st.lists(
    st.sampled_from(
        ["# A", "## B ##", "Title", "  Title", "=====", "-----", "---", "~~~~~  ", "```", "````sh", "~~~", "text", "",
         "    code", "- item", "> quote", "###### F", " # G", "+++", ".. note::", "==", "= x", "#", "\t--"]
    )
)  # fmt: skip


@given(_ROWS, st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=300, deadline=None)
def test_markdown_headings_are_those_of_reading_line_by_line(rows: list[str], end: str, ends: bool) -> None:
    text = (end.join(rows) + end * ends).encode()
    if text:
        lines = Lines(text)
        assert [(one.line, one.level) for one in prose.HEADINGS["markdown"](lines)] == _markdown_by_line(lines)


def _markdown_by_line(lines: Lines) -> list[tuple[int, int]]:
    found, fence, paragraph = [], "", False
    rows = [lines.content(line).decode().rstrip() for line in range(lines.count)]
    opening = rows[0].strip()
    closing = rows.index(opening, 1) if opening in ("---", "+++") and opening in rows[1:] else -1
    for number, row in enumerate(rows[closing + 1 :], closing + 1):
        fenced = re.match(" {0,3}(```+|~~~+)", row)
        atx = re.match(r" {0,3}(#{1,6})[ \t]+\S", row)
        if fence:
            fence = "" if fenced and fenced[1].startswith(fence) and fenced.end() == len(row) else fence
            paragraph = False
        elif fenced:
            fence, paragraph = fenced[1], False
        elif atx:
            found.append((number, len(atx[1])))
            paragraph = False
        elif paragraph and re.fullmatch(" {0,3}(=+|-+)", row):
            found.append((number - 1, 1 if "=" in row else 2))
            paragraph = False
        else:
            paragraph = not re.match(r" {4}|\t|$| {0,3}([>#|]|[-*+] |\d+[.)] )", row)
    return found


@given(_ROWS, st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=300, deadline=None)
def test_restructured_headings_are_those_of_reading_line_by_line(rows: list[str], end: str, ends: bool) -> None:
    text = (end.join(rows) + end * ends).encode()
    if text:
        lines = Lines(text)
        assert [one.line for one in prose.HEADINGS["rst"](lines)] == _restructured_by_line(lines)


def _restructured_by_line(lines: Lines) -> list[int]:
    rows = [lines.content(line).decode().rstrip() for line in range(lines.count)]
    found, number = [], 1
    while number < len(rows):
        title, line = rows[number - 1], rows[number]
        over = number >= 2 and rows[number - 2] == line
        is_heading = (
            _is_adornment(line)
            and title.strip() != ""
            and not _is_adornment(title)
            and not title.strip().startswith(".. ")
            and len(line) >= len(title.strip())
            and (over or not title[:1].isspace())
        )
        if is_heading:
            found.append(number - 2 if over else number - 1)
        number += 2 if is_heading else 1
    return found


def _is_adornment(row: str) -> bool:
    return len(row) > 1 and row[0] in string.punctuation and set(row) == {row[0]}
