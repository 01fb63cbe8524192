"""Blobs come in the order in which they were asked for, whatever was kept of them and whatever is missing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from greppy.git.blobs import Blobs
from greppy.git.project import Project, find_project

if TYPE_CHECKING:
    from tests.git.conftest import Repository

GONE = b"1" * 40


def blobs_of(repository: Repository, contents: list[bytes]) -> tuple[Project, list[bytes]]:
    oids = [repository.git("hash-object", "-w", "--stdin", stdin=content).strip() for content in contents]
    return find_project(os.fsencode(repository.path)), oids


@pytest.mark.parametrize("keep", [0, 50, 1 << 20])
def test_many_blobs_come_in_order_and_again(repository: Repository, keep: int) -> None:
    contents = [b"%d\n" % number * (number % 7 * 1000 + 1) for number in range(130)]
    project, oids = blobs_of(repository, contents)
    with Blobs(project, keep) as blobs:
        assert list(blobs.read(oids)) == contents
        assert list(blobs.read(oids[::-1])) == contents[::-1]
        assert list(blobs.read([oids[5], oids[5], oids[6]])) == [contents[5], contents[5], contents[6]]
        assert list(blobs.read([])) == []


def test_what_was_kept_is_not_asked_for_again(repository: Repository) -> None:
    project, oids = blobs_of(repository, [b"one", b"two", b"t" * 100])
    with Blobs(project, 10) as blobs:
        assert list(blobs.read(oids)) == [b"one", b"two", b"t" * 100]
        for oid in oids[:2]:
            name = oid.decode()
            (repository.path / ".git/objects" / name[:2] / name[2:]).unlink()
        assert list(blobs.read(oids)) == [b"one", b"two", b"t" * 100]


@pytest.mark.parametrize("keep", [0, 1 << 20])
def test_in_a_partial_clone_a_missing_blob_is_none_and_the_others_come(repository: Repository, keep: int) -> None:
    contents = [b"%d\n" % number for number in range(120)]
    project, oids = blobs_of(repository, contents)
    repository.git("config", "extensions.partialClone", "origin")
    asked = [*oids[:60], GONE, *oids[60:], GONE]
    with Blobs(project, keep) as blobs:
        for _ in range(2):
            assert list(blobs.read(asked)) == [*contents[:60], None, *contents[60:], None]


def test_a_name_that_is_no_blob_is_none(repository: Repository) -> None:
    project, oids = blobs_of(repository, [b"one", b"two"])
    with Blobs(project) as blobs:
        assert list(blobs.read([oids[0], GONE, oids[1]])) == [b"one", None, b"two"]
