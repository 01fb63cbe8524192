"""Prose by its headings: which lines are headings, and under which path of headings a section stands."""

from __future__ import annotations

from greppy.analysis.chunks import NAME, analyze


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
