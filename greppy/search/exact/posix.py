"""Extended regular expressions of POSIX, judged as git grep judges them: beyond ASCII by the C library itself.

In: a pattern, and its tree. Out: a `PosixRegex`. What is a letter, a capital, a word's edge or no character at all,
git grep asks the C library; its tables differ from RE2's and from release to release. So RE2 finds the lines in which
there may be a match, and judges those of ASCII; the few others are the C library's. Where that is not glibc, or does
not take the pattern, RE2 judges them too, by what `greppy.query.regex.classes` knows.

ctypes is imported for the first such line only.
"""

from __future__ import annotations

from functools import lru_cache

from greppy.query.regex.formula import ANY
from greppy.query.regex.wide import Widened
from greppy.search.exact.engines import Compiled
from greppy.search.exact.pattern import is_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes

    from greppy.query.regex.formula import Formula
    from greppy.query.regex.tree import Node
    from greppy.search.exact.pattern import Span

# glibc's <regex.h>, <langinfo.h> and <locale.h>; `re_pattern_buffer` has 64 bytes on every 64-bit machine.
_EXTENDED, _ICASE, _NEWLINE = 1, 2, 4
_NOTBOL, _STARTEND = 1, 4
_SIZE_OF_REGEX = 256
_LC_CTYPE_MASK = 1
_CODESET = 14


class PosixRegex:
    """A `Pattern`. Of `text` that is no UTF-8 the tree has bytes that are none as lone surrogates, and promises
    nothing."""

    __slots__ = ("_asked", "_finder", "_fold", "_judge", "_spanner", "_text", "_tree", "_widened")
    backtracks = False
    single_bytes = False

    def __init__(self, text: bytes, tree: Node, widened: Widened, fold: bool) -> None:
        self._text = text
        self._tree = tree
        self._fold = fold
        self._widened = widened
        self._finder = Compiled(widened.tree, single_bytes=True)
        self._spanner = Compiled(tree, longest=True)
        self._judge: _Libc | None = None
        self._asked = False

    def locate(self, data: bytes, start: int) -> int:
        return self._finder.locate(data, start)

    def is_certain(self, line: bytes) -> bool:
        return self._widened.exact and line.isascii()

    def span(self, line: bytes, start: int) -> Span | None:
        if line.isascii() and not self._widened.foreign:
            return self._spanner.span(line, start)
        if not self._asked:
            self._asked = True
            self._judge = _judge(self._text, self._fold)
        return (self._judge or self._spanner).span(line, start)

    def formula(self) -> Formula:
        from greppy.query.regex.required import required

        return required(self._tree) if is_text(self._text) else ANY

    def node(self) -> Node | None:
        return self._tree if is_text(self._text) else None


class _Libc:
    """A pattern compiled by the C library, in a locale of UTF-8."""

    __slots__ = ("_library", "_locale", "_regex", "_spans")

    def __init__(self, library: ctypes.CDLL, locale: int | None, text: bytes, fold: bool) -> None:
        """Raises ValueError for what the C library does not take."""
        import ctypes

        self._library = library
        self._locale = locale
        self._spans = (ctypes.c_int * 2)()
        regex = ctypes.create_string_buffer(_SIZE_OF_REGEX)
        flags = _EXTENDED | _NEWLINE | (_ICASE if fold else 0)
        before = library.uselocale(locale)
        failed = library.regcomp(regex, text, flags)
        library.uselocale(before)
        if failed:
            raise ValueError("the C library does not take the pattern")
        self._regex = regex

    def __del__(self) -> None:
        if hasattr(self, "_regex"):
            self._library.regfree(self._regex)

    def span(self, line: bytes, start: int) -> Span | None:
        """As `Pattern.span`: as git's grep.c looks on from within a line, what lies before is not seen."""
        rest = line[start:] if start else line
        spans = self._spans
        spans[0], spans[1] = 0, len(rest)
        before = self._library.uselocale(self._locale)
        missed = self._library.regexec(self._regex, rest, 1, spans, _STARTEND | (_NOTBOL if start else 0))
        self._library.uselocale(before)
        return None if missed else (start + spans[0], start + spans[1])


def _judge(text: bytes, fold: bool) -> _Libc | None:
    library, locale = _library()
    if library is None or locale is None:
        return None
    try:
        return _Libc(library, locale, text, fold)
    except ValueError:
        return None


@lru_cache(1)
def _library() -> tuple[ctypes.CDLL | None, int | None]:
    """glibc, and a locale of UTF-8: the user's own where it is one; None for what is not there."""
    try:
        import ctypes

        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018 - AttributeError elsewhere
        library.newlocale.restype = library.uselocale.restype = ctypes.c_void_p
        library.newlocale.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p]
        library.uselocale.argtypes = [ctypes.c_void_p]
        library.nl_langinfo_l.restype = ctypes.c_char_p
        library.nl_langinfo_l.argtypes = [ctypes.c_int, ctypes.c_void_p]
    except (ImportError, OSError, AttributeError, TypeError):
        return None, None
    for name in (b"", b"C.UTF-8"):
        locale = library.newlocale(_LC_CTYPE_MASK, name, None)
        if locale and library.nl_langinfo_l(_CODESET, locale) == b"UTF-8":
            return library, locale
    return library, None
