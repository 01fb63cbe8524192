"""The text of a hook shim: filling in the template, and knowing a shim again. Cold.

In: the interpreter that runs this program. Out: the bytes of a shim, the same for every hook and repository. The second
line of a shim is its mark::

    # greppy hook 5f2c3a1b9d8e7f60: keeps the search index fresh

where the number is the xxh3-64 of everything below that line. So a shim that somebody edited can be told from one that
may be replaced or removed, whatever version made it.
"""

from __future__ import annotations

import os
import stat
import sys

from xxhash import xxh3_64_hexdigest

from greppy.errors import IoFailure
from greppy.git.calling import LOCAL_VARIABLES

OURS, EDITED, FOREIGN = "ours", "edited", "foreign"

_MARK = b"# greppy hook "
_ABOUT = b": keeps the search index fresh"
_LARGEST = 1 << 20
# What git or its scripts set for a hook beside LOCAL_VARIABLES, and what would trace every command of a refresh.
_ALSO = (
    "GIT_REFLOG_ACTION",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "GIT_QUARANTINE_PATH",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
)


def render() -> bytes:
    """The shim that starts this program, as it is installed now.

    Raises IoFailure where the interpreter or the template cannot be found.
    """
    if not sys.executable:
        raise IoFailure("the Python interpreter does not know where it is", "run greppy by its full path")
    text = _template()
    filled = {
        b"@VARIABLES@": " ".join((*LOCAL_VARIABLES, *_ALSO)).encode(),
        b"@PYTHON@": quoted(os.fsencode(os.path.abspath(sys.executable))),
        b"@PACKAGES@": quoted(os.path.dirname(_package())),
    }
    for placeholder, value in filled.items():
        text = text.replace(placeholder, value)
    head, _, body = text.partition(b"@MARK@\n")
    return head + _mark(body) + b"\n" + body


def kind_of(content: bytes) -> str:
    """Whether a hook is OURS as it was written, OURS but EDITED since, or FOREIGN."""
    _, _, rest = content.partition(b"\n")
    mark, _, body = rest.partition(b"\n")
    if not mark.startswith(_MARK):
        return FOREIGN
    return OURS if mark == _mark(body) else EDITED


def read_hook(path: bytes) -> bytes | None:
    """A hook's bytes (its first MiB); None where there is no regular file, a link to one included."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return os.read(fd, _LARGEST) if stat.S_ISREG(os.fstat(fd).st_mode) else None
    finally:
        os.close(fd)


def quoted(text: bytes) -> bytes:
    """`text` as one word of a shell, whatever is in it."""
    return b"'" + text.replace(b"'", b"'\\''") + b"'"


def _mark(body: bytes) -> bytes:
    return _MARK + xxh3_64_hexdigest(body).encode() + _ABOUT


def _package() -> bytes:
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(os.fsencode(__file__)))))


def _template() -> bytes:
    """`githooks/` lies in the package when it was installed, beside it in a checkout."""
    package = _package()
    for folder in (package, os.path.dirname(package)):
        try:
            with open(os.path.join(folder, b"githooks", b"shim"), "rb") as file:
                return file.read()
        except FileNotFoundError:
            continue
    raise IoFailure("githooks/shim is missing from the installation", "install git-greppy again")
