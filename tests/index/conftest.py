"""A real project with an index of its own, and what git itself says the project holds."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from greppy.analysis.tokens import terms_of_run
from greppy.config import Config
from greppy.git.project import find_project
from greppy.index import admin
from greppy.index import format as layout
from greppy.index.manifest import REASONS
from greppy.index.report import BuildReport
from greppy.index.store import Store
from greppy.index.view import View, open_view, store_of
from greppy.kernels import decode_postings

OLD_NS = 1_700_000_000_000_000_000


def silent(done: int, total: int, what: str) -> None:
    """Progress that nobody looks at."""


class Work:
    """A project at `path`, a home folder for its index, and short names for what tests do with them."""

    def __init__(self, path: Path, home: Path, config: Config | None = None) -> None:
        self.path = path
        self.home = home
        self.config = config or Config(workers=1)

    def git(self, *args: str, where: Path | None = None) -> bytes:
        done = subprocess.run(["git", *args], cwd=where or self.path, capture_output=True, check=False)
        assert done.returncode == 0, (args, done.stderr)
        return done.stdout

    def write(self, path: str, text: str | bytes) -> Path:
        full = self.path / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode() if isinstance(text, str) else text)
        return full

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "c")

    def settle(self) -> None:
        """Make every file look old, so that nothing is racy and a rebuild is free to trust its stat data."""
        for folder, _, files in os.walk(self.path):
            if ".git" not in Path(folder).parts:
                for name in files:
                    os.utime(Path(folder) / name, ns=(OLD_NS, OLD_NS), follow_symlinks=False)

    def build(self, force: bool = False) -> BuildReport:
        return admin.build(os.fsencode(self.path), os.fsencode(self.home), self.config, force, silent)

    def view(self, refresh: bool = True) -> View:
        return open_view(find_project(os.fsencode(self.path)), os.fsencode(self.home), self.config, refresh, silent)

    @property
    def store(self) -> Store:
        return store_of(find_project(os.fsencode(self.path)), os.fsencode(self.home))

    def shard_files(self) -> list[Path]:
        return sorted(Path(os.fsdecode(self.store.shards)).iterdir())

    def manifest_file(self) -> Path:
        return Path(os.fsdecode(self.store.manifest))

    def index_files(self) -> list[Path]:
        return [path for path in self.home.rglob("*") if path.is_file()]

    def expected(self) -> dict[bytes, bytes]:
        """Path → oid of the regular files that git lists, of the bytes on disk."""
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
        paths = {path for path in listed if path and not path.endswith(b"/")}
        return {path: oid for path in sorted(paths) if (oid := self.oid_on_disk(path)) is not None}

    def oid_on_disk(self, path: bytes) -> bytes | None:
        parts = path.split(b"/")
        for count in range(1, len(parts) + 1):
            try:
                mode = os.lstat(os.path.join(os.fsencode(self.path), *parts[:count])).st_mode
            except OSError:
                return None
            if not (stat.S_ISREG if count == len(parts) else stat.S_ISDIR)(mode):
                return None
        data = Path(self.path / os.fsdecode(path)).read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(data) + data).digest()


def snapshot(view: View) -> dict[bytes, bytes]:
    """Path → oid of what a view says is there and was read; each analysis must be the one of that oid."""
    manifest = view.manifest
    oids = bytes(manifest.column(layout.FILE_OIDS, "B"))
    width = len(oids) // manifest.meta.files if manifest.meta.files else 20
    shards, blobs = manifest.column(layout.FILE_SHARD, "I"), manifest.column(layout.FILE_BLOB, "I")
    found = {}
    for file, reason in enumerate(reasons(view).values()):
        oid = oids[width * file : width * file + width]
        if not reason:
            assert view.shards[shards[file]].oid(blobs[file]) == oid
            assert file in manifest.files_of(shards[file], blobs[file])
        if any(oid):
            found[manifest.paths[file]] = oid
    assert len(view.shards) == len(manifest.shards)
    return found


def reasons(view: View) -> dict[bytes, str]:
    """Path → why it is not indexed, "" for what is."""
    column = view.manifest.column(layout.FILE_REASON, "B")
    return {path: REASONS[reason] for path, reason in zip(view.manifest.paths, column, strict=False)}


def files_with(view: View, word: str) -> list[str]:
    """The files of which a live chunk has the word, by its posting lists."""
    term = terms_of_run(word.encode())[0]
    files = set()
    for place, shard in enumerate(view.shards):
        postings = shard.postings(term)
        docs = decode_postings(postings)[0] if postings is not None else ()
        first = shard.column(layout.FIRST_CHUNK, "I")
        for doc in docs:
            blob = next(blob for blob in range(shard.blobs) if first[blob] <= doc < first[blob + 1])
            files.update(view.manifest.files_of(place, blob))
    return [os.fsdecode(view.manifest.paths[file]) for file in sorted(files)]


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration of the machine reaches git, and no identity is missing."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_", "GREPPY_"))]:
        monkeypatch.delenv(name)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "a@example.invalid")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Work]:
    """Makes a repository (or, with `git=False`, a plain folder that is a project) below the test's folder."""

    def made(name: str = "project", git: bool = True, config: Config | None = None) -> Work:
        path = Path(os.path.realpath(tmp_path)) / name
        path.mkdir()
        work = Work(path, Path(os.path.realpath(tmp_path)) / "greppy-home", config)
        if git:
            work.git("init", "-q", "-b", "main")
        else:
            (path / ".greppy").touch()
        return work

    return made


@pytest.fixture
def work(make: Callable[..., Work]) -> Work:
    return make()
