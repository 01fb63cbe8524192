"""What an exact search asks of each line, made of what the command line says. HOT.

In: pattern texts and operators in their order, and how they are to be read. Out: a `Question`.
"""

from __future__ import annotations

from greppy.errors import BadArguments
from greppy.query.regex.formula import ANY, any_of
from greppy.search.exact.pattern import Chain, Texts, compile_pattern, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.kernels.reference.rows import Chains
    from greppy.query.regex.formula import Formula
    from greppy.query.regex.needles import Needles
    from greppy.search.exact.expression import Expression
    from greppy.search.exact.multiline import Passages
    from greppy.search.exact.pattern import Pattern


class Reading:
    """How patterns are read: `dialect` is "fixed", "extended" or "perl"; `single_bytes`: every byte is a
    character, else UTF-8 says what is."""

    __slots__ = ("dialect", "fold", "multiline", "single_bytes", "smart_case", "word")

    def __init__(
        self,
        dialect: str = "extended",
        fold: bool = False,
        smart_case: bool = False,
        word: bool = False,
        multiline: bool = False,
        single_bytes: bool = False,
    ) -> None:
        self.dialect = dialect
        self.fold = fold
        self.smart_case = smart_case
        self.word = word
        self.multiline = multiline
        self.single_bytes = single_bytes


NO_LIMIT = -1
"""Of how many hits in a file: all."""


class Context:
    """How much is wanted: lines before and after, the function's head (`head`), the whole function (`body`); and of
    how many hits in a file (`limit`)."""

    __slots__ = ("after", "before", "body", "head", "limit")

    def __init__(
        self, before: int = 0, after: int = 0, head: bool = False, body: bool = False, limit: int = NO_LIMIT
    ) -> None:
        self.before = before
        self.after = after
        self.head = head
        self.body = body
        self.limit = limit

    def __bool__(self) -> bool:
        """Whether other lines than hits are wanted."""
        return bool(self.before or self.after or self.head or self.body)

    @property
    def hunks(self) -> bool:
        """Whether `--` parts what does not follow on each other."""
        return bool(self.before or self.after or self.body)


class Question:
    """`patterns` in their order; `expression` where more than "or" joins them, else None. `invert` turns the answer.
    `columns`: where in the line the first match begins is wanted too. `passages`, where not None, finds matches that go
    over the ends of lines. `perl`: in Perl's manner."""

    __slots__ = ("_finder", "columns", "expression", "invert", "passages", "patterns", "perl", "word")

    def __init__(
        self,
        patterns: Sequence[Pattern],
        expression: Expression | None = None,
        word: bool = False,
        invert: bool = False,
        columns: bool = False,
        passages: Passages | None = None,
        perl: bool = False,
    ) -> None:
        self.patterns = patterns
        self.expression = expression
        self.word = word
        self.invert = invert
        self.columns = columns
        self.passages = passages
        self.perl = perl
        self._finder: Pattern | None = None

    @property
    def finder(self) -> Pattern | None:
        """What locates a match of any of the patterns; None where every line has to be tried."""
        if self._finder is None and self.expression is None and self.passages is None:
            self._finder = _finder(self.patterns)
        return self._finder

    @property
    def backtracks(self) -> bool:
        """Whether a pattern may take time without end."""
        return any(pattern.backtracks for pattern in self.patterns)

    def formula(self) -> Formula:
        """What a file must hold to have a line to show."""
        if self.invert:
            return ANY
        if self.expression is not None:
            from greppy.search.exact.expression import required

            return required(self.expression, lambda pattern: pattern.formula())
        return any_of(pattern.formula() for pattern in self.patterns)

    def needles(self) -> Needles:
        """Strings of which a file must hold one to have a line to show."""
        from greppy.query.regex.needles import NOTHING_KNOWN, either

        if self.invert or self.expression is not None:
            return NOTHING_KNOWN
        return either([_needles_of(pattern) for pattern in self.patterns])

    def chains(self) -> Chains | None:
        """What decides about every line, where nothing but texts does (`greppy.kernels.reference.rows`)."""
        if self.expression is not None or self.passages is not None or self.invert or self.columns:
            return None
        known = [pattern for pattern in self.patterns if isinstance(pattern, (Texts, Chain))]
        chains = [pattern.chains() for pattern in known]
        if len(known) < len(self.patterns) or (self.word and any(len(one) > 1 or len(one[0]) > 1 for one in chains)):
            return None
        every = tuple(chain for one in chains for chain in one)
        foreign = {pair for pattern in known for pair in pattern.foreign}
        whole = all(text and b"\n" not in text for chain in every for text in chain)
        return (every, tuple(sorted(foreign)), any(pattern.fold for pattern in known), self.word) if whole else None


def _needles_of(pattern: Pattern) -> Needles:
    from greppy.query.regex.needles import NOTHING_KNOWN, Needles, needles_of, with_foreign

    if isinstance(pattern, Texts):
        if any(not text or b"\n" in text for text in pattern.texts):
            return NOTHING_KNOWN
        return with_foreign(Needles(pattern.texts, pattern.fold))
    if isinstance(pattern, Chain):
        return with_foreign(Needles((max(pattern.texts, key=len),), pattern.fold))
    node = pattern.node()
    return NOTHING_KNOWN if node is None else needles_of(node, pattern.single_bytes)


def make_question(
    tokens: Sequence[str | bytes], reading: Reading, invert: bool = False, columns: bool = False
) -> Question:
    """The question of `tokens`: bytes are patterns (several, where they hold line feeds), strings are the operators
    of `greppy.search.exact.expression`. Raises BadArguments."""
    texts = [text for token in tokens if isinstance(token, bytes) for text in token.split(b"\n")]
    fold = reading.fold or (reading.smart_case and not any(_has_upper(text, reading.dialect) for text in texts))
    compiled: list[str | Pattern] = []
    for token in tokens:
        if isinstance(token, str):
            compiled.append(token)
        else:
            whole = [token] if reading.multiline else token.split(b"\n")
            compiled += [
                compile_pattern(text, reading.dialect, fold, reading.multiline, reading.single_bytes) for text in whole
            ]
    patterns = [token for token in compiled if not isinstance(token, str)]
    if not patterns:
        raise BadArguments("no pattern given", "write greppy grep PATTERN, or -e PATTERN")
    joined = len(patterns) < len(compiled)
    if reading.multiline and (joined or reading.word):
        raise BadArguments("--multiline goes with neither -w nor --and, --not or groups", "leave one of them out")
    expression = None
    if joined:
        from greppy.search.exact.expression import parse_expression

        expression = parse_expression(compiled, reading.word)
    passages = None
    if reading.multiline:
        from greppy.search.exact.multiline import Passages

        passages = Passages(patterns)
    return Question(patterns, expression, reading.word, invert, columns, passages, reading.dialect == "perl")


def _finder(patterns: Sequence[Pattern]) -> Pattern | None:
    if any(pattern.backtracks for pattern in patterns):
        return None
    if len(patterns) == 1:
        return patterns[0]
    texts = [pattern for pattern in patterns if isinstance(pattern, Texts)]
    alike = len(texts) == len(patterns) and len({pattern.fold for pattern in texts}) == 1
    if alike and not any(pattern.pattern for pattern in texts):
        every = tuple(text for pattern in texts for text in pattern.texts)
        return Texts(every, texts[0].fold, texts[0].single_bytes)
    nodes = [pattern.node() for pattern in patterns]
    known = [node for node in nodes if node is not None]
    kinds = {pattern.single_bytes for pattern in patterns}
    if len(known) < len(nodes) or len(kinds) > 1:
        return None
    from greppy.query.regex.tree import Alternate
    from greppy.query.regex.wide import Widened
    from greppy.search.exact.pattern import Regex

    if kinds == {True}:
        return Regex(Alternate(known), single_bytes=True)
    return Regex(Alternate([Widened(node, posix=False).tree for node in known]), single_bytes=True)


def _has_upper(text: bytes, dialect: str) -> bool:
    """Whether a pattern has an upper-case letter that stands for itself."""
    decoded = text.decode("utf-8", "replace")
    if dialect == "fixed" or is_plain(text):
        return decoded != decoded.lower()
    kept, escaped = [], False
    for char in decoded:
        if not escaped and char != "\\":
            kept.append(char)
        escaped = char == "\\" and not escaped
    plain = "".join(kept)
    return plain != plain.lower()
