"""ASCII runs in, the terms that they stand for out: how identifiers and English words are found again.

An identifier of several parts has as terms the whole (`getURLForID` → `geturlforid`) and each part of two letters or
more (`get`, `url`, `for`, `id`). The whole is written without separators, so that `user_name`, `userName` and
`username` share a term. Of a part with letters and digits come also its letters and its digits where they are two or
more (`sha256` → `sha256`, `sha`, `256`). Wholes and words are stemmed. A term is at most `LONGEST` bytes, what is
longer is cut; of a run the first `MOST_PARTS` parts and 4 * `LONGEST` bytes count.
"""

from __future__ import annotations

from greppy.kernels.codes import LONGEST, MOST_PARTS
from greppy.kernels.reference.stem import stem
from greppy.kernels.reference.words import split_identifier


def ascii_terms(run: bytes, /) -> tuple[bytes, ...]:
    """The distinct terms of one run, the whole first; none where it has neither letter nor digit.

    ValueError for bytes from 0x80 on.
    """
    if not run.isascii():
        raise ValueError("a run must be ASCII")
    parts = split_identifier(run[: LONGEST * 4])
    terms = [_stemmed(b"".join(parts))] if len(parts) > 1 else []
    for part in parts[:MOST_PARTS]:
        if len(part) > 1 or len(parts) == 1:
            terms.extend(_part_terms(part))
    return tuple(dict.fromkeys(terms))


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
        found = self[word] = stem(word.decode("ascii")).encode("ascii")
        return found


_STEMS = _Stems()


def _stemmed(word: bytes) -> bytes:
    return _STEMS[word[:LONGEST]]
