"""Text in, its words out: runs of word code points, the parts of identifiers, and where lines start.

A *run* is a maximal sequence of word code points in UTF-8 text: ASCII letters, digits and `_`, and every other code
point outside `SEPARATORS`. A byte that belongs to no valid UTF-8 sequence separates, like a space.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# Non-ASCII code points that are no part of a word: controls and symbols of Latin-1 (but not the letters ª µ º), general
# punctuation to miscellaneous symbols, supplemental punctuation, CJK punctuation, private use, presentation forms of
# punctuation, full-width punctuation, specials, emoji. Surrogates stand for the bytes that are not UTF-8.
SEPARATORS = (
    (0x80, 0xA9), (0xAB, 0xB4), (0xB6, 0xB9), (0xBB, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7),
    (0x2000, 0x2BFF), (0x2E00, 0x2E7F), (0x3000, 0x3004), (0x3008, 0x3020), (0x3030, 0x3030),
    (0xD800, 0xF8FF), (0xFE10, 0xFE6F), (0xFF00, 0xFF0F), (0xFF1A, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF65),
    (0xFFF0, 0xFFFF), (0x1F000, 0x1FAFF),
)  # fmt: skip


class _Words(dict[int, str]):
    """A table for `str.translate` that turns every separator into a space; it remembers the code points that it met."""

    def __missing__(self, code: int) -> str:
        if code < 0x80:
            word = chr(code).isalnum() or code == 0x5F
        else:
            word = not any(first <= code <= last for first, last in SEPARATORS)
        self[code] = chr(code) if word else " "
        return self[code]


_WORDS = _Words()


def runs(buf: ReadableBuffer, start: int, end: int) -> list[bytes]:
    """The runs of `buf[start:end]`, in order; the range is clipped to the buffer."""
    text = bytes(memoryview(buf).cast("B")[max(start, 0) : max(end, 0)]).decode("utf-8", "surrogateescape")
    return [run.encode() for run in text.translate(_WORDS).split(" ") if run]


def split_identifier(run: bytes, /) -> list[bytes]:
    """The lower-cased parts of an identifier, in order; bytes that are neither letter nor digit separate.

    A part ends before a capital that follows a lower-case letter or a digit, before the last capital of an acronym
    when a lower-case letter follows it, and after digits that follow letters. Digits that begin a part stay with what
    follows (`3d`, `2fa`). Bytes from 0x80 on count as lower-case letters.
    """
    parts: list[bytes] = []
    for piece in bytes(c if _is_letter(c) or _is_digit(c) else 0x20 for c in run).split():
        begin = 0
        for at in range(1, len(piece)):
            if _parts_before(piece, begin, at):
                parts.append(piece[begin:at].lower())
                begin = at
        parts.append(piece[begin:].lower())
    return parts


def _parts_before(piece: bytes, begin: int, at: int) -> bool:
    """Whether the part of `piece` that began at `begin` ends before `at`."""
    before, here = piece[at - 1], piece[at]
    if _is_digit(here):
        return False
    if _is_digit(before):
        return any(_is_letter(c) for c in piece[begin:at])
    if _is_lower(before):
        return _is_upper(here)
    return _is_upper(here) and _is_lower(piece[at + 1 : at + 2].ljust(1)[0])


def _is_digit(c: int) -> bool:
    return 0x30 <= c <= 0x39


def _is_upper(c: int) -> bool:
    return 0x41 <= c <= 0x5A


def _is_lower(c: int) -> bool:
    return 0x61 <= c <= 0x7A or c >= 0x80


def _is_letter(c: int) -> bool:
    return _is_lower(c) or _is_upper(c)


def line_starts(buf: ReadableBuffer, /) -> memoryview:
    """The byte offsets (a view of u32) at which lines start: 0, and after each line feed that is not the last byte.

    A buffer with a line start beyond 4 GiB raises OverflowError.
    """
    data = bytes(buf)
    starts = array("I", [0])
    at = data.find(b"\n") + 1
    while 0 < at < len(data):
        starts.append(at)
        at = data.find(b"\n", at) + 1
    return memoryview(starts)
