"""The text of the files that results come from, and how it stands to what was indexed and what is committed. Hot path.

In: a view and ordinals of its files. Out: a `Text` each. From the working tree the bytes are read anew, since an index
holds none, and hashed, so that it is known whether they are those that were ranked; a revision's come from git.
"""

from __future__ import annotations

from greppy.analysis.encoding import to_text
from greppy.git.files import Unreadable, hash_blob, read_file
from greppy.index import format as layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.view import View

_LARGEST = 1 << 40


class Text:
    """One file: its lines, git's hash of its bytes (hexadecimal), and whether these are the bytes that were indexed."""

    __slots__ = ("_algorithm", "_data", "fresh", "lines", "oid")

    def __init__(self, data: bytes, lines: Sequence[bytes], indexed: str, algorithm: str) -> None:
        self._data = data
        self._algorithm = algorithm
        self.lines = lines
        self.oid = hash_blob(data, algorithm).hex()
        self.fresh = self.oid == indexed

    def differs_from(self, oid: str) -> bool:
        """Whether a blob has other content, not counting ends of lines that git converts on checkout."""
        if self.oid == oid:
            return False
        return b"\r\n" not in self._data or hash_blob(self._data.replace(b"\r\n", b"\n"), self._algorithm).hex() != oid


def read_texts(view: View, files: Sequence[int]) -> dict[int, Text | None]:
    """The text of each file; None for one that is no longer there, or no longer text."""
    if view.objects is None:
        return {file: _text(view, file, _from_disk(view, file)) for file in files}
    contents = view.objects([indexed_oid(view, file) for file in files])
    return {file: _text(view, file, content) for file, content in zip(files, contents, strict=True)}


def _from_disk(view: View, file: int) -> bytes | None:
    try:
        return read_file(view.project.root, view.manifest.paths[file], _LARGEST)
    except Unreadable:
        return None


def _text(view: View, file: int, data: bytes | None) -> Text | None:
    text = None if data is None else to_text(data)
    if data is None or text is None:
        return None
    return Text(data, text[0].split(b"\n"), indexed_oid(view, file), view.manifest.meta.algorithm)


def indexed_oid(view: View, file: int) -> str:
    """The hash, in hexadecimal, that a file had when it was indexed."""
    oids = view.manifest.column(layout.FILE_OIDS, "B")
    width = len(oids) // view.manifest.meta.files
    return oids[file * width : (file + 1) * width].hex()
