"""Running a command line for a client: in this worker, in a process that it forks, or not at all. Cold.

In: a `Run` and the connection that it came by. Out: the answer, sent; or a `Task` that will give it; or the client is
sent away to do it himself. A search of an index that is true is answered by the worker itself; whatever else is worth
having a daemon for is done by a process of its own; so the current folder, the environment, a crash and the time that
it takes are matters of one request.
"""

from __future__ import annotations

import os
import signal
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from greppy.daemon import protocol
from greppy.daemon.capture import Capture, set_variables
from greppy.daemon.results import MOST_RESULTS
from greppy.daemon.task import NOT_HERE, Task
from greppy.daemon.views import Dirty, NotHere
from greppy.daemon.warm import Output, Warm
from greppy.errors import GreppyError

if TYPE_CHECKING:
    from greppy.daemon.connection import Connection
    from greppy.daemon.protocol import Run
    from greppy.daemon.views import Views

HERE, FORKED, CLIENT = "here", "forked", "client"
"""Who runs a command line: the worker, a process that it forks, or the client itself."""

MOST_TASKS = 32
LONGEST_SECONDS = 20
"""How long the worker itself may take for one answer before the kernel ends it."""

Window = tuple[int, int] | None


class Asked(NamedTuple):
    """What a command line asks for: who runs it, in which project's folder, with which home."""

    way: str
    start: bytes
    home: bytes


class Program(Protocol):
    """The command line, which lies above this layer; it looks at the environment and the current folder."""

    def preload(self) -> None:
        """Import what running needs, before there are workers."""

    def understand(self, argv: list[str], terminal: bool) -> Asked:
        """Who should run a command line."""

    def run(self, argv: list[str], warm: Warm, window: Window) -> int:
        """Run it; the exit status. Raises Dirty and NotHere."""


class Runner:
    """Runs what one worker is asked for; `counters` count it."""

    def __init__(self, program: Program, views: Views, counters: dict[str, int]) -> None:
        self._program = program
        self._counters = counters
        self._capture = Capture()
        self._understood: dict[tuple[object, ...], Asked] = {}
        self._variables: dict[bytes, bytes] = {}
        self.own_variables = protocol.relevant(dict(os.environb))
        self.warm = Warm(views)

    def run(self, connection: Connection, run: Run, tasks: int) -> None:
        """Answer, or give the connection a task; `tasks` are there already."""
        try:
            os.chdir(run.cwd)
            if run.variables != self._variables:
                set_variables(run.variables)
                self._variables = run.variables
            self._run(connection, run, tasks)
        except NotHere as reason:
            self._counters["direct"] += 1
            connection.send_away(str(reason))
        except OSError as error:
            # The folder may not be entered from here, or no process can be made.
            self._counters["direct"] += 1
            connection.send_away(error.strerror or "it cannot be done here")
        finally:
            os.chdir("/")

    def _run(self, connection: Connection, run: Run, tasks: int) -> None:
        identity = _identity(run)
        asked = self._understand(run, identity)
        self.warm.begin(None if b"GREPPY_LOG" in run.variables else identity, identity[-1])
        if asked.way == CLIENT and not connection.is_typed:
            raise NotHere("the client does this itself")
        if asked.way == HERE and self._run_here(connection, run, asked):
            return
        if asked.way == FORKED:
            self._look(asked)
        if self.warm.much and not connection.is_typed:
            raise NotHere("much has changed")
        if tasks >= MOST_TASKS:
            raise NotHere("too much is going on")
        connection.task = self._fork(run, expendable=not connection.is_typed)

    def _understand(self, run: Run, identity: tuple[object, ...]) -> Asked:
        asked = self._understood.get(identity)
        if asked is None:
            if len(self._understood) >= MOST_RESULTS:
                self._understood.clear()
            asked = self._understood[identity] = self._program.understand(_words(run), run.terminal)
        return asked

    def _look(self, asked: Asked) -> None:
        try:
            self.warm.look(asked.start, asked.home)
        except GreppyError:
            return  # the process that is forked meets it, and says it

    def _run_here(self, connection: Connection, run: Run, asked: Asked) -> bool:
        """Whether that could be done."""
        try:
            output = self._recall(asked) or self._find(run)
        except Dirty:
            return False
        except NotHere:
            if not connection.is_typed:
                raise
            return False
        self._counters["answered"] += 1
        if output.err:
            connection.write(2, output.err)
        if output.out:
            connection.write(1, output.out)
        connection.end(output.status)
        return True

    def _recall(self, asked: Asked) -> Output | None:
        try:
            return self.warm.recall(asked.start, asked.home)
        except GreppyError:
            return None  # the program meets it, and says it

    def _find(self, run: Run) -> Output:
        signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS)
        try:
            action = partial(self._program.run, _words(run), self.warm, _window(run))
            output = Output(*self._capture.of(action, run.joined))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.warm.remember(output)
        return output

    def _fork(self, run: Run, expendable: bool) -> Task:
        def action() -> int:
            self.warm.fork(expendable)
            try:
                return self._program.run(_words(run), self.warm, _window(run))
            except (NotHere, Dirty):
                return NOT_HERE

        task = Task(action, run.joined)
        self._counters["forked"] += 1
        self.warm.expect_more()
        return task


def _words(run: Run) -> list[str]:
    return [os.fsdecode(word) for word in run.argv]


def _window(run: Run) -> Window:
    return (run.columns, run.rows) if run.terminal else None


def _identity(run: Run) -> tuple[object, ...]:
    """All that a Run says, as a key."""
    given = (run.terminal, run.joined, run.columns, run.rows)
    return run.cwd, *given, tuple(run.argv), frozenset(run.variables.items())
