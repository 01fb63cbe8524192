"""The errors that a user can meet, one tree; `greppy.cli` turns them into exit statuses in one place.

::

    GreppyError               code          exit
    ├── NoProject             NO_PROJECT    2     no project root above the folder
    ├── NoIndex               NO_INDEX      3     `--no-refresh` or `forget` where nothing is indexed
    ├── IndexFailure          INDEX_ERROR   3     the index can be neither read nor rebuilt
    │   └── DamagedIndex      INDEX_ERROR   3     a checksum or a length is wrong; the engine repairs it
    ├── BadArguments          PARSE_ERROR   4     a flag, a query or a pattern that cannot be taken
    ├── DaemonFailure         DAEMON_ERROR  3     the daemon cannot be started or understood
    └── IoFailure             IO_ERROR      3     the disk is full, a folder cannot be written, …

Every error has a message (what went wrong, one line) and a hint (what to do next).
"""

from __future__ import annotations


class GreppyError(Exception):
    """Base of the tree. `message` and `hint` are single lines without a final stop."""

    code = "INDEX_ERROR"
    exit_status = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)  # both, so that an error survives the way back from another process
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class NoProject(GreppyError):
    """No folder above the starting point has a project marker."""

    code = "NO_PROJECT"
    exit_status = 2


class NoIndex(GreppyError):
    """An index was required and there is none."""

    code = "NO_INDEX"


class IndexFailure(GreppyError):
    """The index can be neither read nor rebuilt."""


class DamagedIndex(IndexFailure):
    """A file of the index fails its checksum or its bounds. `path` is that file."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path} is damaged ({what})", "run 'greppy index --force' to rebuild it")
        self.path = path


class BadArguments(GreppyError):
    """A flag, a query or a pattern that cannot be taken."""

    code = "PARSE_ERROR"
    exit_status = 4


class DaemonFailure(GreppyError):
    """The daemon cannot be started, reached or understood."""

    code = "DAEMON_ERROR"


class IoFailure(GreppyError):
    """The operating system refused a read or a write that cannot be done without."""

    code = "IO_ERROR"
