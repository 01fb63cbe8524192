"""What `index`, `list` and `status` say."""

from __future__ import annotations

import json

import pytest

from greppy.index.report import BuildReport, IndexInfo, Status
from greppy.output.json_text import to_json
from greppy.output.report import (
    build_line,
    format_age,
    format_size,
    list_lines,
    list_values,
    seconds,
    skipped_lines,
    status_lines,
    status_values,
)

BUILT = BuildReport(b"/x", 6890, 12, 6878, 1, 3, 20494, 54_600_000, 3_355_443, 3.21, True)
STATUS = Status(
    b"/x", ".git", True, 6890, 20494, {"binary": 2, "too large": 1}, {"python": 2800, "html": 300},
    54_600_000, 3_355_443, 2, 1767780645.0, 2, "compiled", b"/h/indexes/0123", 3,
)  # fmt: skip


def test_a_build_is_told_in_one_line() -> None:
    assert build_line(BUILT) == (
        "/x: 6890 files (12 analysed, 6878 known, 1 removed, 3 not indexed), 20494 chunks, 3.2 MB, in 3.2s\n"
    )
    assert build_line(BUILT._replace(changed=False, seconds=0.0421)) == "/x: 6890 files, nothing changed (42ms)\n"


def test_projects_are_listed_a_line_each() -> None:
    infos = [IndexInfo(b"/x", 1, 2, 512, 100.0, False), IndexInfo(b"/\xff", 2, 2, 2048, 90.0, True)]
    assert list_lines(infos, 160.0) == (
        '/x  1 file, 512 bytes, indexed 1 minute ago\n"/\\377"  2 files, 2.0 KB, indexed 1 minute ago, folder is gone\n'
    )
    assert json.loads(to_json(list_values(infos)))["projects"][1]["path"] == {"bytes": "L/8="}


def test_a_status_is_told_a_topic_a_line() -> None:
    assert status_lines(STATUS, 1767780645.0 + 7300) == (
        "Project    /x  (by .git)\n"
        "Index      /h/indexes/0123  (2 shards, 3.2 MB for 52.1 MB of text)\n"
        "Indexed    2026-01-07T10:10:45Z  (2 hours ago)\n"
        "Changes    2 changes since; the next search takes them in\n"
        "Files      6890 in 20494 chunks\n"
        "Skipped    binary 2, too large 1 ('greppy status --skipped' lists them)\n"
        "Languages  python 2800, html 300\n"
        "Kernels    compiled\n"
        "Analyzer   3\n"
    )


def test_a_project_that_is_not_indexed_says_how_to() -> None:
    status = STATUS._replace(indexed=False)
    assert "Index      none yet; the first search or 'greppy index' builds it\n" in status_lines(status, 0.0)
    assert status_values(status)["indexed_at"] is None


def test_a_status_has_all_of_it_in_json() -> None:
    values = json.loads(to_json(status_values(STATUS)))
    assert (values["path"], values["indexed_at"], values["skipped"]["binary"]) == ("/x", "2026-01-07T10:10:45Z", 2)


def test_skipped_files_are_listed_with_the_reason() -> None:
    assert skipped_lines([(b"a\nb", "binary"), (b"c", "too large")]) == '"a\\nb": binary\nc: too large\n'


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KB"), (1 << 20, "1.0 MB"), (1 << 60, "1048576.0 TB")],
)
def test_sizes_have_units_of_1024(size: int, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize(
    ("age", "text"),
    [(-5, "just now"), (0.4, "just now"), (1, "1 second ago"), (7300, "2 hours ago"), (200_000, "2 days ago")],
)
def test_ages_are_in_the_largest_unit(age: float, text: str) -> None:
    assert format_age(age) == text


@pytest.mark.parametrize(("duration", "text"), [(0.0001, "1ms"), (0.25, "250ms"), (3.21, "3.2s"), (125.4, "2m05s")])
def test_durations_are_short(duration: float, text: str) -> None:
    assert seconds(duration) == text
