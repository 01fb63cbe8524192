"""The few inner loops of indexing and searching: compiled where that was possible at installation, else in Python.

`greppy.kernels.reference` says what each does; `greppy.kernels._fast` does the same in C. Which of the two stands
behind the names below is decided once, on import: `compiled` says which, and `why` gives the reason when it is not C
(for `greppy status`).

GREPPY_KERNELS=python forces the reference. It is the one variable of the environment that is read outside `greppy.cli`,
because the choice must be made before anything else is imported, in every process of an index build alike, and because
tests and bug reports need it to tell a fault of the compiled half from any other.
"""

from __future__ import annotations

import os

from greppy.kernels.codes import (
    BODY,
    COMMENT,
    COMMENT_LEVELS,
    LENGTHS,
    LEVELS,
    LONGEST,
    NAME,
    SIGNATURE,
    TERM_BLOCK,
)

compiled = False
why = ""

try:
    if os.environ.get("GREPPY_KERNELS") == "python":
        raise ImportError("GREPPY_KERNELS=python is set")
    from greppy.kernels._fast import (
        Inverter,
        TrigramInverter,
        accumulate,
        ascii_terms,
        beginning_lists,
        best_blobs,
        best_files,
        blob_scores,
        code_chunks,
        count_postings,
        decode_postings,
        encode_postings,
        excerpts,
        file_classes,
        find_lists,
        find_string,
        fold_word,
        impacts,
        intersect,
        joined_lists,
        line_starts,
        matching_lines,
        members,
        merge_terms,
        merge_trigrams,
        name_worths,
        named_wholly,
        pack_lists,
        pack_strings,
        path_shares,
        path_starts,
        plain_snippet,
        print_text,
        runs,
        score_lists,
        split_identifier,
        staged_files,
        string_at,
        strings_ending,
        take_list,
        take_strings,
        thin_python,
        top_k,
        trigram_candidates,
        trigram_list,
        union,
    )

    compiled = True
except ImportError as reason:
    from greppy.kernels.reference import (
        Inverter,
        TrigramInverter,
        accumulate,
        ascii_terms,
        beginning_lists,
        best_blobs,
        best_files,
        blob_scores,
        count_postings,
        decode_postings,
        encode_postings,
        excerpts,
        file_classes,
        find_lists,
        find_string,
        fold_word,
        impacts,
        intersect,
        joined_lists,
        line_starts,
        matching_lines,
        members,
        merge_terms,
        merge_trigrams,
        name_worths,
        named_wholly,
        pack_lists,
        pack_strings,
        path_shares,
        path_starts,
        plain_snippet,
        print_text,
        runs,
        score_lists,
        split_identifier,
        staged_files,
        string_at,
        strings_ending,
        take_list,
        take_strings,
        thin_python,
        top_k,
        trigram_candidates,
        trigram_list,
        union,
    )

    # Its twin needs what lies above this package: `greppy.analysis.chunks.outlined`.
    code_chunks = None  # type: ignore[assignment]

    why = str(reason)

# Windows has no fstatat and no openat: there these are Python's even where the rest is compiled.
if compiled:
    try:
        from greppy.kernels._fast import changed_stats, print_files, read_matching, stats_now, strange_names
    except ImportError:
        from greppy.kernels.reference import changed_stats, print_files, read_matching, stats_now, strange_names
else:
    from greppy.kernels.reference import changed_stats, print_files, read_matching, stats_now, strange_names

__all__ = [
    "BODY",
    "COMMENT",
    "COMMENT_LEVELS",
    "LENGTHS",
    "LEVELS",
    "LONGEST",
    "NAME",
    "SIGNATURE",
    "TERM_BLOCK",
    "Inverter",
    "TrigramInverter",
    "accumulate",
    "ascii_terms",
    "beginning_lists",
    "best_blobs",
    "best_files",
    "blob_scores",
    "changed_stats",
    "code_chunks",
    "compiled",
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
    "why",
]
