"""Where git may write trees when it looks at a sparse staging area (cold).

In: a working tree. Out: variables for git's environment. Where the staging area names whole folders that a sparse
checkout leaves out, `ls-files` and `check-attr` write the trees of all others as objects before they answer. They are
of no use; with these variables they go to a folder of their own, and nothing is written into the repository.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from greppy.git.project import git_dirs, read_small


@contextmanager
def objects_aside(work_tree: bytes) -> Iterator[Mapping[bytes, bytes]]:
    """The variables, empty where the checkout is not sparse. The folder is gone when the block is left."""
    found = git_dirs(work_tree)
    if found is None or not _is_sparse(*found):
        yield {}
        return
    objects = os.path.join(found[1], b"objects").replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    with tempfile.TemporaryDirectory(prefix="greppy-objects-", ignore_cleanup_errors=True) as folder:
        yield {
            b"GIT_OBJECT_DIRECTORY": os.fsencode(folder),
            b"GIT_ALTERNATE_OBJECT_DIRECTORIES": b'"%s"' % objects,
        }


def _is_sparse(git_dir: bytes, common_dir: bytes) -> bool:
    settings = (os.path.join(git_dir, b"config.worktree"), os.path.join(common_dir, b"config"))
    return any(b"sparsecheckout" in read_small(path).lower() for path in settings)
