"""The lengths of the prefix codes of posting lists and of dictionaries' strings.

Each table is a string with a digit a symbol, from 0 to a for 10 bits (0: the symbol is not coded). They are optimal
codes of at most 10 bits (package-merge: Larmore & Hirschberg 1990) for what was counted in Django 5.2.8, CPython's
library and parts of Linux 6.1: 17 million postings in 1.2 million lists; `bench/prefix_codes.py` counts. Where a symbol
stands for a byte, the last one, 63, is followed by the 8 bits of any other. The order of the tables is that of their
contexts: `greppy.kernels.reference.postings`, `greppy.kernels.reference.strings`.
"""

from __future__ import annotations

WIDTHS = (
    "2344444545555566778aaaaaaaaaaaa",
    "133445567788899aaaaaaaaaaaaaaaa",
    "223344556777899aaaaaaaaaaaaaaaa",
    "22334455677888999aaaaaaaaaaaaaa",
    "23333445567778999aaaaaaaaaaaaaa",
    "23333445567778999aaaaaaaaaaaaaa",
    "33433334556777889aaaaaaaaaaaaaa",
    "34444333445566779aaaaaaaaaaaaaa",
    "34444444334555779aaaaaaaaaaaaaa",
    "3444445444444455778aaaaaaaaaaaa",
)
"""Of the bits below the highest one of the distance from one document to the next, by the width before."""

FIRSTS = (
    "aaa998898776544354422aaaaaaaaaaa",
    "145666566686666655545aaaaaaaaaa9",
    "224455566666556666656aaaaaa99999",
    "333344556666556655556aaaaaa99999",
    "343244556666556666658aaaaaaaaaa9",
    "344424456665456666668aaaaaaaaaa9",
    "344443345666555656656aaaaaa99999",
    "345554433555555556656aaaaaa99999",
    "355555555334444556668aaaaaaaaaa9",
    "355666666655444444434aaaaaa99999",
)
"""Of the same of the distance from the first document of a list to that of the next list, by the width before."""

POSTING_CODES = bytes.fromhex("""
    01 02 10 40 80 03 04 20 06 41 05 81 c0 07 11 42 30 82 09 08 43 12 90 0a 44 21 83 c1 50 46 c2 0c
    84 13 22 45 0b 86 a0 14 c3 91 85 47 0d 51 16 c4 c6 23 60 15 87 d0 48 49 92 c5 52 24 a1 31 17
""")
"""The posting codes that the symbols of `CODES` stand for."""

CODES = (
    "1455266788878989a9aaaa7aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "24443567777448789589986999669a7a799aa78a788aaaa88aaa88aa98aa9aa5",
    "35516677747878859999699a6aa8779aaaa7aaaaaaa8a8aaaa8aaa88aa9aaaa6",
    "35155673889889695aaaa88aa8aa9aaaaa9aaa9aaaaaaaaaaaaaaaaaaaaaaaa7",
    "233655556767874878889589a69aaaaaa66aaa97a9aaaa8aa7a8aaaaaaa8a884",
    "13455456676787789899988aa99aaaaaa99aaaaaaaaaaaaaaaaaaaaaaaaaaaa7",
    "12566458787898899999a9aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa8",
    "2257624858689789a988a9a9aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa8",
    "2256633757588688997799a89aaaaaaaa9aa9aa9aaaaaaaaaaaaaaaaaaaaaaa7",
    "2357644838489498a95599a6aaaaaaa6aaaa6aaaaaaa7aaaaaaaaaaaaaaaaaa6",
)
"""Of the code of a posting, by the code before."""

TERM_BYTES = bytes.fromhex("""
    65 74 61 69 72 73 63 6f 6e 30 6c 64 70 6d 75 31 32 66 34 33 62 67 38 36 35 68 39 37 6b 76 78 77
    79 e0 d0 71 7a d1 6a b8 b0 e1 d8 a4 b5 83 d9 b4 c3 80 be 81 b2 82 8d bd af b1 95 b3 a8 a7 ce
""")
SYMBOL_BYTES = bytes.fromhex("""
    65 5f 74 73 61 72 69 6e 6f 63 6c 64 70 6d 75 67 66 68 62 6b 76 79 78 54 77 2e 20 53 45 43 41 52
    49 4d 44 50 32 71 4c 4f 4e 60 30 46 31 55 33 34 42 47 7a 36 48 35 38 56 6a 57 58 4b 3e 37 39
""")
"""The bytes that the symbols of the last four tables stand for, of terms and of the names of symbols."""

TERMS = (
    "674333334555666677889999aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "a2333445555666777899999aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "544554466464455665665577767766679778888aa98aaa9a9aaaaaaaaaaaaaa5",
    "68688769a2867774464469444944998aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "645534453744456775886599989976668aa88a9aaaaaaaaaaaaaaaaaaaaaaaaa",
    "3444555467555557758766888598677766788898888889999999999999999994",
)

SYMBOLS = (
    "1787566656656666666666667777778888888889999999aaa9aaaaaaaaaaaaa7",
    "2676554554555555555566667777888889999aaaaaaaaaaaaaaaaaaaaaaaaaa9",
    "645445566465456556666a857aa575666666a8777aa6a7aa67aa7aa79898aaa8",
    "82977878a69787aa9a789a58a669989a99994aaaa83a4a54aaa5a45aaa8aa556",
    "6434637364445566696868677888a8a8a98898898aa9aaaaa98aaaaaaaaaaaa9",
    "3344454645555656667676877778788888889888a899989a9aaa9aaa9aaaaaa9",
)
"""Of bytes shared with the string before, of bytes of its own, and of these bytes by the kind of the byte before."""
