"""Scripts inside component files (Vue, Svelte): the file in, its script with everything else blanked out.

The result has the same offsets and lines, so that the outline of the script is one of the file.
"""

from __future__ import annotations

import re

LANGUAGES = frozenset(("vue", "svelte"))

_SCRIPT = re.compile(rb"<script\b([^>]*)>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_NOT_LINE_END = re.compile(rb"[^\n]+")


def script_of(text: bytes) -> tuple[bytes, str]:
    """The blanked text, and the language of its scripts: "typescript" if any says `lang="ts"`, else "javascript"."""
    pieces: list[bytes] = []
    at, language = 0, "javascript"
    for match in _SCRIPT.finditer(text):
        pieces += [_blanked(text[at : match.start(2)]), match.group(2)]
        at = match.end(2)
        if b"ts" in match.group(1):
            language = "typescript"
    pieces.append(_blanked(text[at:]))
    return b"".join(pieces), language


def _blanked(text: bytes) -> bytes:
    return _NOT_LINE_END.sub(lambda match: b" " * len(match.group()), text)
