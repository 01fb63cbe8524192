"""Whether names are printed with their bytes beyond ASCII escaped: git's core.quotePath. HOT: asked for the first such
name.

In: a project, and, where there is one that is true, the view of it, which knows git's configuration files. Out: yes,
unless the setting says otherwise; git is asked only where one of the files speaks of it.
"""

from __future__ import annotations

from greppy.git.project import SMALL_FILE, read_small

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.git.project import Project
    from greppy.index.view import View

_RULES = (b"/index", b"ignore", b"attributes", b"/exclude")
"""How inputs end that are none of git's configuration."""


def quotes_names(project: Project, view: View | None) -> bool:
    """git's default without git, or where git does not answer."""
    if project.git_dir is None:
        return True
    if view is not None and not any(map(_may_speak, view.manifest.inputs)):
        return True
    from greppy.git.calling import ask

    args = ["config", "--type=bool", "--get", "core.quotePath"]
    return ask(project.root, args, project.work_tree)[1].strip() != b"false"


def _may_speak(path: bytes) -> bool:
    if path.endswith(_RULES):
        return False
    text = read_small(path)
    return len(text) == SMALL_FILE or b"quotepath" in text.lower()
