"""What a person sees on a terminal: headings, excerpts of long lines, nothing that a terminal would obey."""

from __future__ import annotations

import pytest

from greppy.output import grep as output
from greppy.output.grep import Printer, Show, Sink
from greppy.output.grep_names import Names, relative
from greppy.output.grep_terminal import TerminalForm
from greppy.output.stream import Screen
from greppy.search.exact.engine import Found
from greppy.search.exact.question import Context, Reading, make_question
from greppy.search.exact.snapshot import Source


def seen(
    monkeypatch: pytest.MonkeyPatch,
    pattern: str,
    files: dict[bytes, bytes],
    columns: int = 40,
    color: bool = False,
    context: Context | None = None,
    only: bool = False,
) -> str:
    """What the terminal shows for `pattern` in `files`."""
    written: list[bytes] = []
    monkeypatch.setattr(output, "write_out", written.append)
    sink = Sink()
    form = TerminalForm(sink, Names(b"", lambda: False), Screen(True, columns, 24, color), only_matching=only)
    question = make_question([pattern.encode()], Reading())
    printer = Printer(form, sink, question, context or Context(), lambda found: b"\0" in found.content, Show())
    for name, content in files.items():
        printer.print_file(Found(Source(name), content, None))
    sink.flush()
    return b"".join(written).decode()


def test_each_file_has_a_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {b"a": b"foo\nbar\nfoo\n", b"b/c": b"\tfoo\r\n", b"d": b"\0foo", b"none": b"bar\n"}
    shown = seen(monkeypatch, "foo", files)
    assert shown == "a\n1:foo\n3:foo\n\nb/c\n1:    foo\n\nBinary file d matches\n"


def test_matches_are_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = seen(monkeypatch, "o+", {b"a": b"foo boo\n"}, color=True)
    assert shown == "\x1b[35ma\x1b[0m\n\x1b[32m1:\x1b[0mf\x1b[1;31moo\x1b[0m b\x1b[1;31moo\x1b[0m\n"


def test_a_long_line_is_cut_around_its_match_and_says_the_column(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "é".encode() * 5000 + b"NEEDLE" + b"y" * 100_000
    shown = seen(monkeypatch, "NEEDLE", {b"a": line + b"\nshort NEEDLE\n"}).splitlines()
    assert shown[1].startswith("1:10001:...")
    assert "éNEEDLEy" in shown[1]
    assert shown[1].endswith("...")
    assert len(shown[1]) <= 40
    assert shown[2] == "2:short NEEDLE"


@pytest.mark.parametrize("line", [b"NEEDLE" + b"x" * 200, b"x" * 200 + b"NEEDLE", b"\x80" * 100 + b"NEEDLE"])
def test_no_long_line_is_dropped(monkeypatch: pytest.MonkeyPatch, line: bytes) -> None:
    shown = seen(monkeypatch, "NEEDLE", {b"a": line}).splitlines()
    assert "NEEDLE" in shown[1]


def test_nothing_reaches_the_terminal_that_it_would_obey(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {b"x\x1b]0;y\x07": b"foo \x1b[2J \x9b \xe2\x80\xae \x07\n"}
    shown = seen(monkeypatch, "foo", files)
    assert all(char.isprintable() or char == "\n" for char in shown)


def test_context_is_parted_by_dashes(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"a\nfoo\nb\nc\nd\nfoo\n"
    assert seen(monkeypatch, "foo", {b"f": content}, context=Context(1, 1)) == ("f\n1-a\n2:foo\n3-b\n--\n5-d\n6:foo\n")
    assert seen(monkeypatch, "o", {b"f": content}, only=True) == "f\n2:o\n2:o\n6:o\n6:o\n"


@pytest.mark.parametrize(
    ("path", "prefix", "expected"),
    [
        (b"a/b", b"a/", b"b"),
        (b"c", b"a/", b"../c"),
        (b"a/c/d", b"a/b/", b"../c/d"),
        (b"x/y", b"a/b/c/", b"../../../x/y"),
        (b"ab", b"a/", b"../ab"),
    ],
)
def test_a_path_is_seen_from_the_current_folder(path: bytes, prefix: bytes, expected: bytes) -> None:
    assert relative(path, prefix) == expected
