"""A random walk of edits through a real repository and a plain folder; after each step the index says what is on disk.

The oracle is git's own listing and hashes of the bytes on disk (for the plain folder: a walk of its own). Steps follow
one another within the clock's tick, so that stat data alone would often lie.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from greppy.config import Config

from .conftest import OLD_NS, Work, files_with, snapshot

FOLDERS = ("", "src", "src/deep", "lib", "ignored")
NAMES = ("a.py", "b.txt", "c.md", "d.log")
STEPS = 100


class Walk:
    """A random sequence of steps; `words` has the word that each file was last written with."""

    def __init__(self, work: Work, seed: int, with_git: bool) -> None:
        self.work = work
        self.random = random.Random(seed)
        self.serial = 0
        self.with_git = with_git
        self.last: tuple[str, str] | None = None

    def path(self) -> str:
        folder = self.random.choice(FOLDERS)
        name = self.random.choice(NAMES)
        return f"{folder}/{name}" if folder else name

    def full(self, path: str) -> Path:
        return self.work.path / path

    def word(self) -> str:
        self.serial += 1
        return f"zebra{self.serial:06d}quartz"

    def step(self) -> str:
        steps: list[Callable[[], None]] = [
            *[self.write] * 4, *[self.edit_unseen] * 4, self.append, self.delete, self.rename, self.rename_folder,
            self.link, self.folder_for_file, self.file_for_folder, self.chmod, self.ignore, self.touch, self.twin,
            self.binary, self.empty,
        ]  # fmt: skip
        if self.with_git:
            steps += [
                self.add,
                self.add_ignored,
                self.commit,
                self.branch,
                self.switch,
                self.reset,
                self.stash,
                self.untrack,
            ]
        chosen = self.random.choice(steps)
        self.last = None
        chosen()
        return chosen.__name__

    def put(self, path: str, text: str) -> None:
        """Write a file, taking away whatever is in its way."""
        full = self.full(path)
        for above in reversed(full.relative_to(self.work.path).parents):
            place = self.work.path / above
            if place.is_symlink() or place.is_file():
                place.unlink()
        if full.is_symlink():
            full.unlink()
        elif full.is_dir():
            shutil.rmtree(full)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)

    def files(self) -> list[str]:
        found = [path for path in self.work.path.rglob("*") if path.is_file() and not path.is_symlink()]
        paths = (path.relative_to(self.work.path) for path in found)
        return sorted(
            str(path) for path in paths if ".git" not in path.parts and path.name not in (".gitignore", ".greppy")
        )

    def a_file(self) -> str | None:
        files = self.files()
        return self.random.choice(files) if files else None

    def write(self) -> None:
        path, word = self.path(), self.word()
        self.put(path, f"def {word}():\n    pass\n")
        self.last = path, word

    def edit_unseen(self) -> None:
        """Same size, same mtime: only the ctime and, within one tick, not even that tells."""
        path = self.a_file()
        if path is not None:
            full = self.full(path)
            before, word = full.stat(), self.word()
            text = f"def {word}():\n    pass\n"
            if before.st_size == len(text):
                full.write_text(text)
                os.utime(full, ns=(before.st_atime_ns, before.st_mtime_ns))
                self.last = path, word

    def append(self) -> None:
        path = self.a_file()
        if path is not None:
            word = self.word()
            with self.full(path).open("a") as file:
                file.write(f"# {word}\n")

    def delete(self) -> None:
        path = self.a_file()
        if path is not None:
            self.full(path).unlink()

    def rename(self) -> None:
        path, target = self.a_file(), self.full(self.path())
        if path is not None and target.parent.is_dir() and not target.is_dir():
            self.full(path).replace(target)

    def rename_folder(self) -> None:
        source, target = (self.full(self.random.choice(FOLDERS[1:])) for _ in range(2))
        if source.is_dir() and not source.is_symlink() and not target.exists() and not target.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            if source not in target.parents:
                source.rename(target)

    def link(self) -> None:
        """A link to another file, to a folder of the project, or to one outside it."""
        path, target = self.full(self.path()), self.random.choice(["a.py", "src", "/etc", "nowhere"])
        if path.parent.is_dir() and not path.is_symlink() and not path.is_dir():
            path.unlink(missing_ok=True)
            path.symlink_to(target)

    def folder_for_file(self) -> None:
        path = self.a_file()
        if path is not None:
            self.full(path).unlink()
            self.put(f"{path}/inner.py", f"def {self.word()}():\n    pass\n")

    def file_for_folder(self) -> None:
        folder = self.full(self.random.choice(FOLDERS[1:]))
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)
            folder.write_text(self.word())

    def chmod(self) -> None:
        path = self.a_file()
        if path is not None:
            self.full(path).chmod(self.random.choice([0o644, 0o755]))

    def ignore(self) -> None:
        rules = self.random.choice(["", "*.log\n", "ignored\n", "*.log\nignored\n"])
        (self.work.path / ".gitignore").write_text(rules)

    def touch(self) -> None:
        path = self.a_file()
        if path is not None:
            os.utime(self.full(path), ns=(OLD_NS, self.random.choice([OLD_NS, 0, OLD_NS * 2])))

    def twin(self) -> None:
        path = self.a_file()
        if path is not None:
            text = self.full(path).read_bytes().decode("utf-8", "replace")
            self.put(self.path(), text)

    def binary(self) -> None:
        path = self.path()
        self.put(path, "x")
        self.full(path).write_bytes(b"\0\1\2" + self.word().encode())

    def empty(self) -> None:
        self.put(self.path(), "")

    def add(self) -> None:
        self.work.git("add", "-A")

    def add_ignored(self) -> None:
        path = self.a_file()
        if path is not None:
            self.work.git("add", "-f", path)

    def untrack(self) -> None:
        self.work.git("rm", "-r", "-q", "--cached", "--ignore-unmatch", self.path())

    def commit(self) -> None:
        self.work.commit()

    def branch(self) -> None:
        self.work.commit()
        self.work.git("branch", "-f", f"b{self.random.randrange(4)}")

    def switch(self) -> None:
        names = self.work.git("for-each-ref", "--format=%(refname:short)", "refs/heads").decode().split()
        if names:
            self.work.git("checkout", "-q", "-f", "--detach", self.random.choice(names))

    def reset(self) -> None:
        if self.work.git("rev-list", "-n", "1", "--all"):
            self.work.commit()
            self.work.git("reset", "-q", "--hard", "HEAD~1" if self.depth() > 1 else "HEAD")

    def depth(self) -> int:
        return int(self.work.git("rev-list", "--count", "HEAD"))

    def stash(self) -> None:
        if self.work.git("rev-list", "-n", "1", "--all"):
            self.work.git("stash", "push", "-q", "-u")


def plain_oracle(work: Work) -> dict[bytes, bytes]:
    rules = work.path / ".gitignore"
    patterns = rules.read_text().split() if rules.is_file() else []
    found = {}
    for folder, folders, files in os.walk(work.path):
        folders[:] = [name for name in folders if not is_ignored(name, patterns)]
        for name in files:
            path = Path(folder) / name
            if not path.is_symlink() and not is_ignored(name, patterns):
                data = path.read_bytes()
                oid = hashlib.sha1(b"blob %d\0" % len(data) + data).digest()
                found[os.fsencode(path.relative_to(work.path))] = oid
    return found


def is_ignored(name: str, patterns: list[str]) -> bool:
    return name in patterns or (name.endswith(".log") and "*.log" in patterns)


@pytest.mark.parametrize(("seed", "with_git"), [(2, True), (3, False), (4, False)])
def test_after_every_step_the_index_says_what_is_on_disk(make: Callable[..., Work], seed: int, with_git: bool) -> None:
    work = make(git=with_git, config=Config(workers=1 + seed % 2, max_file_size=10_000))
    walk = Walk(work, seed, with_git)
    done: list[str] = []
    for _ in range(STEPS):
        done += [walk.step() for _ in range(walk.random.randrange(1, 4))]
        if walk.random.random() < 0.5:
            work.build()
        view = work.view()
        expected = work.expected() if with_git else plain_oracle(work)
        assert snapshot(view) == expected, done[-8:]
        if walk.last is not None and os.fsencode(walk.last[0]) in expected:
            path, word = walk.last
            assert path in files_with(view, word), done[-8:]
            assert all(word.encode() in (work.path / other).read_bytes() for other in files_with(view, word))
        assert len(view.shards) < 40


@pytest.mark.parametrize("seed", [7])
def test_an_index_with_a_long_history_answers_as_a_fresh_one(make: Callable[..., Work], seed: int) -> None:
    work = make()
    walk = Walk(work, seed, True)
    for _ in range(60):
        walk.step()
        work.view()
    view = work.view()
    words = [f"zebra{serial:06d}quartz" for serial in range(walk.serial + 1)]
    aged = {word: files_with(view, word) for word in words}
    sums = [view.manifest.meta.chunks, view.manifest.meta.body, view.manifest.meta.text_bytes]
    fresh = Work(work.path, work.home.with_name("fresh-home"))
    fresh.build()
    view = fresh.view()
    assert {word: files_with(view, word) for word in words} == aged
    assert [view.manifest.meta.chunks, view.manifest.meta.body, view.manifest.meta.text_bytes] == sums
