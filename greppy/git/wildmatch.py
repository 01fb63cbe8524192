"""git's bracket expressions as regular expressions (cold).

In: a gitignore pattern. Out: the same pattern with a stand-in byte for each `[...]`, and the expressions that belong
there. pathspec copies a set into the expression nearly as it stands; git's wildmatch.c knows POSIX classes, escapes and
ranges of its own, works on bytes, and never lets a set match '/'.
"""

from __future__ import annotations

import string

_CLASSES = {
    b"alnum": (string.ascii_letters + string.digits).encode(),
    b"alpha": string.ascii_letters.encode(),
    b"blank": b" \t",
    b"cntrl": bytes(range(32)) + b"\x7f",
    b"digit": string.digits.encode(),
    b"graph": bytes(range(33, 127)),
    b"lower": string.ascii_lowercase.encode(),
    b"print": bytes(range(32, 127)),
    b"punct": string.punctuation.encode(),
    b"space": b" \t\n\r\x0b\x0c",
    b"upper": string.ascii_uppercase.encode(),
    b"xdigit": string.hexdigits.encode(),
}


def take_sets(pattern: bytes, stand_in: bytes) -> tuple[bytes, list[bytes]] | None:
    """`pattern` with `stand_in` (one byte that it does not hold) for each set, and the sets' expressions in order.

    A space at the very end is taken as a set too, since pathspec would strip it. None where a set has no end or names
    an unknown class: git then matches nothing.
    """
    plain, sets, at = bytearray(), [], 0
    while at < len(pattern):
        char = pattern[at : at + 1]
        if char == b"[":
            parsed = parse_set(pattern, at + 1)
            if parsed is None:
                return None
            members, at = parsed
            plain += stand_in
            sets.append(_expression(members))
            continue
        step = 2 if char == b"\\" else 1
        plain += pattern[at : at + step]
        at += step
    last = bytes(plain[-1:])
    if last.decode("latin-1").isspace():
        kept = bytes(plain[:-1])
        escaped = (len(kept) - len(kept.rstrip(b"\\"))) % 2
        plain = bytearray(kept[: len(kept) - escaped] + stand_in)
        sets.append(_expression(frozenset(last)))
    return bytes(plain), sets


def parse_set(pattern: bytes, at: int) -> tuple[frozenset[int], int] | None:
    """The bytes that the set which begins after '[' at `at` - 1 matches, and where the pattern goes on.

    As wildmatch.c of git 2.39 does it: ']' first is a member, so is '-' at either end; '^' negates like '!'.
    """
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    previous = -1
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        taken = _take_member(pattern, at, previous, members)
        if taken is None:
            return None
        at, previous = taken
    slash = frozenset(b"/")
    return (frozenset(range(1, 256)) - members if negated else frozenset(members)) - slash, at + 1


def _take_member(pattern: bytes, at: int, previous: int, members: set[int]) -> tuple[int, int] | None:
    """Add a member, range or class to `members`; gives where to go on, and what a range could begin with (or -1)."""
    char = pattern[at : at + 1]
    if char == b"-" and previous >= 0 and pattern[at + 1 : at + 2] not in (b"", b"]"):
        at += 1 + (pattern[at + 1 : at + 2] == b"\\")
        if at >= len(pattern):
            return None
        members.update(range(previous, pattern[at] + 1))
        return at + 1, -1
    if pattern[at : at + 2] == b"[:":
        end = pattern.find(b"]", at + 2)
        if end < 0:
            return None
        if end > at + 2 and pattern[end - 1] == ord(":"):
            names = _CLASSES.get(pattern[at + 2 : end - 1])
            members.update(names or ())
            return None if names is None else (end + 1, -1)
    at += char == b"\\"
    if at >= len(pattern):
        return None
    members.add(pattern[at])
    return at + 1, pattern[at]


def _expression(members: frozenset[int]) -> bytes:
    if not members:
        return b"(?!)"
    return b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]"
