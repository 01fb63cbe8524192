"""Files in, the lines of them that match as `git grep` prints them out: exact search where no engine is needed.

A *chain* is texts that stand in one line in this order, without overlap: what `one.*other` asks for. A text is not
empty and has no line feed; with `fold` the case of ASCII letters, and of no others, does not count; with `word` a chain
has one text, and a place of it counts only where no letter, digit or underscore stands beside it. Where a NUL, or what
is no UTF-8, stands between the first places of its texts, a chain is not decided here.

`chains` is (chains, foreign, fold, word): a line matches when a chain stands in it. `foreign` is pairs of a letter and
the one that it may match as: a file is not decided here when a line of it with such a letter, ordinary ones put in
their place, holds the longest text (the first of equals) of a chain.

`style` is (mode, binaries, paths, numbers, null), with the constants below: whether lines begin with the path, and with
their number; with `null` a NUL ends names and numbers, and names are not quoted.
"""

from __future__ import annotations

from greppy.kernels.reference.literals import read_matching
from greppy.kernels.reference.scores import integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    Chains = tuple[tuple[tuple[bytes, ...], ...], tuple[tuple[bytes, bytes], ...], bool, bool]
    Style = tuple[int, int, bool, bool, bool]

LINES, COUNTS, NAMES = range(3)
"""Modes: the lines that match, how many they are, or the name alone."""

AS_GIT, AS_TEXT, LEAVE_OUT = range(3)
"""Of a binary file that matches, one line that says so, its lines, or nothing; counts and names are alike in the first
two."""

LOOKED_AT = 8000
"""Bytes in which git looks for a NUL, to know a binary file (`buffer_is_binary` in its xdiff-interface.c)."""

_WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_ORDINARY = bytes(byte for byte in range(0x20, 0x7F) if byte not in b'"\\')


def print_text(text: ReadableBuffer, name: ReadableBuffer, chains: Chains, style: Style) -> bytes | None:
    """What is printed of a file's text under its name, b"" for nothing; None where that cannot be decided here."""
    return _Printing(chains, style).text(bytes(text), bytes(name))


def print_files(
    root: bytes,
    table: ReadableBuffer,
    starts: ReadableBuffer,
    wanted: ReadableBuffer,
    chains: Chains,
    style: Style,
    prefix: bytes,
    limit: int,
) -> list[bytes | tuple[int, int] | tuple[int, bytes]]:
    """Reads files as `read_matching` does and gives, in order, what is printed of them, that of neighbours in one.

    Between that stand (position in `wanted`, errno) for a file not read, and (position, its whole text) for one that
    cannot be decided here, that has to be printed under a quoted name, or that is not below `prefix`, which printed
    names are without. Not for Windows.
    """
    printing = _Printing(chains, style)
    if b"\0" in prefix:
        raise ValueError("embedded null byte")
    outcomes = read_matching(root, table, starts, wanted, (), False, limit)
    found: list[bytes | tuple[int, int] | tuple[int, bytes]] = []
    joined = False
    for at, (path, outcome) in enumerate(zip(_paths(table, starts, wanted), outcomes, strict=True)):
        piece = None if isinstance(outcome, int) else printing.file(path, prefix, outcome or b"")
        if isinstance(outcome, int):
            found.append((at, outcome))
        elif piece is None:
            found.append((at, outcome or b""))
        elif piece and joined:
            found[-1] = b"".join((found[-1], piece))  # type: ignore[arg-type]
        elif piece:
            found.append(piece)
        joined = bool(found) and isinstance(found[-1], bytes)
    return found


def _paths(table: ReadableBuffer, starts: ReadableBuffer, wanted: ReadableBuffer) -> list[bytes]:
    text, offsets = bytes(table), integers(starts, "I")
    return [text[offsets[path] : text.index(b"\0", offsets[path])] for path in integers(wanted, "I")]


class _Printing:
    """What is to be printed. Raises ValueError for chains and styles that there are not."""

    def __init__(self, chains: Chains, style: Style) -> None:
        texts, self.foreign, self.fold, self.word = chains
        self.mode, self.binaries, self.paths, self.numbers, self.null = style
        if not (LINES <= self.mode <= NAMES and AS_GIT <= self.binaries <= LEAVE_OUT):
            raise ValueError("there is no such style")
        if not all(letter for letter, _ in self.foreign):
            raise ValueError("a letter must not be empty")
        for chain in texts:
            if not chain or not all(chain) or any(b"\n" in text for text in chain):
                raise ValueError("a chain must have texts, and these bytes, but no line feed")
            if self.word and len(chain) > 1:
                raise ValueError("only one text can be a word")
        self.chains = [tuple(text.lower() if self.fold else text for text in chain) for chain in texts]

    def file(self, path: bytes, prefix: bytes, text: bytes) -> bytes | None:
        name = path[len(prefix) :]
        if not path.startswith(prefix) or not (self.null or not name.translate(None, _ORDINARY)):
            return None
        return self.text(text, name)

    def text(self, text: bytes, name: bytes) -> bytes | None:
        binary = self.binaries != AS_TEXT and b"\0" in text[:LOOKED_AT]
        if binary and self.binaries == LEAVE_OUT:
            return b""
        if any(map(self.is_foreign, text.split(b"\n"))):
            return None
        one = self.mode == NAMES or (binary and self.mode == LINES)
        lines = self.lines(text, one)
        if not lines:
            return None if lines is None else b""
        if self.mode == NAMES:
            return name + (b"\0" if self.null else b"\n")
        if binary and self.mode == LINES:
            return b"Binary file " + name + b" matches\n"
        return self.printed(name, lines)

    def lines(self, text: bytes, one: bool) -> list[tuple[int, bytes]] | None:
        """The lines that match with their numbers, or the first `one`; None where one of them is not decided."""
        found = []
        for number, line in enumerate(text.split(b"\n"), 1):
            verdict = self.judge(line)
            if verdict is None:
                return None
            if verdict:
                found.append((number, line))
                if one:
                    break
        return found

    def is_foreign(self, line: bytes) -> bool:
        """Whether a match in a line may need a foreign letter."""
        copy = line
        for letter, ordinary in self.foreign:
            copy = copy.replace(letter, ordinary)
        searched = copy.lower() if self.fold else copy
        return copy != line and any(max(chain, key=len) in searched for chain in self.chains)

    def judge(self, line: bytes) -> bool | None:
        """Whether a line matches; None where an engine has to say it."""
        searched = line.lower() if self.fold else line
        verdicts = [self.stands(searched, chain) for chain in self.chains]
        return True if True in verdicts else None if None in verdicts else False

    def stands(self, line: bytes, chain: tuple[bytes, ...]) -> bool | None:
        verdict: bool | None = True
        at = 0
        for number, text in enumerate(chain):
            found = self.place(line, text, at)
            if found < 0:
                return False
            if number and not _is_text(line[at:found]):
                verdict = None
            at = found + len(text)
        return verdict

    def place(self, line: bytes, text: bytes, start: int) -> int:
        at = line.find(text, start)
        while self.word and at >= 0 and not _is_word(line, at, at + len(text)):
            at = line.find(text, at + 1)
        return at

    def printed(self, name: bytes, lines: list[tuple[int, bytes]]) -> bytes:
        mark = b"\0" if self.null else b":"
        head = name + mark if self.paths else b""
        if self.mode == COUNTS:
            return b"%b%d\n" % (head, len(lines))
        if self.numbers:
            return b"".join(b"%b%d%b%b\n" % (head, number, mark, line) for number, line in lines)
        return b"".join(b"%b%b\n" % (head, line) for _, line in lines)


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def _is_word(line: bytes, start: int, end: int) -> bool:
    return _WORD.isdisjoint(line[start - 1 : start] + line[end : end + 1])
