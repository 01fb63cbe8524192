"""Where an index lies on disk, and the only code that opens, writes or removes its files.

In: `$GREPPY_HOME` and a project. Out: open manifests and shards, and a lock for those who change them. ::

    $GREPPY_HOME/            0700, files 0600
      config.toml
      indexes/<xxh3-64 of the project's store path>/
        shards/<xxh3-128 of the content>
        manifests/<xxh3-64 of the worktree's root>
        lock                 held (flock) by whoever changes the two folders above

Files are published by temporary file, fsync and rename, shards before the manifest that names them; a reader needs no
lock, and a process killed anywhere leaves the old index or the new one and at most temporary files, which the next
holder of the lock removes. A home that cannot be written, or that belongs to somebody else, is not an error here:
`Store.refusal` says why, and searches then answer from memory.
"""

from __future__ import annotations

import mmap
import os
import stat

from xxhash import xxh3_64_hexdigest, xxh3_128_hexdigest

from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex, IoFailure
from greppy.index import format as layout
from greppy.index.manifest import Manifest
from greppy.index.shard import Shard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_TEMPORARY = b".tmp-"


class Vanished(Exception):
    """A shard that the manifest names is no longer there: another process merged it; open the manifest again."""


class Store:
    """The index of one project (all its worktrees)."""

    __slots__ = ("_manifest", "_shards", "directory", "home", "refusal")

    def __init__(self, home: bytes, store_path: bytes, view_name: bytes) -> None:
        self.home = home
        self.directory = home + b"/indexes/" + xxh3_64_hexdigest(store_path).encode()
        self._shards = self.directory + b"/shards"
        self._manifest = self.directory + b"/manifests/" + xxh3_64_hexdigest(view_name).encode()
        self.refusal = refusal(home)

    def open_manifest(self) -> Manifest | None:
        """The newest manifest of this worktree; None when there is none of this version, or none that may be trusted.

        Raises `DamagedIndex`.
        """
        if self.refusal and not readable(self.home):
            return None
        return open_manifest(self._manifest)

    def open_shard(self, name: str) -> Shard:
        """Raises `Vanished` when it is not there, `DamagedIndex`."""
        path = self._shards + b"/" + name.encode()
        try:
            buffer = _map(path)
        except FileNotFoundError:
            raise Vanished(name) from None
        try:
            return Shard(buffer, ANALYZER, os.fsdecode(path))
        except layout.OtherVersion:
            raise DamagedIndex(os.fsdecode(path), "another version than its manifest's") from None

    def create(self) -> None:
        """Make the folders. Raises `IoFailure` naming the one that cannot be made."""
        if self.refusal:
            raise IoFailure(self.refusal, "set GREPPY_HOME to a folder of your own that can be written")
        for folder in (
            self.home,
            self.home + b"/indexes",
            self.directory,
            self._shards,
            os.path.dirname(self._manifest),
        ):
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                continue
            except OSError as error:
                raise _io_failure("make", folder, error) from None
            os.chmod(folder, 0o700)

    def lock(self, wait: bool = True) -> Lock:
        """The lock of the whole index; see `Lock.__enter__` for what it yields."""
        return Lock(self.directory + b"/lock", wait)

    def write_shard(self, content: bytes) -> str:
        """Publish a shard; returns its name. Raises `IoFailure`."""
        name = xxh3_128_hexdigest(content)
        _publish(self._shards + b"/" + name.encode(), content)
        return name

    def write_manifest(self, content: bytes) -> None:
        """Publish this worktree's manifest; the shards it names must be there. Raises `IoFailure`."""
        _publish(self._manifest, content)

    def collect(self) -> None:
        """Remove shards that no manifest names, manifests that cannot be read, and temporary files. Needs the lock."""
        named: set[bytes] = set()
        for manifest in manifests(self.directory):
            try:
                found = open_manifest(manifest)
            except DamagedIndex:
                found = None
            if found is None:
                _remove(manifest)
            else:
                named.update(name.encode() for name in found.shards)
        for folder in (self._shards, os.path.dirname(self._manifest)):
            for entry in os.listdir(folder):
                if entry.startswith(_TEMPORARY) or (folder == self._shards and entry not in named):
                    _remove(folder + b"/" + entry)

    def discard_shard(self, name: str) -> None:
        """Remove a damaged shard, so that its blobs are analysed again."""
        _remove(self._shards + b"/" + name.encode())

    def bytes_on_disk(self) -> int:
        """Bytes of all files of the index."""
        return directory_bytes(self.directory)


def manifests(directory: bytes) -> list[bytes]:
    """The paths of the manifests in an index's directory."""
    try:
        names = os.listdir(directory + b"/manifests")
    except OSError:
        return []
    return [directory + b"/manifests/" + name for name in sorted(names) if not name.startswith(_TEMPORARY)]


def open_manifest(path: bytes) -> Manifest | None:
    """The manifest in a file; None when there is none or it is of another version. Raises `DamagedIndex`."""
    try:
        buffer = _map(path)
    except FileNotFoundError:
        return None
    try:
        return Manifest(buffer, ANALYZER, os.fsdecode(path))
    except layout.OtherVersion:
        return None
    except (ValueError, KeyError):
        raise DamagedIndex(os.fsdecode(path), "unreadable") from None


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


class Lock:
    """An exclusive lock on an index, freed by the kernel when its holder dies.

    Entering yields True when it is held, False when `wait` is false and somebody else has it. Raises `IoFailure`.
    """

    __slots__ = ("_descriptor", "_path", "_wait")

    def __init__(self, path: bytes, wait: bool) -> None:
        self._path = path
        self._wait = wait
        self._descriptor = -1

    def __enter__(self) -> bool:
        import fcntl

        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX if self._wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise _io_failure("lock", self._path, error) from None
        return True

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def refusal(home: bytes) -> str:
    """Why nothing may be written below a home; empty when all is well. A loose mode of our own folder is tightened."""
    name = os.fsdecode(home)
    try:
        found = os.stat(home)
    except FileNotFoundError:
        return _refusal_to_make(home)
    except OSError as error:
        return f"cannot use {name}: {error.strerror}"
    if not stat.S_ISDIR(found.st_mode):
        return f"cannot use {name}: not a folder"
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        return f"cannot use {name}: it belongs to another user"
    if found.st_mode & 0o077:
        try:
            os.chmod(home, 0o700)
        except OSError:
            return f"cannot use {name}: others may enter it and its mode cannot be changed"
    return "" if os.access(home, os.W_OK | os.X_OK) else f"cannot use {name}: it cannot be written"


def _refusal_to_make(home: bytes) -> str:
    parent = os.path.dirname(os.path.abspath(home))
    if os.path.isdir(parent) and os.access(parent, os.W_OK | os.X_OK):
        return ""
    try:
        os.makedirs(home, 0o700)
    except OSError as error:
        return f"cannot make {os.fsdecode(home)}: {error.strerror}"
    return ""


def readable(home: bytes) -> bool:
    """Whether an index below a home that cannot be written may be read: it is ours (a read-only disk, say)."""
    try:
        return not hasattr(os, "geteuid") or os.stat(home).st_uid == os.geteuid()
    except OSError:
        return False


def _map(path: bytes) -> memoryview:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        size = os.fstat(descriptor).st_size
        return memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)) if size else memoryview(b"")
    finally:
        os.close(descriptor)


def _publish(path: bytes, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, also after a power cut."""
    folder, name = os.path.split(path)
    temporary = folder + b"/" + _TEMPORARY + str(os.getpid()).encode() + b"-" + name
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            _write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(temporary, path)
        _sync_folder(folder)
    except OSError as error:
        _remove(temporary)
        raise _io_failure("write", path, error) from None
    except BaseException:
        _remove(temporary)
        raise


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_folder(folder: bytes) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: bytes) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _io_failure(verb: str, path: bytes, error: OSError) -> IoFailure:
    what = error.strerror or str(error)
    return IoFailure(
        f"cannot {verb} {os.fsdecode(path)}: {what}", "free some space or set GREPPY_HOME to another folder"
    )
