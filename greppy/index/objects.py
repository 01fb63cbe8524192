"""Blobs that git has → analyses, in several processes. Cold path.

In: the blobs of a revision that no manifest knows. Out: where the analysis of each now lies, in new shards, or why it
has none. Each process reads its blobs by a `cat-file` of its own; where one dies, for a grammar may crash, its part is
done again in halves until the blob that is to blame is alone, which is then analysed without its grammar.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, NamedTuple

from greppy.analysis.chunks import PARSE_ERROR, analyze
from greppy.analysis.languages import HEAD_BYTES, detect
from greppy.git.blobs import NOT_HERE, Blobs
from greppy.index.batches import batches
from greppy.index.examine import cores
from greppy.index.processes import in_processes
from greppy.index.writer import ShardWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from greppy.config import Config
    from greppy.git.project import Project
    from greppy.index.known import Key, Known
    from greppy.index.shelf import Shelf

    Progress = Callable[[int, int, str], None]


class Asked(NamedTuple):
    """A blob to analyse: its hash (hexadecimal), a path that it has, its bytes."""

    oid: bytes
    path: bytes
    size: int


class Found(NamedTuple):
    """What became of a blob: why it has no analysis, or its shard's name and its ordinal there."""

    reason: str
    shard: str
    blob: int


class _Answer(NamedTuple):
    """What one process made of its part: a shard's name, or its bytes where nothing is written, and an outcome a blob:
    a reason, a known place, or an ordinal in the new shard; with the language that the blob is in."""

    name: str
    content: bytes
    outcomes: list[tuple[str, str, int, str]]


class Analyser:
    """Analyses blobs of one repository. `known` are the analyses that exist; new shards go to `shelf`."""

    def __init__(self, project: Project, shelf: Shelf, known: Known, config: Config) -> None:
        self._project = project
        self._shelf = shelf
        self._known = known
        self._config = config
        self._places: dict[Key, Found] = {}

    def analyse(self, asked: Sequence[Asked], progress: Progress) -> list[Found]:
        """What became of each blob. Raises what writing a shard raises."""
        workers = self._config.workers or cores()
        parts = list(_divided(asked, workers, self._config.shard_bytes))
        found: list[Found] = []
        for start in range(0, len(parts), workers):
            round_ = parts[start : start + workers]
            progress(len(found), len(asked), "indexing")
            answers = in_processes(len(round_), lambda number, round_=round_: self._work(round_[number]))  # type: ignore[misc]
            for part, answer in zip(round_, answers, strict=True):
                found += self._again(part) if answer is None else self._taken(part, answer)
        progress(len(asked), len(asked), "indexing")
        return found

    def _again(self, part: Sequence[Asked]) -> list[Found]:
        """A part whose process died."""
        found: list[Found] = []
        for half in (part[: len(part) // 2], part[len(part) // 2 :]):
            if not half:
                continue
            (answer,) = in_processes(1, lambda _, half=half: self._work(half, plain=len(part) == 1))  # type: ignore[misc]
            if answer is not None:
                found += self._taken(half, answer)
            elif len(part) == 1:
                found.append(Found("analysis fails", "", 0))
            else:
                found += self._again(half)
        return found

    def _work(self, part: Sequence[Asked], plain: bool = False) -> bytes:
        """A part's answer, made in a process of its own."""
        writer = ShardWriter()
        new: dict[Key, int] = {}
        outcomes: list[tuple[str, str, int, str]] = []
        with Blobs(self._project, literally=True) as blobs:
            for each, data in zip(part, blobs.read([each.oid for each in part]), strict=True):
                outcomes.append(self._outcome(each, data, plain, writer, new))
        content = writer.finish() if writer.blobs else b""
        if not content or self._shelf.in_memory:
            return marshal.dumps(("", content, outcomes))
        return marshal.dumps((self._shelf.write(content), b"", outcomes))

    def _outcome(
        self, asked: Asked, data: bytes | None, plain: bool, writer: ShardWriter, new: dict[Key, int]
    ) -> tuple[str, str, int, str]:
        if data is None:
            return NOT_HERE, "", 0, ""
        key = bytes.fromhex(asked.oid.decode("ascii")), detect(asked.path, data[:HEAD_BYTES])
        known = self._known.find(key)
        if known is not None:
            return "", *known, key[1]
        if key not in new:
            analysis = analyze(data, "text" if plain else key[1])
            if analysis is None:
                return "binary", "", 0, ""
            if plain:
                analysis = analysis._replace(flags=analysis.flags | PARSE_ERROR)
            new[key] = writer.add(*key, analysis, data)
        return "", "", new[key], key[1]

    def _taken(self, part: Sequence[Asked], answer: bytes) -> Iterator[Found]:
        """A process's answer; a blob that two processes met in one language keeps its first place."""
        name, content, outcomes = _Answer(*marshal.loads(answer))
        if content:
            name = self._shelf.write(content)
        for asked, (reason, shard, blob, language) in zip(part, outcomes, strict=True):
            if reason:
                yield Found(reason, "", 0)
            else:
                key = bytes.fromhex(asked.oid.decode("ascii")), language
                yield self._places.setdefault(key, Found("", shard or name, blob))


def _divided(asked: Sequence[Asked], workers: int, most: int) -> Iterator[list[Asked]]:
    """Neighbours in parts of about the same size, at most `most` bytes each."""
    share = min(most, sum(each.size for each in asked) // workers + 1)
    return batches(asked, share)
