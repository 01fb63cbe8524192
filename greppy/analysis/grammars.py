"""Tree-sitter grammars, parsers and queries, each loaded when first needed and kept for the life of the process.

A language's name goes in; its parser and its query come out, or None where there is no structure to be had: no query
file, or a grammar that does not load here, which costs only that language (see `failures`). Grammars are loaded singly
from the shared objects of tree-sitter-language-pack: importing the pack costs more than parsing a large file.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from typing import NamedTuple

from tree_sitter import Language, Parser, Point, Query, Tree

SECONDS_PER_MEGABYTE = 2.0
SHORTEST_LIMIT = 1.0

GRAMMARS: dict[str, str] = {}
"""Grammars by another name than their language."""

_OWN_PACKAGES = {"csharp": "tree_sitter_c_sharp", "yaml": "tree_sitter_yaml"}


_LINE_END = b"\n"


class Grammar(NamedTuple):
    """A parser, the query over its trees, and the names that it captures.

    For one thread at a time.
    """

    language: str
    parser: Parser
    query: Query
    captures: tuple[str, ...]


@cache
def failures() -> dict[str, str]:
    """Languages whose grammar could not be used in this process, with the reason."""
    return {}


def known() -> list[str]:
    """The languages that have a query file."""
    files = os.listdir(os.path.dirname(_query_file("any")))
    return sorted(name.removesuffix(".scm") for name in files if name.endswith(".scm"))


@cache
def has_query(language: str) -> bool:
    """Whether chunks of this language follow its structure."""
    return os.path.isfile(_query_file(language))


@cache
def load(language: str) -> Grammar | None:
    """The grammar of `language`; None when it has no query file or does not load (then `failures` says why)."""
    if not has_query(language):
        return None
    try:
        grammar = Language(_binding(GRAMMARS.get(language, language)))
        with open(_query_file(language), encoding="utf-8") as file:
            query = Query(grammar, file.read())
        captures = tuple(query.capture_name(at) for at in range(query.capture_count))
        return Grammar(language, Parser(grammar), query, captures)
    except (ImportError, OSError, AttributeError, ValueError, TypeError) as error:
        failures()[language] = f"{type(error).__name__}: {error}"
        return None


def parse(grammar: Grammar, text: bytes) -> Tree | None:
    """The tree of `text`, or None if parsing took more than 2 s of this thread's time per megabyte (at least 1 s).

    A last line without an end gets one, so that nodes may end one byte after the text: the scanner of Perl never
    returns from a comment that the end of the file cuts off.
    """
    view = memoryview(text)
    pieces: list[memoryview] = []
    missing_end = -1 if text.endswith(_LINE_END) else len(text)
    limit = max(SHORTEST_LIMIT, SECONDS_PER_MEGABYTE * len(text) / 1_000_000)
    monotonic, thread_time = time.monotonic, time.thread_time
    wall, used = monotonic() + limit, thread_time() + limit

    def read(offset: int, _point: Point) -> memoryview | bytes:
        if offset == missing_end:
            return _LINE_END
        pieces.append(view[offset:])
        return pieces[-1]

    def is_late(_offset: int, _has_error: bool) -> bool:
        return monotonic() > wall and thread_time() > used

    try:
        return grammar.parser.parse(read, progress_callback=is_late)
    except ValueError:
        grammar.parser.reset()
        return None
    finally:
        # tree-sitter 0.26 never lets go of what it is given to read, and with it every text would stay in memory.
        for piece in pieces:
            piece.release()


def _query_file(language: str) -> str:
    return os.path.join(os.path.dirname(__file__), "queries", f"{language}.scm")


def _binding(name: str) -> object:
    """The pointer from which tree-sitter makes a language; ImportError when this installation lacks it."""
    if name in _OWN_PACKAGES:
        own: object = importlib.import_module(_OWN_PACKAGES[name]).language()
        return own
    pack = importlib.util.find_spec("tree_sitter_language_pack")
    for folder in (pack and pack.submodule_search_locations) or ():
        for suffix in EXTENSION_SUFFIXES:
            path = os.path.join(folder, "bindings", name + suffix)
            if os.path.isfile(path):
                return _from_file(name, path)
    raise ImportError(f"no grammar named {name} is installed")


def _from_file(name: str, path: str) -> object:
    full_name = f"tree_sitter_language_pack.bindings.{name}"
    loader = ExtensionFileLoader(full_name, path)
    spec = importlib.util.spec_from_file_location(full_name, path, loader=loader)
    if spec is None:
        raise ImportError(f"{path} is no extension module")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    pointer: object = module.language()
    return pointer
