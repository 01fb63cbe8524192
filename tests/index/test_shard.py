"""What a shard says against what was given to its writer, and a merged shard against one built afresh."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greppy import kernels
from greppy.analysis.chunks import BODY, COMMENT, SIGNATURE, Analysis, Chunk, analyze
from greppy.analysis.tokens import terms_of_run
from greppy.analysis.version import ANALYZER
from greppy.errors import DamagedIndex
from greppy.git.files import hash_blob
from greppy.index import format as layout
from greppy.index.merge import merge
from greppy.index.shard import Shard
from greppy.index.writer import LONGEST_SYMBOL, ShardWriter
from greppy.kernels.codes import length_code, posting_code

SOURCE = b'''"""Sessions of users."""

class SessionStore:
    """Keeps sessions."""

    def save(self, session):
        # write it down
        return self.write(session.session_key)


def getURLForID(identifier):
    return "https://example.invalid/" + identifier
'''
WORDS = st.sampled_from(
    ["session", "user_name", "getURLForID", "sha256", "def", "x", "東京都", "Größe", "\n", "# note", "  "]
)
TEXTS = st.lists(WORDS, max_size=30).map(lambda words: " ".join(words).encode())
BLOBS = st.lists(st.tuples(TEXTS, st.sampled_from(["text", "markdown", "python"])), max_size=5, unique=True)

Blob = tuple[bytes, str]


def opened(content: bytes, name: str = "shard") -> Shard:
    return Shard(memoryview(content), ANALYZER, name)


def analysis_of(blob: Blob) -> Analysis:
    analysis = analyze(*blob)
    assert analysis is not None
    return analysis


def written(blobs: list[Blob]) -> Shard:
    writer = ShardWriter()
    for ordinal, (data, language) in enumerate(blobs):
        assert writer.add(hash_blob(data), language, analysis_of((data, language)), data) == ordinal
    return opened(writer.finish())


def naive_postings(blobs: list[Blob]) -> dict[bytes, dict[int, int]]:
    """Term → chunk → posting code, counted over the text in the plainest way."""
    counts: dict[bytes, dict[int, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    doc = 0
    for blob in blobs:
        analysis = analysis_of(blob)
        for chunk in analysis.chunks:
            for field, run in naive_runs(analysis, chunk):
                for term in terms_of_run(run):
                    counts[term][doc][field] += 1
            doc += 1
    return {
        term: {doc: posting_code(*(fields[field] for field in range(4))) for doc, fields in docs.items()}
        for term, docs in counts.items()
    }


def naive_runs(analysis: Analysis, chunk: Chunk) -> list[tuple[int, bytes]]:
    runs = [(field, run) for field, *span in chunk.spans for run in kernels.runs(analysis.text, *span)]
    around = chunk.symbol.rpartition(" > " if chunk.kind == "section" else ".")[0].encode()
    return runs + [(SIGNATURE, run) for run in kernels.runs(around, 0, len(around))]


def lists_of(shard: Shard) -> dict[bytes, dict[int, int]]:
    decoded = {term: kernels.decode_postings(buffer) for term, buffer in shard.lists()}
    return {term: dict(zip(docs, codes, strict=True)) for term, (docs, codes) in decoded.items()}


@given(BLOBS)
@settings(max_examples=60, deadline=None)
def test_a_shard_says_what_its_writer_was_given(blobs: list[Blob]) -> None:
    shard = written(blobs)
    shard.container.verify()
    assert shard.blobs == len(blobs)
    assert list(shard.blob_keys()) == [(hash_blob(data), language) for data, language in blobs]
    doc = 0
    for ordinal, blob in enumerate(blobs):
        analysis = analysis_of(blob)
        assert (shard.oid(ordinal), shard.language(ordinal)) == (hash_blob(blob[0]), blob[1])
        assert shard.column(layout.BLOB_FLAGS)[ordinal] == analysis.flags
        assert shard.column(layout.BLOB_LINES, "I")[ordinal] == analysis.lines
        assert shard.column(layout.BLOB_BYTES, "I")[ordinal] == len(analysis.text)
        assert shard.chunk_range(ordinal) == (doc, doc + len(analysis.chunks))
        for chunk in analysis.chunks:
            assert shard.lines(ordinal, doc) == (chunk.start_line, chunk.end_line)
            assert (shard.symbol(doc), shard.kind(doc)) == (chunk.symbol, chunk.kind)
            doc += 1
    assert shard.chunks == doc


@given(BLOBS)
@settings(max_examples=60, deadline=None)
def test_the_postings_of_every_term_are_those_of_a_naive_count(blobs: list[Blob]) -> None:
    shard = written(blobs)
    naive = naive_postings(blobs)
    assert lists_of(shard) == naive
    assert [term for term, _ in shard.lists()] == sorted(naive)
    for term, docs in naive.items():
        buffer = shard.postings(term)
        assert buffer is not None
        assert list(kernels.decode_postings(buffer)[0]) == sorted(docs)
    assert shard.postings(b"nowhere") is None


@given(BLOBS)
@settings(max_examples=40, deadline=None)
def test_the_lengths_of_chunks_and_blobs_are_those_of_a_naive_count(blobs: list[Blob]) -> None:
    shard = written(blobs)
    codes = bytes(shard.column(layout.CHUNK_LENGTHS))
    doc = 0
    for ordinal, blob in enumerate(blobs):
        analysis = analysis_of(blob)
        sums = [0, 0]
        for chunk in analysis.chunks:
            runs = naive_runs(analysis, chunk)
            for at, field in enumerate((BODY, COMMENT)):
                code = length_code(sum(1 for found, _ in runs if found == field))
                assert codes[2 * doc + at] == code
                sums[at] += kernels.LENGTHS[code]
            doc += 1
        assert list(shard.column(layout.BLOB_LENGTHS, "I")[2 * ordinal : 2 * ordinal + 2]) == sums


def test_a_method_is_found_by_the_name_of_its_class_as_part_of_its_signature() -> None:
    shard = written([(SOURCE, "python")])
    symbols = [shard.symbol(chunk) for chunk in range(shard.chunks)]
    method = symbols.index("SessionStore.save")
    assert lists_of(shard)[terms_of_run(b"SessionStore")[0]][method] & 0x40
    assert shard.kind(method) == "method"


def test_an_empty_file_is_a_blob_without_chunks() -> None:
    shard = written([(b"", "text"), (b"word\n", "text"), (b"", "python")])
    assert [shard.chunk_range(blob) for blob in range(3)] == [(0, 0), (0, 1), (1, 1)]


def test_lines_beyond_65535_have_their_numbers() -> None:
    shard = written([(b"word\n" * 70_000, "text"), (b"word\n", "text")])
    last = shard.chunk_range(0)[1] - 1
    assert shard.lines(0, last)[1] == 70_000
    assert shard.lines(1, last + 1) == (1, 1)


@given(st.lists(st.lists(st.sampled_from([1, 2, 254, 255, 256, 1000]), min_size=1, max_size=6), max_size=4))
@settings(deadline=None)
def test_chunks_of_any_number_of_lines_have_their_lines_also_when_merged(blobs: list[list[int]]) -> None:
    writer = ShardWriter()
    expected = []
    for number, sizes in enumerate(blobs):
        starts = [1 + sum(sizes[:at]) for at in range(len(sizes) + 1)]
        expected.append([(start, end - 1) for start, end in pairwise(starts)])
        chunks = [Chunk(start, end, "text", "", []) for start, end in expected[-1]]
        writer.add(bytes([number]) * 20, "text", Analysis(b"", "utf-8", starts[-1] - 1, chunks, 0), b"")
    shard = opened(writer.finish())
    for each in (shard, opened(merge([shard], [range(shard.blobs)]))):
        for blob, lines in enumerate(expected):
            assert [each.lines(blob, chunk) for chunk in range(*each.chunk_range(blob))] == lines


def test_of_an_over_long_symbol_the_end_is_kept() -> None:
    writer = ShardWriter()
    long = "Ä" * 200 + ".save"
    writer.add(bytes(20), "text", Analysis(b"x", "utf-8", 1, [Chunk(1, 1, "method", long, [(BODY, 0, 1)])], 0), b"x")
    symbol = opened(writer.finish()).symbol(0)
    assert symbol.endswith(".save")
    assert long.endswith(symbol)
    assert len(symbol.encode()) <= LONGEST_SYMBOL


def test_sha256_oids_take_32_bytes() -> None:
    writer = ShardWriter()
    for number in range(3):
        writer.add(bytes([number]) * 32, "text", analysis_of((b"word", "text")), b"word")
    shard = opened(writer.finish())
    assert [shard.oid(blob) for blob in range(3)] == [bytes([number]) * 32 for number in range(3)]


@given(st.lists(BLOBS, min_size=1, max_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_merging_any_subset_equals_building_the_kept_blobs_afresh(
    groups: list[list[Blob]], data: st.DataObject
) -> None:
    shards = [written(blobs) for blobs in groups]
    keep = [[blob for blob in range(shard.blobs) if data.draw(st.booleans())] for shard in shards]
    merged = opened(merge(shards, keep))
    merged.container.verify()
    afresh = written([blobs[blob] for blobs, kept in zip(groups, keep, strict=True) for blob in kept])
    assert lists_of(merged) == lists_of(afresh)
    for section in (layout.OIDS, layout.BLOB_FLAGS, layout.BLOB_LINES, layout.BLOB_BYTES, layout.BLOB_LENGTHS):
        assert bytes(merged.container.section(section)) == bytes(afresh.container.section(section))
    for section in (layout.FIRST_CHUNK, layout.CHUNK_LENGTHS, layout.CHUNK_LINES, layout.LONG_CHUNKS):
        assert bytes(merged.container.section(section)) == bytes(afresh.container.section(section))
    assert list(merged.blob_keys()) == list(afresh.blob_keys())
    for chunk in range(afresh.chunks):
        assert (merged.symbol(chunk), merged.kind(chunk)) == (afresh.symbol(chunk), afresh.kind(chunk))


def test_merging_all_of_one_shard_gives_the_same_bytes() -> None:
    blobs = [(SOURCE, "python"), (b"word\n", "text")]
    shard = written(blobs)
    assert merge([shard], [[0, 1]]) == bytes(shard.container.buffer)


def test_a_damaged_posting_list_is_found_when_it_is_read_and_not_before() -> None:
    blobs = [(b"word%d\n" % number * 3, "text") for number in range(9_000)]
    content = bytearray(bytes(written(blobs).container.buffer))
    content[-layout.PAGE] ^= 1
    shard = opened(bytes(content), "home/shards/abc")
    assert shard.file == "abc"
    assert shard.oid(0) == hash_blob(blobs[0][0])
    with pytest.raises(DamagedIndex) as caught:
        merge([shard], [range(shard.blobs)])
    assert caught.value.path == "home/shards/abc"
