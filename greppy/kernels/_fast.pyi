# The compiled twin has the signatures of the reference; `changed_stats` is missing on Windows.
from greppy.kernels.reference import Inverter as Inverter
from greppy.kernels.reference import accumulate as accumulate
from greppy.kernels.reference import blob_scores as blob_scores
from greppy.kernels.reference import changed_stats as changed_stats
from greppy.kernels.reference import count_postings as count_postings
from greppy.kernels.reference import decode_postings as decode_postings
from greppy.kernels.reference import encode_postings as encode_postings
from greppy.kernels.reference import line_starts as line_starts
from greppy.kernels.reference import runs as runs
from greppy.kernels.reference import split_identifier as split_identifier
from greppy.kernels.reference import top_k as top_k
