"""Plain text cut into entries of a log, clauses and numbered sections."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.analysis.chunks import NAME, Analysis, analyze

CONTRACT = """SERVICE AGREEMENT

This agreement is between the parties.

1. DEFINITIONS

1.1 "Licensee" means the party to whom a license is granted.

1.2 The work (the "Software") shall be delivered.

2. TERM AND TERMINATION

2.1 Either party may terminate for breach. Notice shall be written.

2.2 Obligations survive.

ARTICLE III - Liability

No party is liable for damages under this license.
"""
RFC = "A Protocol\n\nAbstract text.\n\n1. Introduction\n\nWords.\n\n1.1. Goals\n\nMore.\n\n2. Messages\n\nEnd.\n"


def analysis(text: str) -> Analysis:
    found = analyze(text.encode(), "text")
    assert found is not None
    return found


def cut(text: str) -> list[tuple[int, int, str, str]]:
    return [chunk[:4] for chunk in analysis(text).chunks]


def names(text: str) -> list[str]:
    found = analysis(text)
    return [found.text[a:b].decode() for chunk in found.chunks for field, a, b in chunk.spans if field == NAME]


def test_a_contract_is_cut_into_clauses_that_know_where_they_lie() -> None:
    assert [(kind, symbol) for _, _, kind, symbol in cut(CONTRACT)] == [
        ("clause", "SERVICE AGREEMENT"),
        ("clause", "SERVICE AGREEMENT > 1. DEFINITIONS"),
        ("clause", 'SERVICE AGREEMENT > 1. DEFINITIONS > 1.1 "Licensee" means the party to whom a license is granted'),
        ("clause", 'SERVICE AGREEMENT > 1. DEFINITIONS > 1.2 The work (the "Software") shall be delivered'),
        ("clause", "SERVICE AGREEMENT > 2. TERM AND TERMINATION"),
        ("clause", "SERVICE AGREEMENT > 2. TERM AND TERMINATION > 2.1 Either party may terminate for breach"),
        ("clause", "SERVICE AGREEMENT > 2. TERM AND TERMINATION > 2.2 Obligations survive"),
        ("clause", "SERVICE AGREEMENT > ARTICLE III - Liability"),
    ]


def test_titles_and_defined_terms_are_names() -> None:
    text = CONTRACT + '\n4. MISC\n\nPersons. "Affiliate" shall mean a company (each, an "Entity").\n'
    assert {"4. MISC", "Affiliate", "Entity"} <= set(names(text))


def test_numbered_sections_of_other_text_are_sections() -> None:
    assert cut(RFC) == [
        (1, 4, "text", ""),
        (5, 8, "section", "1. Introduction"),
        (9, 12, "section", "1. Introduction > 1.1. Goals"),
        (13, 15, "section", "2. Messages"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "one\n\n1. milk\n\n2. eggs\n\n3. flour\n",  # small letters: a list
        "1999 was warm\n\n2003 was cold\n\n2010 was wet\n\n",
        "17 Ships\n\n4 Boats\n\n99 Rafts\n\n12 Things\n",
        "A house\n\nB minor\n\nC major\n",
        "plain\n\nwords\n",
    ],
)
def test_figures_that_do_not_go_on_are_no_headings(text: str) -> None:
    assert {kind for _, _, kind, _ in cut(text)} == {"text"}


def test_a_licence_without_headings_is_legal_by_its_words() -> None:
    text = (
        "Permission is hereby granted, free of charge, provided that the copyright notice and this permission notice\n"
        "appear in all copies. The software comes without warranty; no party shall be liable for damages.\n"
    )
    assert cut(text) == [(1, 2, "clause", "")]


LOGS = {
    "iso": "2026-01-31 23:59:{n:02d} INFO a\n",
    "iso t": "2026-01-31T23:59:{n:02d}.123Z INFO a\n",
    "brackets": "[2026-01-31 23:59:{n:02d}] a\n",
    "syslog": "Jan 31 23:59:{n:02d} host app[1]: a\n",
    "access": '1.2.3.4 - - [31/Jan/2026:23:59:{n:02d} +0000] "GET /" 200 1\n',
    "kernel": "[   12.3456{n:02d}] usb 1-1: a\n",
    "level": "ERROR: a {n}\n",
    "glog": "I0131 23:59:{n:02d}.123 1 a.cc:1] a\n",
    "json": '{{"ts": 1.{n}, "msg": "a"}}\n',
    "ctime": "Sat Jan 31 23:59:{n:02d} 2026 a\n",
}


@pytest.mark.parametrize("line", LOGS.values(), ids=LOGS.keys())
def test_a_log_is_known_by_how_its_lines_begin(line: str) -> None:
    assert {kind for _, _, kind, _ in cut("".join(line.format(n=n) for n in range(30)))} == {"entries"}


def test_an_entry_is_never_cut_from_its_trace() -> None:
    entry = "2026-01-31 23:59:00 ERROR failed\nTraceback:\n" + "  File x\n" * 5 + "OSError: x\n"
    plain = "2026-01-31 23:59:00 INFO fine\n"
    text = (plain * 11 + entry) * 4
    lines = text.split("\n")
    starts = [first for first, _, _, _ in cut(text)]
    assert all(lines[first - 1].startswith("2026") for first in starts)
    assert len(starts) > 3


def test_alarming_entries_stand_apart_from_quiet_ones() -> None:
    text = (
        "2026-01-31 23:59:00 INFO fine\n" * 4
        + "2026-01-31 23:59:00 ERROR bad\n" * 2
        + "2026-01-31 23:59:00 INFO fine\n"
    )
    assert [(first, last) for first, last, _, _ in cut(text)] == [(1, 4), (5, 6), (7, 7)]


@given(
    st.lists(
        st.sampled_from([*CONTRACT.split("\n"), *RFC.split("\n"), "2026-01-31 23:59:00 x", "  trace", ""]), max_size=60
    )
)
def test_chunks_cover_every_line_once(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = analysis(text)
    covered = [line for first, last, _, _ in cut(text) for line in range(first, last + 1)]
    assert covered == list(range(1, found.lines + 1))
    for chunk in found.chunks:
        assert all(a[2] <= b[1] for a, b in zip(chunk.spans, chunk.spans[1:], strict=False))
