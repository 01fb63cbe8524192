"""The inner loops in plain Python: what each kernel means, and what runs where nothing could be compiled.

In go bytes and buffers, out come lists, bytes and arrays; nothing here knows of repositories or of the index's files.
The compiled twin (`greppy.kernels._fast`, one C file for each module here) gives equal results, down to the last bit
of every floating-point number; property tests compare the two.
"""

from __future__ import annotations

from greppy.kernels.reference.inverter import Inverter
from greppy.kernels.reference.postings import (
    count_postings,
    decode_postings,
    encode_postings,
)
from greppy.kernels.reference.scores import accumulate, blob_scores, top_k
from greppy.kernels.reference.stats import changed_stats
from greppy.kernels.reference.words import line_starts, runs, split_identifier

__all__ = [
    "Inverter",
    "accumulate",
    "blob_scores",
    "changed_stats",
    "count_postings",
    "decode_postings",
    "encode_postings",
    "line_starts",
    "runs",
    "split_identifier",
    "top_k",
]
