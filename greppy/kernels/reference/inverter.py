"""Documents in, the inverted lists of one shard out: which terms stand where, how often, in which field."""

from __future__ import annotations

from array import array

from greppy.kernels.codes import BODY, COMMENT, length_code, posting_code
from greppy.kernels.reference.postings import DOCS, encode_postings
from greppy.kernels.reference.terms import ascii_terms
from greppy.kernels.reference.words import runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from _typeshed import ReadableBuffer

LONGEST_CACHED_RUN = 256
LONGEST_TERM = 255


class Inverter:
    """Builds the inverted lists of one shard, in memory.

    A run of ASCII stands for its `ascii_terms`. For any other run `expand` gives the terms (1 to 255 bytes each); it is
    called once for each distinct run and its answer kept for the inverter's life, but for runs of more than 256 bytes,
    where it is called every time.
    """

    __slots__ = ("_busy", "_docs", "_expand", "_known", "_lengths", "_terms", "_totals")

    def __init__(self, expand: Callable[[bytes], tuple[bytes, ...]], /) -> None:
        self._expand = expand
        self._known: dict[bytes, tuple[bytes, ...]] | None = {}
        self._terms: dict[bytes, dict[int, list[int]]] = {}
        self._lengths: dict[int, list[int]] = {}
        self._totals = [0, 0, 0, 0]
        self._docs = 0
        self._busy = False

    def add(self, doc: int, buf: ReadableBuffer, spans: Sequence[tuple[int, int, int]], /) -> None:
        """Counts the runs of `spans`, triples (field, start, end) into `buf`, for the document `doc`.

        Documents come in non-decreasing order, several calls for one accumulate; spans are clipped to the buffer. A
        lower document, a field other than 0 to 3 or a term of a wrong length raises ValueError, and what `expand`
        raises comes through; what was counted before that stays counted.
        """
        self._enter()
        try:
            if not max(self._docs - 1, 0) <= doc < DOCS:
                raise ValueError("documents must come in non-decreasing order, from 0 to 2**31 - 1")
            self._docs = doc + 1
            for field, start, end in spans:
                if not 0 <= field <= BODY:
                    raise ValueError("field must be 0 to 3")
                self._count(doc, field, runs(buf, start, end))
        finally:
            self._busy = False

    def finish(self) -> tuple[list[bytes], bytes, array[int], bytes, array[int]]:
        """Empties the inverter; it cannot be used again (RuntimeError).

        Returns the terms in the order of their bytes; their posting lists (`reference.postings`), concatenated; the
        end of each list (u64); the length codes of each document, a byte for the body and a byte for the comment; and
        five exact counts (u64): the documents, then the runs in names, signatures, comments and bodies.
        """
        self._enter()
        lengths = bytearray(2 * self._docs)
        for doc, length in self._lengths.items():
            lengths[2 * doc : 2 * doc + 2] = (
                length_code(length[BODY]),
                length_code(length[COMMENT]),
            )
        terms = sorted(self._terms)
        lists, ends = bytearray(), array("Q")
        for term in terms:
            postings = self._terms[term]
            codes = bytes(posting_code(*tf) for tf in postings.values())
            lists += encode_postings(list(postings), codes, self._docs)
            ends.append(len(lists))
        totals = array("Q", [self._docs, *self._totals])
        self._known = None
        self._terms, self._lengths, self._busy = {}, {}, False
        return terms, bytes(lists), ends, bytes(lengths), totals

    def _enter(self) -> None:
        if self._known is None:
            raise RuntimeError("this inverter is finished")
        if self._busy:
            raise RuntimeError("this inverter is in use")
        self._busy = True

    def _count(self, doc: int, field: int, found: list[bytes]) -> None:
        for run in found:
            for term in self._expanded(run):
                self._terms.setdefault(term, {}).setdefault(doc, [0, 0, 0, 0])[field] += 1
            self._lengths.setdefault(doc, [0, 0, 0, 0])[field] += 1
            self._totals[field] += 1

    def _expanded(self, run: bytes) -> tuple[bytes, ...]:
        assert self._known is not None
        terms = self._known.get(run)
        if terms is None:
            terms = ascii_terms(run) if run.isascii() else _checked(self._expand(run))
            if len(run) <= LONGEST_CACHED_RUN:
                self._known[run] = terms
        return terms


def _checked(terms: tuple[bytes, ...]) -> tuple[bytes, ...]:
    if not isinstance(terms, tuple) or not all(isinstance(term, bytes) for term in terms):
        raise TypeError("expand must return a tuple of bytes")
    if not all(1 <= len(term) <= LONGEST_TERM for term in terms):
        raise ValueError("a term must have 1 to 255 bytes")
    return terms
