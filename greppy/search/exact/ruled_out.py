"""Which blobs of git cannot match, as far as the index knows them: revisions are searched without reading these. Cold
path.

In: a project and what a file must hold. Out: hashes. Every shard of the project's index counts, whatever working tree
or revision it was made for, since trigrams are of a blob's bytes alone; blobs that no shard has are not spoken of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from greppy.errors import DamagedIndex
from greppy.git.replaced import replacements
from greppy.index import format as layout
from greppy.index.shelf import Shelf
from greppy.index.trigrams import blobs_that_may_hold
from greppy.index.view import store_of
from greppy.search.exact.candidates import for_kernels

if TYPE_CHECKING:
    from greppy.git.project import Project
    from greppy.index.shard import Shard
    from greppy.query.regex.formula import Formula


def ruled_out(project: Project, home: bytes, formula: Formula) -> set[bytes]:
    """The hashes, in hexadecimal, of blobs that cannot satisfy the formula."""
    shelf = Shelf(store_of(project, home))
    shelf.adopt_others()
    found: set[bytes] = set()
    if formula.kind != "any":
        for shard in shelf.shards():
            found |= _of_shard(shard, formula)
    # What another blob stands in for is known by a content that it does not have.
    return found.difference(replacements(project)) if found else found


def _of_shard(shard: Shard, formula: Formula) -> set[bytes]:
    """None of a damaged one: it will be repaired when it is searched."""
    try:
        possible = set(blobs_that_may_hold(shard, for_kernels(formula)))
        oids = shard.column(layout.OIDS).hex().encode("ascii")
    except DamagedIndex:
        return set()
    width = len(oids) // max(shard.blobs, 1)
    return {oids[width * blob : width * (blob + 1)] for blob in range(shard.blobs) if blob not in possible}
