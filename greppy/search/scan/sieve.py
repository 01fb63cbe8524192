"""Which text may hold a term of a plan, and which lines of it: no more is looked at word by word.

In: a plan. Out: a `Sieve`. It may let pass what holds no term and never holds back what does (`tests/scan` proves it
against `greppy.analysis.tokens`), so it has to think of everything that makes a term of text:

- a stem may differ from its word in the last letter (`needle_of`);
- the parts of `user_name` are also one term together, `usernam`;
- some characters become ASCII letters by NFKC and case folding (long s, full-width letters): `_BECOME_ASCII`;
- a term that is not ASCII may be written in many ways: then any text that is not ASCII passes;
- UTF-16, and bytes that are no UTF-8, are made UTF-8 before words are looked for (`greppy.analysis.encoding`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from greppy import kernels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from greppy.query.plan import Plan

_BECOME_ASCII = (
    r"\x{aa}\x{ba}\x{df}\x{130}\x{132}\x{133}\x{13f}\x{140}\x{149}\x{17f}\x{1c4}-\x{1cc}\x{1f0}-\x{1f3}"  # Latin
    r"\x{2b0}-\x{2b8}\x{2e1}-\x{2e3}\x{1d2c}-\x{1d65}\x{1d9c}-\x{1dbb}\x{107a5}"  # raised and lowered letters
    r"\x{1e96}-\x{1e9e}\x{2c7c}\x{2c7d}\x{a7f2}-\x{a7f4}\x{fb00}-\x{fb06}"  # more Latin, ligatures
    r"\x{3250}-\x{325f}\x{32b1}-\x{32cf}\x{3358}-\x{33ff}"  # squares and circles with letters in them
    r"\x{ff10}-\x{ff5a}"  # full width
    r"\x{1d400}-\x{1d7ff}\x{1fbf0}-\x{1fbf9}"  # mathematical
)
"""Letters (for a class of a regular expression) whose form by NFKC and case folding has an ASCII letter or digit."""

_ALONE = rb"(?:^|[\x00-\x7f])[\xaa\xba\xdf]"
"""Those of them that a byte which is no UTF-8 can stand for: ª, º and ß in Latin-1."""

UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MEMORY = 1 << 26


def needle_of(term: bytes) -> bytes:
    """What every word with this term begins with, but for case, underscores and characters that are not ASCII.

    Porter's algorithm cuts letters off, and what it puts in their place is, in the end, one letter: `hope` of `hoping`,
    `happi` of `happy`, `usabl` of `usability`. `term` is ASCII.
    """
    term = term[: kernels.LONGEST]
    if term.isalpha() and term.endswith((b"e", b"i", b"bl")):
        return term[: max(1, len(term) - 1)]
    return term


class Sieve:
    """What a plan's terms look like in text."""

    __slots__ = ("_alone", "_needles", "_odd", "_shortest", "_terms", "_unicode", "_written")

    def __init__(self, plan: Plan) -> None:
        self._terms = {term.term: term.bit for term in plan.terms}
        self._needles = [(bit, (needle_of(term),)) for term, bit in self._terms.items() if term.isascii()]
        self._unicode = [(bit, term) for term, bit in self._terms.items() if not term.isascii()]
        self._shortest = _shortest(needle for _, (needle,) in self._needles)
        written = ["_*".join(needle.decode("ascii")) for needle in self._shortest]
        # Without regard to case the long s among them would be every s.
        odd = r"[^\x00-\x7f]" if self._unicode else f"(?-i:[{_BECOME_ASCII}])"
        self._written = _compiled("|".join([*written, odd]).encode())
        self._odd = _compiled(odd.encode())
        self._alone = _compiled(_ALONE, single_bytes=True)

    def takes(self, data: bytes) -> bool:
        """Whether a file with these bytes may hold a term."""
        if data.startswith(UTF16) or self._written.search(data) is not None:
            return True
        return not data.isascii() and (bool(self._unicode) or self._alone.search(data) is not None)

    def counts(self, text: bytes) -> list[int]:
        """By bit, about how many lines of a text hold each term; underscores within terms count only if nothing else
        is found."""
        counts = [0] * len(self._terms)
        for bit, needle in self._needles:
            counts[bit] = len(kernels.matching_lines(text, needle, True)[0])
        if b"_" in text and not any(counts):
            return self.counts(text.translate(None, b"_"))
        if self._unicode and not text.isascii():
            folded = text.decode("utf-8", "replace").casefold().encode()
            for bit, term in self._unicode:
                counts[bit] = folded.count(term)
        return counts

    def lines(self, text: bytes) -> Sequence[int] | None:
        """The numbers (from 1) of the lines of a UTF-8 text that may hold a term, ascending; None for any line."""
        if not text.isascii() and self._odd.search(text) is not None:
            return None
        joined = text.translate(None, b"_") if b"_" in text else text
        return kernels.matching_lines(joined, self._shortest, True)[0]


def _shortest(needles: Iterable[bytes]) -> tuple[bytes, ...]:
    """Without those that another one is part of; every one of them is found where that is."""
    kept: list[bytes] = []
    for needle in sorted(set(needles), key=lambda needle: (len(needle), needle)):
        if not any(other in needle for other in kept):
            kept.append(needle)
    return tuple(kept)


def _compiled(pattern: bytes, single_bytes: bool = False) -> re2._Regexp:
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _MEMORY
    if single_bytes:
        options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern, options)
