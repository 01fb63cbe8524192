"""The domains of text: frozen descriptions of what a file is about, how it is known, and what is said in it. Hot path.

In: a path, a language, the kinds of a blob's chunks. Out: the domain's name. A new sort of file is one more
description here, a lexicon, and, where lines are not its structure, a chunker in `greppy.analysis`.
"""

from __future__ import annotations

from greppy.domains.code import CODE
from greppy.domains.docs import DOCS
from greppy.domains.legal import LEGAL
from greppy.domains.logs import LOGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

AUTO = "auto"
DOMAINS = {domain.name: domain for domain in (CODE, DOCS, LEGAL, LOGS)}
_ROUTED = (LEGAL, LOGS, DOCS)
"""In the order in which they claim a file; what none of them claims is code."""


def domain_of(path: bytes, language: str, kinds: Container[str] = ()) -> str:
    """The domain of a file in a language, with chunks of some kinds: content decides first, then the name."""
    for domain in _ROUTED:
        if any(kind in kinds for kind in domain.kinds):
            return domain.name
    for domain in _ROUTED:
        if domain.claims(path, language):
            return domain.name
    return CODE.name
