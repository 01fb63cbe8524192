"""What client and daemon say to each other over a Unix socket: one request, one response, disconnect. HOT.

In: words of a command line and where they were typed, or typed requests. Out: bytes on the wire, and back.

A request is either of two, told apart by its first byte.

**A line of JSON**, for programs::

    {"type":"Search","project":"/abs","query":"text","limit":20,"paths":[],"include":[],"exclude":[],"languages":[],
     "refresh":true,"content":true}
    {"type":"Grep","project":"/abs","pattern":"text","fixed":false,"ignore_case":false,"word":false,"paths":[],
     "max_count":0}
    {"type":"Index","project":"/abs","force":false}
    {"type":"Status"}
    {"type":"Shutdown"}

Only the fields of the first line of each are required (`type`, `project`, and what is asked); a field that is not
listed, or of another type, is refused. The response is lines of JSON, the last of which has the `type` Results,
End, Indexed, Status, Stopping or Error. `Results` is the document of `search --json`; before `End` come the records of
`grep --json`, as they are found. `{"type":"Error","code":"PARSE_ERROR","message":"…","hint":"…"}` has the codes of
`greppy.errors`.

**A Run**, for the program itself, so that its clients need to know no verb, and bytes arrive as they are::

    "R"  u32 length  fields, each ended by NUL:
         version     of the client; another one than the daemon's is answered by "D", and an older daemon steps down
         flags       letters: "t" stdout is a terminal, "j" stdout and stderr are one file
         columns     of the terminal, decimal, 0 where there is none
         rows        the same
         cwd         absolute
         words       how many follow, decimal
         …           the words of the command line, without the program's name
         …           NAME=VALUE of each variable that `is_relevant`

Its response is frames, `kind u8, length u32, payload`::

    "O"  bytes for stdout
    "E"  bytes for stderr
    "W"  nothing: the answer is still being worked on (twice a second)
    "X"  one byte: the exit status; the last frame
    "D"  text: why the client should run the program itself; the only frame

Numbers are big-endian. A response that ends without its last frame is no answer. Limits: a request has at most
`MOST_REQUEST` bytes and must be there within `REQUEST_SECONDS`; a client that reads nothing for `WRITE_SECONDS` is
let go; so is one that disconnects, and its request is ended.
"""

from __future__ import annotations

from greppy import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RUN = b"R"
OUT, ERR, WAIT, EXIT, DIRECT = b"O", b"E", b"W", b"X", b"D"
TERMINAL, JOINED = "t", "j"

MOST_REQUEST = 1 << 20
MOST_FRAME = 1 << 20
MOST_PATH = 107
"""`sun_path` of Linux has 108 bytes, the last of which is a NUL."""

REQUEST_SECONDS = 10.0
WRITE_SECONDS = 30.0
WAIT_SECONDS = 0.5
SILENCE_SECONDS = 2.0
"""How long a client hears nothing before it runs the program itself."""

HEAD = 5

_NAMES = frozenset(b"HOME LANG LANGUAGE NO_COLOR PAGER PATH TERM TMPDIR XDG_CONFIG_HOME".split())
_PREFIXES = (b"GIT_", b"GREPPY_", b"LC_")


class Run:
    """A command line with where it was typed. `columns` and `rows` are those of a terminal; `variables` the relevant
    part of the environment."""

    __slots__ = ("argv", "columns", "cwd", "joined", "rows", "terminal", "variables", "version")

    def __init__(
        self,
        argv: Sequence[bytes],
        cwd: bytes,
        variables: Mapping[bytes, bytes],
        terminal: bool = False,
        joined: bool = False,
        columns: int = 0,
        rows: int = 0,
        version: str = __version__,
    ) -> None:
        self.argv = list(argv)
        self.cwd = cwd
        self.variables = dict(variables)
        self.terminal = terminal
        self.joined = joined
        self.columns = columns
        self.rows = rows
        self.version = version


class Garbled(Exception):
    """What arrived is not of this protocol."""


def is_relevant(name: bytes) -> bool:
    """Whether a variable of this name can matter to an answer."""
    return name in _NAMES or name.startswith(_PREFIXES)


def relevant(variables: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """Those variables that can matter to an answer."""
    return {name: value for name, value in variables.items() if is_relevant(name)}


def encode_run(run: Run) -> bytes:
    """A Run as it is sent. Raises Garbled when it is longer than a request may be."""
    flags = (TERMINAL if run.terminal else "") + (JOINED if run.joined else "")
    head = (run.version, flags, str(run.columns), str(run.rows))
    fields = [*(text.encode() for text in head), run.cwd, b"%d" % len(run.argv), *run.argv]
    fields += [name + b"=" + value for name, value in run.variables.items()]
    payload = b"".join(field + b"\0" for field in fields)
    if len(payload) > MOST_REQUEST - HEAD:
        raise Garbled("the request is too long")
    return frame(RUN, payload)


def decode_run(payload: bytes) -> Run:
    """The Run in the bytes behind its length. Raises Garbled."""
    fields = payload.split(b"\0")
    if len(fields) < 7 or fields.pop():
        raise Garbled("the fields of a Run are wrong")
    version, flags, columns, rows, cwd, count, *rest = fields
    words = _number(count)
    if words > len(rest) or not cwd.startswith(b"/"):
        raise Garbled("the fields of a Run are wrong")
    variables = dict(_variable(field) for field in rest[words:])
    letters = flags.decode("ascii", "replace")
    return Run(
        rest[:words],
        cwd,
        variables,
        TERMINAL in letters,
        JOINED in letters,
        _number(columns),
        _number(rows),
        version.decode("ascii", "replace"),
    )


def _number(field: bytes) -> int:
    if not field.isdigit() or len(field) > 6:
        raise Garbled("a number is none")
    return int(field)


def _variable(field: bytes) -> tuple[bytes, bytes]:
    name, equals, value = field.partition(b"=")
    if not equals or not is_relevant(name):
        raise Garbled("a variable is none of those that may be sent")
    return name, value


def is_newer(version: str, than: str = __version__) -> bool:
    """Whether a version is later than another; one that is no version is not."""
    return _parts(version) > _parts(than)


def _parts(version: str) -> list[int]:
    parts = version.split(".")
    plain = 1 < len(parts) < 5 and all(part.isascii() and part.isdecimal() and len(part) < 6 for part in parts)
    return [int(part) for part in parts] if plain else []


def frame(kind: bytes, payload: bytes = b"") -> bytes:
    """One frame."""
    return kind + len(payload).to_bytes(4, "big") + payload


def frames(kind: bytes, data: bytes | memoryview) -> bytes:
    """As many frames as it takes."""
    view = memoryview(data)
    return b"".join(frame(kind, bytes(view[at : at + MOST_FRAME])) for at in range(0, len(view), MOST_FRAME))


def take_frames(buffer: bytearray) -> Iterator[tuple[bytes, bytes]]:
    """Remove whole frames from the front of what was received: kind and payload of each. Raises Garbled."""
    while len(buffer) >= HEAD:
        kind, length = bytes(buffer[:1]), int.from_bytes(buffer[1:HEAD], "big")
        if kind not in (OUT, ERR, WAIT, EXIT, DIRECT) or length > MOST_FRAME:
            raise Garbled("no frame of this protocol")
        if len(buffer) < HEAD + length:
            return
        payload = bytes(buffer[HEAD : HEAD + length])
        del buffer[: HEAD + length]
        yield kind, payload
