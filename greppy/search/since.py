"""What a revision had under each path, to answer only with what differs from it (`--since`, `--changed`). Cold path.

In: a project and the name of a revision. Out: a `Since` that says of a file whether it differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from greppy.errors import BadArguments
from greppy.git.conversion import is_stored_as
from greppy.git.files import Unreadable, read_file
from greppy.git.project import object_format
from greppy.git.replaced import replacements
from greppy.git.revisions import absent, resolve
from greppy.git.trees import resolve_trees, tree_files
from greppy.search.texts import LARGEST, indexed_oid

if TYPE_CHECKING:
    from greppy.git.project import Project
    from greppy.index.view import View

_HEAD = b"HEAD"
_ALL = 1 << 62


class Since:
    """The files of a revision by path; none for a HEAD without a commit. Raises BadArguments where the name is no
    revision's, or without git."""

    def __init__(self, project: Project, name: bytes) -> None:
        if project.git_dir is None:
            raise BadArguments("nothing can be compared: this is no git repository", "leave out --since and --changed")
        self._algorithm = object_format(project)
        self._oids: dict[bytes, str] = {}
        if name != _HEAD or resolve(project, [_HEAD])[0].kind or absent(project, _HEAD):
            (tree,) = resolve_trees(project, [name])
            files = tree_files(project, tree, (), _ALL, replacements(project))
            self._oids = {file.path: file.oid.decode("ascii") for file in files}

    def differs(self, path: bytes, data: bytes) -> bool:
        """Whether the revision has no such file, or one with other content, as far as git's conversions on checkout are
        known."""
        before = self._oids.get(path)
        return before is None or not is_stored_as(data, before, self._algorithm)

    def differing(self, view: View) -> bytearray:
        """A byte a file of a view: one where it differs."""
        mask = bytearray(view.manifest.meta.files)
        for file, path in enumerate(view.manifest.paths[: len(mask)]):
            before = self._oids.get(path)
            mask[file] = before is None or (before != indexed_oid(view, file) and self._really_differs(view, path))
        return mask

    def _really_differs(self, view: View, path: bytes) -> bool:
        """By the bytes on disk: their hash is not known where the index holds nothing of them."""
        if view.objects is not None:
            return True
        try:
            return self.differs(path, read_file(view.project.root, path, LARGEST))
        except Unreadable:
            return True
