"""A pattern's text → its tree.

In: a pattern as extended regular expressions are written, read as RE2 reads them: `\\d`, `\\b`, `(?i)`, lazy
repetitions and `\\pL` are there, a backslash escapes within brackets too. Out: nodes of `greppy.query.regex.tree`, or
BadArguments which says what cannot be done and what to do instead.

Beyond RE2, as git grep has them: letters beyond ASCII in `\\w` and `[[:alpha:]]` (not in `\\b`, nor in `[^\\W]`),
`x{,3}`, repeated repetitions, an unmatched `)`, `\\<` and `\\>` beside a word character, `` \\` `` and `\\'`. A
pattern never leaves its line: where `multiline` is off no set, negated set or escape matches a line's end.
"""

from __future__ import annotations

from greppy.errors import BadArguments
from greppy.query.regex.classes import LAST, NAMED, SHORTHANDS, SURROGATES, beyond, capital, complement, without_newline
from greppy.query.regex.tree import UNBOUNDED, Alternate, Any, Assertion, Class, Concat, Literal, Repeat, is_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from greppy.query.regex.tree import Node, Range

REPEAT_LIMIT = 1000
"""RE2's own (`kMaxRepeat`)."""

DEPTH_LIMIT = 200
"""Groups within groups; RE2 has 1,000, this parser's recursion less."""

_ESCAPED = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_PLACES = {"A": "^", "z": "$", "Z": "$", "`": "^", "'": "$", "b": r"\b", "B": r"\B"}
_PLACES |= {"<": "<", ">": ">"}  # until `_settle_edges`


class Unsupported(BadArguments):
    """A construct that RE2 does not have, but that a backtracking engine may."""


def parse(
    pattern: str, fold: bool = False, multiline: bool = False, unicode: bool = True, dot_nul: bool = False
) -> Node:
    """The tree of `pattern`. `fold` ignores case from the start; without `unicode` classes such as `\\w` are ASCII's;
    `dot_nul`: `.` matches NUL, as in Perl, not in POSIX. Raises BadArguments."""
    return read(pattern, fold, multiline, unicode, dot_nul)[0]


def read(
    pattern: str, fold: bool = False, multiline: bool = False, unicode: bool = True, dot_nul: bool = False
) -> tuple[Node, bool]:
    """As `parse`, and whether the pattern means the same to the C library."""
    parser = _Parser(pattern, fold, multiline, unicode, dot_nul)
    return parser.parse(), parser.posix


def literal_tree(text: str, fold: bool = False) -> Node:
    """The tree of a text that means itself."""
    return Concat([Literal(char, fold) for char in text])


class _Flags:
    """What `(?…)` switches."""

    __slots__ = ("dot_all", "fold", "swap")

    def __init__(self, fold: bool, dot_all: bool = False, swap: bool = False) -> None:
        self.fold = fold
        self.dot_all = dot_all
        self.swap = swap


class _Parser:
    """One pass over one pattern."""

    def __init__(self, pattern: str, fold: bool, multiline: bool, unicode: bool, dot_nul: bool) -> None:
        self.dot_nul = dot_nul
        self.unicode = unicode
        self.text = pattern
        self.at = 0
        self.depth = 0
        self.flags = _Flags(fold)
        self.multiline = multiline
        self.posix = not multiline and not dot_nul

    def parse(self) -> Node:
        return self._alternation()

    def _alternation(self) -> Node:
        branches = [self._branch()]
        while self._take("|"):
            branches.append(self._branch())
        return _one(branches)

    def _branch(self) -> Node:
        parts: list[Node] = []
        ends = "|)" if self.depth else "|"  # `)` that nothing opened is itself
        while self.at < len(self.text) and self.text[self.at] not in ends:
            part = self._atom()
            if part is not None:
                parts.append(self._repeated(part))
        _settle_edges(parts)
        return parts[0] if len(parts) == 1 else Concat(parts)

    def _take(self, text: str) -> bool:
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def _atom(self) -> Node | None:
        char = self.text[self.at]
        self.at += 1
        if char == "(":
            return self._group()
        if char == "[":
            return self._set()
        if char == ".":
            return Any(self.flags.dot_all and self.multiline, self.dot_nul)
        if char in "^$":
            return Assertion(char)
        if char in "*+?" or (char == "{" and self._bounds_ahead()):
            raise BadArguments(f'"{char}" repeats nothing', f"write \\{char} for the character itself, or use -F")
        if char == "\\":
            return self._escape()
        return self._literal(char)

    def _literal(self, char: str) -> Node:
        if char == "\n" and not self.multiline:
            return Class([], [], False, False)
        return Literal(char, self.flags.fold)

    def _repeated(self, part: Node) -> Node:
        while self.at < len(self.text):
            bounds = self._bounds()
            if bounds is None:
                return part
            few = self._take("?")
            lazy = few != self.flags.swap
            self.posix = self.posix and not lazy and not few
            part = Repeat(part, *bounds, lazy)
        return part

    def _bounds(self) -> tuple[int, int] | None:
        for char, bounds in (("*", (0, UNBOUNDED)), ("+", (1, UNBOUNDED)), ("?", (0, 1))):
            if self._take(char):
                return bounds
        if not self.text.startswith("{", self.at):
            return None
        self.at += 1
        bounds_ahead = self._bounds_ahead()
        if not bounds_ahead:
            self.at -= 1
            return None
        inside = self.text[self.at : bounds_ahead]
        self.at = bounds_ahead + 1
        low, comma, high = inside.partition(",")
        least = int(low or "0")
        most = (int(high) if high else UNBOUNDED) if comma else least
        if max(least, most) > REPEAT_LIMIT:
            hint = f"give at most {REPEAT_LIMIT}; what repeats may be written several times, as in a{{1000}}a{{1000}}"
            raise BadArguments(f'"{{{inside}}}" repeats more than {REPEAT_LIMIT} times', hint)
        if most != UNBOUNDED and least > most:
            raise BadArguments(f'"{{{inside}}}" is no range', "give the lower number first")
        return least, most

    def _bounds_ahead(self) -> int:
        """Where the `}` of `{2}`, `{2,}`, `{,2}` or `{2,3}` stands, with `at` after the `{`; 0 where it is no such."""
        end = self.text.find("}", self.at)
        inside = self.text[self.at : end] if end > 0 else ""
        low, _, high = inside.partition(",")
        numbers = [number for number in (low, high) if number]
        plain = all(number.isascii() and number.isdecimal() and len(number) < 9 for number in numbers)
        return end if numbers and plain else 0

    # Groups

    def _group(self) -> Node | None:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise BadArguments(f"more than {DEPTH_LIMIT} groups within groups", "write it flatter")
        before = self.flags
        if self._take("?"):
            self.posix = False
            if not self._group_head():
                self.depth -= 1
                return None  # `(?i)`: the flags hold from here to the end of the group around
        inside = self._alternation()
        if not self._take(")"):
            raise BadArguments('"(" is not closed', "close it, write \\( for the character itself, or use -F")
        self.flags = before
        self.depth -= 1
        return inside

    def _group_head(self) -> bool:
        """What stands after `(?`; whether a group begins there."""
        for look in ("=", "!", "<=", "<!"):
            if self.text.startswith(look, self.at):
                raise Unsupported("look-around is not there", "use -P, or filter with --and and --not")
        for name in ("P<", "<"):
            if self._take(name):
                end = self.text.find(">", self.at)
                if end < 0 or not self.text[self.at : end].replace("_", "a").isalnum():
                    raise BadArguments("a group's name is not closed by >", "write (?P<name>...)")
                self.at = end + 1
                return True
        return self._read_flags()

    def _read_flags(self) -> bool:
        flags, on = _Flags(self.flags.fold, self.flags.dot_all, self.flags.swap), True
        while self.at < len(self.text):
            letter = self.text[self.at]
            self.at += 1
            if letter in ":)":
                self.flags = flags
                return letter == ":"
            if letter == "-" and on:
                on = False
            elif letter == "i":
                flags.fold = on
            elif letter == "s":
                flags.dot_all = on
            elif letter == "U":
                flags.swap = on
            elif letter != "m":
                break
        raise Unsupported("a group of this kind is not there", "use (?:...), (?i) or (?P<name>...); or -P")

    # Escapes

    def _escape(self) -> Node | None:
        if self.at >= len(self.text):
            raise BadArguments("the pattern ends with a backslash", "write \\\\ for the character itself, or use -F")
        char = self.text[self.at]
        self.at += 1
        self.posix = self.posix and (char in "wWsSbB<>`'" or not (char.isalnum() or char.isspace()))
        if char.lower() in SHORTHANDS:
            return self._made(SHORTHANDS[char.lower()], self._beyond(char), char.isupper(), False)
        if char in "pP":
            name = self._property()
            return self._made([], ["\\p" + name], char == "P", False)
        if char in _PLACES:
            return Assertion(_PLACES[char])
        if char == "Q":
            end = self.text.find("\\E", self.at)
            inside = self.text[self.at : end] if end >= 0 else self.text[self.at :]
            self.at = end + 2 if end >= 0 else len(self.text)
            return Concat([self._literal(each) for each in inside])
        if char in "123456789" and not self._octal_ahead(char):
            raise Unsupported(f"the back-reference \\{char} is not there", "use -P, or write out what it repeats")
        return self._literal(self._escaped_char(char))

    def _octal_ahead(self, char: str) -> bool:
        digits = char + self.text[self.at : self.at + 2]
        return len(digits) == 3 and all(digit in "01234567" for digit in digits)

    def _escaped_char(self, char: str) -> str:
        """The character that `\\` and `char` stand for."""
        if char in _ESCAPED:
            return _ESCAPED[char]
        if char == "x":
            return self._hexadecimal()
        if char in "01234567":
            digits = char
            while len(digits) < 3 and self.text[self.at : self.at + 1] in tuple("01234567"):
                digits += self.text[self.at]
                self.at += 1
            return chr(int(digits, 8))
        if char.isascii() and char.isalnum():
            raise Unsupported(f"the escape \\{char} is not there", "leave the backslash out, or use -F or -P")
        return char

    def _hexadecimal(self) -> str:
        if self._take("{"):
            end = self.text.find("}", self.at)
            digits = self.text[self.at : max(end, self.at)]
            self.at = end + 1
        else:
            digits = self.text[self.at : self.at + 2]
            self.at += 2
        valid = digits and all(digit in "0123456789abcdefABCDEF" for digit in digits) and len(digits) <= 8
        if not valid or int(digits, 16) > LAST or 0xD800 <= int(digits, 16) <= 0xDFFF:
            raise BadArguments("\\x is not followed by a character's number", "write \\x41 or \\x{1F600}")
        return chr(int(digits, 16))

    def _property(self) -> str:
        if self._take("{"):
            end = self.text.find("}", self.at)
            name = self.text[self.at : max(end, self.at)]
            self.at = end + 1
            if end < 0 or not name.replace("_", "a").isalnum():
                raise BadArguments("\\p{ is not closed", "write \\pL or \\p{Greek}")
            return "{" + name + "}"
        self.at += 1
        return "{" + self.text[self.at - 1 : self.at] + "}"

    # Sets

    def _set(self) -> Node:
        start = self.at
        negated = self._take("^")
        ranges: list[Range] = []
        properties: list[str] = []
        first = True
        while first or not self.text.startswith("]", self.at):
            first = False
            if self.at >= len(self.text):
                self.at = start
                raise BadArguments('"[" is not closed', "close it, write \\[ for the character itself, or use -F")
            self._member(ranges, properties)
        self.at += 1
        return self._made(ranges, properties, negated, self.flags.fold)

    def _member(self, ranges: list[Range], properties: list[str]) -> None:
        if self._take("[:"):
            self._named_class(ranges, properties)
            return
        for opening in ("[.", "[="):
            if self.text.startswith(opening, self.at):
                raise BadArguments(f"{opening} is not there", "name the characters themselves")
        self.posix = self.posix and not self.text.startswith("\\", self.at)
        if self.text.startswith("\\", self.at) and self.text[self.at + 1 : self.at + 2].lower() in tuple("dswp"):
            self._shorthand(ranges, properties)
            return
        low = self._set_char()
        if self.text.startswith("-", self.at) and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
            self.at += 1
            high = self._set_char()
            if self.flags.fold and self.posix:
                low, high = capital(low), capital(high)
            if high < low:
                raise BadArguments(f'"{low}-{high}" is no range', "give the lower end first")
            ranges.append((ord(low), ord(high)))
        else:
            ranges.append((ord(low), ord(low)))

    def _beyond(self, shorthand: str) -> list[str]:
        """What `\\w` and `\\s` have beyond ASCII."""
        name = {"w": "word", "s": "space"}.get(shorthand.lower())
        return beyond(name) if self.unicode and name is not None else []

    def _named_class(self, ranges: list[Range], properties: list[str]) -> None:
        end = self.text.find(":]", self.at)
        name = self.text[self.at : end] if end >= 0 else ""
        if name.lstrip("^") not in NAMED:
            raise BadArguments(f'there is no class "[:{name}:]"', "known are " + ", ".join(NAMED))
        self.at = end + 2
        self.posix = self.posix and name not in ("ascii", "word") and not name.startswith("^")
        found = NAMED[name.lstrip("^")]
        ranges += complement(found) if name.startswith("^") else found
        properties += beyond(name) if self.unicode else []

    def _shorthand(self, ranges: list[Range], properties: list[str]) -> None:
        char = self.text[self.at + 1]
        self.at += 2
        if char in "pP":
            if char == "P" and not self.multiline:
                raise BadArguments("\\P is not there within brackets", "write [^\\pL] for the whole set")
            properties.append(f"\\{char}" + self._property())
        else:
            found = SHORTHANDS[char.lower()]
            ranges += complement(found) if char.isupper() else found
            properties += self._beyond(char) if char in "ws" else []

    def _set_char(self) -> str:
        if self.at >= len(self.text):
            raise BadArguments('"[" is not closed', "close it, write \\[ for the character itself, or use -F")
        char = self.text[self.at]
        self.at += 1
        if char != "\\":
            return char
        if self.at >= len(self.text):
            raise BadArguments("the pattern ends with a backslash", "write \\\\ for the character itself, or use -F")
        char = self.text[self.at]
        self.at += 1
        if char == "b":
            return "\b"
        return self._escaped_char(char)

    def _made(self, ranges: list[Range], properties: list[str], negated: bool, fold: bool) -> Node:
        """A set that leaves out the end of a line unless the pattern may go beyond it."""
        if self.multiline:
            return Class(ranges, properties, negated, fold)
        if negated:
            return Class([*ranges, (10, 10), SURROGATES], properties, True, fold)
        return Class(without_newline(ranges), properties, False, fold)


def _one(branches: list[Node]) -> Node:
    return branches[0] if len(branches) == 1 else Alternate(branches)


def _settle_edges(parts: list[Node]) -> None:
    """Make `\\<` and `\\>` what they are beside a word character, `\\b`; RE2 has nothing for them elsewhere."""
    for at, part in enumerate(parts):
        if isinstance(part, Assertion) and part.text in "<>":
            beside = at + 1 if part.text == "<" else at - 1
            if not (0 <= beside < len(parts) and is_word(parts[beside])):
                hint = "use \\b, or -w for whole words"
                raise Unsupported(f"\\{part.text} is only there beside a word character", hint)
            parts[at] = Assertion(r"\b")
