"""The inner loops in plain Python: what each kernel means, and what runs where nothing could be compiled.

In go bytes and buffers, out come lists, bytes and arrays; nothing here knows of repositories or of the index's files.
The compiled twin (`greppy.kernels._fast`, one C file for each module here) gives equal results, down to the last bit
of every floating-point number; property tests compare the two.
"""

from __future__ import annotations

from greppy.kernels.reference.candidates import intersect, members, trigram_candidates, trigram_list, union
from greppy.kernels.reference.excerpts import excerpts
from greppy.kernels.reference.inverter import Inverter
from greppy.kernels.reference.letters import fold_word
from greppy.kernels.reference.literals import matching_lines, path_starts, read_matching
from greppy.kernels.reference.lookups import beginning_lists, find_lists
from greppy.kernels.reference.merging import merge_terms
from greppy.kernels.reference.naming import joined_lists, name_worths, named_wholly, path_shares
from greppy.kernels.reference.postings import (
    count_postings,
    decode_postings,
    encode_postings,
    pack_lists,
    take_list,
)
from greppy.kernels.reference.presence import stats_now, strange_names
from greppy.kernels.reference.ranking import best_blobs, best_files, file_classes
from greppy.kernels.reference.rows import print_files, print_text
from greppy.kernels.reference.scores import accumulate, blob_scores, impacts, score_lists, top_k
from greppy.kernels.reference.snippets import plain_snippet
from greppy.kernels.reference.staging import staged_files
from greppy.kernels.reference.stats import changed_stats
from greppy.kernels.reference.strings import find_string, pack_strings, string_at, strings_ending, take_strings
from greppy.kernels.reference.terms import ascii_terms
from greppy.kernels.reference.trigrams import TrigramInverter, merge_trigrams
from greppy.kernels.reference.words import line_starts, runs, split_identifier

__all__ = [
    "Inverter",
    "TrigramInverter",
    "accumulate",
    "ascii_terms",
    "beginning_lists",
    "best_blobs",
    "best_files",
    "blob_scores",
    "changed_stats",
    "count_postings",
    "decode_postings",
    "encode_postings",
    "excerpts",
    "file_classes",
    "find_lists",
    "find_string",
    "fold_word",
    "impacts",
    "intersect",
    "joined_lists",
    "line_starts",
    "matching_lines",
    "members",
    "merge_terms",
    "merge_trigrams",
    "name_worths",
    "named_wholly",
    "pack_lists",
    "pack_strings",
    "path_shares",
    "path_starts",
    "plain_snippet",
    "print_files",
    "print_text",
    "read_matching",
    "runs",
    "score_lists",
    "split_identifier",
    "staged_files",
    "stats_now",
    "strange_names",
    "string_at",
    "strings_ending",
    "take_list",
    "take_strings",
    "thin_python",
    "top_k",
    "trigram_candidates",
    "trigram_list",
    "union",
]


def thin_python(text: bytes, /) -> bytes:
    """What `greppy.kernels.reference.thinning` says; it is imported when it is needed, since it imports re."""
    from greppy.kernels.reference import thinning

    return thinning.thin_python(text)
