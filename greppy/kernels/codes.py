"""The one-byte codes that the index keeps instead of frequencies and lengths, and the limits of its terms.

A *posting code* keeps of a term's frequencies in one chunk what ranking needs: bit 7 the term stands in the name, bit 6
in the signature, bits 5-4 its level in the comment, bits 3-0 its level in the body. A *length code* keeps the number of
runs of a chunk's body or comment on a logarithmic scale, as search engines have done since Lucene's norms.

Ranking turns codes back into numbers by the tables here: `LEVELS`, `COMMENT_LEVELS`, `LENGTHS`.
"""

from __future__ import annotations

NAME, SIGNATURE, COMMENT, BODY = range(4)

# Term frequencies at which the level of a posting's body or comment rises: exact where counts are common, then sparser.
LEVELS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
COMMENT_LEVELS = (0, 1, 2, 4)

# Bytes of a term. Longer runs are encoded data or generated names; their beginnings tell them apart well enough.
LONGEST = 64

# Parts of one run that become terms. No hand-written identifier that we met has more.
MOST_PARTS = 16

# Strings, or posting lists, that lie together in a block (`greppy.kernels.reference.strings`).
TERM_BLOCK = 64


def _eighth_root(value: int) -> int:
    """The smallest n with n ** 8 >= value."""
    n = int(value**0.125)
    while n**8 < value:
        n += 1
    return n


# The smallest length (in runs) of each length code: eight codes a doubling. Codes 2 to 8 lie between one and two: no
# length has them.
LENGTHS = (0, *(_eighth_root(1 << code) for code in range(255)))


def length_code(length: int) -> int:
    """One byte for a length in runs: 0 for 0, else floor(8 * log2(length)) + 1, at most 255."""
    return min(255, (length**8).bit_length())


def posting_code(name: int, signature: int, comment: int, body: int) -> int:
    """The code of a posting with these term frequencies."""
    return (name > 0) << 7 | (signature > 0) << 6 | _level(COMMENT_LEVELS, comment) << 4 | _level(LEVELS, body)


def _level(levels: tuple[int, ...], tf: int) -> int:
    return sum(tf >= lowest for lowest in levels[1:])
