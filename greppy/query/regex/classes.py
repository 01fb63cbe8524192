"""Sets of characters that patterns have names for: `\\w`, `[[:alpha:]]` and the like.

In: nothing. Out: tables of code point ranges, and of what belongs to them beyond ASCII in RE2's terms.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.query.regex.tree import Range

LAST = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)
"""No characters for the C library; RE2 takes their three bytes for some."""

DIGITS: list[Range] = [(0x30, 0x39)]
SPACES: list[Range] = [(0x09, 0x0D), (0x20, 0x20)]
WORDS: list[Range] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
SHORTHANDS = {"d": DIGITS, "s": SPACES, "w": WORDS}
NAMED: dict[str, list[Range]] = {
    "alnum": [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)],
    "alpha": [(0x41, 0x5A), (0x61, 0x7A)],
    "ascii": [(0, 0x7F)],
    "blank": [(0x09, 0x09), (0x20, 0x20)],
    "cntrl": [(0, 0x1F), (0x7F, 0x7F)],
    "digit": DIGITS,
    "graph": [(0x21, 0x7E)],
    "lower": [(0x61, 0x7A)],
    "print": [(0x20, 0x7E)],
    "punct": [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
    "space": SPACES,
    "upper": [(0x41, 0x5A)],
    "word": WORDS,
    "xdigit": [(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
}


_VISIBLE = [f"\\p{{{category}}}" for category in ("L", "M", "N", "P", "S", "Cf", "Co")]
_BLANKS = "\\x{1680}\\x{2000}-\\x{2006}\\x{2008}-\\x{200A}\\x{205F}\\x{3000}"
_BEYOND = {
    "blank": [_BLANKS],
    "cntrl": ["\\x{80}-\\x{9F}\\x{2028}\\x{2029}"],
    "graph": [*_VISIBLE, "\\x{A0}\\x{2007}\\x{202F}"],
    "print": [*_VISIBLE, "\\p{Zs}"],
    "space": [_BLANKS, "\\x{2028}\\x{2029}"],
}


def beyond(name: str) -> list[str]:
    """What a class of glibc's has beyond ASCII, in RE2's terms, so that a pattern finds what git grep finds."""
    if name in ("lower", "upper"):
        return ["\\p{Ll}" if name == "lower" else "\\p{Lu}"]
    if name in _BEYOND:
        return _BEYOND[name]
    if name not in ("alnum", "alpha", "punct", "word"):
        return []
    from greppy.query.regex.marks import LETTERS, PUNCTUATION

    if name == "punct":
        categories = ("P", "Sc", "Sk", "Sm", "No", "Cf", "Co")
        return [*(f"\\p{{{category}}}" for category in categories), "\\x{A0}\\x{2007}\\x{202F}", PUNCTUATION]
    return ["\\p{L}", "\\p{Nl}", LETTERS, *([] if name == "alpha" else ["\\p{Nd}"])]


def complement(ranges: list[Range]) -> list[Range]:
    """Every code point that is in none of `ranges`."""
    found, start = [], 0
    for low, high in sorted(ranges):
        if low > start:
            found.append((start, low - 1))
        start = max(start, high + 1)
    if start <= LAST:
        found.append((start, LAST))
    return found


def without_newline(ranges: list[Range]) -> list[Range]:
    """`ranges` but for the line feed."""
    found = []
    for low, high in ranges:
        if low <= 10 <= high:
            found += [piece for piece in ((low, 9), (11, high)) if piece[0] <= piece[1]]
        else:
            found.append((low, high))
    return found


def capital(char: str) -> str:
    """What the C library takes an end of a range for where case is ignored: `[A-z]` is `[A-Z]` then."""
    return char.upper() if char.isascii() else char
