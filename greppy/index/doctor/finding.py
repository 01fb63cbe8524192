"""What a check of `doctor` is and finds (cold).

In: nothing. Out: the types. A check looks at one thing and changes nothing; each of its findings is one line for the
user, and may carry the repair that `--fix` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from greppy.config import Config
    from greppy.git.project import Project

OK, WARN, FAIL = "ok", "warn", "FAIL"
"""Fine; worth a look, answers are right all the same; wrong."""


class Place(NamedTuple):
    """What is examined: a home folder with its configuration, and the project of the current folder if there is one.

    `trouble` says what is wrong with config.toml, of which `config` then has nothing.
    """

    home: bytes
    config: Config
    project: Project | None = None
    trouble: str = ""


class Finding(NamedTuple):
    """`topic` is what was looked at, `advice` what to do next; `repair` does it and says what was done.

    A repair raises `GreppyError` or OSError when it cannot be made.
    """

    topic: str
    state: str
    message: str
    advice: str = ""
    repair: Callable[[], str] | None = None


class Outcome(NamedTuple):
    """A finding and what became of it: `fixed` says what was done, `failed` why it could not be."""

    finding: Finding
    fixed: str = ""
    failed: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether something is wrong still."""
        return self.finding.state == FAIL and not self.fixed


Check = Callable[[Place], Iterator[Finding]]
