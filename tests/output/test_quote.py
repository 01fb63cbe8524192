"""Names are quoted as git quotes them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.output.quote import quote_path

NAMES = [b"a.py", b"with space", b"new\nline", b"tab\tname", b'quo"te', b"back\\slash", b"-rf", b"[ab]*?"]
NAMES += [b"\x01\x1f\x7f", b"bell\a\b\v\f\r", b"\x1b]52;c;QUJD\x07", "é日本🙂".encode()]


def test_names_are_quoted_as_git_does(tmp_path: Path) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(tmp_path)}
    subprocess.run(["git", "init", "-q", tmp_path], check=True, env=environment)
    for name in NAMES:
        (tmp_path / os.fsdecode(name)).touch()
    listing = ["git", "-c", "core.quotePath=false", "ls-files", "-o"]
    told = subprocess.run(listing, cwd=tmp_path, env=environment, capture_output=True, check=True).stdout
    assert {quote_path(name) for name in NAMES} == set(told.decode().split("\n")) - {""}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"caf\xe9.py", '"caf\\351.py"'),
        ("a\u202eb".encode(), '"a\\342\\200\\256b"'),
        ("a\x9bb".encode(), '"a\\302\\233b"'),
        ("\ue0a0.py".encode(), "\ue0a0.py"),
    ],
)
def test_what_a_terminal_would_obey_is_octal_beyond_git(name: bytes, shown: str) -> None:
    assert quote_path(name) == shown


@given(st.binary(min_size=1))
def test_no_name_reaches_a_terminal_raw_and_each_can_be_read_back(name: bytes) -> None:
    shown = quote_path(name)
    assert not any(char < " " or "\x7f" <= char < "\xa0" for char in shown)
    shown.encode()
    assert _unquoted(shown) == name


def _unquoted(shown: str) -> bytes:
    if not shown.startswith('"'):
        return shown.encode()
    escaped, raw, at = shown[1:-1].encode(), b"", 0
    single = {ord(letter): code for letter, code in zip('abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True)}
    while at < len(escaped):
        if escaped[at] != ord("\\"):
            raw, at = raw + escaped[at : at + 1], at + 1
        elif escaped[at + 1] in single:
            raw, at = raw + bytes([single[escaped[at + 1]]]), at + 2
        else:
            raw, at = raw + bytes([int(escaped[at + 1 : at + 4], 8)]), at + 4
    return raw
