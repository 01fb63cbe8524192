"""Words that a project does not have → the nearest that it has, for an answer that found nothing. Cold path.

In: terms of a plan without a match. Out: a line for each, and one for the files that are not indexed, which may have
them. Nearness is the optimal string alignment distance (Damerau
1964: insert, delete, replace, swap neighbours), at most two, one for short words; ties go to the word in more chunks.
The dictionary has stems, so a real word is shown that stands for its stem in the first chunk that has it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from greppy import kernels
from greppy.analysis.encoding import to_text
from greppy.analysis.tokens import terms_of_text
from greppy.git.files import Unreadable, read_file
from greppy.index import format as layout
from greppy.index.manifest import REASONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from greppy.index.shard import Shard
    from greppy.index.view import View
    from greppy.query.plan import Term

WITHOUT_TEXT = frozenset(["", "symlink", "submodule", "nested repository", "special file", "missing"])
"""Reasons for not being indexed of what has no text that is the project's own."""

MOST = 3
"""Words offered for one that is missing."""

_LIMIT = 1 << 24


def nearest_words(missing: Sequence[Term], view: View) -> list[str]:
    """One line for each distinct word among the terms that no chunk has, and one for what has no chunks."""
    notes: dict[str, None] = {}
    unread = _not_indexed(view)
    where = _where(view, unread)
    for term in missing:
        word = term.text.decode("utf-8", "replace")
        if _is_part_of_known(term, missing):
            continue
        offers = [_shown(found, view) for found in _nearest(term.term, view)]
        offers = list(dict.fromkeys(offer for offer in offers if offer))
        tail = f"; nearest: {', '.join(offers)}" if offers else ""
        notes[f'"{word}" is {where}{tail}'] = None
    return [*notes, *([_said(unread, view)] if unread else [])]


def _not_indexed(view: View) -> int:
    """How many files of a view may have text that nobody has looked at."""
    counts = Counter(view.manifest.column(layout.FILE_REASON, "B"))
    return sum(count for reason, count in counts.items() if REASONS[reason] not in WITHOUT_TEXT)


def _where(view: View, unread: int) -> str:
    if view.mode == "scan":  # which knows of no other files
        return "in no file that is to be indexed"
    return "in no indexed file" if unread else "nowhere in this project"


def _said(unread: int, view: View) -> str:
    files = "1 file is" if unread == 1 else f"{unread} files are"
    what = "it" if unread == 1 else "them"
    listed = f"'greppy status --skipped' lists {what}, " if view.mode == "full" else ""
    return f"{files} not indexed: {listed}'greppy grep' searches {what}"


def corrected(query: str, missing: Sequence[Term], view: View) -> str:
    """The query with the nearest word that the project has in the place of each that it lacks; the same where none is
    near enough: one letter off, or two of a word of at least seven."""
    import re

    for term in missing:
        word = term.text.decode("utf-8", "replace")
        near = [found for found in _nearest(term.term, view)[:1] if _is_near(term.term, found)]
        shown = _shown(near[0], view) if near and not _is_part_of_known(term, missing) else ""
        if shown:
            query = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", shown.replace("\\", ""), query)
    return query


def _is_near(term: bytes, found: bytes) -> bool:
    return len(term) > 3 and alignment_distance(term, found, 2) <= (2 if len(term) > 6 else 1)


def _is_part_of_known(term: Term, missing: Sequence[Term]) -> bool:
    """Whether another missing term, the whole identifier, already speaks for this one."""
    first = next(other for other in missing if other.text == term.text)
    return first is not term


def _nearest(term: bytes, view: View) -> list[bytes]:
    most = 1 if len(term) < 5 else 2
    found: dict[bytes, tuple[int, int]] = {}
    for shard in view.shards:
        for candidate, ordinal in _candidates(term, most, shard):
            distance = alignment_distance(term, candidate, most)
            if distance <= most:
                before = found.get(candidate, (distance, 0))
                count = kernels.count_postings(shard.terms.postings(ordinal), None)
                found[candidate] = (distance, before[1] - count)
    return sorted(found, key=lambda word: (*found[word], word))[:MOST]


def _candidates(term: bytes, most: int, shard: Shard) -> Iterator[tuple[bytes, int]]:
    """Terms of about the same length, with their ordinals."""
    for candidate, ordinal in shard.terms.since(b""):
        if abs(len(candidate) - len(term)) <= most and candidate[:1].isalpha():
            yield candidate, ordinal


def alignment_distance(a: bytes, b: bytes, most: int) -> int:
    """Optimal string alignment distance of two terms, or `most` + 1 when it is more than `most`."""
    if abs(len(a) - len(b)) > most or len(set(a) - set(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, previous, row = row, before, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, previous[j - 2] + 1)
            row.append(cost)
        if min(row) > most and min(before) > most:  # a swap reaches over one row, not over two
            return most + 1
    return min(row[-1], most + 1)


def _shown(term: bytes, view: View) -> str:
    """A word of a file that stands for a term; empty when the file is no longer what it was."""
    for place, shard in enumerate(view.shards):
        postings = shard.postings(term)
        if postings is not None:
            docs, _ = kernels.decode_postings(postings)
            return _word_in_chunk(term, docs[0], place, shard, view)
    return ""


def _word_in_chunk(term: bytes, chunk: int, place: int, shard: Shard, view: View) -> str:
    first = shard.column(layout.FIRST_CHUNK, "I")
    blob = next(number for number in range(shard.blobs) if first[number] <= chunk < first[number + 1])
    start, end = shard.lines(blob, chunk)
    for file in view.manifest.files_of(place, blob):
        try:
            text = to_text(read_file(view.project.root, view.manifest.paths[file], _LIMIT))
        except Unreadable:
            continue
        lines = b"\n".join(text[0].split(b"\n")[start - 1 : end]) if text else b""
        words = {(len(terms), len(run), run.lower()) for run, terms in terms_of_text(lines) if term in terms}
        if words:
            return min(words)[2].decode("utf-8", "replace")
    return ""
