"""`history` finds the commits that `git log -S` and `git log -G` find, the first time and every later one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from greppy.cli.main import main
from greppy.git import history
from greppy.search.history import table

from .conftest import Past, Walk

PATTERNS = ("alpha", "a.*a", "^gamma$", "delta|beta", "épsilon", "nothere")


def lines_of(past: Past, *argv: str) -> dict[str, dict[bytes, list[tuple[str, bytes]]]]:
    return {
        record["oid"]: {
            os.fsencode(file["path"]): sorted((line["change"], line["text"].encode()) for line in file["lines"])
            for file in record["files"]
        }
        for record in past.records(*argv)
    }


@pytest.mark.parametrize("seed", range(3))
def test_random_histories_are_told_as_git_and_python_tell_them(past: Past, seed: int) -> None:
    walk = Walk(past, seed)
    for _ in range(25):
        walk.step()
    past.commit("last")
    for _ in range(2):
        for pattern in PATTERNS:
            assert past.commits("-S", pattern) == past.log("-S", pattern, "--pickaxe-regex"), pattern
            wanted = past.differences(pattern.encode())
            found = lines_of(past, pattern)
            assert found == wanted, pattern
            assert set(found) <= set(past.log("-G", pattern))
        for _ in range(3):
            walk.step()
        past.commit("more")


def test_the_order_is_gits(past: Past) -> None:
    walk = Walk(past, 11)
    for _ in range(30):
        walk.step()
    past.commit()
    found = past.commits("alpha")
    assert found == [oid for oid in past.log() if oid in found]


def test_ranges_dates_counts_and_pathspecs_mean_what_they_mean_to_git(past: Past) -> None:
    walk = Walk(past, 5)
    for _ in range(40):
        walk.step()
    past.commit()
    middle = past.log()[len(past.log()) // 2]
    date = past.git("show", "-s", "--format=%ct", middle).decode().strip()
    for words in (
        [f"{middle}..HEAD"],
        [middle],
        ["HEAD", f"^{middle}"],
        ["--all"],
        [f"--since=@{date}"],
        [f"--until=@{date}"],
        ["--", "d"],
        ["--", "*.txt"],
        ["--", ":(exclude)d", "."],
        ["HEAD", "--", "a.txt", "b.txt"],
    ):
        assert past.commits("-S", "alpha", *words) == past.log("-Salpha", *words), words
    assert past.commits("alpha", "-n", "2") == past.commits("alpha")[:2]


def test_from_a_subfolder_pathspecs_are_seen_from_there(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    past.write("d/a.txt", "alpha\n")
    inner = past.commit()
    past.write("a.txt", "alpha\n")
    outer = past.commit()
    monkeypatch.chdir(past.root / "d")
    assert past.commits("alpha") == [outer, inner]
    assert past.commits("alpha", "--", ".") == [inner]
    assert past.records("alpha", "--", "a.txt")[0]["files"][0]["path"] == "d/a.txt"


def test_case_words_and_plain_text(past: Past) -> None:
    past.write("a", "Alpha\n")
    first = past.commit()
    past.write("a", "Alpha\nalphabet\n")
    second = past.commit()
    past.write("a", "Alpha\nalphabet\na.c\n")
    third = past.commit()
    assert past.commits("alpha") == [second]
    assert past.commits("-i", "alpha") == [second, first]
    assert past.commits("-iw", "alpha") == [first]
    assert past.commits("-F", "a.c") == [third]
    assert past.commits("-F", "-E", "a.h") == []


def test_a_line_that_is_said_twice_counts_by_occurrence(past: Past) -> None:
    past.write("a", "alpha beta\n")
    first = past.commit()
    past.write("a", "alpha beta alpha\n")
    second = past.commit()
    past.write("a", "alpha gamma alpha\n")
    third = past.commit()
    assert past.commits("-S", "alpha") == [second, first]
    assert past.commits("-G", "alpha") == [third, second, first]


def test_a_line_that_only_moves_neither_came_nor_went(past: Past) -> None:
    past.write("a", "alpha\n" + "x\n" * 20)
    first = past.commit()
    past.write("a", "x\n" * 20 + "alpha\n")
    moved = past.commit()
    assert past.log("-Galpha") == [moved, first]
    assert past.commits("alpha") == [first]


def test_a_rename_is_followed_as_git_log_follows_it(past: Past) -> None:
    past.write("old.txt", "".join(f"line {n}\n" for n in range(30)) + "alpha\n")
    first = past.commit()
    (past.root / "old.txt").rename(past.root / "new.txt")
    past.commit("moved")
    (past.root / "new.txt").rename(past.root / "newer.txt")
    with (past.root / "newer.txt").open("a") as file:
        file.write("alpha two\n")
    last = past.commit("moved and changed")
    records = past.records("alpha")
    assert [record["oid"] for record in records] == [last, first] == past.log("-Galpha")
    (file_record,) = records[0]["files"]
    assert (file_record["path"], file_record["old_path"]) == ("newer.txt", "new.txt")
    assert file_record["lines"] == [{"change": "+", "line": 32, "text": "alpha two"}]
    assert past.commits("alpha", "--", "newer.txt") == past.log("-Galpha", "--", "newer.txt")


def test_binary_files_count_for_occurrences_only(past: Past) -> None:
    past.write("b.bin", b"alpha\0\n")
    first = past.commit()
    assert past.commits("alpha") == past.log("-Galpha") == []
    assert past.commits("-S", "alpha") == past.log("-Salpha") == [first]
    assert past.records("-S", "alpha")[0]["files"] == [{"path": "b.bin", "binary": True, "lines": []}]
    past.write(".gitattributes", "*.bin diff\n*.txt -diff\n")
    past.write("t.txt", "alpha\n")
    past.commit()
    assert past.commits("alpha") == past.log("-Galpha") == [first]


def test_odd_names_and_bytes_come_through(past: Past) -> None:
    past.write(b'\xff\n"\\.txt', b"alpha \xfe\n")
    past.commit()
    (file,) = past.records("alpha")[0]["files"]
    assert file == {
        "path": {"bytes": "/woiXC50eHQ="},
        "binary": False,
        "lines": [{"change": "+", "line": 1, "text": {"bytes": "YWxwaGEg/g=="}}],
    }
    _, out, _ = past.run("alpha")
    assert out.splitlines()[1] == b'  "\\377\\n\\"\\\\.txt"'
    assert out.splitlines()[2] == b"    +alpha \xfe"


def test_people_read_commits_files_and_lines(past: Past) -> None:
    past.write("a.txt", "alpha\n")
    past.commit("first")
    past.write("a.txt", "alpha\nalpha two\n")
    past.write("b.txt", "alpha three\n")
    past.commit("second")
    status, out, _ = past.run("alpha")
    short = [past.git("rev-parse", "--short", name).decode().strip() for name in ("HEAD", "HEAD~1")]
    assert status == 0
    assert out.decode() == (
        f"{short[0]}  2020-09-13  Ada  second\n  a.txt\n    +alpha two\n  b.txt\n    +alpha three\n"
        f"\n{short[1]}  2020-09-13  Ada  first\n  a.txt\n    +alpha\n"
    )
    assert past.run("nothere")[:2] == (1, b"")


def test_what_cannot_be_taken_is_refused_with_gits_words(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    assert past.run("alpha")[0] == 4  # no commit yet
    past.write("a", "alpha\n")
    past.commit()
    status, _, err = past.run("alpha", "nosuch")
    assert (status, b"nosuch" in err) == (4, True)
    assert past.run("a(")[0] == 4
    assert past.run("")[0] == 4
    assert past.run()[0] == 4
    assert past.run("--", "-x")[0] == 1
    assert past.run("alpha", "--output=x")[0] == 4
    assert past.run("alpha", "--", ":(bad)x")[0] == 4
    monkeypatch.chdir(past.root.parent)
    assert past.run("alpha")[0] == 2


def test_a_second_time_only_new_commits_are_read(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = history.patches

    def patches(project: object, oids: list[bytes]) -> object:
        asked.append(len(oids))
        return real(project, oids)  # type: ignore[arg-type]

    monkeypatch.setattr(table, "patches", patches)
    for number in range(5):
        past.write("a", f"alpha {number}\n")
        past.commit()
    assert len(past.commits("alpha")) == 5
    assert len(past.commits("alpha 3")) == 2
    past.write("a", "alpha x\n")
    past.commit()
    assert len(past.commits("alpha")) == 6
    assert asked == [5, 1]


def test_the_first_answer_does_not_wait_for_the_last_commit(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greppy.search.history.engine.FIRST_BLOCK", 2)
    for number in range(6):
        past.write("a", f"alpha {number}\n")
        past.commit()
    assert len(past.commits("alpha", "-n", "1")) == 1
    _, out, _ = past.run("--json", "alpha", "-n", "1")
    assert b'"searched_commits":2,' in out
    assert len(past.commits("alpha")) == 6


def segments(past: Past) -> list[Path]:
    return sorted(past.home.glob("indexes/*/history/*.segment"))


def test_many_small_segments_become_one(past: Past) -> None:
    for number in range(20):
        past.write("a", f"alpha {number}\n")
        past.commit()
        past.commits("alpha")
    assert len(segments(past)) < 8
    assert len(past.commits("alpha")) == 20
    assert len(past.commits("alpha 7")) == 2


def test_a_damaged_segment_is_read_again(past: Past) -> None:
    past.write("a", "alpha\n")
    past.commit()
    wanted = past.commits("alpha")
    (segment,) = segments(past)
    data = bytearray(segment.read_bytes())
    for place in (len(data) // 2, 10):
        data[place] ^= 0xFF
        segment.write_bytes(data)
        assert past.commits("alpha") == wanted
    assert past.commits("alpha") == wanted


def test_replaced_commits_and_grafts_are_seen(past: Past) -> None:
    past.write("a", "alpha\n")
    past.commit()
    past.write("a", "alpha\nbeta\n")
    second = past.commit()
    assert past.commits("beta") == [second]
    tree = past.git("rev-parse", "HEAD~1^{tree}").decode().strip()
    other = past.git("commit-tree", "-m", "other", "-p", "HEAD~1", tree).decode().strip()
    past.git("replace", second, other)
    assert past.commits("beta") == past.log("-Gbeta") == []
    past.git("replace", "-d", second)
    assert past.commits("beta") == [second]


def test_where_nothing_can_be_written_the_answer_is_the_same(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    past.write("a", "alpha\n")
    first = past.commit()
    past.home.write_text("a file")
    assert past.commits("alpha") == [first]
    assert past.commits("alpha") == [first]


def test_nothing_that_the_repository_names_is_run(past: Past) -> None:
    mark = past.root.parent / "ran"
    touch = f"touch {mark}; cat"
    past.write(".gitattributes", "*.txt diff=evil filter=evil\n")
    for key in ("diff.evil.textconv", "diff.evil.command", "diff.external", "core.pager", "pager.rev-list"):
        past.git("config", key, touch)
    past.git("config", "log.showSignature", "true")
    past.git("config", "gpg.program", touch)
    past.git("config", "core.fsmonitor", touch)
    past.git("-c", "filter.evil.clean=cat", "add", "-A")
    past.write("a.txt", "alpha\n")
    past.commit()
    past.git("config", "filter.evil.smudge", touch)
    past.git("config", "filter.evil.clean", touch)
    mark.unlink(missing_ok=True)
    assert len(past.commits("alpha")) == 1
    assert len(past.commits("-S", "alpha", "--", "*.txt")) == 1
    assert not mark.exists()


def test_a_partial_clone_tells_what_is_not_here_and_fetches_nothing(
    past: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        past.write("a.txt", f"alpha {number}\n")
        past.commit()
    past.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    past.git("clone", "-q", "--filter=blob:none", f"file://{past.root}", str(clone))
    monkeypatch.chdir(clone)
    status, _out, err = past.run("alpha")
    assert status in (0, 1)
    assert b"not here" in err
    assert past.git("rev-list", "--objects", "--missing=print", "HEAD", cwd=clone).count(b"?") == 2


def test_sha256_repositories_have_a_history_too(past: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "sha256"
    past.git("init", "-q", "--object-format=sha256", str(other))
    past.root = other
    monkeypatch.chdir(other)
    past.write("a", "alpha\n")
    first = past.commit()
    assert len(first) == 64
    assert past.commits("alpha") == [first]
    assert past.commits("alpha") == [first]


def test_a_shallow_clone_ends_where_it_ends(past: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        past.write("a.txt", f"alpha {number}\n")
        past.commit()
    clone = tmp_path / "clone"
    past.git("clone", "-q", "--depth=1", f"file://{past.root}", str(clone))
    monkeypatch.chdir(clone)
    assert past.commits("alpha") == past.log("-Galpha", cwd=clone)
    past.git("fetch", "-q", "--unshallow", cwd=clone)
    assert past.commits("alpha 2") == past.log("-Galpha 2", cwd=clone)
    assert past.commits("alpha 1") == past.log("-Galpha 1", cwd=clone)


def test_gc_keeps_the_history_of_a_project_without_an_index_until_it_is_gone(past: Past) -> None:
    past.write("a", "alpha\n")
    past.commit()
    past.commits("alpha")
    left = segments(past)[0].parent / ".tmp-1-x"
    left.write_bytes(b"x")
    os.utime(left, (1_600_000_000, 1_600_000_000))
    assert main(["gc"]) == 0
    assert len(segments(past)) == 1
    assert not left.exists()
    past.root.rename(past.root.with_name("elsewhere"))
    assert main(["gc"]) == 0
    assert not segments(past)


def test_a_part_of_a_repository_has_the_history_of_that_part(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    past.write("part/.greppy", "")
    past.write("part/a", "alpha\n")
    inside = past.commit()
    past.write("b", "alpha\n")
    outside = past.commit()
    assert past.commits("alpha") == [outside, inside]
    monkeypatch.chdir(past.root / "part")
    assert past.commits("alpha") == [inside]


def test_a_submodule_counts_as_the_line_that_names_it(past: Past) -> None:
    past.write("a", "x\n")
    past.commit()
    inner = past.root / "sub"
    past.git("clone", "-q", str(past.root), str(inner))
    named = past.commit()
    assert past.commits("Subproject") == past.log("-GSubproject") == [named]


def test_a_bare_repository_has_a_history(past: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    past.write("a", "alpha\n")
    past.write("b.bin", b"alpha\0")
    first = past.commit()
    past.git("clone", "-q", "--bare", str(past.root), str(tmp_path / "bare"))
    monkeypatch.chdir(tmp_path / "bare")
    assert past.commits("alpha") == [first]
    assert len(past.records("-S", "alpha")[0]["files"]) == 2


def test_replacements_count_from_when_they_come_until_they_go(past: Past) -> None:
    past.write("a.txt", "alpha\n")
    past.commit()
    past.write("a.txt", "alpha\nbeta\n")
    past.commit()
    blob = past.git("rev-parse", "HEAD:a.txt").strip()
    past.write("../other", "alpha\ngamma\n")
    instead = past.git("hash-object", "-w", "../other").strip()
    answers = []
    switched = (["replace", blob, instead], ["config", "core.useReplaceRefs", "false"])
    for change in (*switched, ["config", "--unset", "core.useReplaceRefs"], ["replace", "--delete", blob]):
        past.git(*change)
        for pattern in ("beta", "gamma"):
            assert past.commits(pattern) == past.log("-G" + pattern)
        answers.append((len(past.commits("beta")), len(past.commits("gamma"))))
    assert answers == [(0, 1), (1, 0), (0, 1), (1, 0)]
