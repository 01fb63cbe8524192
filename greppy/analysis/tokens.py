"""Words of text → terms of the index; the same function serves files and queries, so that they meet.

In: a *run*, the maximal sequence of word characters that `greppy.kernels` finds in UTF-8 text (`getURLForID`,
`user_name`, `Größe`, `東京都`). Out: its terms, as bytes:

- ASCII, by `greppy.kernels.ascii_terms`: the whole identifier, its parts, letters and digits of a part, stemmed;
- a word of another script: case-folded after NFKC; Chinese, Japanese and Korean by overlapping pairs of characters.
  Identifiers of such words are cut where a capital follows and at underscores; their whole is a term too.

A term is at most `kernels.LONGEST` bytes; what is longer is cut, in files and queries alike. A `kernels.Inverter`
asks for the terms of other runs than ASCII only. Importable on the hot path.
"""

from __future__ import annotations

from greppy import kernels

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
    return kernels.ascii_terms(run) if run.isascii() else _unicode_terms(run)


def terms_of_text(text: bytes) -> list[tuple[bytes, tuple[bytes, ...]]]:
    """Every run of a UTF-8 text in order, with its terms; runs without terms are left out."""
    pairs = ((run, terms_of_run(run)) for run in kernels.runs(text, 0, len(text)))
    return [(run, terms) for run, terms in pairs if terms]


def _unicode_terms(run: bytes) -> tuple[bytes, ...]:
    word = kernels.fold_word(run)
    return (word,) if word else _normalized_terms(run)


def _normalized_terms(run: bytes) -> tuple[bytes, ...]:
    import unicodedata

    text = unicodedata.normalize("NFKC", run.decode("utf-8", "replace"))
    rest = text[1:]
    # Scripts without case are not lower-case, but nothing in them changes either.
    if (rest.islower() or rest.lower() == rest) and "_" not in text and max(text) < _FIRST_CJK:
        return (_folded(text),)
    terms: list[bytes] = []
    words = [word for piece in text.split("_") for word in _script_words(piece)]
    if len(words) > 1 and not any(_is_cjk(word[0]) for word in words):
        terms.append(_folded("".join(words)))
    for word in words:
        if _is_cjk(word[0]):
            terms += map(str.encode, _pairs(word))
        else:
            terms.append(_folded(word))
    return tuple(dict.fromkeys(term for term in terms if term))


def _script_words(text: str) -> list[str]:
    """Cut where CJK meets another script, and where a lower-case letter meets a capital."""
    if all(map(_is_cjk, text)):
        return [text] if text else []
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
    encoded = folded.encode()
    if len(encoded) == len(folded):
        return kernels.ascii_terms(encoded)[0] if encoded.isalpha() else encoded[: kernels.LONGEST]
    if len(encoded) <= kernels.LONGEST:
        return encoded
    return encoded[: kernels.LONGEST].decode("utf-8", "ignore").encode()


def _pairs(word: str) -> list[str]:
    return [word] if len(word) == 1 else [word[at : at + 2] for at in range(len(word) - 1)]


class _Cjk(dict[str, bool]):
    """Whether a character is Chinese, Japanese or Korean, of those met so far."""

    def __missing__(self, character: str) -> bool:
        point = ord(character)
        self[character] = any(low <= point <= high for low, high in _CJK)
        return self[character]


_is_cjk = _Cjk().__getitem__
