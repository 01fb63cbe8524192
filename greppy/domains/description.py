"""What a domain is: a plain value, made once by each module of this folder. Hot path: no imports."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Domain:
    """One domain.

    A file belongs to it by a chunk of one of `kinds`, else by its language (`languages`, () for none) together with a
    word of its stem (`stems`), a folder (`folders`) or the end of its name (`endings`); with none of the three the
    language alone is enough. `signs` are the stemmed terms of a query that speak of the domain, of which `signs_needed`
    must be there; `lexicons` names files of `lexicons/`, best first; `preferred` are words of a path that promise an
    answer; `fields` says what of a chunk counts as its name; `chunker` is the module that cuts its files.
    """

    __slots__ = (
        "chunker",
        "endings",
        "fields",
        "folders",
        "kinds",
        "languages",
        "lexicons",
        "name",
        "preferred",
        "signs",
        "signs_needed",
        "stems",
    )

    def __init__(
        self,
        name: str,
        fields: str,
        chunker: str,
        lexicons: Sequence[str],
        languages: frozenset[str] = frozenset(),
        kinds: frozenset[str] = frozenset(),
        stems: frozenset[bytes] = frozenset(),
        folders: frozenset[bytes] = frozenset(),
        endings: tuple[bytes, ...] = (),
        signs: frozenset[bytes] = frozenset(),
        signs_needed: int = 1,
        preferred: frozenset[bytes] = frozenset(),
    ) -> None:
        self.name = name
        self.fields = fields
        self.chunker = chunker
        self.lexicons = lexicons
        self.languages = languages
        self.kinds = kinds
        self.stems = stems
        self.folders = folders
        self.endings = endings
        self.signs = signs
        self.signs_needed = signs_needed
        self.preferred = preferred

    def claims(self, path: bytes, language: str) -> bool:
        """Whether a file belongs here by its language and its path."""
        if language not in self.languages:
            return False
        if not (self.stems or self.folders or self.endings):
            return True
        folder, _, name = path.lower().rpartition(b"/")
        return (
            name.endswith(self.endings)
            or any(part in self.folders for part in folder.split(b"/"))
            or any(word in self.stems for word in words_of(name.lstrip(b".").partition(b".")[0]))
        )


def words_of(stem: bytes) -> list[bytes]:
    """The words of a file's stem in lower case, parted by `_`, `-`, spaces or `+`."""
    return stem.replace(b"-", b"_").replace(b" ", b"_").replace(b"+", b"_").split(b"_")
