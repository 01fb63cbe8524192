"""Manifests: what rows say is what a manifest says; a patched one is, to the last byte, the one made of all rows."""

from __future__ import annotations

import os
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from greppy import kernels
from greppy.analysis.chunks import analyze
from greppy.analysis.version import ANALYZER
from greppy.git.files import hash_blob
from greppy.index.edit import patched
from greppy.index.known import MANY, Known
from greppy.index.ledger import Ledger, Origin, Row, Watched, counts_of, pack_manifest, read_ledger
from greppy.index.manifest import REASONS, Manifest
from greppy.index.names import IN_FOLDER, IN_STEM, WHOLE, Names, stem_of, words_of_name
from greppy.index.postings import Terms
from greppy.index.shard import Shard
from greppy.index.writer import ShardWriter

ORIGIN = Origin(b"/pro\xffject", "sha1", b"digest", 12345)
SIGNATURES = st.tuples(st.integers(-1, 1 << 40), *[st.integers(-(1 << 62), 1 << 62)] * 2, st.integers(0, (1 << 63) - 1))
PATHS = st.binary(min_size=1, max_size=8).filter(lambda path: b"\0" not in path)
NAMES = st.sampled_from(
    [b"src/session_store.py", b"src/SessionStore.py", b"a/b/c.d", b".eslintrc.js", b"x", b"doc/user guide"]
)


def shard_of(texts: list[bytes], name: str) -> Shard:
    writer = ShardWriter()
    for text in texts:
        analysis = analyze(text, "text")
        assert analysis is not None
        writer.add(hash_blob(text), "text", analysis, text)
    return Shard(memoryview(writer.finish()), ANALYZER, f"/home/shards/{name}")


def opened(content: bytes) -> Manifest:
    return Manifest(memoryview(content), ANALYZER, "manifest")


A = shard_of([b"session store\n", b"user\n" * 60, b"", b"x y z\n"], "a")
B = shard_of([b"another one\n", b"session again\n"], "b")
C = shard_of([b"edited\n", b"nobody has this\n"], "c")


@st.composite
def rows_over(draw: st.DrawFn, shards: list[Shard], reasons: bool = True) -> list[Row]:
    rows = []
    for path in draw(st.sets(PATHS | NAMES, max_size=12)):
        reason = draw(st.sampled_from(REASONS[:5])) if reasons else ""
        shard = draw(st.sampled_from(shards))
        blob = draw(st.integers(0, shard.blobs - 1))
        where = ("", 0) if reason else (shard.file, blob)
        oid = b"" if reason else shard.oid(blob)
        rows.append(Row(path, draw(SIGNATURES), oid, draw(st.integers(0, 255)), reason, *where))
    return rows


WATCHED = st.lists(st.builds(Watched, PATHS, SIGNATURES), max_size=3)


@given(rows_over([A, B]), WATCHED, WATCHED)
@settings(max_examples=80, deadline=None)
def test_what_rows_say_is_what_a_manifest_says(rows: list[Row], folders: list[Watched], inputs: list[Watched]) -> None:
    manifest = opened(pack_manifest(Ledger(rows, folders, inputs), [A, B], ORIGIN))
    read = read_ledger(manifest)
    assert [row._replace(oid=row.oid if any(row.oid) else b"") for row in read.rows] == sorted(rows)
    assert read.folders == folders
    assert read.inputs == inputs
    meta = manifest.meta
    assert (meta.root, meta.algorithm, meta.digest, meta.indexed_at) == ORIGIN[:2] + ORIGIN[2:]
    assert (meta.files, meta.folders) == (len(rows), len(folders))
    assert manifest.shards == ["a", "b"]


@given(rows_over([A, B]))
@settings(max_examples=80, deadline=None)
def test_live_and_dead_blobs_and_their_sums_are_those_of_a_naive_count(rows: list[Row]) -> None:
    manifest = opened(pack_manifest(Ledger(rows, [], []), [A, B], ORIGIN))
    held = {("ab".index(row.shard), row.blob) for row in rows if not row.reason}
    everything = {(place, blob) for place, shard in enumerate((A, B)) for blob in range(shard.blobs)}
    assert list(manifest.dead()) == sorted(everything - held)
    sums = [sum(column) for column in zip(*(counts_of((A, B)[place], blob) for place, blob in held), strict=True)]
    meta = manifest.meta
    assert [meta.chunks, meta.body, meta.comment, meta.text_bytes] == (sums or [0] * 4)
    for place, blob in everything:
        paths = [manifest.paths[file] for file in manifest.files_of(place, blob)]
        assert paths == sorted(
            row.path for row in rows if not row.reason and (row.shard, row.blob) == ("ab"[place], blob)
        )


@given(rows_over([A, B], reasons=False), WATCHED, WATCHED, st.binary(max_size=16), st.data())
@settings(max_examples=150, deadline=None)
def test_a_patched_manifest_is_the_one_made_of_all_rows(
    rows: list[Row], folders: list[Watched], inputs: list[Watched], tracked: bytes, data: st.DataObject
) -> None:
    rows.sort()
    manifest = opened(pack_manifest(Ledger(rows, folders, inputs, tracked), [A, B], ORIGIN))
    changed = {}
    for at in sorted(data.draw(st.sets(st.integers(0, len(rows) - 1)) if rows else st.just(set()))):
        shard = data.draw(st.sampled_from([A, B, C]))
        blob = data.draw(st.integers(0, shard.blobs - 1))
        flags = data.draw(st.integers(0, 255))
        changed[at] = Row(rows[at].path, data.draw(SIGNATURES), shard.oid(blob), flags, "", shard.file, blob)
    moved, rewritten = (
        {at: data.draw(SIGNATURES) for at in range(len(watched)) if data.draw(st.booleans())}
        for watched in (folders, inputs)
    )
    shards = [A, B, C] if data.draw(st.booleans()) or any(row.shard == "c" for row in changed.values()) else [A, B]
    new_rows = [changed.get(at, row) for at, row in enumerate(rows)]
    new_folders = [Watched(each.path, moved.get(at, each.signature)) for at, each in enumerate(folders)]
    new_inputs = [Watched(each.path, rewritten.get(at, each.signature)) for at, each in enumerate(inputs)]
    ledger = Ledger(new_rows, new_folders, new_inputs, tracked)
    expected = pack_manifest(ledger, shards, ORIGIN._replace(indexed_at=99))
    assert patched(manifest, shards, changed, moved, rewritten, 99) == expected


def files_of(lists: Iterable[bytes | None]) -> list[int]:
    """The files of posting lists, one list after the other."""
    return [doc for buf in lists if buf is not None for doc in kernels.decode_postings(buf)[0]]


@given(st.sets(PATHS | NAMES, max_size=15))
@settings(max_examples=80, deadline=None)
def test_the_words_of_paths_lead_to_the_files_that_a_naive_scan_finds(paths: set[bytes]) -> None:
    rows = [Row(path, (1, 2, 3, 4), A.oid(0), 0, "", "a", 0) for path in paths]
    manifest = opened(pack_manifest(Ledger(rows, [], []), [A], ORIGIN))
    words: dict[bytes, set[int]] = {}
    for file, path in enumerate(sorted(paths)):
        stem = words_of_name(stem_of(path.rpartition(b"/")[2]))
        folder = words_of_name(os.path.basename(os.path.dirname(path)) if b"/" in path else b"")
        whole = [WHOLE + b"".join(stem)] if stem else []
        for word in (*stem, *folder, *whole):
            words.setdefault(word, set()).add(file)
    names = Names(manifest)
    for word, files in words.items():
        assert files_of(names.lists((word,))) == sorted(files)
        beginning = word[:2]
        expected = {file for other, found in words.items() if other.startswith(beginning) for file in found}
        assert set(files_of(names.beginning(beginning))) == expected
    assert names.lists((b"nowhere",)) == (None,)


def test_a_word_of_stem_and_folder_has_both_bits() -> None:
    rows = [Row(b"session/Session.test.py", (1, 2, 3, 4), A.oid(0), 0, "", "a", 0)]
    manifest = opened(pack_manifest(Ledger(rows, [], []), [A], ORIGIN))
    found = Terms(manifest.container).find(b"session")
    assert found is not None
    _, codes = kernels.decode_postings(found)
    assert codes == bytes([IN_STEM | IN_FOLDER])


def test_files_that_are_not_indexed_are_not_among_the_names() -> None:
    rows = [Row(b"session.bin", (1, 2, 3, 4), bytes(20), 0, "binary", "", 0)]
    names = Names(opened(pack_manifest(Ledger(rows, [], []), [], ORIGIN)))
    assert files_of(names.lists((b"session",))) == []


def test_of_two_places_with_one_analysis_the_one_that_files_have_is_known() -> None:
    twin = shard_of([b"user\n" * 60, b"session store\n"], "twin")
    for at, (shard, blob) in enumerate(((A, 0), (twin, 1))):
        rows = [Row(b"f", (1, 2, 3, 4), A.oid(0), 0, "", shard.file, blob)]
        manifest = opened(pack_manifest(Ledger(rows, [], []), [A, twin], ORIGIN))
        known = Known([A, twin], manifest)
        for _ in range(MANY + 2):  # by looking into the shards, then by the table
            assert known.find((A.oid(0), "text")) == (("a", 0), ("twin", 1))[at]
            assert known.find((A.oid(1), "text")) == ("a", 1)
            assert known.find((A.oid(0), "python")) is None
            assert known.find((bytes(20), "text")) is None


def test_a_file_without_stat_data_is_a_manifest_too() -> None:
    manifest = opened(pack_manifest(Ledger([], [], []), [], ORIGIN))
    assert manifest.meta.files == 0
    assert read_ledger(manifest) == Ledger([], [], [])
