"""Source code, with the data and markup that belong to it. Hot path."""

from __future__ import annotations

from greppy.domains.description import Domain

CODE = Domain(
    "code",
    fields="the name, the head, the comments and the body of a definition",
    chunker="greppy.analysis.cutting",
    lexicons=("code",),
    preferred=frozenset((b"src", b"lib", b"core", b"pkg", b"internal", b"app")),
)
