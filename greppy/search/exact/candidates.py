"""Which files of the index may have a match: the seam between exact search and the trigram index. HOT.

In: a view and what a file must hold. Out: a byte a file, zero where it cannot match; None where nothing is known.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.index.view import View
    from greppy.query.regex.formula import Formula


def candidates(view: View, formula: Formula) -> bytearray | None:
    """A mask over the files of `view`'s manifest. Files that are not indexed are always candidates."""
    if formula.kind == "any":
        return None
    return None
