"""Which domain a file belongs to."""

from __future__ import annotations

import importlib

import pytest

from greppy.domains import DOMAINS, domain_of


@pytest.mark.parametrize(
    ("path", "language", "kinds", "domain"),
    [
        (b"src/auth.py", "python", (), "code"),
        (b"data/x.json", "json", (), "code"),
        (b"docs/guide.md", "markdown", ("section",), "docs"),
        (b"notes.txt", "text", ("text",), "docs"),
        (b"LICENSE", "text", ("text",), "legal"),
        (b"legal/x.md", "markdown", ("section",), "legal"),
        (b"privacy-policy.html", "html", (), "legal"),
        (b"policy.py", "python", (), "code"),
        (b"a/contract.txt", "text", ("clause",), "legal"),
        (b"whatever.txt", "text", ("clause",), "legal"),
        (b"whatever.txt", "text", ("entries",), "logs"),
        (b"var/app.log", "text", ("text",), "logs"),
        (b"log/x", "text", ("text",), "logs"),
        (b"log/x.py", "python", (), "code"),
        (b"catalog.txt", "text", (), "docs"),
    ],
)
def test_content_decides_first_and_then_the_name(
    path: bytes, language: str, kinds: tuple[str, ...], domain: str
) -> None:
    assert domain_of(path, language, kinds) == domain


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=lambda domain: domain.name)
def test_a_description_names_a_chunker_that_there_is(domain: object) -> None:
    assert importlib.import_module(domain.chunker)  # type: ignore[attr-defined]
