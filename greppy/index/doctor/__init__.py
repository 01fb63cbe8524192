"""`doctor`: every check, and the repair of what they find (cold).

In: a `Place`. Out: an `Outcome` a finding, as soon as it is known. `CHECKS` are those of what lies here and below; the
command line adds those of the layers above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from greppy.errors import GreppyError
from greppy.index.doctor.finding import Check, Outcome, Place
from greppy.index.doctor.home import check_configuration, check_disk, check_home, check_leftovers
from greppy.index.doctor.indexes import check_indexes
from greppy.index.doctor.machine import check_git, check_grammars, check_kernels
from greppy.index.doctor.project import check_hook_calls, check_project

CHECKS: tuple[Check, ...] = (
    check_kernels,
    check_git,
    check_grammars,
    check_home,
    check_disk,
    check_configuration,
    check_leftovers,
    check_indexes,
    check_hook_calls,
    check_project,
)


def examine(place: Place, checks: Sequence[Check], fix: bool) -> Iterator[Outcome]:
    """Make the checks in their order; with `fix` each repair is made before the next check."""
    for check in checks:
        for finding in check(place):
            if not fix or finding.repair is None:
                yield Outcome(finding)
                continue
            try:
                yield Outcome(finding, fixed=finding.repair())
            except GreppyError as error:
                yield Outcome(finding, failed=f"{error.message}; {error.hint}" if error.hint else error.message)
            except OSError as error:
                yield Outcome(finding, failed=str(error))
