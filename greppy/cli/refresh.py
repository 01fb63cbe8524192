"""What a hook shim runs behind git's back: no verb, and nothing that a person calls. Cold.

In: `$GREPPY_HOME/hooks/queue`. Out: fresh indexes. Exists beside the verbs because a rebase calls hooks faster than
Python starts: whoever is not the first has to find that out before he imports anything.
"""

from __future__ import annotations

import os

from greppy.cli.environment import read_environment
from greppy.index.calls import Lease, gather, waiting

_NICE = 10
_START_SECONDS = 60.0
"""Longer than starting and gathering take on a slow machine."""


def main() -> None:
    """Refresh what hooks asked for until nothing is left, unless another process does."""
    environment = read_environment()
    folder = environment.home + b"/hooks"
    while environment.background and os.path.isdir(folder) and waiting(folder):
        lease = Lease(folder)
        with lease as held:
            if not held:
                return
            lease.extend(_START_SECONDS)
            _serve(environment.home, lease)


def _serve(home: bytes, lease: Lease) -> None:
    os.nice(_NICE)  # what follows is most of the work of a small refresh
    from greppy.index.refresher import refresh_all, settle

    settle(home, lease.holds)
    refresh_all(gather(home + b"/hooks"), home, lease.extend)
