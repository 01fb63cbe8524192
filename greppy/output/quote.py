"""Names as a person may safely read them, and as a shell or git takes them back. HOT.

In: a path in bytes. Out: text as `git -c core.quotePath=false` prints it: unchanged, or in double quotes with C escapes
when it holds a control character, a quote or a backslash. Beyond git, C1 and bidi controls and bytes that are no UTF-8
are octal escapes too, since a terminal would obey the first two and JSON readers choke on the last.
"""

from __future__ import annotations

from greppy.log import printable

_NAMED = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r"}
_NAMED |= {'"': '\\"', "\\": "\\\\"}


def quote_path(path: bytes) -> str:
    """`path` for human output."""
    text = path.decode("utf-8", "surrogateescape")
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    escaped = "".join(map(_escaped, text))
    return text if escaped == text else f'"{escaped}"'


def _escaped(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    if printable(char) == char:
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
