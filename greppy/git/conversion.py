"""Whether bytes on disk are what a blob holds, given what git converts on checkout. Hot path.

In: a file's bytes and a blob's hash. Out: yes or no. Converted back are ends of lines (`text`, `eol`, core.autocrlf)
and UTF-16 (`working-tree-encoding`), tried one after the other instead of asking for attributes; what filters make of a
file, Git LFS among them, and other encodings are not known without running them, and count as different.
"""

from __future__ import annotations

from greppy.git.files import hash_blob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_UTF16 = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def is_stored_as(data: bytes, oid: str, algorithm: str) -> bool:
    """Whether git stores `data` as the blob `oid` (hexadecimal)."""
    return any(hash_blob(form, algorithm).hex() == oid for form in _forms(data))


def _forms(data: bytes) -> Iterator[bytes]:
    yield data
    for mark, name in _UTF16:
        if data.startswith(mark):
            data = data[2:].decode(name, "replace").encode("utf-8")
            yield data
    if b"\r\n" in data:
        yield data.replace(b"\r\n", b"\n")
