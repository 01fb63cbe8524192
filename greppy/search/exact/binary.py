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
    from greppy.index.view import View
    from greppy.search.exact.engine import Found

LOOKED_AT = 8000
_WORDS = frozenset((b"diff", b"-diff", b"binary", b"-binary"))


class BinaryRule:
    """A context manager that answers for one search; git is asked only where an attribute file speaks of it."""

    __slots__ = ("_oracles",)

    def __init__(self) -> None:
        self._oracles: dict[bytes, DiffAttributes | None] = {}

    def __enter__(self) -> BinaryRule:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for oracle in self._oracles.values():
            if oracle is not None:
                oracle.__exit__(kind, error, trace)

    def __call__(self, found: Found) -> bool:
        """Whether a file is binary."""
        oracle = self._oracle(found)
        said = None if oracle is None or not found.path else oracle.binary(found.path)
        return found.content.find(b"\0", 0, LOOKED_AT) >= 0 if said is None else said

    def is_asked(self, view: View) -> bool:
        """Whether more than its bytes may decide about a file."""
        root = view.project.root
        if root not in self._oracles:
            self._oracles[root] = _oracle_of(view.project, view)
        return self._oracles[root] is not None

    def _oracle(self, found: Found) -> DiffAttributes | None:
        """What asks git about the files of this one's project; None where it has nothing to say."""
        if found.project is None:
            return None
        root = found.project.root
        if root not in self._oracles:
            self._oracles[root] = _oracle_of(found.project, found.view)
        return self._oracles[root]


def _oracle_of(project: Project, view: View | None) -> DiffAttributes | None:
    """None where there is no git, or where the index knows all attribute files and none of them speaks of it."""
    if project.git_dir is None:
        return None
    if view is not None and not any(_may_speak(path) for path in view.manifest.inputs if path.endswith(b"attributes")):
        return None
    from greppy.git.revisions import DiffAttributes

    return DiffAttributes(project)


def _may_speak(file: bytes) -> bool:
    """Whether an attribute file says of anything that it is text or binary; `diff=DRIVER` does not."""
    return not _WORDS.isdisjoint(read_small(file).split())
