"""Every number that ranking uses, in one table, with where its value comes from. Hot path.

`dev` is the development half of our two evaluation sets (questions about 25 public repositories, and commit subjects
of twelve); a value is round, and is kept only if neighbouring values do no better there.
"""

from __future__ import annotations

K1 = 1.2
"""BM25 saturation of term frequency. Robertson & Zaragoza 2009 give 1.2 to 2; dev is flat from 1.2 to 2."""

B_BODY = 0.4
B_COMMENT = 0.1
"""BM25F length normalisation by field. The usual 0.75 is for whole documents; chunks are functions, and a short one is
not better for being short (dev: 0.75 costs 0.008). A long comment is as good as a short one."""

NAME = 4.0
SIGNATURE = 1.5
COMMENT = 1.5
BODY = 1.0
"""BM25F weights of fields: names and comments are in the words of those who ask (dev is flat from 1 to 5 for names, but
for symbols, which gain .005; a signature of 2 costs .002)."""

LOOSE = 0.9
LOOSE_KINDS = ("code", "import")
"""Factor of the score of a chunk that defines nothing: imports, and code between definitions (dev: +.003, +.004 where
the query names no file; the same from .8 to .95)."""

FOLLOW = (0.8, 0.6, 0.5)
"""What the second to fourth best chunks of a file add to its best: a file that deals with a subject does so in several
places."""

COVERAGE = 0.55
"""Times the share of the query's weight that a file has anywhere, times the best file's score (dev: +0.011; flat from
½ to .6, but commit subjects lose .003 at .6)."""

PATH = 1.0
PATH_UNNAMED = 0.25
PATH_KIN = 0.5
"""Times the share of the query's words, weighted by how few files they name, that the file's stem or its folder has,
times the best file's score. A word that names no file counts a quarter in that share: it only does not belong to this
project's paths. A file whose name only begins with the word's stem (`router` for `routing`) has half of the word (dev:
+.012 where the query names no file, no change on the others; flat from ¼ to ½)."""

DEFINITION = 4.0
DEFINITION_CONTAINED = 0.25
DEFINITION_OTHER_CASE = 0.25
DEFINITION_EXTENDED = 0.9
DEFINITION_INSIDE = 0.75
DEFINITION_INSIDE_WORD = 0.5
"""A chunk that defines the name which the query is (`SessionStore`, `close`), or contains, times the best file's score
by its text; a quarter of it when only the case differs, less where a type that is defined elsewhere is only added to
(`impl`), and ¾ where the name is defined inside of the chunk (a macro among macros, a function in a function), less for
a single word, of which it is not known whether the name has other parts. Who asks for one name wants its definition: 4
outweighs what its path may add to another file, in a test nearly so (of 300 names drawn from five repositories' ctags
95 % come first; 87 % without `INSIDE` and with 1 for plain words; dev is the same up to 4, and loses .001 at 5)."""

EXTENSIONS = ("impl", "extension")
"""Kinds of chunks that add to what is defined elsewhere."""

STEM_EQUALS = 0.1
"""A file whose whole stem is a word of the query, times the best file's score (dev: 0.5 costs 0.02)."""

STEM_NAMED = 0.5
"""Times the share above, times the best file's score, for a file of whose stem the query has every word: `naming.ex`
rather than `naming_conventions_test.exs` (dev: +.013; without the share, so for one word of many too, it costs where
the query names no file)."""

PROXIMITY = 0.0
"""Times the share of the query's weight that one chunk has together, times the best file's score. Nothing: dev loses
.004 at a quarter, .001 at a tenth in the place of coverage, since BM25F of a chunk says the same already."""

DOMAIN = 0.2
"""A file of the domain that the query speaks of, if that is not code, times the best file's score."""

TEST = 0.5
SIDE = 0.5
DATA = 0.6
GENERATED = 0.4
TEST_WANTED = 0.7
SIDE_NAMED = 0.75
"""Factors for tests; docs, examples and vendored code; data and markup; generated code. Lifted when the query speaks
of docs or examples, and of tests nearly so (dev: .7 rather than 1 gains .003). Both are lifted nearly so when the query
is a name that the project defines, since that may be where (of 1,423 names from 25 repositories .011 more come first);
not for names shorter than `SHORTEST_PREFIX`, which tests define for a moment. Dev leaves tests and docs out of its
answers by construction and would have them lower still; ½ is what we stand by."""

SATELLITE = 0.8
SUPERSEDED = 0.6
"""Factors for what lies outside of the folder that is named like the project (dev: +.008, flat from .8 to .9), and for
an old version beside a newer one (dev has one such repository, which gains .02)."""

SHORTEST_PREFIX = 3
SHORTEST_STEM = 4
"""Letters from which on a path's word may begin a query's word, or the other way round (`auth`, `authentication`); and
from which on a stem says what a word means."""

LINE_TERMS = 0.6
LINE_PATH = 0.2
LINE_DOMAIN = 0.1
LINE_INTENT = 0.1
"""The simple sum of text mode: the share of the query's terms that a line has, of its words that the path has, whether
the file is of the domain, whether the line is of the sort that is asked for. They add up to 1."""

LINE_RELATED = 0.5
"""What a related word in a line counts for the term that it stands for."""
