"""One client: its request as it arrives, its response as it can be sent. Cold.

In: a socket that is never waited for. Out: a whole request; later, bytes for the client, who may be slow, silent, gone
or hostile: what is kept for one is bounded, and so is the time that he has.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from greppy.daemon import protocol
from greppy.daemon.board import now
from greppy.daemon.protocol import DIRECT, ERR, EXIT, HEAD, MOST_REQUEST, OUT, RUN, WAIT, Garbled
from greppy.daemon.typed import Reply, error_line
from greppy.errors import DaemonFailure

if TYPE_CHECKING:
    from greppy.daemon.protocol import Run
    from greppy.daemon.task import Task

MOST_WAITING = 1 << 20
"""Bytes that wait for a client before no more are produced for it."""

_PIECE = 1 << 16


class Connection:
    """A client. `asked`: the request is whole; `heard`: nothing more will come; `closing`: the client is let go when
    all is sent. `task` is the process that works for it."""

    __slots__ = (
        "_received",
        "_reply",
        "_socket",
        "_waiting",
        "asked",
        "closing",
        "deadline",
        "fd",
        "heard",
        "said",
        "task",
    )

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self._socket = connected
        self.fd = connected.fileno()
        self._received = bytearray()
        self._waiting = bytearray()
        self._reply: Reply | None = None
        self.asked = False
        self.heard = False
        self.closing = False
        self.task: Task | None = None
        self.said = now()
        self.deadline = self.said + protocol.REQUEST_SECONDS

    def receive(self) -> bool:
        """Take in what has arrived; False when the client is gone, or has ended before he had asked."""
        try:
            data = self._socket.recv(_PIECE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data:
            self.heard = True
            return self.asked
        if not self.asked:
            self._received += data
        return True

    def take_request(self) -> Run | bytes | None:
        """The request when it is whole: a Run, or a line of JSON. Raises Garbled."""
        received = self._received
        if self.asked or not received:
            return None
        if received[:1] == RUN:
            end = HEAD + int.from_bytes(received[1:HEAD], "big") if len(received) >= HEAD else HEAD
            whole = len(received) >= HEAD and len(received) >= end
        else:
            end = received.find(b"\n")
            whole = end >= 0
        if max(end, len(received)) > MOST_REQUEST:
            raise Garbled("the request is too long")
        if not whole:
            return None
        self.asked = True
        request = bytes(received[:end])
        received.clear()
        return protocol.decode_run(request[HEAD:]) if request[:1] == RUN else request

    def expect(self, reply: Reply) -> None:
        """The response is of lines of JSON."""
        self._reply = reply

    @property
    def is_typed(self) -> bool:
        """Whether the response is of lines of JSON."""
        return self._reply is not None

    @property
    def full(self) -> bool:
        """Whether so much waits to be sent that no more should be produced."""
        return len(self._waiting) > MOST_WAITING

    @property
    def has_output(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._waiting)

    def write(self, stream: int, data: bytes) -> None:
        """Output of the command, for stream 1 or 2."""
        if self._reply is not None:
            self.send(self._reply.out(data) if stream == 1 else self._reply.err(data))
        else:
            self.send(protocol.frames(OUT if stream == 1 else ERR, data))

    def end(self, status: int) -> None:
        """The command has ended."""
        last = protocol.frame(EXIT, bytes((status & 0xFF,))) if self._reply is None else self._reply.end(status)
        self.send(last)
        self.closing = True

    def send_away(self, why: str) -> None:
        """The client should run the program itself."""
        if self._reply is None:
            self.send(protocol.frame(DIRECT, why.encode("utf-8", "replace")))
        else:
            self.send(error_line(DaemonFailure(why, "try again")))
        self.closing = True

    def keep_waiting(self) -> None:
        """Tell that the answer is still being worked on."""
        if self._reply is None and now() - self.said > protocol.WAIT_SECONDS:
            self.send(protocol.frame(WAIT))

    def send(self, data: bytes) -> None:
        """Put bytes into the queue, and send what can be sent."""
        self.said = now()
        if not self._waiting:
            self.deadline = self.said + protocol.WRITE_SECONDS
        self._waiting += data
        self.flush()

    def flush(self) -> bool:
        """Send what can be sent; False when the client is gone."""
        try:
            while self._waiting:
                with memoryview(self._waiting) as view:
                    sent = self._socket.send(view[:MOST_WAITING])
                del self._waiting[:sent]
                self.deadline = now() + protocol.WRITE_SECONDS
        except BlockingIOError:
            return True
        except OSError:
            self._waiting.clear()
            self.closing = True
            return False
        return True

    @property
    def late(self) -> bool:
        """Whether the client has had all the time that it has, to ask or to read."""
        return (not self.asked or self.has_output) and now() > self.deadline

    def close(self) -> None:
        """Let the client go, and end what works for it."""
        if self.task is not None:
            self.task.end()
            self.task = None
        self._socket.close()
