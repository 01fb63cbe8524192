"""Typed requests: a line of JSON → the command line that answers it, and its output → lines of JSON. Cold.

In: the bytes of one line. Out: a `Typed`, or BadArguments that names the field; then a `Reply` that is fed with what
the command line writes. The fields are those of `greppy.daemon.protocol`.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from greppy.errors import BadArguments, GreppyError

LONGEST_TEXT = 10_000
MOST_TEXTS = 1000
_SEARCH, _GREP, _INDEX, _STATUS, _SHUTDOWN = "Search", "Grep", "Index", "Status", "Shutdown"
_ERROR = b'{"error":'

Fields = Mapping[str, type]
_FIELDS: dict[str, tuple[Fields, Fields]] = {
    _SEARCH: (
        {"project": str, "query": str},
        {
            "limit": int,
            "paths": list,
            "include": list,
            "exclude": list,
            "languages": list,
            "refresh": bool,
            "content": bool,
        },
    ),
    _GREP: (
        {"project": str, "pattern": str},
        {"fixed": bool, "ignore_case": bool, "word": bool, "paths": list, "max_count": int},
    ),
    _INDEX: ({"project": str}, {"force": bool}),
    _STATUS: ({}, {}),
    _SHUTDOWN: ({}, {}),
}


class Typed(NamedTuple):
    """A request: its type, the words of the command line that answers it (none for what the daemon itself does), and
    the folder to run it in."""

    kind: str
    argv: list[str]
    cwd: bytes


def read_typed(line: bytes) -> Typed:
    """The request in a line. Raises BadArguments."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        raise BadArguments("the request is not a line of JSON", "see greppy/daemon/protocol.py") from None
    kind = values.get("type") if isinstance(values, dict) else None
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise BadArguments("the request has no type that is known", f"use one of {', '.join(_FIELDS)}")
    _check(kind, values)
    cwd = _folder(values["project"]) if "project" in values else b"/"
    makers: dict[str, Callable[[dict[str, Any]], list[str]]] = {_SEARCH: _search, _GREP: _grep, _INDEX: _index}
    return Typed(kind, makers[kind](values) if kind in makers else [], cwd)


def _check(kind: str, values: dict[str, Any]) -> None:
    required, optional = _FIELDS[kind]
    for name in required:
        if name not in values:
            raise BadArguments(f'{kind}: "{name}" is missing', "see greppy/daemon/protocol.py")
    for name, value in values.items():
        if name == "type":
            continue
        wanted = required.get(name) or optional.get(name)
        if wanted is None:
            raise BadArguments(f'{kind}: "{name}" is not one of its fields', "leave it out")
        if not _is(value, wanted):
            raise BadArguments(f'{kind}: "{name}" has a value that cannot be taken', f"give a {wanted.__name__}")


def _is(value: object, wanted: type) -> bool:
    if wanted is list:
        return isinstance(value, list) and len(value) <= MOST_TEXTS and all(_is(item, str) for item in value)
    if wanted is str:
        return isinstance(value, str) and len(value) <= LONGEST_TEXT and "\0" not in value and _is_utf8(value)
    if wanted is int:
        return type(value) is int and 0 <= value < 1 << 30
    return type(value) is wanted


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _folder(name: str) -> bytes:
    if not os.path.isabs(name):
        raise BadArguments('"project" is not an absolute path', "give one")
    return os.fsencode(name)


def _search(values: dict[str, Any]) -> list[str]:
    argv = ["search", "--json"]
    argv += [f"--limit={values['limit']}"] if "limit" in values else []
    for name, option in (("paths", "path"), ("include", "include"), ("exclude", "exclude"), ("languages", "lang")):
        argv += [f"--{option}={text}" for text in values.get(name, ())]
    argv += [] if values.get("refresh", True) else ["--no-refresh"]
    argv += ["--content" if values["content"] else "--no-content"] if "content" in values else []
    return [*argv, "--", values["query"]]


def _grep(values: dict[str, Any]) -> list[str]:
    argv = ["grep", "--json", f"--regexp={values['pattern']}"]
    for name, option in (("fixed", "fixed-strings"), ("ignore_case", "ignore-case"), ("word", "word-regexp")):
        argv += [f"--{option}"] if values.get(name) else []
    argv += [f"--max-count={values['max_count']}"] if values.get("max_count") else []
    return [*argv, "--", *values.get("paths", ())]


def _index(values: dict[str, Any]) -> list[str]:
    return ["index", *(["--force"] if values.get("force") else [])]


def to_line(document: Mapping[str, object]) -> bytes:
    """A document as a line that any reader of JSON can take."""
    return json.dumps(document, default=_plain, separators=(",", ":")).encode() + b"\n"


def _plain(value: object) -> object:
    """Bytes, which are paths, as `search --json` shows them."""
    if not isinstance(value, bytes):
        raise TypeError(type(value))
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"bytes": b64encode(value).decode()}


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def error_line(error: GreppyError) -> bytes:
    """An error as the response that it is."""
    return to_line(
        {"type": "Error", "code": error.code, "message": _printable(error.message), "hint": _printable(error.hint)}
    )


class Reply:
    """Output and exit status of the command line that answers a typed request → what is sent."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._out = bytearray()
        self._notices = bytearray()
        self._failed = b""

    def out(self, data: bytes) -> bytes:
        """More of stdout; gives what can be sent already: whole records of Grep."""
        self._out += data
        if self._kind != _GREP:
            return b""
        end = self._out.rfind(b"\n") + 1
        whole = bytes(self._out[:end])
        del self._out[:end]
        *records, last = whole[:-1].split(b"\n") if whole else [b""]
        if last.startswith(_ERROR):
            self._failed = last
            return b"".join(record + b"\n" for record in records)
        return whole

    def err(self, data: bytes) -> bytes:
        """More of stderr, which is told at the end."""
        self._notices += data[: LONGEST_TEXT - len(self._notices)]
        return b""

    def end(self, status: int) -> bytes:
        """The last line."""
        out = bytes(self._out)
        failed = self._failed or (out if out.startswith(_ERROR) else b"")
        notices = self._notices.decode("utf-8", "replace").splitlines()
        if failed:
            return to_line({"type": "Error", **json.loads(failed)["error"]})
        if self._kind == _SEARCH and out.startswith(b"{"):
            return b'{"type":"Results",' + out[1:]
        if self._kind == _GREP and status < 2:
            return to_line({"type": "End", "status": status, "notices": notices})
        if self._kind == _INDEX and status == 0:
            return to_line({"type": "Indexed", "text": out.decode("utf-8", "replace"), "notices": notices})
        return to_line({"type": "Error", "code": "INDEX_ERROR", "message": "; ".join(notices), "hint": ""})
