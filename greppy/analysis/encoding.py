"""Bytes of a file in, readable text out: valid UTF-8 with the same lines, or None for what is binary.

Search must never drop a file for its encoding, so everything that git would not call binary becomes text: UTF-8 as it
is, UTF-16 by its byte-order mark, and any other byte as its Latin-1 character. Imported on every search: no imports.
"""

from __future__ import annotations

BINARY_PROBE = 8000
"""A NUL among so many first bytes makes a file binary: `buffer_is_binary` in git's xdiff-interface.c."""

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16 = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def to_text(data: bytes) -> tuple[bytes, str] | None:
    """The text of `data` as valid UTF-8 and the name of its encoding; None when it is binary.

    The number of b"\\n" is that of the characters "\\n" in `data`. Valid UTF-8 without a mark is returned as the same
    object. Encodings: "utf-8", "utf-8-bom", "utf-16-le", "utf-16-be", "latin-1" (some bytes are not UTF-8).
    """
    for mark, name in _UTF16:
        if data.startswith(mark):
            text = _from_utf16(data[2:], name)
            return None if b"\0" in text[:BINARY_PROBE] else (text, name)
    if data.find(b"\0", 0, BINARY_PROBE) >= 0:
        return None
    if data.startswith(_UTF8_BOM):
        return _repaired(data[3:], "utf-8-bom")
    return _repaired(data, "utf-8")


def _repaired(data: bytes, name: str) -> tuple[bytes, str]:
    if data.isascii():
        return data, name
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        escaped = data.decode("utf-8", "surrogateescape")
        return escaped.translate(_ESCAPED_TO_LATIN1).encode("utf-8"), "latin-1"
    return data, name


_ESCAPED_TO_LATIN1 = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}


def _from_utf16(data: bytes, name: str) -> bytes:
    return data.decode(name, "replace").encode("utf-8")
