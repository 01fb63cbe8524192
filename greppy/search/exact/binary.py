"""Whether git takes a file for binary: then a match gives one line that says so. HOT.

In: a file's path and bytes, and what attribute files there are. Out: yes where `.gitattributes` unset `diff` (or set
`binary`), no where they set it, else by whether one of the first 8,000 bytes is NUL (`buffer_is_binary` in git's
xdiff-interface.c).
"""

from __future__ import annotations

from greppy.git.project import read_small

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from greppy.git.project import Project
    from greppy.git.revisions import DiffAttributes

LOOKED_AT = 8000
_WORDS = (b"diff", b"binary")


class BinaryRule:
    """A context manager that answers for one search; git is asked only where an attribute file speaks of it."""

    __slots__ = ("_oracle",)

    def __init__(self, project: Project | None, attribute_files: Iterable[bytes]) -> None:
        self._oracle: DiffAttributes | None = None
        if project is not None and project.git_dir is not None and any(map(_may_speak, attribute_files)):
            from greppy.git.revisions import DiffAttributes, mentions_diff

            if any(mentions_diff(read_small(file)) for file in attribute_files):
                self._oracle = DiffAttributes(project)

    def __enter__(self) -> BinaryRule:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._oracle is not None:
            self._oracle.__exit__(kind, error, trace)

    def __call__(self, path: bytes, content: bytes) -> bool:
        """Whether the file is binary."""
        said = None if self._oracle is None else self._oracle.binary(path)
        return content.find(b"\0", 0, LOOKED_AT) >= 0 if said is None else said


def _may_speak(file: bytes) -> bool:
    text = read_small(file)
    return any(word in text for word in _WORDS)
