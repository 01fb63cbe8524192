"""Values as one line of JSON. HOT: `import json` costs a whole warm search, the C function below it nothing.

In: a `Response`, an error, or plain values. Out: compact JSON text that ends with a newline: valid UTF-8, no lone
surrogate, and no character that a terminal would obey (C0, DEL, C1 and bidi controls are `\\u` escapes). A path is text
where it is UTF-8, else `{"bytes":"<base64>"}`. Numbers that JSON does not have (NaN, infinities) are null.
"""

from __future__ import annotations

from binascii import b2a_base64
from time import gmtime, strftime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from greppy.errors import GreppyError
    from greppy.search.result import Response, Result

# What `_json` leaves alone and a terminal would not: DEL and C1, line ends of JavaScript, bidi controls.
_RISKY = (*range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: f"\\u{code:04x}" for code in _RISKY}


def _string_encoder() -> Callable[[str], str]:
    try:
        from _json import encode_basestring
    except ImportError:  # an interpreter without CPython's accelerator
        from json.encoder import py_encode_basestring as encode_basestring
    return encode_basestring


_quoted = _string_encoder()


def to_json(value: object) -> str:
    """`value` as compact JSON. Bytes are a path; a float keeps 6 significant digits; anything else is a TypeError."""
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < float("inf") else "null"
    if isinstance(value, bytes):
        return _path(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(str(key))}:{to_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(to_json, value)) + "]"
    raise TypeError(f"{type(value).__name__} has no JSON form")


def render(response: Response, query: str, content: bool = True, explain: bool = False) -> str:
    """The document of a search, with its newline; without `content` that of every result is "", with `explain` each has
    the parts of its score."""
    document = {
        "results": [_result(result, content, response.indexed_at, explain) for result in response.results],
        "total": response.total,
        "took_ms": round(response.took_ms, 1),
        "index": response.index,
        "query": query,
        "notes": list(response.notes),
    }
    return to_json(document) + "\n"


def render_error(error: GreppyError) -> str:
    """The document of an error, with its newline."""
    return to_json({"error": {"code": error.code, "message": error.message, "hint": error.hint}}) + "\n"


def _result(result: Result, content: bool, indexed_at: int, explain: bool) -> dict[str, object]:
    found: dict[str, object] = {
        "path": result.path,
        "start_line": result.start_line,
        "end_line": result.end_line,
        "content": result.content if content else "",
        "symbol_name": result.symbol,
        "symbol_kind": result.kind,
        "language": result.language,
        "score": result.score,
        "flags": list(result.flags),
        "matched_lines": list(result.matched_lines),
        "oid": result.oid,
        "dirty": result.dirty,
        "freshness": freshness(indexed_at, result.stale),
    }
    if result.revisions:
        found["revisions"] = list(result.revisions)
    if explain:
        found["score_breakdown"] = result.breakdown
    return found


def freshness(indexed_at: int, stale: bool) -> dict[str, object]:
    """When what was ranked was indexed (UTC, to the millisecond), and whether it is no longer what is on disk."""
    seconds, rest = divmod(indexed_at, 10**9)
    time = strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds))
    return {"indexed_at": f"{time}.{rest // 10**6:03d}Z", "stale": stale}


def _path(path: bytes) -> str:
    try:
        return _text(path.decode("utf-8"))
    except UnicodeDecodeError:
        return '{"bytes":"' + b2a_base64(path, newline=False).decode("ascii") + '"}'


def _text(text: str) -> str:
    quoted = _quoted(text)
    return quoted if quoted.isprintable() else _whole(quoted).translate(_ESCAPES)


def _whole(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
