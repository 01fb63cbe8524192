"""The text of the files that results come from, and how it stands to what was indexed and what is committed. Hot path.

In: a view and ordinals of its files. Out: a `Text` each. From the working tree the bytes are read anew, since an index
holds none; whether they are those that were ranked the file's signature tells, by the rules of `greppy.git.files`, or
else their hash. A revision's come from git.
"""

from __future__ import annotations

from greppy import kernels
from greppy.analysis.encoding import to_text
from greppy.git.conversion import is_stored_as
from greppy.git.files import Folders, Unreadable, hash_blob, read_with_signature
from greppy.index import format as layout
from greppy.search.facts import facts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.index.view import View

LARGEST = 1 << 40
MOST_KEPT = 6 << 20
"""Bytes of texts that are kept for the next searches of the same view."""

_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
"""How a pointer begins: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md."""


class Text:
    """One file: its bytes, its text in UTF-8 (`content`), git's hash of its bytes (hexadecimal), and whether these are
    the bytes that were indexed."""

    __slots__ = ("_algorithm", "_lines", "content", "data", "fresh", "oid")

    def __init__(self, data: bytes, content: bytes, oid: str, fresh: bool, algorithm: str) -> None:
        self.data = data
        self.content = content
        self.oid = oid
        self.fresh = fresh
        self._lines: Sequence[bytes] | None = None
        self._algorithm = algorithm

    @property
    def lines(self) -> Sequence[bytes]:
        """The lines of the text."""
        if self._lines is None:
            self._lines = self.content.split(b"\n")
        return self._lines

    @property
    def is_pointer(self) -> bool:
        """Whether these bytes only stand for a file that Git LFS keeps elsewhere."""
        return self.data.startswith(_POINTER)

    def differs_from(self, oid: str) -> bool:
        """Whether a blob has other content, as far as git's conversions on checkout are known."""
        return self.oid != oid and not is_stored_as(self.data, oid, self._algorithm)


class Kept:
    """Texts of a view's files that were read when they were what was indexed, the last ones used."""

    __slots__ = ("_bytes", "_texts")

    def __init__(self) -> None:
        self._texts: dict[int, Text] = {}
        self._bytes = 0

    def put(self, file: int, text: Text) -> None:
        """Keep a text; the ones that were used longest ago make room."""
        self._texts[file] = text
        self._bytes += len(text.content)
        while self._bytes > MOST_KEPT:
            self._bytes -= len(self._texts.pop(next(iter(self._texts))).content)

    def take(self, view: View, files: Sequence[int]) -> dict[int, Text]:
        """Of these files those that are kept, if their stat data still is what it was, or need not be asked."""
        known = [file for file in files if file in self._texts]
        if view.is_watched:
            found = {file: self._texts.pop(file) for file in known}
            self._texts.update(found)
            return found
        if not known:
            return {}
        facts, stats = facts_of(view), view.manifest.column(layout.STATS, "q")
        table = b"".join([facts.path(file) + b"\0" for file in known])
        recorded = b"".join([bytes(stats[4 * file : 4 * file + 4]) for file in known])
        differing = set(kernels.changed_stats(view.project.root, table, recorded, len(known)))
        found = {}
        for number, file in enumerate(known):
            text = self._texts.pop(file)
            if number in differing:
                self._bytes -= len(text.content)
            else:
                found[file] = self._texts[file] = text
        return found


def read_texts(view: View, files: Sequence[int]) -> dict[int, Text | None]:
    """The text of each file; None for one that is no longer there, or no longer text."""
    if view.objects is None:
        facts = facts_of(view)
        kept = facts.texts = facts.texts or Kept()
        found: dict[int, Text | None] = {**kept.take(view, files)}
        with Folders(view.project.root) as folders:
            for file in sorted(set(files).difference(found)):
                text = found[file] = _from_disk(view, file, folders)
                if text is not None and text.fresh:
                    kept.put(file, text)
        return found
    contents = view.objects([indexed_oid(view, file) for file in files])
    return {file: _of_view(view, file, content, False) for file, content in zip(files, contents, strict=True)}


def _from_disk(view: View, file: int, folders: Folders) -> Text | None:
    manifest = view.manifest
    try:
        data, signature = read_with_signature(view.project.root, facts_of(view).path(file), LARGEST, folders)
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
    return Text(data, text[0], oid, oid == indexed, algorithm)


def indexed_oid(view: View, file: int) -> str:
    """The hash, in hexadecimal, that a file had when it was indexed."""
    oids = view.manifest.column(layout.FILE_OIDS, "B")
    width = len(oids) // view.manifest.meta.files
    return oids[file * width : (file + 1) * width].hex()
