"""What options that several verbs have mean. HOT.

In: a `Parsed`. Out: plain values for a request; BadArguments for what contradicts itself.
"""

from __future__ import annotations

import os

from greppy.errors import BadArguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.cli.parse import Parsed


def read_since(parsed: Parsed) -> bytes:
    """The revision that files must differ from; b"" for none. Raises BadArguments for two."""
    since = parsed.text("since")
    if not parsed.flag("changed"):
        return b"" if since is None else os.fsencode(since)
    if since is not None:
        raise BadArguments("--changed means --since HEAD", "give only one of them")
    return b"HEAD"
