"""Words of text → terms of the index; the same function serves files and queries, so that they meet.

In: a *run*, the maximal sequence of word characters that `greppy.kernels` finds in UTF-8 text (`getURLForID`,
`user_name`, `Größe`, `東京都`). Out: its terms, as bytes:

- an identifier of several parts: the whole (`geturlforid`), then each part (`get`, `url`, `for`, `id`). The whole is
written
  without underscores and is stemmed, so that `user_name`, `userName` and `username` are one term;
- a part with digits: as it stands, and its letters and its digits where they are two or more (`sha256` → `sha256`,
`sha`, `256`);
- a word of another script: case-folded after NFKC; Chinese, Japanese and Korean by overlapping pairs of characters.

Parts and words are stemmed (`greppy.analysis.stem`). A term is at most `LONGEST` bytes; what is longer is cut, in
files and queries alike. Importable on the hot path.
"""

from __future__ import annotations

from greppy import kernels
from greppy.analysis.stem import stem

LONGEST = 64
"""Bytes of a term. Longer runs are encoded data or generated names; their beginnings tell them apart well enough."""

MOST_PARTS = 16
"""Parts of one run that become terms. No hand-written identifier that we met has more."""

_FIRST_CJK = "\u2e80"
_CJK = (
    (0x2E80, 0x2FDF),  # radicals
    (0x3041, 0x30FF),  # kana
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),  # Han
    (0xAC00, 0xD7A3),  # Hangul syllables
    (0xF900, 0xFAFF),  # Han, compatibility
    (0x20000, 0x3FFFF),  # Han, further extensions
)


def terms_of_run(run: bytes) -> tuple[bytes, ...]:
    """The distinct terms of one run, the whole first. Empty when nothing but underscores is in it."""
    if not run.isascii():
        return _unicode_terms(run)
    parts = kernels.split_identifier(run[: LONGEST * 4])
    if len(parts) == 1:
        return _part_terms(parts[0])
    terms = [_stemmed(b"".join(parts))] if parts else []
    for part in parts[:MOST_PARTS]:
        if len(part) > 1:
            terms.extend(_part_terms(part))
    return tuple(dict.fromkeys(terms))


def terms_of_text(text: bytes) -> list[tuple[bytes, tuple[bytes, ...]]]:
    """Every run of a UTF-8 text in order, with its terms; runs without terms are left out."""
    pairs = ((run, terms_of_run(run)) for run in kernels.runs(text, 0, len(text)))
    return [(run, terms) for run, terms in pairs if terms]


def _part_terms(part: bytes) -> tuple[bytes, ...]:
    """The terms of one lower-case part: itself, stemmed; with digits also its letters and its digits."""
    if part.isalpha() or part.isdigit():
        return (_stemmed(part),)
    letters = part.rstrip(b"0123456789")
    digits = part[len(letters) :]
    terms = [part[:LONGEST]]
    if len(letters) > 1 and digits:
        terms.append(_stemmed(letters))
    if len(digits) > 1:
        terms.append(digits[:LONGEST])
    return tuple(terms)


class _Stems(dict[bytes, bytes]):
    """Stems of the words met so far: source code repeats its words, and stemming costs ten times a look-up."""

    def __missing__(self, word: bytes) -> bytes:
        found = self[word] = stem(word[:LONGEST].decode("ascii")).encode("ascii")
        return found


_stemmed = _Stems().__getitem__


def _unicode_terms(run: bytes) -> tuple[bytes, ...]:
    import unicodedata

    text = unicodedata.normalize("NFKC", run.decode("utf-8", "replace"))
    if max(text) < _FIRST_CJK and text[1:].islower() and "_" not in text:
        return (_folded(text),)
    terms: list[bytes] = []
    words = [word for piece in text.split("_") for word in _script_words(piece)]
    if len(words) > 1 and not any(_is_cjk(word[0]) for word in words):
        terms.append(_folded("".join(words)))
    for word in words:
        if _is_cjk(word[0]):
            terms.extend(pair.encode() for pair in _pairs(word))
        else:
            terms.append(_folded(word))
    return tuple(dict.fromkeys(term for term in terms if term))


def _script_words(text: str) -> list[str]:
    """Cut where CJK meets another script, and where a lower-case letter meets a capital."""
    words: list[str] = []
    start = 0
    for at in range(1, len(text)):
        before, here = text[at - 1], text[at]
        if _is_cjk(before) != _is_cjk(here) or (here.isupper() and not before.isupper() and before.isalnum()):
            words.append(text[start:at])
            start = at
    if start < len(text):
        words.append(text[start:])
    return words


def _folded(word: str) -> bytes:
    folded = word.casefold()
    if folded.isascii():
        return _stemmed(folded.encode())
    return folded.encode()[:LONGEST].decode("utf-8", "ignore").encode()


def _pairs(word: str) -> list[str]:
    return [word] if len(word) == 1 else [word[at : at + 2] for at in range(len(word) - 1)]


def _is_cjk(character: str) -> bool:
    point = ord(character)
    return point >= 0x2E80 and any(low <= point <= high for low, high in _CJK)
