"""Paths as `git grep` prints them. HOT.

In: a path relative to the root, and where the user stands. Out: bytes: relative to the current folder, in double quotes
with C escapes where git quotes (`quote_c_style` in its quote.c), or as it is where NULs end names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from greppy.search.exact.snapshot import Source

_ORDINARY = bytes(byte for byte in range(0x20, 0x7F) if byte not in b'"\\')
_NAMED = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}


class Names:
    """`prefix` is the current folder relative to the root, ended by `/`, b"" to print paths from the root. `quotes_all`
    is asked once, for the first path with a byte beyond ASCII: whether such bytes are escaped (core.quotePath)."""

    __slots__ = ("_ask", "_prefix", "_quotes_all", "_raw")

    def __init__(self, prefix: bytes, quotes_all: Callable[[], bool], raw: bool = False) -> None:
        self._prefix = prefix
        self._raw = raw
        self._ask = quotes_all
        self._quotes_all: bool | None = None

    def __call__(self, source: Source) -> bytes:
        """The name of a file."""
        path = source.path
        if self._prefix:
            path = relative(path, self._prefix) if path else path
        if self._raw or not path.translate(None, _ORDINARY):
            return source.label + path
        return source.label + self._quoted(path)

    def _quoted(self, path: bytes) -> bytes:
        if self._quotes_all is None and not path.isascii():
            self._quotes_all = self._ask()
        plain_from = 0x80 if self._quotes_all is False else 0x100
        escaped = b"".join(_escaped(byte, plain_from) for byte in path)
        return path if escaped == path else b'"' + escaped + b'"'


def _escaped(byte: int, plain_from: int) -> bytes:
    if byte in _ORDINARY or byte >= plain_from:
        return bytes((byte,))
    return _NAMED.get(byte) or b"\\%03o" % byte


def relative(path: bytes, prefix: bytes) -> bytes:
    """`path` as seen from the folder `prefix`, both relative to the same root."""
    if path.startswith(prefix):
        return path[len(prefix) :]
    steps, wanted = prefix.split(b"/")[:-1], path.split(b"/")
    common = 0
    while common < min(len(steps), len(wanted) - 1) and steps[common] == wanted[common]:
        common += 1
    return b"../" * (len(steps) - common) + b"/".join(wanted[common:])
