"""The text of the files that results come from, and how it stands to what was indexed and what is committed. Hot path.

In: a view and ordinals of its files. Out: a `Text` each. From the working tree the bytes are read anew, since an index
holds none; whether they are those that were ranked the file's signature tells, by the rules of `greppy.git.files`, or
else their hash. A revision's come from git.
"""

from __future__ import annotations

from greppy.analysis.encoding import to_text
from greppy.git.conversion import is_stored_as
from greppy.git.files import Folders, Unreadable, hash_blob, read_with_signature
from greppy.index import format as layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.view import View

LARGEST = 1 << 40
_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
"""How a pointer begins: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md."""


class Text:
    """One file: its lines, git's hash of its bytes (hexadecimal), and whether these are the bytes that were indexed."""

    __slots__ = ("_algorithm", "data", "fresh", "lines", "oid")

    def __init__(self, data: bytes, lines: Sequence[bytes], oid: str, fresh: bool, algorithm: str) -> None:
        self.data = data
        self.lines = lines
        self.oid = oid
        self.fresh = fresh
        self._algorithm = algorithm

    @property
    def is_pointer(self) -> bool:
        """Whether these bytes only stand for a file that Git LFS keeps elsewhere."""
        return self.data.startswith(_POINTER)

    def differs_from(self, oid: str) -> bool:
        """Whether a blob has other content, as far as git's conversions on checkout are known."""
        return self.oid != oid and not is_stored_as(self.data, oid, self._algorithm)


def read_texts(view: View, files: Sequence[int]) -> dict[int, Text | None]:
    """The text of each file; None for one that is no longer there, or no longer text."""
    if view.objects is None:
        with Folders(view.project.root) as folders:
            return {file: _from_disk(view, file, folders) for file in files}
    contents = view.objects([indexed_oid(view, file) for file in files])
    return {file: _of_view(view, file, content, False) for file, content in zip(files, contents, strict=True)}


def _from_disk(view: View, file: int, folders: Folders) -> Text | None:
    manifest = view.manifest
    try:
        data, signature = read_with_signature(view.project.root, manifest.paths[file], LARGEST, folders)
    except Unreadable:
        return None
    known = tuple(manifest.column(layout.STATS, "q")[4 * file : 4 * file + 4])
    return _of_view(view, file, data, signature == known)


def _of_view(view: View, file: int, data: bytes | None, known: bool) -> Text | None:
    if data is None:
        return None
    return text_of(data, view.manifest.meta.algorithm, indexed_oid(view, file), known)


def text_of(data: bytes, algorithm: str, indexed: str = "", known: bool = False) -> Text | None:
    """The text of a file; None for one that is binary. `indexed` is the hash that it had; `known` says that it still
    has."""
    text = to_text(data)
    if text is None:
        return None
    oid = indexed if known else hash_blob(data, algorithm).hex()
    return Text(data, text[0].split(b"\n"), oid, oid == indexed, algorithm)


def indexed_oid(view: View, file: int) -> str:
    """The hash, in hexadecimal, that a file had when it was indexed."""
    oids = view.manifest.column(layout.FILE_OIDS, "B")
    width = len(oids) // view.manifest.meta.files
    return oids[file * width : (file + 1) * width].hex()
