"""Text mode: the lines of a folder that have most of a query's words, without any index. Cold path.

In: a request; its folder need not be a project. Out: a `Response` whose results are lines, best first, of scores
between 0 and 1 that are a simple sum (`greppy.search.weights`: LINE_…). Files are those of a project, or all below the
folder that its ignore files allow; each is read once, and only lines that may hold a term are taken apart.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from greppy import kernels
from greppy.analysis.classify import content_flags, path_flags
from greppy.analysis.encoding import to_text
from greppy.analysis.languages import HEAD_BYTES, detect
from greppy.analysis.plaintext import kind_of
from greppy.analysis.tokens import terms_of_run
from greppy.domains import domain_of
from greppy.errors import BadArguments, NoProject
from greppy.git.committed import committed
from greppy.git.files import Folders, Unreadable, read_file
from greppy.git.listing import list_project
from greppy.git.project import Project, find_project, object_format
from greppy.index.names import words_of_name
from greppy.query.intent import suits
from greppy.query.plan import expanded, make_plan
from greppy.search import weights
from greppy.search.features import names_of
from greppy.search.filters import languages_of, path_filter
from greppy.search.narrowing import is_allowed
from greppy.search.result import Response, Result
from greppy.search.scan.sieve import Sieve
from greppy.search.texts import LARGEST, text_of

if TYPE_CHECKING:
    from greppy.config import Config
    from greppy.query.plan import Plan
    from greppy.search.result import Request
    from greppy.search.texts import Text

APART = 5
"""Lines nearer than this to a better one of their file are shown with it."""

MOST_OF_FILE = 5
_LONGEST_LINE = 1 << 16


class Line(NamedTuple):
    """One line: sorted so that the best come first, ties by path and line."""

    negative: float
    path: bytes
    number: int
    parts: tuple[tuple[str, float], ...]
    words: tuple[bytes, ...]


def search_lines(request: Request, config: Config, most: int) -> Response:
    """The `most` best lines. Raises `GreppyError`s, `BadArguments` for what only an index or git can tell."""
    started = time.monotonic()
    project = project_of(request.start)
    plan = make_plan(request.query, request.domain, request.filters)
    _refuse(request, plan)
    plan = expanded(plan, config.lexicon)
    lines = sorted(_lines(request, plan, project, config))
    results = _results(lines[:most], plan, project)
    if request.provenance:
        _compare_with_head(results, project)
    response = Response(results, len(lines), (time.monotonic() - started) * 1000, project.root, index="none")
    response.ideal = 0.0
    return response


def _refuse(request: Request, plan: Plan) -> None:
    """Raises BadArguments for conditions that lines of files on disk cannot meet."""
    named = [key for key in ("sym", "kind", "rev") if plan.filters.get(key)]
    if request.revisions:
        named.append("rev")
    if named:
        raise BadArguments(f"mode text cannot hold to {named[0]}", "use --mode hybrid, which has an index")


def domain_of_text(path: bytes, language: str, text: bytes) -> str:
    """The domain of a file that was not analysed."""
    return domain_of(path, language, (kind_of(text),) if language == "text" else ())


def project_of(folder: bytes) -> Project:
    """The project around a folder, or else the folder itself. Raises NoProject where there is no folder."""
    try:
        return find_project(folder)
    except NoProject:
        if not os.path.isdir(folder):
            raise
        return Project(os.path.realpath(folder), "")


def _lines(request: Request, plan: Plan, project: Project, config: Config) -> Iterator[Line]:
    if not plan.terms:
        return
    takes = path_filter(request, project.root, plan.filters)
    languages = languages_of(request, plan.filters)
    scorer = Scorer(plan)
    with Folders(project.root) as folders:
        for file in list_project(project, config.ignore_patterns).files[: config.max_files]:
            if not takes(file.path):
                continue
            try:
                data = read_file(project.root, file.path, config.max_file_size, folders)
            except Unreadable:
                continue
            if scorer.sieve.takes(data) and (text := to_text(data)):
                language = detect(file.path, data[:HEAD_BYTES])
                if not languages or language in languages:
                    yield from scorer.best_lines(file.path, language, text[0])


class Scorer:
    """Scores lines; remembers what it learnt about words."""

    def __init__(self, plan: Plan) -> None:
        self.sieve = Sieve(plan)
        self._plan = plan
        self._bits = {term.term: term.bit for term in plan.terms}
        self._known: dict[bytes, int] = {}
        self._shares: dict[int, float] = {}
        self._wanted = set(plan.words)
        asked = plan.terms[: plan.asked]
        self._total = sum(term.weight for term in asked)
        self._related = [
            (term.weight, 1 << term.bit, sum(1 << other.bit for other in plan.terms if other.parent == term.bit))
            for term in asked
        ]

    def best_lines(self, path: bytes, language: str, text: bytes) -> list[Line]:
        """The best lines of a file, none of them near a better one."""
        lines = text.split(b"\n")
        domain = domain_of_text(path, language, text)
        if self._plan.fixed and domain != self._plan.domain:
            return []
        for_all = (self._path(path), weights.LINE_DOMAIN * (domain == self._plan.domain))
        numbers = self.sieve.lines(text)
        found = sorted(
            line
            for number in (range(1, len(lines) + 1) if numbers is None else numbers)
            if (line := self._line(path, number, lines[number - 1], for_all))
            and is_allowed(self._plan, [lines[number - 1]])
        )
        return list(_apart(found))

    def _path(self, path: bytes) -> float:
        """What the words of a path are worth: the share of the query's that are among them."""
        if not self._wanted:
            return 0.0
        words = {word for part in path.split(b"/") for word in words_of_name(part)}
        return weights.LINE_PATH * len(self._wanted & words) / len(self._wanted)

    def _line(self, path: bytes, number: int, line: bytes, for_all: tuple[float, float]) -> Line | None:
        mask, words = self._words(line[:_LONGEST_LINE])
        if not mask:
            return None
        parts = (
            ("terms", weights.LINE_TERMS * self._share(mask)),
            ("path", for_all[0]),
            ("domain", for_all[1]),
            ("intent", weights.LINE_INTENT * suits(self._plan.intent, line)),
        )
        return Line(-sum(part for _, part in parts), path, number, parts, words)

    def _words(self, line: bytes) -> tuple[int, tuple[bytes, ...]]:
        """The mask of the terms in a line, and the words that matched."""
        mask = 0
        words: dict[bytes, None] = {}
        for run in kernels.runs(line, 0, len(line)):
            known = self._known.get(run)
            if known is None:
                known = self._known[run] = sum(
                    1 << bit for bit in {self._bits[term] for term in terms_of_run(run) if term in self._bits}
                )
            if known:
                mask |= known
                words[run] = None
        return mask, tuple(words)

    def _share(self, mask: int) -> float:
        share = self._shares.get(mask)
        if share is None:
            worth = sum(
                weight * (1.0 if mask & own else weights.LINE_RELATED if mask & related else 0.0)
                for weight, own, related in self._related
            )
            share = self._shares[mask] = worth / self._total
        return share


def _apart(lines: Sequence[Line]) -> Iterator[Line]:
    chosen: list[int] = []
    for line in lines:
        if len(chosen) < MOST_OF_FILE and all(abs(line.number - other) >= APART for other in chosen):
            chosen.append(line.number)
            yield line


def _results(lines: Sequence[Line], plan: Plan, project: Project) -> list[Result]:
    algorithm = object_format(project)
    texts: dict[bytes, Text | None] = {}
    found = []
    for line in lines:
        if line.path not in texts:
            texts[line.path] = _text(project, line.path, algorithm)
        text = texts[line.path]
        if text is not None:
            found.append(_result(line, text))
    return found


def _text(project: Project, path: bytes, algorithm: str) -> Text | None:
    try:
        return text_of(read_file(project.root, path, LARGEST), algorithm)
    except Unreadable:
        return None


def _result(line: Line, text: Text) -> Result:
    language = detect(line.path, text.data[:HEAD_BYTES])
    return Result(
        line.path,
        line.number,
        line.number,
        -line.negative,
        language=language,
        matched_lines=[line.number],
        terms=[word.decode("utf-8", "replace") for word in line.words],
        flags=names_of(path_flags(line.path) | content_flags(text.data)),
        breakdown=dict(line.parts),
        oid=text.oid,
        text=text,
        domain=domain_of_text(line.path, language, b"\n".join(text.lines)),
    )


def _compare_with_head(results: Sequence[Result], project: Project) -> None:
    heads = committed(project, list(dict.fromkeys(result.path for result in results))) if results else None
    for result in results if heads is not None else ():
        assert heads is not None
        result.dirty = result.text is None or result.text.differs_from(heads.get(result.path, ""))
