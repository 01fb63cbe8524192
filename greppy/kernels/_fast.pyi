# The compiled twin has the signatures of the reference; those of files are missing on Windows.
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from greppy.kernels.reference import Inverter as Inverter
from greppy.kernels.reference import TrigramInverter as TrigramInverter
from greppy.kernels.reference import accumulate as accumulate
from greppy.kernels.reference import ascii_terms as ascii_terms
from greppy.kernels.reference import beginning_lists as beginning_lists
from greppy.kernels.reference import best_blobs as best_blobs
from greppy.kernels.reference import best_files as best_files
from greppy.kernels.reference import blob_scores as blob_scores
from greppy.kernels.reference import changed_stats as changed_stats
from greppy.kernels.reference import count_postings as count_postings
from greppy.kernels.reference import decode_postings as decode_postings
from greppy.kernels.reference import encode_postings as encode_postings
from greppy.kernels.reference import excerpts as excerpts
from greppy.kernels.reference import file_classes as file_classes
from greppy.kernels.reference import find_lists as find_lists
from greppy.kernels.reference import find_string as find_string
from greppy.kernels.reference import fold_word as fold_word
from greppy.kernels.reference import impacts as impacts
from greppy.kernels.reference import intersect as intersect
from greppy.kernels.reference import joined_lists as joined_lists
from greppy.kernels.reference import line_starts as line_starts
from greppy.kernels.reference import matching_lines as matching_lines
from greppy.kernels.reference import members as members
from greppy.kernels.reference import merge_terms as merge_terms
from greppy.kernels.reference import merge_trigrams as merge_trigrams
from greppy.kernels.reference import name_worths as name_worths
from greppy.kernels.reference import named_wholly as named_wholly
from greppy.kernels.reference import pack_lists as pack_lists
from greppy.kernels.reference import pack_strings as pack_strings
from greppy.kernels.reference import path_shares as path_shares
from greppy.kernels.reference import path_starts as path_starts
from greppy.kernels.reference import plain_snippet as plain_snippet
from greppy.kernels.reference import print_files as print_files
from greppy.kernels.reference import print_text as print_text
from greppy.kernels.reference import read_matching as read_matching
from greppy.kernels.reference import runs as runs
from greppy.kernels.reference import score_lists as score_lists
from greppy.kernels.reference import split_identifier as split_identifier
from greppy.kernels.reference import staged_files as staged_files
from greppy.kernels.reference import stats_now as stats_now
from greppy.kernels.reference import strange_names as strange_names
from greppy.kernels.reference import string_at as string_at
from greppy.kernels.reference import strings_ending as strings_ending
from greppy.kernels.reference import take_list as take_list
from greppy.kernels.reference import take_strings as take_strings
from greppy.kernels.reference import thin_python as thin_python
from greppy.kernels.reference import top_k as top_k
from greppy.kernels.reference import trigram_candidates as trigram_candidates
from greppy.kernels.reference import trigram_list as trigram_list
from greppy.kernels.reference import union as union

class _Node(Protocol):
    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...

_Chunk = TypeVar("_Chunk", bound=tuple[object, ...])

# `greppy.analysis.chunks.outlined` is its twin, `greppy.analysis.roles.Roles` what it takes. ValueError for offsets
# beyond 1 GiB, for roles that do not fit, and for an empty text.
def code_chunks(
    text: bytes,
    captures: Mapping[str, Sequence[_Node]],
    roles: tuple[
        tuple[str, ...], bytes, dict[str, tuple[int, int]], dict[bytes, int], tuple[int, int, int, int, int, int]
    ],
    name_of: Callable[[bytes], str],
    chunk: type[_Chunk],
    /,
) -> list[_Chunk]: ...
