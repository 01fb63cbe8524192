"""What the verbs are given in place of the engine when a daemon runs them: the same answers from warm views. Cold.

In: the requests of `greppy.search.engine`. Out: its responses. Where the index is not true, `Dirty`: the worker then
forks a process in which the same request is made again; that one must not read the events of its parent, and gets what
the parent has just seen.
"""

from __future__ import annotations

import gc
import time
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

from greppy.config import config_file, load_config
from greppy.daemon.board import now
from greppy.daemon.heads import Heads
from greppy.daemon.preload import load_grammars
from greppy.daemon.premises import head_files, premises_of
from greppy.daemon.results import Results
from greppy.daemon.views import Dirty, NotHere, signature_of
from greppy.git.files import is_racy
from greppy.git.project import find_project
from greppy.search.engine import search

if TYPE_CHECKING:
    from collections.abc import Hashable

    from greppy.config import Config
    from greppy.daemon.premises import Premises
    from greppy.daemon.views import Entry, Views
    from greppy.git.project import Project
    from greppy.index.freshness import Changes
    from greppy.index.manifest import Manifest
    from greppy.index.view import Progress, View
    from greppy.search.result import Request, Response

MOST_CHANGES = 200
"""Files that differ beyond which the client does the work itself, where its progress can be seen."""

_FEW = 8
"""Files that somebody edits, rather than a checkout."""

_MOST_STANDINGS = 64
_OUTPUT_BYTES = 2000
"""What an output takes beside its text."""


class Output(NamedTuple):
    """What a command line gave. The time in it is the one that finding it took, when it was found."""

    status: int
    out: bytes
    err: bytes


class Standing(NamedTuple):
    """Where somebody stands who asks: the project, its configuration; and the manifest that it had, with the premises
    on which all of it holds, and what HEAD has as long as they do; None where these are not known."""

    project: Project
    config: Config
    manifest: Manifest | None
    premises: Premises | None
    heads: Heads | None = None

    def premises_at(self, start: bytes, home: bytes) -> Premises | None:
        """The premises as they are now, None where they cannot be told."""
        return None if self.manifest is None else premises_of(start, home, self.project, self.manifest)


class Warm:
    """Warm views and outputs of one worker. Outputs are kept by what was typed, where, and what was set."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._seen: dict[tuple[bytes, bytes], tuple[Entry, Changes]] = {}
        self._projects: dict[bytes, Project] = {}
        self._standings: dict[Hashable, Standing] = {}
        self._heads: Heads | None = None
        self._environment: Hashable = None
        self._opened = 0
        self._forked = False
        self._expendable = False
        self._asked: Hashable = None
        self._key: Hashable = None
        self.results: Results[Output] = Results()

    def begin(self, asked: Hashable, environment: Hashable) -> None:
        """Another request; `asked` is all of it, None for one whose answer is not to be kept; `environment` are the
        variables that can matter."""
        self._seen.clear()
        self._projects.clear()
        self._opened = 0
        self._asked = asked
        self._environment = environment
        self._heads = None
        self._key = None

    def look(self, start: bytes, home: bytes) -> int:
        """See how a project is now, for a process that is about to be forked; how many of its files differ, -1 where
        it is not indexed. Raises GreppyError."""
        project = self.find_project(start)
        try:
            seen = self._views.look(project, home, load_config(home).for_project(project.root))
        except NotHere:
            return -1
        self._seen[home, project.root] = seen
        return len(seen[1].files)

    @property
    def much(self) -> bool:
        """Whether much differs in what was last looked at."""
        return any(len(changes.files) > MOST_CHANGES for _, changes in self._seen.values())

    def expect_more(self) -> None:
        """Be ready for the next edit of files like those that differ now; a process that was forked is at these."""
        for entry, changes in self._seen.values():
            if entry.manifest is not None and len(changes.files) <= _FEW:
                load_grammars([entry.manifest.paths[at] for at in changes.files])

    def leave_to_client(self, why: str) -> None:
        """Have the client run the program itself. Raises NotHere."""
        raise NotHere(why)

    def fork(self, expendable: bool) -> None:
        """This is a forked process, which ends before it could have made much garbage. Where it is `expendable` it may
        crash: its client then runs the program itself, which looks at files in another process."""
        gc.disable()  # a collection would touch, and so copy, all pages that are shared
        self._expendable = expendable
        self._forked = True
        self._opened = 0

    def open_view(self, project: Project, home: bytes, config: Config, refresh: bool, progress: Progress) -> View:
        """As `greppy.index.view.open_view`. Raises Dirty and NotHere too."""
        self._opened += 1
        if refresh and self._opened == 1:
            if self._forked:
                entry, changes = self._seen.get((home, project.root), (None, None))
            else:
                entry, changes = self._look(project, home, config)
            if entry is not None and not changes:
                entry.view.committed = self._heads.committed if self._heads is not None else None
                return entry.view
            if entry is not None and changes and entry.manifest is not None:
                return self._mended(entry, changes, config, progress)
        elif refresh and not self._forked:
            # Whoever opens twice has met damage, or a file that changed while it was read.
            self._views.forget(project, home)
            raise Dirty
        from greppy.index.view import open_view

        return open_view(project, home, config, refresh, progress)

    def _mended(self, entry: Entry, changes: Changes, config: Config, progress: Progress) -> View:
        from greppy.index.maintenance import Seen, mend

        assert entry.manifest is not None
        if self._expendable and len(changes.files) <= _FEW:
            config = copy(config)
            config.workers = 1
        return mend(entry.project, entry.store, config, progress, Seen(entry.manifest, changes))

    def _look(self, project: Project, home: bytes, config: Config) -> tuple[Entry, Changes]:
        key = home, project.root
        if key not in self._seen:
            self._seen[key] = self._views.look(project, home, config)
        if self._seen[key][1]:
            raise Dirty
        return self._seen[key]

    def search(self, request: Request, home: bytes, config: Config, progress: Progress) -> Response:
        """As `greppy.search.engine.search`. Raises Dirty and NotHere too."""
        return search(request, home, config, progress, self.open_view, self.find_project)

    def find_project(self, start: bytes, bare: bool = False) -> Project:
        """As `greppy.git.project.find_project`, once for each request. Raises GreppyError."""
        if bare:
            return find_project(start, bare)
        if start not in self._projects:
            self._projects[start] = find_project(start)
        return self._projects[start]

    def recall(self, start: bytes, home: bytes) -> Output | None:
        """What the same request gave before, if nothing has changed since; the project is looked at. Raises NotHere."""
        known = self._standings.get((start, home, self._environment))
        trusted = known is not None and known.premises is not None and known.premises.hold
        if known is None or not trusted:
            known = self._stand(known, start, home)
        entry, changes = self._views.look(known.project, home, known.config, known.manifest if trusted else None)
        if entry.manifest is not known.manifest or changes.inputs:
            known = known._replace(manifest=entry.manifest, premises=None, heads=None)
        self._keep(start, home, known)
        self._projects[start] = known.project
        self._seen[home, known.project.root] = entry, changes
        self._heads = known.heads
        self._key = None if changes else self._key_of(entry, known, home)
        return None if self._key is None else self.results.get(self._key, now())

    def _stand(self, before: Standing | None, start: bytes, home: bytes) -> Standing:
        """Look where `start` lies. What that rests on is known from the time before, and recorded first, so that
        whatever happens meanwhile shows."""
        premises = before.premises_at(start, home) if before is not None else None
        project = self.find_project(start)
        config = load_config(home).for_project(project.root)
        if before is None or premises is None or not premises.settled or not project.is_same(before.project):
            return Standing(project, config, None, None)
        return Standing(project, config, before.manifest, premises, Heads())

    def _keep(self, start: bytes, home: bytes, known: Standing) -> None:
        self._standings[start, home, self._environment] = known
        if len(self._standings) > _MOST_STANDINGS:
            del self._standings[next(iter(self._standings))]

    def remember(self, output: Output) -> None:
        """Keep what the request gave that was looked for in vain. An error is not kept: it may be about anything."""
        if self._key is not None and output.status in (0, 1):
            self.results.put(self._key, output, _OUTPUT_BYTES + len(output.out) + len(output.err), now())

    def _key_of(self, entry: Entry, known: Standing, home: bytes) -> Hashable:
        """Everything on which an answer depends, beside what file events tell; None where it may be changing now."""
        if self._asked is None:
            return None
        if known.premises is not None:
            return self._asked, entry.key, entry.identity, known.premises.identity
        others = [signature_of(name) for name in (config_file(home), *head_files(known.project))]
        moment = time.time_ns()
        if any(is_racy(signature, moment) for signature in others):
            return None
        return self._asked, entry.key, entry.identity, *others
