"""Checks of what the program runs on: its compiled parts, git, grammars (cold)."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator

from greppy import __version__, kernels
from greppy.analysis import grammars
from greppy.errors import GreppyError
from greppy.git.plumbing import run
from greppy.index.doctor.finding import FAIL, OK, WARN, Finding, Place

OLDEST_GIT = (2, 25)


def check_kernels(_place: Place) -> Iterator[Finding]:
    """Whether the inner loops are compiled, and if not, why."""
    version = f"greppy {__version__}, Python {platform.python_version()}"
    if kernels.compiled:
        yield Finding("kernels", OK, f"compiled ({version})")
        return
    advice = "answers are the same, slower; install a wheel, or a C compiler before installing"
    yield Finding("kernels", WARN, f"in Python: {kernels.why} ({version})", advice)


def check_git(place: Place) -> Iterator[Finding]:
    """Whether there is a git, and one that is new enough."""
    try:
        said = run(place.home if place.project is None else place.project.root, ["version"], timeout=20)
    except GreppyError as error:
        state = WARN if place.project is None or place.project.git_dir is None else FAIL
        yield Finding("git", state, error.message, error.hint)
        return
    found = re.search(rb"(\d+)\.(\d+)[\w.]*", said)
    name = said.decode("utf-8", "replace").strip()
    if found is None or (int(found[1]), int(found[2])) < OLDEST_GIT:
        yield Finding("git", WARN, name, "install git {}.{} or later".format(*OLDEST_GIT))
    else:
        yield Finding("git", OK, name)


def check_grammars(_place: Place) -> Iterator[Finding]:
    """Whether the grammar of every language whose structure is known loads here."""
    names = grammars.known()
    broken = {name: grammars.failures()[name] for name in names if grammars.load(name) is None}
    for name, why in broken.items():
        advice = "its files are searched by windows of lines; install tree-sitter-language-pack 0.13 anew"
        yield Finding("grammars", WARN, f"{name} does not load: {why}", advice)
    if not broken:
        yield Finding("grammars", OK, f"{len(names)} languages load")
