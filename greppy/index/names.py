"""Which files a word of a query names: an inverted index of the words in files' stems and in their folders' names.

In: the paths of the indexed files. Out: a dictionary and posting lists (the format of a shard's) inside the manifest,
since an analysis never knows its path. A posting's document is a file's ordinal; its code has bit 0 for a word of the
stem and bit 1 for one of the parent folder. The whole stem in lower case, without separators and behind `WHOLE`, is
one more word. Importable on the hot path; `pack_names` alone is cold.
"""

from __future__ import annotations

from greppy import kernels
from greppy.index.postings import Terms, pack_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from greppy.index.manifest import Manifest

IN_STEM = 1
IN_FOLDER = 2
WHOLE = b"="
_LONGEST = 200


def pack_names(paths: Iterable[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """The sections for (file ordinal, path) pairs in ascending order."""
    lists: dict[bytes, dict[int, int]] = {}
    folders: dict[bytes, list[bytes]] = {}
    file = -1
    for file, path in paths:
        folder, _, name = path.rpartition(b"/")
        if folder not in folders:
            folders[folder] = words_of_name(folder.rpartition(b"/")[2])
        stem = words_of_name(stem_of(name))
        for word in folders[folder]:
            lists.setdefault(word, {})[file] = IN_FOLDER
        for word in stem:
            postings = lists.setdefault(word, {})
            postings[file] = postings.get(file, 0) | IN_STEM
        if stem:
            lists.setdefault(WHOLE + b"".join(stem)[:_LONGEST], {})[file] = IN_STEM
    return _packed(lists, file + 1)


def _packed(lists: dict[bytes, dict[int, int]], files: int) -> list[tuple[int, bytes]]:
    words = sorted(lists)
    data = bytearray()
    ends: list[int] = []
    for word in words:
        data += kernels.encode_postings(list(lists[word]), bytes(lists[word].values()), files)
        ends.append(len(data))
    return pack_terms(words, bytes(data), ends, files)


def stem_of(name: bytes) -> bytes:
    """A file's name up to its first dot (`.eslintrc.js` → `eslintrc`)."""
    return name.lstrip(b".").partition(b".")[0]


def words_of_name(name: bytes) -> list[bytes]:
    """The words of one path component, in lower case."""
    words: list[bytes] = []
    for run in kernels.runs(name, 0, len(name)):
        words += (
            kernels.split_identifier(run) if run.isascii() else [run.decode("utf-8", "replace").casefold().encode()]
        )
    return [word[:_LONGEST] for word in words]


class Names:
    """Look-ups of words in a manifest's paths."""

    __slots__ = ("_terms",)

    def __init__(self, manifest: Manifest) -> None:
        self._terms = Terms(manifest.container)

    def lists(self, words: tuple[bytes, ...]) -> tuple[bytes | None, ...]:
        """The posting list of each word, None for one that no file has."""
        return self._terms.lists(words)

    def beginning(self, beginning: bytes) -> list[bytes]:
        """The posting lists of the words that begin so."""
        return self._terms.beginning(beginning)
