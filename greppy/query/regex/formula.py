"""What a file must hold to match: trigrams (three bytes) joined by and, or. HOT.

In: trigrams. Out: immutable formulas, simplified as they are made and printed canonically: `"abc" ("cde"|"cdf")`; `*`
holds for every file, `!` for none. A formula may hold for files without a match, never the other way round.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Formula:
    """`kind` is "any" (every file), "none", "trigram", "and" or "or"; `parts` are sorted, distinct and of other
    kinds."""

    __slots__ = ("kind", "parts", "text", "trigram")

    def __init__(self, kind: str, trigram: bytes = b"", parts: tuple[Formula, ...] = ()) -> None:
        self.kind = kind
        self.trigram = trigram
        self.parts = parts
        self.text = self._printed()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Formula({self.text})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Formula) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def _printed(self) -> str:
        if self.kind == "trigram":
            return '"' + self.trigram.decode("latin-1").encode("unicode_escape").decode().replace('"', '\\"') + '"'
        if self.kind == "and":
            return " ".join(part.text for part in self.parts)
        if self.kind == "or":
            return "(" + "|".join(part.text for part in self.parts) + ")"
        return "*" if self.kind == "any" else "!"

    def holds(self, has: Callable[[bytes], bool]) -> bool:
        """Whether a file that `has` certain trigrams may match."""
        if self.kind == "trigram":
            return has(self.trigram)
        if self.kind == "and":
            return all(part.holds(has) for part in self.parts)
        if self.kind == "or":
            return any(part.holds(has) for part in self.parts)
        return self.kind == "any"


ANY = Formula("any")
NONE = Formula("none")


def trigram(three: bytes) -> Formula:
    """A file that holds these three bytes in a row."""
    return Formula("trigram", three)


def all_of(formulas: Iterable[Formula]) -> Formula:
    """A file for which all of them hold."""
    return _joined("and", formulas, ANY, NONE)


def any_of(formulas: Iterable[Formula]) -> Formula:
    """A file for which one of them holds."""
    return _joined("or", formulas, NONE, ANY)


def of_literal(text: bytes) -> Formula:
    """A file that may hold `text`."""
    return all_of(trigram(text[at : at + 3]) for at in range(len(text) - 2))


def _joined(kind: str, formulas: Iterable[Formula], neutral: Formula, absorbing: Formula) -> Formula:
    parts: dict[str, Formula] = {}
    for formula in formulas:
        if formula.kind == absorbing.kind:
            return absorbing
        for part in formula.parts if formula.kind == kind else (formula,):
            if part.kind != neutral.kind:
                parts[part.text] = part
    if len(parts) < 2:
        return next(iter(parts.values()), neutral)
    return Formula(kind, parts=tuple(parts[text] for text in sorted(parts)))
