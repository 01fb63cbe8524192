"""The analysis of one blob: its bytes and its language in, its text cut into chunks out.

Source code is cut along its definitions, prose along its headings, everything else into windows of lines. Whatever goes
wrong on the way (no grammar, a parse that takes too long, nesting without end) leads to windows, never to an error.
"""

from __future__ import annotations

from itertools import accumulate

from tree_sitter import Node, Tree

from greppy import kernels
from greppy.analysis import classify, cutting, embedded, grammars, languages, macros
from greppy.analysis.encoding import to_text
from greppy.analysis.lines import CODE_WINDOW, TEXT_WINDOW, Lines, windows
from greppy.analysis.model import (
    BODY,
    COMMENT,
    GENERATED,
    MINIFIED,
    NAME,
    PARSE_ERROR,
    SIGNATURE,
    Analysis,
    Chunk,
    Span,
)
from greppy.analysis.pairing import name_of
from greppy.analysis.roles import roles_of
from greppy.analysis.spans import chunks_of, marks_of
from greppy.analysis.structure import Captures, captures_of, outline

__all__ = [
    "BODY",
    "COMMENT",
    "GENERATED",
    "MINIFIED",
    "NAME",
    "PARSE_ERROR",
    "SIGNATURE",
    "Analysis",
    "Chunk",
    "Span",
    "analyze",
]

DEEPEST = 1000
"""Open brackets at one place beyond which text is not parsed: nobody writes that, and grammars crash or crawl on it."""

_OPENING, _CLOSING = b"([{", b")]}"
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in _OPENING + _CLOSING)
_DEPTH_STEPS = [1 if byte in _OPENING else -1 for byte in range(128)]


def analyze(data: bytes, language: str) -> Analysis | None:
    """The analysis of `data` as `language` (a name of `languages.NAMES`); None when it is binary."""
    decoded = to_text(data)
    if decoded is None:
        return None
    text, encoding = decoded
    if not text:
        return Analysis(text, encoding, 0, [], 0)
    lines = Lines(text)
    chunks, flags = _cut(lines, language)
    flags |= classify.content_flags(text[: classify.MARKER_PROBE])
    if lines.mostly_long and languages.kind(language) in ("code", "markup"):
        flags |= MINIFIED
    return Analysis(text, encoding, lines.count, chunks, flags)


def _cut(lines: Lines, language: str) -> tuple[list[Chunk], int]:
    kind = languages.kind(language)
    if kind == "prose":
        return _cut_prose(lines, language), 0
    if grammars.has_query(language):
        return _cut_code(lines, lines.text, language)
    if language in embedded.LANGUAGES:
        return _cut_code(lines, *embedded.script_of(lines.text))
    return _windowed(lines, kind == "code"), 0


def _cut_prose(lines: Lines, language: str) -> list[Chunk]:
    # Their patterns take longer to compile than most files take to analyse.
    from greppy.analysis import plaintext, prose

    if language in prose.HEADINGS:
        return chunks_of(lines, *prose.cut(lines, language))
    return chunks_of(lines, *plaintext.cut(lines)) if language == "text" else _windowed(lines, False)


def _cut_code(lines: Lines, source: bytes, language: str) -> tuple[list[Chunk], int]:
    """Cut by the structure of `source`, which has the same offsets as the text; windows where there is none."""
    grammar = grammars.load(language)
    if grammar is None:
        return _windowed(lines, True), 0
    tree = _parsed(grammar, source)
    captures = captures_of(grammar, tree) if tree else None
    if tree is None or captures is None:
        return _windowed(lines, True), PARSE_ERROR
    flags = PARSE_ERROR if tree.root_node.has_error else 0
    if kernels.code_chunks is not None and source is lines.text:
        roles = roles_of(language, grammar.captures)
        return kernels.code_chunks(source, captures, roles, name_of, Chunk), flags
    return outlined(captures, lines, source, language), flags


def _parsed(grammar: grammars.Grammar, source: bytes) -> Tree | None:
    """A tree in which what a query captures has its place in `source`; what it does not need not be there."""
    if grammar.language == "python":
        thin = kernels.thin_python(source)
        tree = None if thin is source else grammars.parse(grammar, thin)
        if tree is not None and not _has_error(tree):
            return tree
    return _whole_tree(grammar, source)


def _whole_tree(grammar: grammars.Grammar, source: bytes) -> Tree | None:
    """The tree of `source`; if that has errors, of what it is without macros; if most of it is one error even so,
    of what it is without all but the first branches of its conditionals."""
    if _is_too_deep(source):
        return None
    tree = grammars.parse(grammar, source)
    if grammar.language not in macros.LANGUAGES:
        return tree
    for plainer, is_needed in ((macros.without_macros, _has_error), (macros.first_branches, _is_error)):
        if tree is not None and is_needed(tree):
            source, before = plainer(source), source
            tree = (source is not before and grammars.parse(grammar, source)) or tree
    return tree


def _has_error(tree: Tree) -> bool:
    return tree.root_node.has_error


def _is_error(tree: Tree) -> bool:
    """Whether most of the text is one error."""
    node: Node | None = tree.root_node
    most = tree.root_node.end_byte / 2
    while node is not None and node.has_error and not node.is_error:
        node = next((child for child in node.children if child.end_byte - child.start_byte > most), None)
    return node is not None and node.is_error


def outlined(captures: Captures, lines: Lines, source: bytes, language: str) -> list[Chunk]:
    """The chunks that captures make: the twin of `kernels.code_chunks`, and slower. The captures are used up."""
    found = outline(captures, source, language)
    return chunks_of(lines, cutting.cut(found, lines), marks_of(found))


def _windowed(lines: Lines, is_code: bool) -> list[Chunk]:
    kind, window = ("code", CODE_WINDOW) if is_code else ("text", TEXT_WINDOW)
    ranges = [(first, last, kind, "") for first, last in windows(lines, 0, lines.count - 1, window)]
    return chunks_of(lines, ranges, [])


def _is_too_deep(text: bytes) -> bool:
    brackets = text.translate(None, _NOT_BRACKETS)
    if len(brackets.replace(b"()", b"")) < DEEPEST:
        return False
    return max(accumulate(map(_DEPTH_STEPS.__getitem__, brackets))) > DEEPEST
