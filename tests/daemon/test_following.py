"""What is saved is found at once, however it was saved; and what changes behind everybody's back, soon."""

from __future__ import annotations

import json
import mmap
import os
import random
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from tests.daemon.conftest import Site, eventually, told

if TYPE_CHECKING:
    from collections.abc import Callable


def finds(site: Site, word: str) -> set[str]:
    document = json.loads(site.run("search", word, "--json", "--limit", "100").stdout)
    return {result["path"] for result in document["results"] if word in result["content"]}


def warm(site: Site) -> Site:
    """Both workers have seen the project."""
    for _ in range(6):
        site.run("search", "session")
    return site


def test_every_way_of_saving_is_seen_by_the_next_search(served: Site) -> None:
    warm(served)
    path = served.project / "src/session.py"

    def rename_over(text: str) -> None:
        temporary = served.write("src/.session.swp", text)
        temporary.replace(path)

    def append(text: str) -> None:
        with path.open("a") as file:
            file.write(text)

    def keep_times(text: str) -> None:
        before = path.stat()
        path.write_text(text)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def by_link(text: str) -> None:
        path.unlink()
        other = served.folder / "elsewhere.py"
        other.write_text(text)
        os.link(other, path)

    def at_offset(text: str) -> None:
        fd = os.open(path, os.O_WRONLY)
        os.pwrite(fd, text.encode(), 0)
        os.ftruncate(fd, len(text))
        os.close(fd)

    ways: list[Callable[[str], object]] = [path.write_text, rename_over, append, keep_times, by_link, at_offset]
    for number, way in enumerate(ways):
        word = f"zebra{'abcdef'[number]}quartz"
        way(f"def {word}(): pass\n")
        assert finds(served, word) == {"src/session.py"}, way


def test_new_folders_renames_and_removals_are_seen(served: Site) -> None:
    warm(served)
    served.write("new/deep/er/file.py", "def zebraquartz(): pass\n")
    assert finds(served, "zebraquartz") == {"new/deep/er/file.py"}
    (served.project / "new").rename(served.project / "moved")
    assert finds(served, "zebraquartz") == {"moved/deep/er/file.py"}
    served.write("moved/deep/er/file.py", "def otherword(): pass\n")
    assert finds(served, "zebraquartz") == set()
    assert finds(served, "otherword") == {"moved/deep/er/file.py"}
    shutil.rmtree(served.project / "moved")
    assert finds(served, "otherword") == set()


def test_rules_and_the_staging_area_are_seen(served: Site) -> None:
    warm(served)
    served.write("build/out.py", "def zebraquartz(): pass\n")
    assert finds(served, "zebraquartz") == {"build/out.py"}
    served.write(".gitignore", "build/\n")
    assert finds(served, "zebraquartz") == set()
    served.git("add", "-f", "build/out.py")
    assert finds(served, "zebraquartz") == {"build/out.py"}


def test_a_commit_changes_what_differs_from_head(served: Site) -> None:
    warm(served)
    served.write("src/session.py", "def validate_session(): pass\n")
    for _ in range(3):
        same_as_direct(served, "search", "session", "--json")
    served.git("commit", "-q", "-a", "-m", "d")
    for _ in range(3):
        same_as_direct(served, "search", "session", "--json")


def same_as_direct(site: Site, *argv: str) -> None:
    assert told(site.run(*argv)) == told(site.direct(*argv))


def test_a_store_through_a_mapping_is_seen_soon(served: Site) -> None:
    path = served.write("src/mapped.py", "def zebraaquartz(): pass\n" * 300)
    warm(served)
    assert finds(served, "zebraaquartz") == {"src/mapped.py"}
    fd = os.open(path, os.O_RDWR)
    with mmap.mmap(fd, 0) as mapped:
        os.close(fd)
        finds(served, "zebraaquartz")
        time.sleep(0.05)
        mapped[:] = b"def zebrabquartz(): pass\n" * 300
        mapped.flush()
    if "zebrabquartz" not in served.direct("grep", "-h", "zebrabquartz").stdout.decode():
        pytest.skip("this file system does not tell of stores through mappings")
    eventually(lambda: finds(served, "zebrabquartz") == {"src/mapped.py"})


def test_the_index_follows_every_save_without_a_search(served: Site) -> None:
    warm(served)
    served.write("src/late.py", "def zebraquartz(): pass\n")
    eventually(lambda: b"src/late.py" in served.direct("search", "zebraquartz", "--no-refresh").stdout)


def test_a_project_under_watch_paths_is_followed_before_anybody_asks(site: Site) -> None:
    (site.home / "config.toml").write_text(f'[watch]\npaths = ["{site.project}"]\n')
    site.write("src/late.py", "def zebraquartz(): pass\n")
    site.start()
    eventually(lambda: b"src/late.py" in site.direct("search", "zebraquartz", "--no-refresh").stdout)


def test_folders_that_are_ignored_are_not_watched(served: Site) -> None:
    served.write(".gitignore", "node_modules/\n")
    for number in range(200):
        served.write(f"node_modules/{number}/index.js", "session\n")
    warm(served)
    (project,) = served.status()["projects"]
    assert project["freshness"] == "events"
    assert project["folders_watched"] < 10


def test_a_storm_of_events_is_survived(served: Site) -> None:
    for number in range(400):
        served.write(f"many/{number % 7}/{number}.py", f"def word{number}(): pass\n")
    served.git("add", "-A")
    served.git("commit", "-q", "-m", "many")
    warm(served)
    for _ in range(2):
        served.git("checkout", "-q", "HEAD~1")
        assert finds(served, "word7") == set()
        served.git("checkout", "-q", "main")
        assert "many/0/7.py" in finds(served, "word7")
    same_as_direct(served, "grep", "-c", "word")


@pytest.mark.parametrize("seed", [1, 2])
def test_after_every_random_step_the_daemon_says_what_the_program_says(served: Site, seed: int) -> None:
    source = random.Random(seed)
    names = [f"{folder}{name}" for folder in ("", "src/", "src/deep/", "lib/") for name in ("a.py", "b.py", "c.log")]
    words = [f"zebra{letter}quartz" for letter in "abcdefgh"]

    def write() -> None:
        path = served.project / source.choice(names)
        if not any(above.is_file() for above in path.parents):
            served.write(os.path.relpath(path, served.project), f"def {source.choice(words)}():\n    pass\n")

    def remove() -> None:
        path = served.project / source.choice(names)
        path.unlink(missing_ok=True)

    def remove_folder() -> None:
        shutil.rmtree(served.project / source.choice(["src/deep", "lib"]), ignore_errors=True)

    def move_folder() -> None:
        for one, other in (("lib", "src/deep"), ("src/deep", "lib")):
            if (served.project / one).is_dir() and not (served.project / other).exists():
                (served.project / other).parent.mkdir(exist_ok=True)
                (served.project / one).rename(served.project / other)
                return

    def ignore() -> None:
        served.write(".gitignore", source.choice(["", "*.log\n", "lib/\n"]))

    def commit() -> None:
        served.git("add", "-A")
        served.git("commit", "-q", "--allow-empty", "-m", "c")

    def touch() -> None:
        path = served.project / source.choice(names)
        if path.exists():
            os.utime(path, ns=(10**18, 10**18))

    steps = [write, write, write, remove, remove_folder, move_folder, ignore, commit, touch]
    for _ in range(25):
        done = [source.choice(steps) for _ in range(source.randrange(1, 4))]
        for step in done:
            step()
        word = source.choice(words)
        for argv in (["search", word, "--json"], ["grep", word]):
            through = told(served.run(*argv))
            assert through == told(served.direct(*argv)), [step.__name__ for step in done]
    assert served.status()["failed"] == 0
