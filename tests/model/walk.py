"""A seeded random walk over a real repository: everything that people, editors and git do to a working tree.

In: a repository and a seed. Out: `step` does one thing and gives its name. Steps follow one another within the clock's
tick, so that stat data alone would often lie. `word` is one that the last step wrote somewhere, or took away.
`outcomes` counts what became of git's commands: many are refused in such a tree.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from .git import Repository

FOLDERS = ("", "src", "src/deep", "lib", "docs", "build")
NAMES = ("a.py", "b.txt", "c.md", "d.log", "sp ace.js", "ü.go")
_MAY_CONFLICT = ("merge", "rebase", "cherry-pick", "stash")
LONG_AGO = 1_500_000_000_000_000_000


def word_of(number: int) -> str:
    """A word of its own for each number, always as long, that nothing takes apart or stems."""
    letters = (number // 26**place % 26 for place in range(4))
    return "zq" + "".join(chr(ord("a") + letter) for letter in letters) + "xq"


class Walk:
    """The walk. `words` are those that were written, newest last."""

    def __init__(self, repository: Repository, seed: int) -> None:
        self.repository = repository
        self.random = random.Random(seed)
        self.words = [word_of(0)]
        self.outcomes: Counter[str] = Counter()
        self.held = repository.root / ".git" / "index.lock"
        self.steps: list[Callable[[], None]] = [
            *[self.edit_unseen] * 6, *[self.edit_twice] * 2, *[self.write] * 5, *[self.append] * 3, *[self.delete] * 3,
            self.set_back, self.rename, self.rename_folder, self.folder_for_file, self.file_for_folder, self.link,
            self.link_folder, self.binary, self.empty, self.stage, self.unstage, self.intend, self.untrack,
            *[self.commit] * 3, self.amend, self.branch, *[self.checkout] * 2, self.restore, self.reset_soft,
            self.reset, self.stash, self.stash_pop, self.merge, self.rebase, self.cherry_pick, self.settle, self.gc,
            self.repack,
            self.ignore, self.exclude, self.ignore_less, self.hold_lock, self.touch, self.chmod,
        ]  # fmt: skip

    @property
    def word(self) -> str:
        return self.words[-1]

    def step(self) -> str:
        """Do one thing. A lock that was held is let go first."""
        self.held.unlink(missing_ok=True)
        chosen = self.random.choice(self.steps)
        chosen()
        return chosen.__name__

    def old_word(self) -> str:
        """A word that was written some time ago."""
        return self.random.choice(self.words[-200:])

    # Files

    def new_word(self) -> str:
        self.words.append(word_of(len(self.words)))
        return self.word

    def text(self, word: str) -> str:
        return f"def {word}():\n    return None\n"

    def path(self) -> Path:
        return self.repository.root / self.random.choice(FOLDERS) / self.random.choice(NAMES)

    def files(self) -> list[Path]:
        found = []
        for folder, folders, names in os.walk(self.repository.root):
            folders[:] = sorted(name for name in folders if name != ".git")
            found += [Path(folder, name) for name in sorted(names) if name != ".gitignore"]
        return [path for path in found if not path.is_symlink()]

    def a_file(self) -> Path | None:
        found = self.files()
        return self.random.choice(found) if found else None

    def put(self, path: Path, data: bytes) -> None:
        """Write a file, taking away whatever is in its way."""
        for above in reversed(path.relative_to(self.repository.root).parents):
            place = self.repository.root / above
            if place.is_symlink() or place.is_file():
                place.unlink()
        self.remove(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def remove(self, path: Path) -> None:
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)

    def write(self) -> None:
        self.put(self.path(), self.text(self.new_word()).encode())

    def edit_unseen(self) -> None:
        """Other bytes, the same size and mtime."""
        path = self.a_file()
        if path is None:
            return
        before, text = path.stat(), self.text(word_of(len(self.words))).encode()
        if before.st_size == len(text):
            self.new_word()
            path.write_bytes(text)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def edit_twice(self) -> None:
        """Twice within one tick of the clock, the second time in place."""
        path = self.path()
        self.put(path, self.text(self.new_word()).encode())
        path.write_bytes(self.text(self.new_word()).encode())

    def append(self) -> None:
        path = self.a_file()
        if path is not None:
            with path.open("a") as file:
                file.write(f"# {self.new_word()}\n")

    def delete(self) -> None:
        path = self.a_file()
        if path is not None:
            path.unlink()

    def set_back(self) -> None:
        """An old version comes back with an old mtime, as from an archive."""
        path = self.a_file()
        if path is not None:
            path.write_bytes(self.text(self.new_word()).encode())
            os.utime(path, ns=(LONG_AGO, LONG_AGO))

    def rename(self) -> None:
        path, target = self.a_file(), self.path()
        if path is not None and target.parent.is_dir() and not target.is_dir():
            path.replace(target)

    def rename_folder(self) -> None:
        source, target = (self.repository.root / self.random.choice(FOLDERS[1:]) for _ in range(2))
        free = not target.exists() and not target.is_symlink() and target.parent.is_dir()
        if source.is_dir() and not source.is_symlink() and free and source not in target.parents:
            source.rename(target)

    def folder_for_file(self) -> None:
        path = self.path()
        self.remove(path)
        self.put(path / "inner.py", self.text(self.new_word()).encode())

    def file_for_folder(self) -> None:
        folder = self.repository.root / self.random.choice(FOLDERS[1:])
        self.put(folder, self.text(self.new_word()).encode())

    def link(self) -> None:
        path = self.path()
        if path.parent.is_dir():
            self.remove(path)
            path.symlink_to(self.random.choice(("a.py", "/etc/hostname", "nowhere", "../lib/a.py")))

    def link_folder(self) -> None:
        """A folder becomes a link to another one, inside or outside."""
        folder = self.repository.root / self.random.choice(FOLDERS[1:])
        if folder.parent.is_dir():
            self.remove(folder)
            folder.symlink_to(self.random.choice(("lib", "/etc", "..", "src")))

    def binary(self) -> None:
        self.put(self.path(), b"\0\1" + self.new_word().encode() + b"\n")

    def empty(self) -> None:
        self.put(self.path(), b"")

    def touch(self) -> None:
        path = self.a_file()
        if path is not None:
            os.utime(path)

    def chmod(self) -> None:
        path = self.a_file()
        if path is not None:
            path.chmod(self.random.choice((0o644, 0o755)))

    def settle(self) -> None:
        """Let the clock go on, so that nothing is racy any more."""
        time.sleep(0.02)

    # git

    def git(self, *args: str) -> bool:
        done = self.repository.succeeds(*args)
        conflict = not done and args[0] in _MAY_CONFLICT and bool(self.repository.git("ls-files", "-u"))
        self.outcomes[f"{args[0]} {'done' if done else 'conflict' if conflict else 'refused'}"] += 1
        return done

    def stage(self) -> None:
        self.git("add", "-A" if self.random.random() < 0.5 else "src")

    def unstage(self) -> None:
        self.git("reset", "-q")

    def intend(self) -> None:
        self.write()
        self.git("add", "-N", ".")

    def untrack(self) -> None:
        path = self.a_file()
        if path is not None:
            self.git("rm", "-q", "--cached", "-f", "--", str(path))

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"c{len(self.words)}")

    def amend(self) -> None:
        self.write()
        self.git("add", "-A")
        self.git("commit", "-q", "--amend", "-m", "amended")

    def branches(self) -> list[str]:
        out = self.repository.git("for-each-ref", "--format=%(refname:short)", "refs/heads")
        return out.decode().split()

    def branch(self) -> None:
        self.git("branch", f"b{self.random.randrange(6)}")

    def checkout(self) -> None:
        self.git("checkout", "-q", "-f", self.random.choice([*self.branches(), "HEAD~1", "HEAD~2"]))

    def restore(self) -> None:
        self.git("checkout", "-q", "--", ".")

    def reset_soft(self) -> None:
        self.git("reset", "-q", self.random.choice(("--soft", "--mixed")), "HEAD~1")

    def reset(self) -> None:
        self.git("reset", "-q", "--hard", self.random.choice(("HEAD", "HEAD~1")))

    def stash(self) -> None:
        self.git("stash", "push", "-q", *self.random.choice(([], ["-u"], ["--keep-index"])))

    def stash_pop(self) -> None:
        self.git("stash", "pop", "-q")

    def come_to_rest(self) -> None:
        """Mostly there is nothing that git would not overwrite."""
        if self.random.random() < 0.7:
            self.commit()

    def merge(self) -> None:
        """Conflicts stay for a while, or are given up."""
        self.come_to_rest()
        self.git("merge", "-q", "-m", "merged", self.random.choice(self.branches()))
        if self.random.random() < 0.3:
            self.git("merge", "--abort")

    def rebase(self) -> None:
        self.come_to_rest()
        if not self.git("rebase", "-q", self.random.choice(self.branches())):
            self.git("rebase", self.random.choice(("--abort", "--skip")))
            self.git("rebase", "--abort")

    def cherry_pick(self) -> None:
        self.come_to_rest()
        if not self.git("cherry-pick", self.random.choice(self.branches())) and self.random.random() < 0.7:
            self.git("cherry-pick", "--abort")

    def gc(self) -> None:
        self.git("gc", "-q", "--prune=now")

    def repack(self) -> None:
        self.git("repack", "-q", "-a", "-d")

    def ignore(self) -> None:
        folder = self.repository.root / self.random.choice(FOLDERS[:2])
        if folder.is_dir():
            rule = self.random.choice(("*.log", "build/", "b.txt", "!*.log", "/lib", "deep"))
            with (folder / ".gitignore").open("a") as file:
                file.write(rule + "\n")

    def ignore_less(self) -> None:
        for folder in FOLDERS[:2]:
            path = self.repository.root / folder / ".gitignore"
            if path.is_file() and not path.is_symlink():
                path.write_text(self.random.choice(("", "*.log\n")))

    def exclude(self) -> None:
        path = self.repository.root / ".git" / "info" / "exclude"
        path.write_text(self.random.choice(("", "c.md\n", "docs/\n")))

    def hold_lock(self) -> None:
        """As if git were at work while somebody searches."""
        self.held.touch()
