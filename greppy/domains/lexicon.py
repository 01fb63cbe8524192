"""Words that mean what another word means: a query's word in, its relatives in a domain's lexicon out. Hot path.

A lexicon is a text of lines, read as it is and never parsed as a whole, since a search has a millisecond for all of
this: the lines with a word are found by its letters::

    cfg = config configuration      each of the words stands for the others
    auth login > jwt session        who asks for a word on the left may mean one on the right
    # a comment

A word of several parts is written `material_breach`; nothing is looked up by it. Words meet by their stems, as in an
index.
"""

from __future__ import annotations

import os

from greppy.analysis.tokens import terms_of_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Meaning = tuple[bytes, bytes, bytes, float]

FOLDER = os.path.join(os.path.dirname(__file__), "lexicons")
SAME, MEANS = "=", ">"
MOST_LEXICONS = 16
MOST_KNOWN = 2000
"""Lexicons and, of each, words that are remembered."""

_EMPTY_PARTS = frozenset((b"of", b"for", b"as", b"is", b"no", b"the", b"to", b"by", b"out", b"in"))


def read_lexicon(names: Sequence[str], more: Sequence[str] = ()) -> Lexicon:
    """The lexicons of these names as one, with lines of the user's own before them."""
    return _lexicon((tuple(names), tuple(more)))


class _Lexicons(dict[tuple[tuple[str, ...], tuple[str, ...]], "Lexicon"]):
    """Those that were read so far: the files are the program's own, and do not change under it."""

    def __missing__(self, key: tuple[tuple[str, ...], tuple[str, ...]]) -> Lexicon:
        names, more = key
        parts = ["\n".join(more).lower().encode("utf-8", "replace")]
        for name in names:
            with open(os.path.join(FOLDER, name + ".txt"), "rb") as file:
                parts.append(file.read())
        if len(self) >= MOST_LEXICONS:
            self.clear()
        self[key] = Lexicon(b"\n".join(parts))
        return self[key]


_lexicon = _Lexicons().__getitem__


class Lexicon:
    """Look-ups in the text of lexicons; the last ones are remembered."""

    __slots__ = ("_known", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = b" \n " + text.replace(b"\n", b" \n ") + b" \n "
        self._known: dict[bytes, tuple[Meaning, ...]] = {}

    def meanings(self, stem: bytes) -> tuple[Meaning, ...]:
        """(term, word, entry, share) for each of the `relatives` of a stemmed word; one of several parts comes as each
        part that says something, with its share."""
        known = self._known.get(stem)
        if known is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[stem] = tuple(self._meanings(stem))
        return known

    def _meanings(self, stem: bytes) -> Iterator[Meaning]:
        for word, entry in self.relatives(stem):
            parts = [part for part in word.split(b"_") if part not in _EMPTY_PARTS]
            for part in parts:
                for term in terms_of_run(part)[:1]:
                    yield term, part, entry, 1 / len(parts)

    def relatives(self, stem: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(word, entry) for each relative of a stemmed word, in the order of the lexicon; the entry is the word of the
        lexicon by which it was found."""
        for line, entry in self._lines(stem):
            words = line.split()
            if SAME.encode() in words[1:2]:
                related = [word for word in (words[0], *words[2:]) if word != entry]
            elif MEANS.encode() in words and entry in words[: words.index(MEANS.encode())]:
                related = words[words.index(MEANS.encode()) + 1 :]
            else:
                continue
            for word in related:
                yield word, entry

    def _lines(self, stem: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The lines with a word of this stem, and the word."""
        text = self._text
        needle = b" " + _beginning(stem)
        at = text.find(needle)
        while at >= 0:
            word = text[at + 1 : text.find(b" ", at + 1)]
            if stem in terms_of_run(word)[:1]:
                line = text[text.rfind(b"\n", 0, at) + 1 : text.find(b"\n", at)]
                if not line.startswith(b" #"):
                    yield line, word
            at = text.find(needle, at + 1)


def _beginning(stem: bytes) -> bytes:
    """What every word with this stem begins with: Porter's algorithm replaces a last letter at most."""
    return stem[:-1] if len(stem) > 1 and stem.endswith((b"e", b"i", b"bl")) else stem
