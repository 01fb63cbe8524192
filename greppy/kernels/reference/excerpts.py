"""Parts of texts in, the lines of them that hold some terms out, and the words that do."""

from __future__ import annotations

from greppy.kernels.reference.terms import ascii_terms
from greppy.kernels.reference.words import runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def excerpts(
    places: Sequence[tuple[bytes, int, int]],
    terms: tuple[bytes, ...],
    weights: tuple[float, ...],
    most: int,
    longest: int,
    terms_of: Callable[[bytes], Sequence[bytes]],
) -> list[tuple[str, list[int], list[str]]]:
    """(content, lines, words) of each of `places`: (text, first, last), lines from 1, inclusive, of a UTF-8 text.

    `content` are these lines without the last one's end; bytes that are no UTF-8 become U+FFFD there and in words.
    `lines` are the numbers of those of them that hold a term, the weightiest first, then in their order; each term
    counts once in a line, the weights are added as terms are met. `words` are the distinct runs that have a term, as
    they are met, in lines of a weight above 0. Of the lines the first `most` are looked at, of a line its first
    `longest` bytes. Runs other than ASCII have the terms that `terms_of` gives. ValueError for more than 64 terms, an
    empty one, or a line before the first.
    """
    if most < 0 or longest < 0 or any(first < 1 for _, first, _ in places):
        raise ValueError("lines count from 1")
    if len(terms) > 64 or len(terms) != len(weights) or not all(terms):
        raise ValueError("there are at most 64 terms, each with a weight")
    worth = dict(zip(terms, weights, strict=True))
    return [_excerpt(*place, worth, most, longest, terms_of) for place in places]


def _excerpt(
    text: bytes,
    first: int,
    last: int,
    worth: dict[bytes, float],
    most: int,
    longest: int,
    terms_of: Callable[[bytes], Sequence[bytes]],
) -> tuple[str, list[int], list[str]]:
    chosen = text.split(b"\n")[first - 1 : max(last, 0)]
    found: list[tuple[float, int]] = []
    words: dict[bytes, None] = {}
    for number, line in enumerate(chosen[:most], first):
        weight, matched = _weigh(line[:longest], worth, terms_of)
        if weight > 0:
            found.append((-weight, number))
            words.update(dict.fromkeys(matched))
    content = b"\n".join(chosen).decode("utf-8", "replace")
    return content, [number for _, number in sorted(found)], [word.decode("utf-8", "replace") for word in words]


def _weigh(
    line: bytes, worth: dict[bytes, float], terms_of: Callable[[bytes], Sequence[bytes]]
) -> tuple[float, list[bytes]]:
    """What a line is worth, and its runs that have a term."""
    met: set[bytes] = set()
    matched: list[bytes] = []
    total = 0.0
    for run in runs(line, 0, len(line)):
        have = [term for term in (ascii_terms(run) if run.isascii() else terms_of(run)) if term in worth]
        for term in have:
            total += 0.0 if term in met else worth[term]
            met.add(term)
        if have:
            matched.append(run)
    return total, matched
