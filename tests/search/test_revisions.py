"""Searching what git has: revisions, several at once, the staging area, and only what differs from one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greppy.errors import BadArguments, NoIndex, NoProject
from greppy.git.project import find_project
from greppy.git.replaced import replacements
from greppy.index import admin, objects, revision
from greppy.index.store import revisions as kept_revisions
from greppy.search.exact.engine import Request as ExactRequest
from greppy.search.exact.engine import search as search_exactly
from greppy.search.exact.question import Reading, make_question
from greppy.search.exact.receipt import Receipt
from tests.projects import silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from greppy.git.project import Project
    from greppy.index.objects import Progress
    from tests.projects import Searched

OLD = "def validate_session(token):\n    return token in SESSIONS\n"
NEW = "def validate_session(token):\n    return lookup(token)\n"
OTHER = "def render_page():\n    return '<html>'\n"


def git(project: Searched, *args: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    command = ["git", "-C", str(project.path), *identity, *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(project: Searched, files: dict[str, str | bytes], tag: str) -> None:
    project.write(files)
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--allow-empty", "--message", tag)
    git(project, "tag", tag)


@pytest.fixture
def repository(project: Searched) -> Searched:
    """Two commits: `one` has the old session, `two` the new one, under the same path."""
    git(project, "init", "--quiet", "--initial-branch=main")
    commit(project, {"a/session.py": OLD, "page.py": OTHER}, "one")
    commit(project, {"a/session.py": NEW}, "two")
    return project


def contents(project: Searched, query: str, **fields: object) -> dict[str, str]:
    """The results' texts by `path@revisions`."""
    found = project.search(query, **fields).results
    return {f"{os.fsdecode(r.path)}@{','.join(r.revisions)}": r.content for r in found}


@pytest.mark.parametrize("name", ["one", "main~1", "HEAD^", "two~1", "one^{tree}"])
def test_a_revision_shows_what_it_had(repository: Searched, name: str) -> None:
    assert contents(repository, "validate session", revisions=[name.encode()]) == {f"a/session.py@{name}": OLD.strip()}


def test_results_are_those_of_a_checkout_of_the_revision(repository: Searched, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "--detach", str(tmp_path / "w"), "one")
    there = type(repository)(tmp_path / "w", tmp_path / "other-home")
    expected = there.search("validate session page").results
    found = repository.search("validate session page", revisions=[b"one"]).results
    assert [(r.path, r.start_line, r.score, r.content, r.oid) for r in found] == [
        (r.path, r.start_line, r.score, r.content, r.oid) for r in expected
    ]


def test_files_that_several_revisions_have_alike_are_shown_once_with_all_their_names(repository: Searched) -> None:
    found = contents(repository, "session page", revisions=[b"one", b"two"])
    assert found == {
        "a/session.py@one": OLD.strip(),
        "a/session.py@two": NEW.strip(),
        "page.py@one,two": OTHER.strip(),
    }


def test_all_branches_are_searched_at_once(repository: Searched) -> None:
    git(repository, "branch", "old", "one")
    found = contents(repository, "validate session", all_branches=True)
    assert found == {"a/session.py@main": NEW.strip(), "a/session.py@old": OLD.strip()}


def test_the_staging_area_and_a_stash_are_revisions(repository: Searched) -> None:
    repository.write({"a/session.py": "def validate_session(): staged\n"})
    git(repository, "add", "--all")
    repository.write({"a/session.py": "def validate_session(): unstaged\n"})
    assert list(contents(repository, "validate session", revisions=[b":0"]).values()) == [
        "def validate_session(): staged"
    ]
    git(repository, "stash")
    assert list(contents(repository, "validate session", revisions=[b"stash@{0}"]).values()) == [
        "def validate_session(): unstaged"
    ]


def test_a_folder_of_a_revision_is_a_tree(repository: Searched) -> None:
    assert contents(repository, "validate session", revisions=[b"one:a"]) == {"session.py@one:a": OLD.strip()}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (b"nope", '"nope" names no revision'),
        (b"--output=x", '"--output=x" names no revision'),
        (b"one\ntwo", "names no revision"),
        (b"", '"" names no revision'),
        (b"one:a/session.py", "is a file"),
        (b"@{u}", "names no revision: no upstream configured"),
        (b"0" * 39 + b"1", "is not here"),
    ],
)
def test_what_names_no_tree_is_refused(repository: Searched, name: bytes, message: str) -> None:
    with pytest.raises(BadArguments, match=message.replace("=", ".")):
        repository.search("validate session", revisions=[name])


def test_revisions_need_git_and_branches_need_a_commit(project: Searched) -> None:
    project.write({"pyproject.toml": ""})
    with pytest.raises(BadArguments, match="no git repository"):
        project.search("x", revisions=[b"HEAD"])
    with pytest.raises(BadArguments, match="no git repository"):
        project.search("x", since=b"HEAD")
    git(project, "init", "--quiet")
    with pytest.raises(BadArguments, match="no branch"):
        project.search("x", all_branches=True)


def test_a_bare_repository_is_searched_by_revision_only(repository: Searched, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", "--bare", str(repository.path), str(tmp_path / "b.git")], check=True)
    bare = type(repository)(tmp_path / "b.git", tmp_path / "h")
    assert contents(bare, "validate session", revisions=[b"one"]) == {"a/session.py@one": OLD.strip()}
    with pytest.raises(NoProject, match="bare repository"):
        bare.search("validate session")


def test_a_tree_is_analysed_once_and_only_blobs_that_nobody_knows(
    repository: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []
    analyse = objects.Analyser.analyse

    def noted(self: objects.Analyser, blobs: Sequence[objects.Asked], progress: Progress) -> list[objects.Found]:
        asked.extend(blob.path for blob in blobs)
        return analyse(self, blobs, progress)

    monkeypatch.setattr(objects.Analyser, "analyse", noted)
    repository.search("session")
    repository.search("session", revisions=[b"two"])
    assert asked == []
    repository.search("session", revisions=[b"one"])
    assert asked == [b"a/session.py"]
    repository.search("session", revisions=[b"one", b"two"])
    assert asked == [b"a/session.py"]


def test_a_search_of_the_working_tree_keeps_what_revisions_need(repository: Searched) -> None:
    before = contents(repository, "session", revisions=[b"one"])
    for n in range(12):
        repository.write({"a/session.py": f"def validate_session(): {n}\n"})
        repository.search("session")
    assert contents(repository, "session", revisions=[b"one"]) == before


def test_only_the_trees_that_were_used_last_are_kept(repository: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revision, "KEPT", 2)
    for name in (b"one", b"two", b"one:a"):
        repository.search("session", revisions=[name])
    (index,) = os.scandir(os.path.join(repository.home, b"indexes"))
    kept = [os.path.basename(path).decode() for path in kept_revisions(index.path)]
    assert sorted(kept) == sorted(git(repository, "rev-parse", "two^{tree}", "one:a").split())


def test_a_damaged_manifest_of_a_revision_is_made_anew(repository: Searched, capfd: pytest.CaptureFixture[str]) -> None:
    before = contents(repository, "session", revisions=[b"one"])
    (index,) = os.scandir(os.path.join(repository.home, b"indexes"))
    (path,) = kept_revisions(index.path)
    with open(path, "r+b") as file:
        file.seek(200)
        file.write(b"\xff\xfe")
    assert contents(repository, "session", revisions=[b"one"]) == before
    assert "anew" in capfd.readouterr().err


@pytest.mark.parametrize("folder", ["shards", "revisions"])
def test_a_folder_in_the_place_of_a_revisions_file_is_repaired(
    repository: Searched, capfd: pytest.CaptureFixture[str], folder: str
) -> None:
    before = contents(repository, "session", revisions=[b"one"])
    (index,) = Path(os.fsdecode(repository.home), "indexes").iterdir()
    for path in (index / folder).iterdir():
        path.unlink()
        path.mkdir()
        (path / "x").touch()
    assert contents(repository, "session", revisions=[b"one"]) == before
    assert "damaged" in capfd.readouterr().err
    assert contents(repository, "session", revisions=[b"one"]) == before
    assert capfd.readouterr().err == ""


def test_a_lost_shard_of_a_revision_is_made_anew(repository: Searched) -> None:
    before = contents(repository, "session", revisions=[b"one"])
    (index,) = os.scandir(os.path.join(repository.home, b"indexes"))
    shutil.rmtree(os.path.join(index.path, b"shards"))
    assert contents(repository, "session", revisions=[b"one"]) == before


def test_where_nothing_can_be_written_a_revision_is_searched_in_memory(repository: Searched, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    there = type(repository)(repository.path, file / "home")
    assert contents(there, "validate session", revisions=[b"one"]) == {"a/session.py@one": OLD.strip()}


def test_replaced_objects_count_as_git_has_them(repository: Searched) -> None:
    repository.write({"../other.py": "def validate_session(): replaced\n"})
    instead = git(repository, "hash-object", "-w", "../other.py")
    git(repository, "replace", git(repository, "rev-parse", "one:a/session.py"), instead)
    assert list(contents(repository, "validate session", revisions=[b"one"]).values()) == [
        "def validate_session(): replaced"
    ]


def as_git_has_it(repository: Searched, name: str) -> dict[str, str]:
    """What `contents` gives, by `git grep`."""
    command = ["git", "-C", str(repository.path), "grep", "-n", "validate_session", name, "--"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line.split(":", 3) for line in done.stdout.splitlines()]
    return {f"{path}@{name}": text for name, path, _, text in lines}


def first_lines(repository: Searched, **fields: object) -> dict[str, str]:
    return {key: text.partition("\n")[0] for key, text in contents(repository, "session", **fields).items()}


def test_a_replacement_counts_from_when_it_comes_until_it_goes(repository: Searched) -> None:
    repository.write({"../blob": "def validate_session(): staged\n"})
    blob = git(repository, "rev-parse", "one:a/session.py")
    instead = git(repository, "hash-object", "-w", "../blob")
    trees = [git(repository, "rev-parse", "one:a"), git(repository, "rev-parse", "two:a")]
    commits = [git(repository, "rev-parse", "one"), git(repository, "rev-parse", "two")]
    seen = []
    for old, new in ((blob, instead), trees, commits):
        for change in (("replace", old, new), ("replace", "--delete", old)):
            assert first_lines(repository, revisions=[b"one"]) == as_git_has_it(repository, "one")
            git(repository, *change)
            assert first_lines(repository, revisions=[b"one"]) == as_git_has_it(repository, "one")
            assert first_lines(repository, all_branches=True) == as_git_has_it(repository, "main")
            seen.append(contents(repository, "session", revisions=[b"one"])["a/session.py@one"])
    assert seen == ["def validate_session(): staged", OLD.strip(), NEW.strip(), OLD.strip(), NEW.strip(), OLD.strip()]


def test_replacements_that_git_is_told_not_to_use_do_not_count(repository: Searched) -> None:
    blob, instead = (git(repository, "rev-parse", f"{name}:a/session.py") for name in ("one", "two"))
    git(repository, "replace", blob, instead)
    assert contents(repository, "session", revisions=[b"one"]) == {"a/session.py@one": NEW.strip()}
    git(repository, "config", "core.useReplaceRefs", "false")
    assert contents(repository, "session", revisions=[b"one"]) == {"a/session.py@one": OLD.strip()}
    assert repository.paths("session page", since=b"one") == ["a/session.py"]
    git(repository, "config", "--unset", "core.useReplaceRefs")
    assert contents(repository, "session", revisions=[b"one"]) == {"a/session.py@one": NEW.strip()}
    assert repository.paths("session page", since=b"one") == []


def test_an_analysis_is_of_the_bytes_that_its_hash_is_of_even_if_a_replacement_comes_meanwhile(
    repository: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob, instead = (git(repository, "rev-parse", f"{name}:a/session.py") for name in ("one", "two"))
    asked: list[Project] = []

    def late(project: Project) -> dict[bytes, bytes]:
        asked.append(project)
        if len(asked) > 1:
            return replacements(project)
        git(repository, "replace", blob, instead)
        return {}

    monkeypatch.setattr(revision, "replacements", late)
    assert contents(repository, "session", revisions=[b"one"]) == {"a/session.py@one": OLD.strip()}
    assert contents(repository, "session", revisions=[b"one"]) == {"a/session.py@one": NEW.strip()}
    git(repository, "replace", "--delete", blob)
    assert contents(repository, "session", revisions=[b"one"]) == {"a/session.py@one": OLD.strip()}


def test_objects_that_were_borrowed_and_are_gone_are_said_to_be(repository: Searched, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", "--shared", str(repository.path), str(tmp_path / "s")], check=True)
    there = type(repository)(tmp_path / "s", tmp_path / "h")
    (there.path / ".git/objects/info/alternates").write_text("/nowhere/objects\n")
    for name in (b"HEAD", b"main", b"HEAD~1", b"HEAD:a"):
        with pytest.raises(BadArguments, match=r"the object of .* is not here") as raised:
            there.search("session", revisions=[name])
        assert "alternates" in raised.value.hint
    with pytest.raises(BadArguments, match="is not here"):
        there.search("session", since=b"HEAD")


def test_attributes_are_those_of_the_revision(repository: Searched) -> None:
    commit(repository, {".gitattributes": "page.py linguist-generated\na/** linguist-vendored\n"}, "three")
    flags = {
        os.fsdecode(result.path): list(result.flags)
        for result in repository.search("session page", revisions=[b"three"]).results
    }
    assert flags["page.py"] == ["generated"]
    assert flags["a/session.py"] == ["vendored"]


def test_an_object_that_is_not_here_is_left_out_and_said(
    repository: Searched, capfd: pytest.CaptureFixture[str]
) -> None:
    oid = git(repository, "rev-parse", "one:a/session.py")
    (repository.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert list(contents(repository, "session page", revisions=[b"one"])) == ["page.py@one"]
    assert "one lacks 1 file" in capfd.readouterr().err


def test_a_path_that_only_the_revision_has_can_be_asked_for(repository: Searched) -> None:
    git(repository, "rm", "-r", "--quiet", "a")
    git(repository, "commit", "--quiet", "--message", "gone")
    found = contents(repository, "session page", revisions=[b"one"], paths=[b"a"])
    assert list(found) == ["a/session.py@one"]
    with pytest.raises(BadArguments, match="no such"):
        repository.search("session", revisions=[b"one"], paths=[b"nope"])
    with pytest.raises(BadArguments, match="outside"):
        repository.search("session", revisions=[b"one"], paths=[b"../x"])


def test_since_and_changed_show_only_what_differs(repository: Searched) -> None:
    assert repository.paths("session page", since=b"HEAD") == []
    assert repository.paths("session page", since=b"one") == ["a/session.py"]
    repository.write({"page.py": OTHER + "# session\n", "new.py": "session = 1\n"})
    assert sorted(repository.paths("session page", since=b"HEAD")) == ["new.py", "page.py"]
    assert repository.paths("session page", since=b"one", revisions=[b"two"]) == ["a/session.py"]
    git(repository, "add", "--all")
    assert sorted(repository.paths("session page", since=b"HEAD")) == ["new.py", "page.py"]


def test_since_head_before_the_first_commit_is_everything(project: Searched) -> None:
    git(project, "init", "--quiet")
    project.write({"session.py": OLD})
    assert project.paths("session", since=b"HEAD") == ["session.py"]


def test_ends_of_lines_that_git_converts_are_no_difference(repository: Searched) -> None:
    commit(repository, {".gitattributes": "*.py text eol=crlf\n"}, "three")
    for path in ("a/session.py", "page.py"):
        full = repository.path / path
        full.unlink()
    git(repository, "checkout", "--", ".")
    assert b"\r\n" in (repository.path / "page.py").read_bytes()
    assert repository.paths("session page", since=b"HEAD") == []


def test_a_pointer_of_git_lfs_is_flagged(repository: Searched) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "ab" * 32 + "\nsize 12\n"
    commit(repository, {"asset.txt": pointer}, "three")
    (found,) = repository.search("oid sha256 size", revisions=[b"three"]).results
    assert list(found.flags) == ["lfs-pointer"]


@pytest.fixture
def partial(repository: Searched, tmp_path: Path) -> Searched:
    """A clone that has only the blobs that are checked out."""
    for name in ("allowFilter", "allowAnySHA1InWant"):
        git(repository, "config", f"uploadpack.{name}", "true")
    command = ["git", "-c", "protocol.file.allow=always", "clone", "--quiet", "--filter=blob:none"]
    subprocess.run([*command, f"file://{repository.path}", str(tmp_path / "partial")], check=True)
    clone = type(repository)(tmp_path / "partial", tmp_path / "partial-home")
    git(clone, "remote", "set-url", "origin", "file:///nowhere")
    return clone


def test_what_a_partial_clone_lacks_is_left_out_and_said(partial: Searched, capfd: pytest.CaptureFixture[str]) -> None:
    assert list(contents(partial, "session page", revisions=[b"one"])) == ["page.py@one"]
    assert "one lacks 1 file" in capfd.readouterr().err
    assert contents(partial, "validate session", revisions=[b"two"]) == {"a/session.py@two": NEW.strip()}


def test_exact_search_of_what_a_partial_clone_lacks_says_so(partial: Searched) -> None:
    receipt = Receipt()
    project = find_project(os.fsencode(partial.path))
    request = ExactRequest(project, project.root, words=[b"one"])
    question = make_question([b"def"], Reading())
    found = search_exactly(request, question, partial.home, partial.config, silent, receipt)
    assert [one.source.path for one in found if not isinstance(one, bytes)] == [b".greppy", b"page.py"]
    assert receipt.failed == [(b"one:a/session.py", "object not here")]


def test_what_was_only_searched_by_revisions_is_listed_and_can_be_forgotten(
    repository: Searched, tmp_path: Path
) -> None:
    subprocess.run(["git", "clone", "--quiet", "--bare", str(repository.path), str(tmp_path / "b.git")], check=True)
    bare = type(repository)(tmp_path / "b.git", tmp_path / "h")
    for name in (b"one", b"two"):
        bare.search("session", revisions=[name])
    assert [info.root for info in admin.listing(bare.home)] == [os.fsencode(bare.path)]
    assert admin.forget(os.fsencode(bare.path), bare.home) > 0
    assert admin.listing(bare.home) == []
    with pytest.raises(NoIndex):
        admin.forget(os.fsencode(bare.path), bare.home)
