"""Whether git takes a file for binary: then a match gives one line that says so. HOT.

In: a file's path and bytes, and what attribute files there are. Out: yes where `.gitattributes` unset `diff` (or set
`binary`), no where they set it, else by whether one of the first 8,000 bytes is NUL (`buffer_is_binary` in git's
xdiff-interface.c).
"""

from __future__ import annotations

from greppy.git.project import read_small

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from greppy.git.project import Project
    from greppy.git.revisions import DiffAttributes
    from greppy.search.exact.engine import Found

LOOKED_AT = 8000
_WORDS = frozenset((b"diff", b"-diff", b"binary", b"-binary"))


class BinaryRule:
    """A context manager that answers for one search; git is asked only where an attribute file speaks of it."""

    __slots__ = ("_asked", "_oracle", "_project")

    def __init__(self, project: Project | None) -> None:
        self._project = project
        self._asked = False
        self._oracle: DiffAttributes | None = None

    def __enter__(self) -> BinaryRule:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._oracle is not None:
            self._oracle.__exit__(kind, error, trace)

    def __call__(self, found: Found) -> bool:
        """Whether a file is binary."""
        if not self._asked:
            self._asked = True
            self._ask_whom(found)
        path, content = found.source.path, found.content
        said = None if self._oracle is None or not path else self._oracle.binary(path)
        return content.find(b"\0", 0, LOOKED_AT) >= 0 if said is None else said

    def _ask_whom(self, found: Found) -> None:
        """Ask git, unless the index knows all attribute files and none of them speaks of it."""
        if self._project is None or self._project.git_dir is None:
            return
        if found.view is not None:
            files = [path for path in found.view.manifest.inputs if path.endswith(b"attributes")]
            if not any(map(_may_speak, files)):
                return
        from greppy.git.revisions import DiffAttributes

        self._oracle = DiffAttributes(self._project)


def _may_speak(file: bytes) -> bool:
    """Whether an attribute file says of anything that it is text or binary; `diff=DRIVER` does not."""
    return not _WORDS.isdisjoint(read_small(file).split())
