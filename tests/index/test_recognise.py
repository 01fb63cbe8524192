"""Files whose content was analysed before are recognised in bulk, and cost neither a process nor a new manifest."""

from __future__ import annotations

import os
import time
from typing import Any, NoReturn

import pytest

from greppy import kernels
from greppy.index import builder, examine, guard, recognise, workers
from greppy.index.ledger import Origin, pack_manifest, read_ledger

from .conftest import Work, reasons, snapshot

FILES = 3 * recognise.SAMPLE


def not_called(*_args: object, **_named: object) -> NoReturn:
    raise AssertionError("everything was known")


def branches(work: Work) -> None:
    """Two branches that differ in many files, binary ones among them, both indexed; the first is checked out."""
    for name in ("main", "other"):
        if name == "other":
            work.git("checkout", "-q", "-b", name)
        for number in range(FILES):
            binary = number % 5 == 0
            text = b"\0%d %s\n" if binary else b"def f%d(): return '%s'\n"
            work.write(f"src/m{number}." + ("bin" if binary else "py"), text % (number, name.encode()))
        work.commit()
        time.sleep(0.05)
        work.build()
    work.git("checkout", "-q", "main")
    time.sleep(0.05)
    work.build()


def test_a_branch_that_is_known_is_switched_to_without_a_process_or_a_manifest_from_rows(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    branches(work)
    work.git("checkout", "-q", "other")
    for module, name in (
        (workers, "examine_in_processes"),
        (guard, "examine_guarded"),
        (examine, "_examine_here"),
        (builder, "pack_manifest"),
    ):
        monkeypatch.setattr(module, name, not_called)
    report = work.build()
    assert (report.changed, report.analysed, report.removed) == (True, 0, 0)
    view = work.view()
    assert snapshot(view) == work.expected()
    assert list(reasons(view).values()).count("binary") == -(-FILES // 5)


def test_a_manifest_in_which_rows_were_replaced_is_the_one_that_is_made_of_them(work: Work) -> None:
    branches(work)
    work.git("checkout", "-q", "other")
    work.build()
    view = work.view()
    meta = view.manifest.meta
    origin = Origin(meta.root, meta.algorithm, meta.digest, meta.indexed_at)
    assert pack_manifest(read_ledger(view.manifest), view.shards, origin) == bytes(view.manifest.container.buffer)


def test_a_file_that_becomes_binary_or_text_is_listed_as_what_it_is(work: Work) -> None:
    branches(work)
    work.write("src/m1.py", b"\0now binary")
    work.write("src/m0.bin", b"now text\n")
    work.build()
    assert snapshot(work.view()) == work.expected()
    assert reasons(work.view())[b"src/m1.py"] == "binary"
    assert reasons(work.view())[b"src/m0.bin"] == ""


def test_a_file_that_changes_while_it_is_read_is_left_to_those_who_read_it_again(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    branches(work)
    work.git("checkout", "-q", "other")
    real = kernels.read_matching

    def read_and_change(root: bytes, *rest: Any) -> list[bytes | int | None]:
        found: list[bytes | int | None] = real(root, *rest)
        with open(os.path.join(root, b"src/m7.py"), "ab") as file:
            file.write(b"# more\n")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(kernels, "read_matching", read_and_change)
        work.build()
    assert snapshot(work.view()) == work.expected()


def test_links_and_folders_in_the_place_of_files_are_not_followed(work: Work) -> None:
    branches(work)
    (work.path / "src/m1.py").unlink()
    (work.path / "src/m1.py").symlink_to("m2.py")
    (work.path / "src/m2.py").unlink()
    (work.path / "src/m2.py").mkdir()
    work.build()
    assert snapshot(work.view()) == work.expected()
    assert reasons(work.view())[b"src/m1.py"] == "symlink"
