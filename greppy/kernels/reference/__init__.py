"""The inner loops in plain Python: what each kernel means, and what runs where nothing could be compiled.

In go bytes and buffers, out come lists, bytes and arrays; nothing here knows of repositories or of the index's files.
The compiled twin (`greppy.kernels._fast`, one C file for each module here) gives equal results, down to the last bit
of every floating-point number; property tests compare the two.
"""

from __future__ import annotations

from greppy.kernels.reference.candidates import intersect, members, trigram_candidates, trigram_list, union
from greppy.kernels.reference.inverter import Inverter
from greppy.kernels.reference.literals import matching_lines, path_starts, read_matching
from greppy.kernels.reference.merging import merge_terms
from greppy.kernels.reference.postings import (
    count_postings,
    decode_postings,
    encode_postings,
    pack_lists,
    take_list,
)
from greppy.kernels.reference.scores import accumulate, blob_scores, top_k
from greppy.kernels.reference.stats import changed_stats
from greppy.kernels.reference.strings import find_string, pack_strings, take_strings
from greppy.kernels.reference.terms import ascii_terms
from greppy.kernels.reference.trigrams import TrigramInverter, merge_trigrams
from greppy.kernels.reference.words import line_starts, runs, split_identifier

__all__ = [
    "Inverter",
    "TrigramInverter",
    "accumulate",
    "ascii_terms",
    "blob_scores",
    "changed_stats",
    "count_postings",
    "decode_postings",
    "encode_postings",
    "find_string",
    "intersect",
    "line_starts",
    "matching_lines",
    "members",
    "merge_terms",
    "merge_trigrams",
    "pack_lists",
    "pack_strings",
    "path_starts",
    "read_matching",
    "runs",
    "split_identifier",
    "take_list",
    "take_strings",
    "top_k",
    "trigram_candidates",
    "trigram_list",
    "union",
]
