"""Contracts, licences, policies: numbered clauses and defined terms in plain text. Hot path."""

from __future__ import annotations

from greppy.domains.description import Domain

LEGAL = Domain(
    "legal",
    fields="the number and title of a clause, the terms that it defines, its text",
    chunker="greppy.analysis.legal",
    lexicons=("legal",),
    languages=frozenset(("text", "markdown", "rst", "asciidoc", "html", "tex")),
    kinds=frozenset(("clause",)),
    stems=frozenset(
        b"license licence licenses licences licensing copying copyright contract contracts agreement agreements terms "
        b"tos eula nda msa sla dpa privacy legal notice gdpr gpl lgpl agpl".split()
    ),
    folders=frozenset((b"legal", b"contracts", b"licenses", b"licences", b"agreements", b"policies")),
    # Stems, so that `terminate` and `termination` are one; words that code is full of are not among them.
    signs=frozenset(
        b"claus contract agreement licens licenc licensor license liabil liabl indemnif indemn warranti warrant breach "
        b"terminat arbitr jurisdict confidenti tenant landlord royalti sublicens gdpr complianc complii lawyer legal "
        b"govern law copyright trademark patent parti negligen damag severabl waiver nda".split()
    ),
    signs_needed=2,
    preferred=frozenset((b"license", b"copying", b"contract", b"agreement", b"terms", b"policy", b"legal")),
)
