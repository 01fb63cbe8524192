"""Asking the daemon: the light client of the Python program, and what `greppy daemon` itself says to it. HOT.

In: a command line, or a line of JSON, and the socket's path. Out: what the daemon answered, or None: whatever is wrong
(nobody listens, somebody else does, silence, garbage, another version) is for the caller to do without.

`contrib/client` does the same in C. Both keep an answer back until it is complete, so that a daemon that is killed
changes nothing; one that grows beyond `MOST_KEPT` is passed on as it comes.
"""

from __future__ import annotations

import os
import stat

from greppy.daemon import protocol
from greppy.daemon.protocol import DIRECT, ERR, EXIT, OUT, Garbled, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable

    Write = Callable[[int, bytes], None]

MOST_KEPT = 1 << 23
_PIECE = 1 << 16
_PEER = 12
"""struct ucred: pid, uid, gid."""


class Answer:
    """What a Run gave: the exit status, and the (descriptor, bytes) that were kept back."""

    __slots__ = ("kept", "size", "status")

    def __init__(self) -> None:
        self.status = -1
        self.kept: list[tuple[int, bytes]] = []
        self.size = 0


class Broken(Exception):
    """The daemon went away in the middle of an answer of which a part was passed on already."""


def connect(path: bytes, seconds: float = protocol.SILENCE_SECONDS) -> socket | None:
    """A connection to the daemon, if it is ours: the socket's owner and the process behind it are this user."""
    import _socket

    try:
        found = os.lstat(path)
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid() or len(path) > protocol.MOST_PATH:
            return None
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    except OSError:
        return None
    try:
        connection.settimeout(0)
        connection.connect(path)
        connection.settimeout(seconds)
        if peer_uid(connection) == os.geteuid():
            return connection
    except OSError:
        pass
    connection.close()
    return None


def peer_uid(connection: socket) -> int:
    """The user at the other end. Where the system does not tell, the owner of the socket has to do."""
    import _socket

    option = getattr(_socket, "SO_PEERCRED", None)
    if option is None:
        return os.geteuid()
    credentials = connection.getsockopt(_socket.SOL_SOCKET, option, _PEER)
    return int.from_bytes(credentials[4:8], "little" if sys_is_little() else "big")


def sys_is_little() -> bool:
    """Whether numbers in memory begin with their lowest byte."""
    import sys

    return sys.byteorder == "little"


def ask(path: bytes, argv: list[str], write: Write) -> int | None:
    """Pass on the daemon's answer to this process's command line, and give its exit status; None where the program has
    to find it itself. Raises Broken, and what `write` raises."""
    run = _describe(argv)
    connection = connect(path) if run is not None else None
    if run is None or connection is None:
        return None
    try:
        connection.sendall(protocol.encode_run(run))
        answer = _receive(connection, write)
    except (OSError, Garbled):
        return None
    finally:
        connection.close()
    _pass_on(answer, write)
    return answer.status


def _describe(argv: list[str]) -> Run | None:
    try:
        cwd = os.getcwdb()
        out, err = os.fstat(1), os.fstat(2)
        terminal = os.isatty(1)
        columns, rows = os.get_terminal_size(1) if terminal else (0, 0)
    except OSError:
        return None
    words = [os.fsencode(word) for word in argv]
    variables = protocol.relevant(os.environb)
    return Run(words, cwd, variables, terminal, os.path.samestat(out, err), columns, rows)


def _receive(connection: socket, write: Write) -> Answer:
    """Read to the last frame. Raises Garbled or OSError as long as nothing was passed on, then Broken."""
    answer, received = Answer(), bytearray()
    passed = False
    try:
        while answer.status < 0:
            part = connection.recv(_PIECE)
            if not part:
                raise Garbled("the answer is not complete")
            received += part
            for kind, payload in protocol.take_frames(received):
                if kind == DIRECT:
                    raise Garbled("not here")
                _take(answer, kind, payload)
            if answer.status >= 0 and received:
                raise Garbled("more after the end")
            if answer.size > MOST_KEPT:
                passed = True
                _pass_on(answer, write)
    except (OSError, Garbled) as error:
        if passed:
            raise Broken from error
        raise
    return answer


def _take(answer: Answer, kind: bytes, payload: bytes) -> None:
    if answer.status >= 0:
        raise Garbled("more after the end")
    if kind in (OUT, ERR):
        answer.kept.append((1 if kind == OUT else 2, payload))
        answer.size += len(payload)
    elif kind == EXIT:
        if len(payload) != 1:
            raise Garbled("no exit status")
        answer.status = payload[0]


def _pass_on(answer: Answer, write: Write) -> None:
    kept, answer.kept, answer.size = answer.kept, [], 0
    for fd, data in kept:
        write(fd, data)


def request(path: bytes, line: bytes, seconds: float = protocol.SILENCE_SECONDS) -> bytes | None:
    """The response to a line of JSON, whole; None where there is none."""
    connection = connect(path, seconds)
    if connection is None:
        return None
    received = bytearray()
    try:
        connection.sendall(line + b"\n")
        while part := connection.recv(_PIECE):
            received += part
    except OSError:
        return None
    finally:
        connection.close()
    return bytes(received) or None
