"""Words in scripts of letters that UTF-8 has in two bytes: Latin with accents, Greek, Cyrillic, Hebrew, Arabic.

A run goes in, the word in lower case comes out: it is the only term of the run, as `greppy.analysis.tokens` would find
with much more work, since no normalisation changes these letters, whatever stands beside them, and folding their case
is one addition. Translations have a hundred thousand such words.
"""

from __future__ import annotations

from greppy.kernels.codes import LONGEST

_LETTERS = (
    *((0x0E0, 0x0F6, 1, 0x20), (0x0F8, 0x0FE, 1, 0x20), (0x101, 0x12F, 2, 1), (0x135, 0x137, 2, 1)),
    *((0x13A, 0x13E, 2, 1), (0x142, 0x148, 2, 1), (0x14B, 0x177, 2, 1), (0x17A, 0x17E, 2, 1)),
    *((0x3AC, 0x3AC, 1, 0x26), (0x3AD, 0x3AF, 1, 0x25), (0x3B1, 0x3C1, 1, 0x20), (0x3C3, 0x3CB, 1, 0x20)),
    *((0x3CC, 0x3CC, 1, 0x40), (0x3CD, 0x3CE, 1, 0x3F), (0x430, 0x44F, 1, 0x20), (0x450, 0x45F, 1, 0x50)),
    *((0x48B, 0x4BF, 2, 1), (0x4D1, 0x52F, 2, 1), (0x5D0, 0x5EA, 1, 0), (0x620, 0x64A, 1, 0), (0x679, 0x6D3, 1, 0)),
)
"""Lower-case letters: the first and the last of them, the step from one to the next, and how far below each its capital
stands (0: there is none). Left out are those that normalisation composes or takes apart, or that fold to others."""


def fold_word(run: bytes, /) -> bytes:
    """The run in lower case if it has such letters, and ASCII ones, alone, the first of which may be a capital; empty
    if not, and for more than `LONGEST` bytes."""
    try:
        text = run.decode("utf-8")
    except UnicodeDecodeError:
        return b""
    letters = [_letter(character, at == 0) for at, character in enumerate(text)]
    return "".join(letters).encode() if all(letters) and len(run) <= LONGEST else b""


def _letter(character: str, may_be_capital: bool) -> str:
    """The lower-case letter; "" for what is none of these."""
    code = ord(character)
    if code < 0x80:
        lower = character.lower() if may_be_capital else character
        return lower if "a" <= lower <= "z" else ""
    for first, last, step, capital in _LETTERS:
        if code in range(first, last + 1, step):
            return character
        if may_be_capital and capital and code + capital in range(first, last + 1, step):
            return chr(code + capital)
    return ""
