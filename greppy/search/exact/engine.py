"""Exact search: question → snapshot → candidates → bytes → the files that may have lines to show. HOT.

In: a `Request` and a `Question`. Out: `Found` files in git's order, one at a time, so that the first lines are printed
before the last file is read; a `Receipt` that is complete when the last one was given.

The working tree is seen through the index. A project that has none is listed and read without making one: an exact
answer does not need it.
"""

from __future__ import annotations

from greppy.errors import DamagedIndex
from greppy.git.project import BARE, no_working_tree
from greppy.index.view import open_view, store_of
from greppy.search.exact.selection import make_selection
from greppy.search.exact.snapshot import Source, files_to_read, paths_of, print_tree, read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.git.revisions import Resolved
    from greppy.index.view import View
    from greppy.query.regex.needles import Needles
    from greppy.search.exact.question import Question
    from greppy.search.exact.receipt import Receipt
    from greppy.search.exact.rows import Rows
    from greppy.search.exact.snapshot import Contents, Unprinted

    Progress = Callable[[int, int, str], None]
    OpenView = Callable[[Project, bytes, Config, bool, Progress], View]

TREE, STAGED, FOLDER = "tree", "staged", "folder"
_TRIES = 4
"""How often damage is repaired before the trigrams are done without."""


class Request:
    """Where to search. `kind` is TREE, STAGED or FOLDER; `words` are revisions and then paths, `specs` what stood
    behind `--` (None where there was none), `revisions` what `--rev` named. Without a `project` only FOLDER is
    possible. With `every` all files are found, also those that can have no match; with `since` only those that differ
    from that revision, with `recurse` also those of submodules."""

    __slots__ = (
        "cwd",
        "every",
        "globs",
        "kind",
        "languages",
        "project",
        "recurse",
        "refresh",
        "revisions",
        "since",
        "specs",
        "words",
    )

    def __init__(
        self,
        project: Project | None,
        cwd: bytes,
        kind: str = TREE,
        words: Sequence[bytes] = (),
        specs: Sequence[bytes] | None = None,
        revisions: Sequence[bytes] = (),
        globs: Sequence[bytes] = (),
        languages: Sequence[str] = (),
        refresh: bool = True,
        every: bool = False,
        since: bytes = b"",
        recurse: bool = False,
    ) -> None:
        self.project = project
        # Folders of a bare repository are none of its trees'.
        self.cwd = project.root if project is not None and project.marker == BARE else cwd
        self.kind = kind
        self.words = words
        self.specs = specs
        self.revisions = revisions
        self.globs = globs
        self.languages = languages
        self.refresh = refresh
        self.every = every
        self.since = since
        self.recurse = recurse

    @property
    def root(self) -> bytes:
        """What paths are relative to."""
        return self.cwd if self.kind == FOLDER or self.project is None else self.project.root


class Found:
    """A file and its bytes. `view`, where there is one, has its analysis; `project`, where there is one, has it under
    `path`, which is `source.path` unless the file is a submodule's."""

    __slots__ = ("content", "path", "project", "source", "view")

    def __init__(self, source: Source, content: bytes, view: View | None, project: Project | None = None) -> None:
        self.source = source
        self.content = content
        self.view = view
        self.project = project
        self.path = source.path

    def below(self, folder: bytes) -> Found:
        """The same file as the project that has this one's project in `folder` sees it."""
        source = self.source
        found = Found(Source(folder + source.path, source.label, source.ordinal), self.content, self.view, self.project)
        found.path = self.path
        return found

    def function_heads(self) -> frozenset[int] | None:
        """The numbers of the lines in which functions, classes and the like begin; None where no analysis says so."""
        if self.view is None or self.source.ordinal < 0:
            return None
        from greppy.search.exact.heads import function_heads

        return function_heads(self.view, self.source.ordinal, self.content)


def search(
    request: Request,
    question: Question,
    home: bytes,
    config: Config,
    progress: Progress,
    receipt: Receipt,
    open_view: OpenView = open_view,
    print_in: Callable[[View], Rows | None] = lambda view: None,
) -> Iterator[Found | bytes]:
    """Every file that was searched. Raises `GreppyError`s, and what `open_view` raises (a daemon's own has more).

    With the `Rows` that `print_in` gives for a view, where it does, files of that view are printed at once: bytes are
    the matches of some files with any, and of the others come only those that `Rows` leaves to the caller.
    """
    if request.recurse:
        yield from _recursive(request, question, home, config, progress, receipt, open_view)
        return
    revisions, specs = _places(request)
    differs = _difference(request)
    if request.every or request.languages or request.since:
        print_in = _nowhere
    for contents, view in _snapshots(
        request, question, revisions, specs, home, config, progress, receipt, open_view, print_in
    ):
        for each in contents:
            if isinstance(each, bytes):
                yield each
                continue
            source, content = each
            if (not request.languages or _is_in(request.languages, source, content)) and differs(source.path, content):
                yield Found(source, content, view, request.project)


def _unprinted(found: Iterator[Found | bytes]) -> Iterator[Found]:
    return (each for each in found if isinstance(each, Found))


def _nowhere(view: View) -> None:
    """For questions that more than the bytes of a file decides."""


def _recursive(
    request: Request,
    question: Question,
    home: bytes,
    config: Config,
    progress: Progress,
    receipt: Receipt,
    open_view: OpenView,
) -> Iterator[Found]:
    from greppy.search.submodules import exact

    selection = make_selection(
        request.project, request.cwd, request.root, request.specs or [], request.globs, recurse=True
    )
    yield from exact(
        request,
        selection.takes,
        lambda one: _unprinted(search(one, question, home, config, progress, receipt, open_view)),
    )


def _difference(request: Request) -> Callable[[bytes, bytes], bool]:
    """What says of a path and its content whether it may be found."""
    if not request.since or request.project is None:
        return lambda path, content: True
    from greppy.search.since import Since

    return Since(request.project, request.since).differs


def _snapshots(
    request: Request,
    question: Question,
    revisions: Sequence[Resolved],
    specs: Sequence[bytes],
    home: bytes,
    config: Config,
    progress: Progress,
    receipt: Receipt,
    open_view: OpenView,
    print_in: Callable[[View], Rows | None],
) -> Iterator[tuple[Contents | Iterator[bytes | Unprinted], View | None]]:
    project = request.project
    if request.kind == FOLDER or project is None:
        from greppy.search.exact.stored import read_folder

        selection = make_selection(None, request.cwd, request.root, specs, request.globs)
        yield read_folder(request.root, selection, _needles(request, question), receipt), None
        return
    if revisions:
        from greppy.git.blobs import Blobs
        from greppy.git.revisions import STAGED_FILES
        from greppy.search.exact.stored import KEPT_BYTES, read_revision

        hopeless = _ruled_out(request, question, home)
        with Blobs(project, KEPT_BYTES if len(revisions) > 1 else 0) as blobs:
            for revision in revisions:
                tree = b"" if revision.kind in ("blob", STAGED_FILES) else revision.oid
                selection = make_selection(project, request.cwd, project.root, specs, request.globs, tree)
                yield read_revision(project, blobs, revision, selection, receipt, hopeless), None
        return
    if project.marker == BARE:
        raise no_working_tree(project.root)
    selection = make_selection(project, request.cwd, project.root, specs, request.globs)
    if request.kind == STAGED:
        from greppy.search.exact.stored import read_staged

        yield read_staged(project, selection, receipt, _ruled_out(request, question, home)), None
    elif request.refresh and not _has_index(project, home):
        from greppy.search.exact.stored import read_unindexed

        yield read_unindexed(project, config, selection, _needles(request, question), receipt), None
    else:
        view = open_view(project, home, config, request.refresh, progress)
        for _ in range(_TRIES):
            try:
                paths = paths_of(view)
                wanted = files_to_read(view, paths, selection, question, request.every, receipt)
                break
            except DamagedIndex as error:
                view = _mended(view, error, home, config, progress)
        else:
            paths = paths_of(view)
            wanted = files_to_read(view, paths, selection, question, True, receipt)
        rows = print_in(view)
        if rows is not None:
            yield print_tree(view, paths, wanted, rows, receipt), view
        else:
            yield read_tree(view, paths, wanted, question, _needles(request, question), request.every, receipt), view


def _needles(request: Request, question: Question) -> Needles:
    from greppy.query.regex.needles import NOTHING_KNOWN

    return NOTHING_KNOWN if request.every else question.needles()


def _ruled_out(request: Request, question: Question, home: bytes) -> set[bytes]:
    if request.every or request.project is None:
        return set()
    from greppy.search.exact.ruled_out import ruled_out

    return ruled_out(request.project, home, question.formula())


def _places(request: Request) -> tuple[Sequence[Resolved], Sequence[bytes]]:
    if not request.words and not request.revisions:
        return [], request.specs or []
    from greppy.search.exact.places import sort_words

    return sort_words(request, takes_revisions=request.kind == TREE)


def _has_index(project: Project, home: bytes) -> bool:
    try:
        return store_of(project, home).open_manifest() is not None
    except DamagedIndex:
        return True


def _mended(view: View, error: DamagedIndex, home: bytes, config: Config, progress: Progress) -> View:
    """A view that is true again after damage was met in a shard."""
    from greppy.index.maintenance import repair

    repair(view.store, error)
    return open_view(view.project, home, config, True, progress)


def _is_in(languages: Sequence[str], source: Source, content: bytes) -> bool:
    from greppy.analysis.languages import HEAD_BYTES, detect

    return detect(source.path, content[:HEAD_BYTES]) in languages
