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

NAME = 3.0
SIGNATURE = 1.5
COMMENT = 1.5
BODY = 1.0
"""BM25F weights of fields: names and comments are in the words of those who ask (dev is flat around these)."""

FOLLOW = (0.7, 0.5, 0.35)
"""What the second to fourth best chunks of a file add to its best: a file that deals with a subject does so in several
places."""

COVERAGE = 0.5
"""Times the share of the query's weight that a file has anywhere, times the best file's score (dev: +0.010)."""

PATH = 1.0
PATH_UNNAMED = 0.2
"""Times the share of the query's words, weighted by how few files they name, that the file's stem or its folder has,
times the best file's score. A word that names no file counts a fifth in that share: it only does not belong to this
project's paths."""

DEFINITION = 1.0
DEFINITION_PLAIN = 0.5
DEFINITION_CONTAINED = 0.25
DEFINITION_OTHER_CASE = 0.25
"""A chunk that defines the name which the query is (`SessionStore`; half for a plain word, `session`), or contains (a
quarter), times the best file's score by its text; a quarter of it when only the case differs."""

STEM_EQUALS = 0.1
"""A file whose whole stem is a word of the query, times the best file's score (dev: 0.5 costs 0.02)."""

TEST = 0.5
SIDE = 0.5
DATA = 0.6
GENERATED = 0.4
"""Factors for tests; docs, examples and vendored code; data and markup; generated code. Lifted when the query speaks
of tests, docs or examples. Dev leaves tests and docs out of its answers by construction and would have them lower
still; ½ is what we stand by."""

SHORTEST_PREFIX = 3
"""Letters from which on a path's word may begin a query's word, or the other way round: `auth` and `authentication`."""
