"""Counting a plan's terms in files: batches of files in, posting lists over windows of lines out. Cold path.

A window of `WINDOW` lines stands for the chunk that analysis would make; only windows with a term are kept, and only
lines that may hold one are taken apart into words. A line that looks like the head of a definition counts as name and
signature, everything else as body. So the formula of `greppy.search.score` can tell which files are worth analysing.
"""

from __future__ import annotations

import marshal
from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels
from greppy.analysis.encoding import BINARY_PROBE, to_text
from greppy.analysis.languages import detect
from greppy.search import weights

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from greppy.search.scan.sieve import Sieve

WINDOW = 14
"""Lines of a window: what a chunk has on average in 27 public repositories (4.9 million lines)."""

BYTES_PER_RUN = 10
"""Bytes of source text for each run in it; measured on the same repositories."""

_BATCH = 128
"""Files that are read at once: some 2 MB as a rule, and few enough for the worst one."""

_LANGUAGE_HEAD = 4096
_NOBODY = (1 << 32) - 1
"""The ordinal that files have which count, but may not be answered with."""

_OPENINGS = tuple(
    word + b" "
    for word in (
        b"def async abstract class const constexpr enum export extern final fn fun func function impl inline interface "
        b"internal let local macro mod module namespace object open override package private protected protocol pub "
        b"public record static struct sub template trait type typedef union val var virtual void #define"
    ).split()
)
"""How a line begins that defines something, in one language or another."""

_OPEN_ENDED = (b"(", b"{", b",", b")")


class Names(NamedTuple):
    """A name that is asked for: as it is written, in lower case, and what a definition of it weighs."""

    written: bytes
    folded: bytes
    weight: float


class Wanted(NamedTuple):
    """What is counted: the sieve, the names that the query asks for, and the languages (none: any)."""

    sieve: Sieve
    names: Sequence[Names]
    languages: Collection[str]


class Counted(NamedTuple):
    """What one process has counted.

    `files` are ordinals of the files with a term and `first` the ordinals of their first windows, with one more for the
    end; `lengths` two length codes a window; `terms` sorted, `lists` their posting lists over windows, `ends` where
    each ends. `defines` maps a file to what its best definition of a name weighs. `text_bytes` are those of all text
    files, `window_bytes` and `windows` of the files with a term.
    """

    files: Sequence[int]
    first: memoryview
    lengths: bytes
    terms: Sequence[bytes]
    lists: bytes
    ends: Sequence[int]
    defines: dict[int, float]
    text_bytes: int
    window_bytes: int
    windows: int


def count_files(root: bytes, table: bytes, ordinals: Sequence[int], limit: int, wanted: Wanted) -> bytes:
    """Count in the files with these ordinals in a table of NUL-ended paths; `read_counted` reads the answer."""
    tally = Tally(wanted)
    starts = kernels.path_starts(table)
    for begin in range(0, len(ordinals), _BATCH):
        batch = array("I", ordinals[begin : begin + _BATCH])
        for ordinal, data in zip(
            batch, kernels.read_matching(root, table, starts, batch, (), False, limit), strict=True
        ):
            if isinstance(data, bytes):
                at = starts[ordinal]
                tally.add(ordinal, table[at : table.index(b"\0", at)], data)
    return tally.finish()


def read_counted(answer: bytes) -> Counted:
    """What `count_files` gave."""
    files, first, lengths, terms, lists, ends, *rest = marshal.loads(answer)
    return Counted(
        memoryview(files).cast("I"),
        memoryview(first).cast("I"),
        lengths,
        terms,
        lists,
        memoryview(ends).cast("Q"),
        *rest,
    )


class Tally:
    """What has been counted so far."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._inverter = kernels.Inverter(wanted.sieve.expand)
        self._files = array("I")
        self._first = array("I", [0])
        self._lengths = bytearray()
        self._defines: dict[int, float] = {}
        self._text_bytes = self._window_bytes = self._windows = 0

    def add(self, ordinal: int, path: bytes, data: bytes) -> None:
        """Count in one file."""
        if not self._wanted.sieve.takes(data):
            if data.find(b"\0", 0, BINARY_PROBE) < 0:
                self._text_bytes += len(data)
            return
        decoded = to_text(data)
        if decoded is None:
            return
        text = decoded[0]
        self._text_bytes += len(text)
        if self._wanted.languages and detect(path, data[:_LANGUAGE_HEAD]) not in self._wanted.languages:
            ordinal = _NOBODY
        lines = self._wanted.sieve.lines(text)
        if lines is None or len(lines):
            self._count(ordinal, text, lines)

    def _count(self, ordinal: int, text: bytes, lines: Iterable[int] | None) -> None:
        starts = kernels.line_starts(text)
        bounds = [*starts, len(text)]
        last = len(starts)
        self._window_bytes += len(text)
        self._windows += (last + WINDOW - 1) // WINDOW
        window = -1
        spans: list[tuple[int, int, int]] = []
        for line in range(1, last + 1) if lines is None else lines:
            if (line - 1) // WINDOW != window:
                self._end_window(text, spans)
                window, spans = (line - 1) // WINDOW, []
                begin = window * WINDOW
                self._lengths += _length(bounds[min(begin + WINDOW, last)] - bounds[begin])
            spans += self._fields(ordinal, text, bounds[line - 1], bounds[line])
        self._end_window(text, spans)
        self._files.append(ordinal)
        self._first.append(len(self._lengths) // 2)

    def _end_window(self, text: bytes, spans: Sequence[tuple[int, int, int]]) -> None:
        if spans:
            self._inverter.add(len(self._lengths) // 2 - 1, text, spans)

    def _fields(self, ordinal: int, text: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
        """A line's fields: of the head of a definition, the name and the signature."""
        line = text[start:end]
        bare = line.lstrip()
        if not bare.startswith(_OPENINGS) and not _is_head(line):
            return [(kernels.BODY, start, end)]
        for name in self._wanted.names:
            self._note_definition(ordinal, bare, name)
        cut = line.find(b"(")
        if cut < 0:
            return [(kernels.NAME, start, end), (kernels.BODY, start, end)]
        return [(kernels.NAME, start, start + cut), (kernels.SIGNATURE, start, end), (kernels.BODY, start + cut, end)]

    def _note_definition(self, ordinal: int, line: bytes, name: Names) -> None:
        if name.written in line:
            weight = name.weight
        elif name.folded in line.lower():
            weight = name.weight * weights.DEFINITION_OTHER_CASE
        else:
            return
        self._defines[ordinal] = max(weight, self._defines.get(ordinal, 0.0))

    def finish(self) -> bytes:
        """Everything counted, for `read_counted`; the tally is used up."""
        terms, lists, ends, _, _ = self._inverter.finish()
        return marshal.dumps(
            (
                self._files.tobytes(),
                self._first.tobytes(),
                bytes(self._lengths),
                terms,
                lists,
                array("Q", ends).tobytes(),
                self._defines,
                self._text_bytes,
                self._window_bytes,
                self._windows,
            )
        )


def _is_head(line: bytes) -> bool:
    """Whether a line looks like the head of a function as C and its kin have it."""
    return line[:1].isalpha() and b"(" in line and line.rstrip().endswith(_OPEN_ENDED)


def _length(size: int) -> bytes:
    """The length codes of a window with so many bytes: all of it is body."""
    return bytes((bisect_right(kernels.LENGTHS, max(1, size // BYTES_PER_RUN)) - 1, 0))
