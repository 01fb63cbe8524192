"""The container of every file of the index: its bytes as specified, and no damage that passes unseen."""

from __future__ import annotations

import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from greppy.errors import DamagedIndex
from greppy.index import format as layout
from greppy.index.format import PAGE, Container, OtherVersion, pack

NAME = "file"


def open_container(data: bytes, analyzer: int = 7) -> Container:
    return Container(memoryview(data), b"GRPSHARD", analyzer, NAME)


def read_all(data: bytes) -> None:
    container = open_container(data)
    container.section(3)
    container.section(4)


def sum_of(data: bytes) -> bytes:
    return struct.pack("<Q", xxh3_64_intdigest(data))


def test_a_container_of_two_sections_has_the_bytes_that_the_docstring_specifies() -> None:
    head = (
        b"GRPSHARD"  # magic
        b"\x02\x00\x00\x00"  # format 2
        b"\x07\x00\x00\x00"  # analyzer 7
        b"\x02\x00\x00\x00"  # two sections
        b"\x00\x80\x00\x00"  # pages of 32 KiB
        b"\x6c\x00\x00\x00\x00\x00\x00\x00"  # 108 bytes in all: 92 before the sums, one page sum, the head's sum
    )
    table = (
        b"\x03\x00\x00\x00\x00\x00\x00\x00"  # section 3 …
        b"\x50\x00\x00\x00\x00\x00\x00\x00"  # … lies at 80, behind 32 bytes of header and two entries of 24 …
        b"\x03\x00\x00\x00\x00\x00\x00\x00"  # … and has 3 bytes
        b"\x09\x00\x00\x00\x00\x00\x00\x00"  # section 9 …
        b"\x58\x00\x00\x00\x00\x00\x00\x00"  # … lies at 88, the next multiple of 8 …
        b"\x04\x00\x00\x00\x00\x00\x00\x00"  # … and has 4 bytes
    )
    sections = (
        b"abc\x00\x00\x00\x00\x00"  # section 3 and the way to the next multiple of 8
        b"\xff\xfe\xfd\xfc"  # section 9
    )
    content = head + table + sections
    page_sums = sum_of(content)
    head_sum = sum_of(head + table + page_sums)
    assert pack(b"GRPSHARD", 7, [(3, b"abc"), (9, b"\xff\xfe\xfd\xfc")]) == content + page_sums + head_sum


def test_the_worked_example_of_the_docstring_is_what_pack_makes() -> None:
    example = (layout.__doc__ or "").partition("Worked example")[2].partition("Sections of a shard")[0]
    lines = [line.strip() for line in example.splitlines()]
    rows = [re.match(r"(?:[0-9a-f]{2} {1,2})+", line) for line in lines[1:]]
    spelled = bytes.fromhex("".join(row.group() for row in rows if row))
    packed = pack(layout.SHARD_MAGIC, 7, [(3, b"abc")])
    assert packed[: len(spelled)] == spelled
    assert len(packed) == len(spelled) + 16
    assert packed[59:67] == sum_of(packed[:59])
    assert packed[67:] == sum_of(packed[:56] + packed[59:67])


@given(st.lists(st.binary(max_size=70_000), max_size=4))
def test_what_was_packed_is_what_a_container_says(contents: list[bytes]) -> None:
    sections = list(enumerate(contents, 1))
    container = open_container(pack(b"GRPSHARD", 7, sections))
    container.verify()
    for number, content in sections:
        assert number in container
        assert container.length(number) == len(content)
        assert bytes(container.section(number)) == content
        assert bytes(container.section(number, len(content) // 2)) == content[len(content) // 2 :]
    assert 99 not in container


def test_every_single_flipped_bit_is_an_error_or_outside_what_was_read() -> None:
    data = pack(b"GRPSHARD", 7, [(3, b"abcdefgh"), (4, b"xyz")])
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises((DamagedIndex, OtherVersion)):
            read_all(bytes(flipped))


def test_a_flipped_bit_of_one_page_leaves_the_other_pages_readable() -> None:
    data = bytearray(pack(b"GRPSHARD", 7, [(3, bytes(PAGE)), (4, bytes(4 * PAGE))]))
    data[3 * PAGE + 17] ^= 4
    container = open_container(bytes(data))
    assert not any(container.section(3))
    assert not any(container.section(4, 0, PAGE // 2))
    for _ in range(2):
        with pytest.raises(DamagedIndex, match="page 3"):
            container.section(4)
    with pytest.raises(DamagedIndex):
        container.verify()


def test_a_file_cut_at_any_length_is_refused_when_it_is_opened() -> None:
    data = pack(b"GRPSHARD", 7, [(3, b"abcdefgh"), (4, b"xyz")])
    for length in range(len(data)):
        with pytest.raises(DamagedIndex):
            open_container(data[:length])


@pytest.mark.parametrize("size", [PAGE - 57, PAGE - 56, PAGE - 55, 2 * PAGE - 56, 3 * PAGE])
def test_sizes_around_the_end_of_a_page_are_opened_and_cut_ones_refused(size: int) -> None:
    data = pack(b"GRPSHARD", 7, [(3, bytes(size))])
    assert len(open_container(data).section(3)) == size
    for cut in (1, 8, 16, 17):
        with pytest.raises(DamagedIndex):
            open_container(data[:-cut])
    with pytest.raises(DamagedIndex):
        open_container(data + b"\0")


def test_another_version_is_told_from_damage() -> None:
    data = pack(b"GRPSHARD", 7, [(3, b"abc")])
    with pytest.raises(OtherVersion):
        open_container(data, analyzer=8)
    with pytest.raises(OtherVersion):
        open_container(data[:8] + b"\x03" + data[9:])
    with pytest.raises(DamagedIndex):
        Container(memoryview(data), b"GRPMANIF", 7, NAME)


def test_a_range_outside_its_section_is_damage() -> None:
    container = open_container(pack(b"GRPSHARD", 7, [(3, b"abc")]))
    for start, end in ((0, 4), (-1, 2), (2, 1), (4, None)):
        with pytest.raises(DamagedIndex, match="outside"):
            container.section(3, start, end)


def test_an_error_names_the_file_and_what_to_do() -> None:
    with pytest.raises(DamagedIndex, match="file is damaged") as caught:
        open_container(b"")
    assert caught.value.path == NAME
    assert "index --force" in caught.value.hint
