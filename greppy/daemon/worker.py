"""A worker: takes clients from the socket that all workers share, and hands out their answers. Cold.

In: a listening socket, the program to run, the page that the processes share. Out: responses, until it is told to stop
or the supervisor is gone. It has one thread, and waits for nobody in particular: who is slow, silent or gone keeps no
other client waiting. How an answer is found is `greppy.daemon.runner`'s affair.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from greppy import __version__
from greppy.daemon import protocol
from greppy.daemon.board import COUNTERS, now
from greppy.daemon.client import peer_uid
from greppy.daemon.connection import Connection
from greppy.daemon.protocol import Garbled, Run
from greppy.daemon.report import resident_bytes, status_document
from greppy.daemon.runner import Runner
from greppy.daemon.task import NOT_HERE
from greppy.daemon.typed import Reply, Typed, error_line, read_typed, to_line
from greppy.daemon.views import Views
from greppy.errors import BadArguments

if TYPE_CHECKING:
    from greppy.daemon.board import Board
    from greppy.daemon.runner import Program
    from greppy.daemon.task import Task
    from greppy.daemon.views import Entry

MOST_CONNECTIONS = 256
MOST_RESIDENT = 1 << 30
"""Bytes in memory at which a worker makes way for a new one."""

STOP, DIRTY, USED = b"S", b"D", b"U"
_TICK_SECONDS = 0.25
_NOTE_SECONDS = 1.0
_EVENTS_SECONDS = 0.1
_LOCALE = (b"LC_ALL", b"LC_CTYPE", b"LANG")
_CLOSED = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Worker:
    """One worker process, number `number` on the board. `control` leads to the supervisor; `lifeline` is a pipe that
    ends when he does."""

    def __init__(
        self,
        listening: socket.socket,
        control: socket.socket,
        lifeline: int,
        program: Program,
        board: Board,
        number: int,
    ) -> None:
        self._listening = listening
        self._control = control
        self._lifeline = lifeline
        self._board = board
        self._number = number
        self._counters = dict.fromkeys(COUNTERS, 0) | board.row(number)[1]
        self._views = Views(board)
        self._runner = Runner(program, self._views, self._counters)
        self._poll = select.poll()
        self._connections: dict[int, Connection] = {}
        self._outputs: dict[int, Connection] = {}
        self._watched: dict[int, Entry] = {}
        self._quiet: dict[int, float] = {}
        self._noted = 0.0
        self._told = 0
        self._stopping = False
        self._signalled = False
        self._handlers: dict[int, Callable[[int], None]] = {}

    def live(self) -> None:
        """Serve until told to stop."""
        alarm, wakeup = socket.socketpair()
        alarm.setblocking(False)
        wakeup.setblocking(False)
        signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._stop_on_signal)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for number in (signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        self._control.setblocking(False)
        self._listen(self._listening.fileno(), lambda _: self._accept())
        self._listen(self._lifeline, lambda _: self._lose_supervisor())
        self._listen(alarm.fileno(), lambda _: _swallow(alarm))
        self._write_row()
        while not self._stopping or self._connections:
            for fd, events in self._poll.poll(_TICK_SECONDS * 1000):
                self._dispatch(fd, events)
            if self._signalled:
                self._stop()
            self._tick()

    def _listen(self, fd: int, handler: Callable[[int], None]) -> None:
        self._handlers[fd] = handler
        self._poll.register(fd, select.POLLIN)

    def _stop_on_signal(self, _number: int, _frame: object) -> None:
        self._signalled = True

    def _stop(self) -> None:
        """Take no more clients; those that have asked get their answers."""
        if self._stopping:
            return
        self._stopping = True
        self._poll.unregister(self._listening.fileno())
        for connection in list(self._connections.values()):
            if not connection.asked:
                self._drop(connection)

    def _dispatch(self, fd: int, events: int) -> None:
        if fd in self._handlers:
            self._handlers[fd](events)
        elif fd in self._connections:
            self._serve(self._connections[fd], events)
        elif fd in self._outputs:
            self._relay(fd, self._outputs[fd])
        elif fd in self._watched:
            self._notice(fd)

    # Clients

    def _accept(self) -> None:
        if self._stopping:
            return
        try:
            connected, _ = self._listening.accept()
        except OSError:
            return  # another worker was faster, or there are no descriptors left
        if len(self._connections) >= MOST_CONNECTIONS or peer_uid(connected) not in (os.geteuid(), 0):
            connected.close()
            return
        connection = Connection(connected)
        self._connections[connection.fd] = connection
        self._poll.register(connection.fd, select.POLLIN)
        self._serve(connection, select.POLLIN)

    def _serve(self, connection: Connection, events: int) -> None:
        there = True
        if events & select.POLLOUT:
            there = connection.flush()
        if there and events & select.POLLIN:
            there = connection.receive()
        if not there or events & _CLOSED:
            self._drop(connection)
            return
        try:
            request = connection.take_request()
        except Garbled as error:
            self._refuse(connection, BadArguments(str(error), "see greppy/daemon/protocol.py"))
            request = None
        if request is not None:
            self._count("requests")
            self._answer(connection, request)
            self._write_row()
            if len(self._views.entries) != self._told:
                self._write_note()
        self._settle(connection)

    def _settle(self, connection: Connection) -> None:
        """Wait for what there is to wait for, or let the client go."""
        if connection.fd not in self._connections:
            return
        if connection.closing and not connection.has_output:
            self._drop(connection)
            return
        wanted = (0 if connection.heard else select.POLLIN) | (select.POLLOUT if connection.has_output else 0)
        self._poll.modify(connection.fd, wanted)
        if connection.task is not None:
            for fd in connection.task.outputs:
                self._poll.modify(fd, 0 if connection.full else select.POLLIN)

    def _drop(self, connection: Connection) -> None:
        if connection.task is not None:
            for fd in connection.task.outputs:
                self._poll.unregister(fd)
                del self._outputs[fd]
        del self._connections[connection.fd]
        self._poll.unregister(connection.fd)
        connection.close()

    def _count(self, what: str) -> None:
        self._counters[what] += 1

    # Requests

    def _answer(self, connection: Connection, request: Run | bytes) -> None:
        if isinstance(request, bytes):
            self._answer_typed(connection, request)
            return
        why = self._refusal(request)
        if why:
            self._count("direct")
            connection.send_away(why)
        else:
            self._run(connection, request)

    def _refusal(self, run: Run) -> str:
        if run.version != __version__:
            if protocol.is_newer(run.version):
                self._tell(STOP)
            return f"the daemon is of version {__version__}"
        locale = next((run.variables[name] for name in _LOCALE if run.variables.get(name)), b"C")
        if locale not in (b"C", b"POSIX") and b"utf8" not in locale.lower().replace(b"-", b""):
            return "a locale that is none of UTF-8"
        return ""

    def _answer_typed(self, connection: Connection, line: bytes) -> None:
        try:
            typed = read_typed(line)
        except BadArguments as error:
            self._refuse(connection, error)
            return
        connection.expect(Reply(typed.kind))
        if typed.argv:
            words = [os.fsencode(word) for word in typed.argv]
            self._run(connection, Run(words, typed.cwd, self._runner.own_variables))
        else:
            self._answer_itself(connection, typed)

    def _refuse(self, connection: Connection, error: BadArguments) -> None:
        connection.expect(Reply(""))
        connection.send(error_line(error))
        connection.closing = True

    def _answer_itself(self, connection: Connection, typed: Typed) -> None:
        if typed.kind == "Shutdown":
            self._tell(STOP)
            connection.send(to_line({"type": "Stopping"}))
        else:
            self._write_note()
            connection.send(to_line(status_document(self._board)))
        connection.closing = True

    def _run(self, connection: Connection, run: Run) -> None:
        tasks = sum(each.task is not None for each in self._connections.values())
        self._runner.run(connection, run, tasks)
        self._follow_watches()  # first: a task's descriptors may be those that a watch had
        if connection.task is not None:
            for fd in connection.task.outputs:
                self._outputs[fd] = connection
                self._poll.register(fd, select.POLLIN)

    def _relay(self, fd: int, connection: Connection) -> None:
        """Pass on what a task writes."""
        task = connection.task
        assert task is not None
        stream = task.outputs[fd]
        data = task.read(fd)
        if data is None:
            return
        if data:
            task.sent = True
            connection.write(stream, data)
        else:
            self._poll.unregister(fd)
            del self._outputs[fd]
            if not task.outputs:
                self._end_task(connection, task)
        self._settle(connection)

    def _end_task(self, connection: Connection, task: Task) -> None:
        status = task.wait()
        connection.task = None
        if 0 <= status != NOT_HERE:
            connection.end(status)
            return
        self._count("direct" if status == NOT_HERE else "failed")
        if task.sent and not connection.is_typed:
            connection.closing = True  # without its last frame it is no answer
        else:
            connection.send_away("the process that answered has ended")

    # Events and time

    def _lose_supervisor(self) -> None:
        self._poll.unregister(self._lifeline)
        del self._handlers[self._lifeline]
        self._stop()

    def _tell(self, kind: bytes, *fields: bytes) -> None:
        """Tell the supervisor something; when he has too much to read already it is nothing new to him."""
        try:
            self._control.send(kind + b"\0".join(fields))
        except OSError:
            return

    def _notice(self, fd: int) -> None:
        """Something happened in a project: the supervisor will see to it. More of it is not looked at for a while."""
        entry = self._watched[fd]
        self._poll.unregister(fd)
        self._quiet[fd] = now()
        if entry.watch is None or not entry.watch.drain():
            return
        count = len(entry.watch.names)
        self._tell(DIRTY, b"%d" % count, entry.home, entry.project.root)

    def _tick(self) -> None:
        moment = now()
        for connection in list(self._connections.values()):
            if connection.late or (connection.task is not None and moment > connection.task.deadline):
                self._drop(connection)
            elif connection.task is not None:
                connection.keep_waiting()
                self._settle(connection)
        for fd, since in list(self._quiet.items()):
            if moment - since > _EVENTS_SECONDS and fd in self._watched:
                del self._quiet[fd]
                self._poll.register(fd, select.POLLIN)
        if moment - self._noted > _NOTE_SECONDS:
            self._noted = moment
            self._keep_house()

    def _keep_house(self) -> None:
        self._views.tidy()
        self._follow_watches()
        if resident_bytes() > MOST_RESIDENT:
            self._stop()  # the supervisor starts another one
        for entry in self._views.entries:
            if now() - entry.used < 2 * _NOTE_SECONDS:
                self._tell(USED, entry.home, entry.project.root)
        self._write_note()

    def _follow_watches(self) -> None:
        """Wait for the events of the projects that are open now. To be called before a descriptor that was closed with
        one of them can be another's."""
        there = {entry.watch.fd: entry for entry in self._views.entries if entry.watch is not None}
        for fd in self._watched.keys() - there.keys():
            del self._watched[fd]
            if self._quiet.pop(fd, None) is None:
                self._poll.unregister(fd)
        for fd, entry in there.items():
            if fd not in self._watched:
                self._poll.register(fd, select.POLLIN)
            self._watched[fd] = entry

    def _write_row(self) -> None:
        self._counters["cache_hits"] = self._runner.warm.results.hits
        self._counters["cache_misses"] = self._runner.warm.results.misses
        self._board.write_row(self._number, os.getpid(), self._counters)

    def _write_note(self) -> None:
        self._write_row()
        notes = self._views.notes()
        self._told = len(notes)
        self._board.write_note(self._number, notes)


def _swallow(alarm: socket.socket) -> None:
    try:
        alarm.recv(4096)
    except BlockingIOError:
        return
