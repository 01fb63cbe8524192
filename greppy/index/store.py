"""Where an index lies on disk, and the only code that opens, writes or removes its files. Hot path.

In: `$GREPPY_HOME` and a project. Out: open manifests and shards. ::

    $GREPPY_HOME/            0700, files 0600
      config.toml
      indexes/<xxh3-64 of the project's store path>/
        shards/<xxh3-128 of the content>
        manifests/<xxh3-64 of the worktree's root>
        revisions/<hash of a tree>
        history/             what `history` keeps (`greppy.search.history.table`); it has a lock of its own
        unused               since when which analyses are unused (`greppy.index.unused`)
        lock                 held (flock) by whoever changes the two folders above; its mtime: the last search

Files are published by temporary file, fsync and rename, shards before the manifest that names them; a reader needs no
lock, and a process killed anywhere leaves the old index or the new one and at most temporary files, which the next
holder of the lock removes. So does a power cut: a content is on disk before its name is; where a name is lost the older
manifest is there, or a shard is missing, which is then made anew. Anything else in the place of a file is damage like
any other; a folder with something in it is not removed but set aside, as `.aside-…` beside it. A home that cannot be
written, or that belongs to somebody else, is not an error here: `Store.refusal` says why, and searches then answer from
memory.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
import time

from xxhash import xxh3_64_hexdigest, xxh3_128_hexdigest

from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex, IoFailure
from greppy.index import format as layout
from greppy.index.home import readable, refusal
from greppy.index.manifest import Manifest
from greppy.index.shard import Shard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from greppy.index.lock import Lock

SHARDS, MANIFESTS, REVISIONS, HISTORY, LOCK = b"/shards", b"/manifests", b"/revisions", b"/history", b"/lock"
TEMPORARY = b".tmp-"
ASIDE = b".aside-"
_FOLDER_TRIES = 20
"""How often a folder is made again whose parents `forget` removes meanwhile."""

_INDEX_NAME_LENGTH = 16
_USE_SECONDS = 3600
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR)
"""Failures to open a file that say nothing of the file."""


class Vanished(Exception):
    """A shard that the manifest names is no longer there: another process merged it; open the manifest again."""


class Unwritable(IoFailure):
    """The index cannot be written; a search can still be answered from memory."""


class Store:
    """The index of one project (all its worktrees), seen from the worktree at `root`."""

    __slots__ = ("directory", "home", "manifest", "refusal", "root", "shards")

    def __init__(self, home: bytes, store_path: bytes, view_name: bytes) -> None:
        self.home = home
        self.root = view_name
        self.directory = home + b"/indexes/" + xxh3_64_hexdigest(store_path).encode()
        self.shards = self.directory + SHARDS
        self.manifest = self.directory + MANIFESTS + b"/" + xxh3_64_hexdigest(view_name).encode()
        self.refusal = refusal(home)

    def open_manifest(self) -> Manifest | None:
        """The newest manifest of this worktree; None when there is none of this version, or none that may be trusted.

        Raises `DamagedIndex`.
        """
        if self.refusal and not readable(self.home):
            return None
        return open_manifest(self.manifest)

    def open_shard(self, name: str) -> Shard:
        """Raises `Vanished` when it is not there, `DamagedIndex`.

        Where the index cannot be written, nothing in it can be repaired while a search reads it: there the whole shard
        is verified, 1 ms for 10 MB.
        """
        shard = open_shard(self.directory, name)
        if self.refusal:
            shard.container.verify()
        return shard

    def create(self) -> None:
        """Make the folders. Raises `Unwritable` naming the one that cannot be made."""
        if self.refusal:
            raise Unwritable(self.refusal, "set GREPPY_HOME to a folder of your own that can be written")
        for folder in (
            self.home,
            self.home + b"/indexes",
            self.directory,
            self.shards,
            self.directory + MANIFESTS,
            self.directory + REVISIONS,
        ):
            make_folder(folder, instead=folder.startswith(self.directory))

    def revision(self, tree: bytes) -> bytes:
        """Where the manifest of a tree (its hash in hexadecimal) lies."""
        return self.directory + REVISIONS + b"/" + tree

    def lock(self, wait: bool = True) -> Lock:
        """The lock of the whole index."""
        from greppy.index.lock import Lock

        return Lock(self.directory, self.create, wait)

    def write_shard(self, content: bytes) -> str:
        """Publish a shard; returns its name. Raises `Unwritable`."""
        return write_shard(self.directory, content)

    def write_manifest(self, content: bytes) -> None:
        """Publish this worktree's manifest; the shards it names must be there. Raises `Unwritable`."""
        publish(self.manifest, content)

    def discard_shard(self, name: str) -> None:
        """Remove a damaged shard, so that its blobs are analysed again."""
        remove(self.shards + b"/" + name.encode())

    def note_use(self) -> None:
        """Leave on the lock's mtime that the index was searched: `gc` goes by that when there is too much."""
        if not self.refusal:
            note_use(self.directory + LOCK)

    def bytes_on_disk(self) -> int:
        """Bytes of all files of the index."""
        return directory_bytes(self.directory)


def collect(directory: bytes) -> None:
    """Remove what `garbage` finds. Needs the lock."""
    for path in garbage(directory):
        remove(path)


def garbage(directory: bytes, without: Container[bytes] = ()) -> list[bytes]:
    """The paths of shards that no manifest names, manifests of another version, and temporary files. Needs the lock.

    The manifests `without` count as if they were not there. A damaged one stays, so that the worktree whose it is says
    so.
    """
    found: list[bytes] = []
    named: set[bytes] = set()
    for path in [*manifests(directory), *revisions(directory)]:
        if path in without:
            continue
        try:
            manifest = open_manifest(path)
        except DamagedIndex:
            continue
        if manifest is None:
            found.append(path)
        else:
            named.update(name.encode() for name in manifest.shards)
    for folder in (directory + SHARDS, directory + MANIFESTS, directory + REVISIONS):
        for entry in _names(folder):
            if entry.startswith(TEMPORARY) or (folder.endswith(SHARDS) and entry not in named):
                found.append(folder + b"/" + entry)
    return found


def note_use(path: bytes) -> None:
    """Leave on a file's mtime that it is in use, once an hour at most; what cannot be written costs only that."""
    try:
        if os.stat(path).st_mtime < time.time() - _USE_SECONDS:
            os.utime(path)
    except OSError:
        return


def directories(home: bytes) -> list[bytes]:
    """The directories of all indexes below a home folder."""
    names = sorted(_names(home + b"/indexes"))
    return [home + b"/indexes/" + name for name in names if len(name) == _INDEX_NAME_LENGTH]


def manifests(directory: bytes) -> list[bytes]:
    """The paths of the manifests in an index's directory."""
    names = sorted(_names(directory + MANIFESTS))
    return [directory + MANIFESTS + b"/" + name for name in names if not name.startswith(TEMPORARY)]


def revisions(directory: bytes) -> list[bytes]:
    """The paths of the manifests of revisions in an index's directory (`greppy.index.revision`)."""
    names = sorted(_names(directory + REVISIONS))
    return [directory + REVISIONS + b"/" + name for name in names if not name.startswith(TEMPORARY)]


def history_root(directory: bytes) -> bytes:
    """The root of the project whose history an index keeps, b"" where it keeps none."""
    try:
        with open(directory + HISTORY + b"/root", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _names(folder: bytes) -> list[bytes]:
    try:
        return [name for name in os.listdir(folder) if not name.startswith(ASIDE)]
    except OSError:
        return []


def open_manifest(path: bytes) -> Manifest | None:
    """The manifest in a file; None when there is none or it is of another version. Raises `DamagedIndex`."""
    buffer = map_file(path)
    if buffer is None:
        return None
    try:
        return Manifest(buffer, ANALYZER, os.fsdecode(path))
    except layout.OtherVersion:
        return None
    except (ValueError, KeyError):
        raise DamagedIndex(os.fsdecode(path), "unreadable") from None


def open_shard(directory: bytes, name: str) -> Shard:
    """A shard of the index in a directory. Raises `Vanished` when it is not there, `DamagedIndex`."""
    path = directory + SHARDS + b"/" + name.encode()
    buffer = map_file(path)
    if buffer is None:
        raise Vanished(name)
    try:
        return Shard(buffer, ANALYZER, os.fsdecode(path))
    except layout.OtherVersion:
        raise DamagedIndex(os.fsdecode(path), "another version than its manifest's") from None


def write_shard(directory: bytes, content: bytes) -> str:
    """Publish a shard of the index in a directory; returns its name. Raises `Unwritable`."""
    name = xxh3_128_hexdigest(content)
    publish(directory + SHARDS + b"/" + name.encode(), content)
    return name


def directory_bytes(directory: bytes) -> int:
    """Bytes of all files below a folder."""
    total = 0
    for folder, _, files in os.walk(directory):
        for name in files:
            try:
                total += os.lstat(folder + b"/" + name).st_size
            except OSError:
                continue
    return total


def map_file(path: bytes) -> memoryview | None:
    """A file's bytes, mapped; None when there is no such file. Raises `DamagedIndex` for what cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise DamagedIndex(os.fsdecode(path), "not a regular file")
            size = found.st_size
            return memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)) if size else memoryview(b"")
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in _SHORTAGES:
            raise IoFailure(f"cannot open {os.fsdecode(path)}: {error.strerror}", "try again") from None
        raise DamagedIndex(os.fsdecode(path), error.strerror or "unreadable") from None


def make_folder(folder: bytes, instead: bool = False) -> None:
    """A folder that nobody else may enter; `instead`: what is there and is no folder is set aside. Raises
    `Unwritable`."""
    try:
        if instead and os.path.lexists(folder) and not os.path.isdir(folder):
            set_aside(folder)
        for _ in range(_FOLDER_TRIES):
            try:
                _make_folder(folder)
                return
            except FileNotFoundError:
                continue  # another process has just removed the folder above
        _make_folder(folder)
    except OSError as error:
        raise refused("make", folder, error) from None


def _make_folder(folder: bytes) -> None:
    """A folder that nobody else may enter, and those above it. Its mode is set again, since the umask may take bits."""
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    if not os.path.isdir(parent):
        _make_folder(parent)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
        return
    os.chmod(folder, 0o700)


def publish(path: bytes, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, also after a power cut. Raises `Unwritable`."""
    folder, name = os.path.split(path)
    temporary = folder + b"/" + TEMPORARY + str(os.getpid()).encode() + b"-" + name
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            _write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _rename(temporary, path)
    except OSError as error:
        remove(temporary)
        raise refused("write", path, error) from None
    except BaseException:
        remove(temporary)
        raise


def _rename(temporary: bytes, path: bytes) -> None:
    try:
        os.rename(temporary, path)
    except IsADirectoryError:
        remove(path)
        os.rename(temporary, path)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def remove(path: bytes) -> None:
    """Remove a file, or what is in its place; one that is gone already, or that cannot be removed, is left as it is."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError:
        _remove_folder(path)


def _remove_folder(path: bytes) -> None:
    try:
        os.rmdir(path)
    except NotADirectoryError:
        return
    except OSError:
        try:
            set_aside(path)
        except OSError:
            return


def set_aside(path: bytes) -> None:
    """Give what is in a file's or a folder's place another name, since it is not known whose it is. Raises OSError."""
    folder, name = os.path.split(path)
    os.rename(path, folder + b"/" + ASIDE + name + b"-%d" % time.time_ns())


def refused(verb: str, path: bytes, error: OSError) -> Unwritable:
    """What a system call's refusal means for the index."""
    what = error.strerror or str(error)
    return Unwritable(
        f"cannot {verb} {os.fsdecode(path)}: {what}", "free some space or set GREPPY_HOME to another folder"
    )
