"""What HEAD has of some files, for telling those that differ from it. Hot path.

In: a project and paths. Out: git's hash of what is committed under each. One short call of git, since only git knows
every way in which a repository may store a tree.
"""

from __future__ import annotations

from greppy.git.calling import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.git.project import Project


def committed(project: Project, paths: Sequence[bytes]) -> dict[bytes, str] | None:
    """The hash, in hexadecimal, of the file that HEAD has under each of `paths`, of those that it has.

    Nothing where there is no commit yet; None without git, and where git gives no answer.
    """
    if project.git_dir is None:
        return None
    # Paths are taken by ls-tree as they are, without wildcards or magic; ./ keeps a leading dash a name.
    names = [b"./" + path for path in paths]
    status, out = ask(project.root, ["ls-tree", "-z", "HEAD", "--", *names], project.work_tree)
    if status:
        return {} if _is_unborn(project) else None
    found = {}
    for record in out.split(b"\0")[:-1]:
        head, _, path = record.partition(b"\t")
        found[path] = head.split(b" ")[2].decode("ascii")
    return found


def _is_unborn(project: Project) -> bool:
    status, _ = ask(project.root, ["rev-parse", "--quiet", "--verify", "HEAD"], project.work_tree)
    return status == 1
