"""Documentation: Markdown, reStructuredText, AsciiDoc, Org, TeX and plain text, by headings. Hot path."""

from __future__ import annotations

from greppy.domains.description import Domain

DOCS = Domain(
    "docs",
    fields="the heading and the text of a section",
    chunker="greppy.analysis.prose",
    lexicons=("docs", "code"),
    languages=frozenset(("markdown", "rst", "asciidoc", "org", "tex", "text", "html")),
    signs=frozenset(
        (b"doc", b"document", b"readm", b"guid", b"tutori", b"changelog", b"manual", b"handbook", b"howto")
    ),
    preferred=frozenset((b"readme", b"guide", b"docs", b"doc", b"manual", b"handbook", b"tutorial", b"faq")),
)
