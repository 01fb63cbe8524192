"""Every number that ranking uses, in one table, with where its value comes from. Hot path.

`dev` is the development half of our two evaluation sets (questions about 25 public repositories, and commit subjects
of twelve); a value is round, and is kept only if neighbouring values do no better there.
"""

from __future__ import annotations

K1 = 1.6
"""BM25 saturation of term frequency. Robertson & Zaragoza 2009 give 1.2 to 2; dev is flat from 1.4 to 2.0."""

B_BODY = 0.75
B_COMMENT = 0.5
"""BM25F length normalisation by field. 0.75 is the usual value (Robertson et al. 1994); comments vary less in what
they say."""

NAME = 3.0
SIGNATURE = 1.5
COMMENT = 1.0
BODY = 1.0
"""BM25F weights of fields: a word in a definition's name says more about it than one in its body."""

FOLLOW = (0.5, 0.35, 0.25)
"""What the second to fourth best chunks of a file add to its best: a file that deals with a subject does so in several
places."""

PATH = 1.0
"""Times the share of the query's words that the file's stem or its folder has, times the best file's score."""

DEFINITION = 1.0
DEFINITION_CONTAINED = 0.5
DEFINITION_OTHER_CASE = 0.5
NAMED_FOR_IT = 1.5
"""A chunk that defines what the query is (or, ½, contains) as a name, times the best chunk's score; ½ when only the
case differs; times 1.5 where the file has that name too."""

STEM_EQUALS = 0.5
"""A file whose stem is a word of the query, times the best file's score."""

TEST = 0.5
SIDE = 0.6
DATA = 0.6
GENERATED = 0.4
"""Factors for tests; docs, examples and vendored code; data and markup; generated code. Lifted when the query speaks of
tests, docs or examples. A bug fix or an answer is seldom there, and there is much of it."""

SHORTEST_PREFIX = 3
"""Letters from which on a path's word may begin a query's word, or the other way round: `auth` and `authentication`."""
