"""What `greppy grep` does beyond generated trees: snapshots, paths, hard files, forms, refusals."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.exact.conftest import Repository

SOURCE = str(Path(__file__).resolve().parents[2])


def indexed(repository: Repository) -> None:
    """Build the index, so that searches go through it."""
    run(repository, "index")


def run(repository: Repository, *args: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own."""
    environment = {**repository.environment, "PYTHONPATH": SOURCE, **more}
    command = [sys.executable, "-m", "greppy", *args]
    return subprocess.run(command, cwd=repository.root, env=environment, capture_output=True, stdin=subprocess.DEVNULL)


@pytest.fixture
def small(repository: Repository) -> Repository:
    """Two folders, three commits' worth of states."""
    repository.write("a.py", b"def foo():\n    return 1\n\n\ndef bar():\n    return foo()\n")
    repository.write("d/b.txt", b"foo\r\nbar\r\n")
    repository.commit()
    repository.write("a.py", b"def foo():\n    return 2\n\n\ndef bar():\n    x = 1\n    return foo()\n")
    repository.git("add", "a.py")
    repository.write("a.py", b"def foo():\n    return 3\n\n\ndef bar():\n    y = 1\n    return foo()\n")
    repository.write("new.txt", b"a new foo\n")
    return repository


@pytest.mark.parametrize("build", [False, True])
def test_the_lines_are_git_greps_with_and_without_an_index(small: Repository, build: bool) -> None:
    if build:
        indexed(small)
    for args in (["foo"], ["-i", "FOO"], ["-w", "foo"], ["-c", "o"], ["ret.*"], ["-v", "foo"], ["-L", "new"], ["no"]):
        args = [*args[:-1], "-e", args[-1]]
        small.same(*args)
        small.same(*args, "--cached", git=())
        small.same(*args, "HEAD", git=())


def test_an_edit_is_seen_by_the_next_search_and_by_no_other(small: Repository) -> None:
    indexed(small)
    assert small.grep("zebra").status == 1
    small.write("d/b.txt", b"zebra\n")
    small.write("d/e/f.txt", b"a zebra too\n")
    assert small.same("zebra") == b"d/b.txt:1:zebra\nd/e/f.txt:1:a zebra too\n"
    os.unlink(small.root / "d/b.txt")
    assert small.same("zebra") == b"d/e/f.txt:1:a zebra too\n"


def test_a_tracked_but_ignored_file_is_searched_and_an_untracked_one_is_not(repository: Repository) -> None:
    repository.write("x.log", b"kept\n")
    repository.commit()
    repository.write(".gitignore", b"*.log\n")
    repository.write("y.log", b"kept\n")
    assert repository.grep("kept").out == b"x.log:1:kept\n"
    indexed(repository)
    assert repository.grep("kept").out == b"x.log:1:kept\n"


def test_revisions_come_in_order_by_word_and_by_option(small: Repository) -> None:
    small.git("tag", "-a", "-m", "t", "v1")
    small.same("foo", "HEAD", "v1", git=())
    small.same("-c", "foo", "HEAD:d", git=())
    small.same("foo", "HEAD:d/b.txt", git=())
    small.same("foo", "HEAD^{tree}", "--", "d", git=())
    assert small.grep("foo", "--rev", "HEAD", "--rev", "v1").out == small.grep("foo", "HEAD", "v1").out


def test_words_that_are_neither_revision_nor_path_are_refused(small: Repository) -> None:
    ran = small.grep("foo", "nope")
    assert (ran.status, ran.out) == (4, b"")
    assert '"nope" is neither a revision nor a file' in ran.err
    assert small.grep("foo", "nope", "--", "d").status == 4
    small.git("branch", "d")
    assert "both a revision and a file" in small.grep("foo", "d").err
    assert small.grep("foo", "--", "d").out == b"d/b.txt:1:foo\r\n"
    assert small.grep("foo", "d", "--").out.startswith(b"d:a.py:1:")


@pytest.mark.parametrize(
    "specs",
    [
        ["d"],
        ["d/"],
        ["."],
        ["a.py", "d"],
        ["*.py"],
        ["d/*"],
        [":!d"],
        [":(icase)A.PY"],
        [":(glob)*.txt"],
        ["no"],
        ["?.py"],
    ],
)
def test_pathspecs_are_gits(small: Repository, specs: list[str]) -> None:
    small.same("foo", "--", *specs)
    small.same("foo", "HEAD", "--", *specs, git=())
    small.same("--cached", "foo", "--", *specs, git=())


def test_a_folder_below_the_root_is_searched_alone_and_names_are_relative(
    small: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small.root / "d")
    assert small.same("foo") == b"b.txt:1:foo\r\n"
    small.same("foo", "--", "..")
    small.same("--full-name", "foo", "--", "..")
    small.same("foo", "HEAD", "--", "..", git=())
    indexed(small)
    small.same("foo", "--", "../a.py")
    assert small.grep("foo", "--", "../../x").status == 4


def test_odd_names_are_quoted_as_git_quotes_them(repository: Repository) -> None:
    for name in (b"t\tab", b'q"x', b"back\\slash", b"\xc3\xa9", b"l\xe9", b"sp ace", b"nl\nx", b"\x7f", b"\xc2\x9b"):
        repository.write(b"o/" + name, b"zebra\n")
    repository.same("zebra")
    repository.same("-lz", "zebra")
    repository.git("config", "core.quotePath", "false")
    repository.same("zebra")
    repository.same("-c", "zebra")


def test_no_file_is_lost_for_its_size_its_bytes_or_its_encoding(repository: Repository) -> None:
    repository.write("one line", b"x" * 5_000_000 + b" zebra " + b"y" * 100)
    repository.write("late nul", b"zebra\n" + b"y\n" * 5000 + b"\0\nzebra\n")
    repository.write("early nul", b"\0\nzebra\n")
    repository.write("utf-16", "zebra\n".encode("utf-16"))
    repository.write("latin-1", b"zebra caf\xe9\n")
    repository.write(".hidden/x", b"zebra\n")
    repository.write("big", b"a line of padding\n" * 100_000 + b"zebra\n")
    repository.write("empty", b"")
    repository.write("crlf", b"zebra\r\n")
    for build in (False, True):
        if build:
            indexed(repository)
        for args in (
            ["zebra"],
            ["-a", "zebra"],
            ["-c", "zebra"],
            ["-I", "zebra"],
            ["-l", "z.bra"],
            ["-L", "zebra"],
            ["-aoi", "Z[^b]BRA"],
        ):
            repository.same(*args)
        assert repository.grep("-a", "z\\x00e").out == b"utf-16:1:" + "zebra\n".encode("utf-16").removesuffix(b"\0")
        assert repository.grep("caf.$", locale="C").out == b"latin-1:1:zebra caf\xe9\n"
        repository.same("caf.$")
        repository.same("caf.$", locale="C")


def test_attributes_decide_what_is_binary_where_they_speak_of_it(repository: Repository) -> None:
    repository.write(".gitattributes", b"*.svg binary\n*.dat diff\n*.c diff=cpp\n")
    repository.write("a.svg", b"zebra\n")
    repository.write("b.dat", b"\0zebra\n")
    repository.write("c.c", b"zebra\n")
    repository.commit()
    for build in (False, True):
        if build:
            indexed(repository)
        repository.same("zebra")
        repository.same("-I", "-l", "zebra")
        repository.same("zebra", "HEAD", git=())
        repository.same("--cached", "zebra", git=())


def test_links_and_submodules_are_not_followed_and_the_receipt_says_so(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("zebra\n")
    os.symlink(tmp_path / "outside", repository.root / "link")
    os.symlink(tmp_path / "outside" / "f", repository.root / "file")
    repository.git("init", "-q", "nested")
    repository.write("nested/f", b"zebra\n")
    repository.write("a", b"zebra\n")
    for build in (False, True):
        if build:
            indexed(repository)
        ran = repository.grep("--coverage", "zebra")
        assert (ran.status, ran.out) == (0, b"a:1:zebra\n")
        assert ran.err.splitlines()[0] == "searched 1 files, skipped 3, failed 0"
        assert "  nested: nested repository" in ran.err
        assert "  link: symlink" in ran.err


@pytest.mark.parametrize("build", [False, True])
def test_what_cannot_be_read_is_said_and_with_coverage_is_status_5(repository: Repository, build: bool) -> None:
    repository.write("a", b"zebra\n")
    if build:
        indexed(repository)
    repository.write("a" if build else "b", b"zebra\n")
    code = (
        "import sys, os, errno; from greppy import kernels; real = kernels.read_matching\n"
        "kernels.read_matching = lambda *a: [errno.EACCES for _ in real(*a)]\n"
        "kernels.print_files = lambda *a: [(at, errno.EACCES) for at in range(len(memoryview(a[3])))]\n"
        "from greppy.cli.main import main; sys.exit(main(['grep', *sys.argv[1:]]))"
    )
    environment = {**repository.environment, "PYTHONPATH": SOURCE}
    for args, status in ((["zebra"], 1), (["--coverage", "zebra"], 5)):
        command = [sys.executable, "-c", code, *args]
        ran = subprocess.run(command, cwd=repository.root, env=environment, capture_output=True, encoding="utf-8")
        assert ran.returncode == status
        assert "permission denied" in ran.stderr


def test_functions_are_those_of_the_analysis_where_there_is_one(repository: Repository) -> None:
    repository.write(
        "a.py", b"class A:\n    @deco\n    def one(self):\n        x = 1\n\n    def two(self):\n        y = 2\n"
    )
    assert repository.grep("-p", "y = ").out == b"a.py=1=class A:\na.py:7:        y = 2\n"
    indexed(repository)
    assert repository.grep("-p", "y = ").out == b"a.py=6=    def two(self):\na.py:7:        y = 2\n"
    assert repository.grep("-W", "x = ").out == b"a.py-2-    @deco\na.py=3=    def one(self):\na.py:4:        x = 1\n"


def test_json_is_a_record_a_line_and_a_summary(repository: Repository) -> None:
    repository.write("a", "é foo foo\nnext\n".encode())
    repository.write(b"l\xe9", b"foo\xff\n")
    repository.write("bin", b"\0foo\n")
    ran = repository.grep("--json", "-A1", "foo")
    records = [json.loads(line) for line in ran.out.splitlines()]
    submatches = [{"start": 3, "end": 6}, {"start": 7, "end": 10}]
    match = {"type": "match", "path": "a", "line_number": 1, "column": 4, "text": "é foo foo", "submatches": submatches}
    assert match in records
    assert {"type": "context", "path": "a", "line_number": 2, "text": "next"} in records
    assert {"type": "binary", "path": "bin"} in records
    odd = next(record for record in records if record.get("path") == {"bytes": base64.b64encode(b"l\xe9").decode()})
    assert odd["text"] == {"bytes": base64.b64encode(b"foo\xff").decode()}
    summary = {"type": "summary", "matched_lines": 2, "matched_files": 3, "searched": 3, "skipped": 0, "failed": 0}
    assert records[-1] == summary
    none = repository.grep("--json", "nowhere")
    assert (none.status, json.loads(none.out)["matched_lines"]) == (1, 0)


def test_matches_may_go_over_the_ends_of_lines(repository: Repository) -> None:
    repository.write("a", b"one\ntwo\nthree\ntwo\n")
    assert repository.grep("-U", r"ne\nt").out == b"a:1:one\na:2:two\n"
    assert repository.grep("-U", "(?s)one.*?two").out == b"a:1:one\na:2:two\n"
    assert repository.grep("-Uo", r"e\ntw").out == b"a:1:e\na:2:tw\na:3:e\na:4:tw\n"
    assert repository.grep("-Uv", r"ne\nt").out == b"a:3:three\na:4:two\n"
    assert repository.grep("ne\\nt").status == 1
    assert repository.grep("-Uw", "x").status == 4


def test_ripgreps_flags_do_what_they_do_there(small: Repository) -> None:
    assert small.grep("-t", "py", "-l", "foo").out == b"a.py\n"
    assert small.grep("-g", "*.txt", "-l", "foo").out == b"d/b.txt\nnew.txt\n"
    assert small.grep("-g", "!*.txt", "-l", "foo").out == b"a.py\n"
    assert small.grep("-g", "d", "-l", "foo").out == b"d/b.txt\n"
    assert small.grep("-S", "FOO").status == 1
    assert small.grep("-S", "-c", "foo").out == small.grep("-ic", "foo").out
    assert small.grep("-t", "nonsense", "x").status == 4


def test_patterns_of_a_file_are_joined_by_or_and_empty_lines_do_not_count(small: Repository) -> None:
    small.write("../patterns", b"bar\n\nnew\n")
    small.same("-f", str(small.root.parent / "patterns"))
    assert small.grep("-f", "missing").status == 4
    small.same("-e", "bar\nnew")


@pytest.mark.parametrize(
    ("args", "message", "hint"),
    [
        (["-G", "x"], 'unknown option "-G"', "--help"),
        (["--textconv", "x"], 'unknown option "--textconv"', "--help"),
        ([r"(a)\1"], r"the back-reference \1 is not there", "use -P"),
        (["a(?=b)"], "look-around is not there", "use -P"),
        (["("], "no pattern given", "-e PATTERN"),
        (["-e", "("], '"(" is not closed', "-F"),
        ([], "no pattern given", "-e PATTERN"),
        (["--and", "-e", "x"], "--and stands where a pattern belongs", "-e PATTERN"),
        (["-e", "x", "--and"], "--and stands where a pattern belongs", "-e PATTERN"),
        (["-e", "x", "--not"], "--not stands where a pattern belongs", "-e PATTERN"),
        (["(", "-e", "x"], '"(" is not closed', "\\)"),
        (["--cached", "x", "HEAD"], "HEAD", "--"),
        (["--color", "pink", "x"], "pink", "use one"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_name(small: Repository, args: list[str], message: str, hint: str) -> None:
    ran = small.grep(*args)
    assert (ran.status, ran.out) == (4, b"")
    assert message in ran.err
    assert hint in ran.err


def test_perl_patterns_have_what_re2_has_not_within_a_time_bound(repository: Repository) -> None:
    repository.write("a", "foofoo\nfoobar\nbar é x\n".encode())
    assert repository.grep("-P", r"(foo)\1").out == b"a:1:foofoo\n"
    assert repository.grep("-Po", r"foo(?!foo)\w*").out == b"a:1:foo\na:2:foobar\n"
    assert repository.grep("-P", "--column", r"(?<=é )x").out == "a:3:8:bar é x\n".encode()
    assert repository.grep("-P", r"fo+b").out == b"a:2:foobar\n"
    repository.write("slow", b"a" * 60 + b"!\n")
    ran = repository.grep("-P", "--coverage", r"^(a+)+(?!!)$")
    assert ran.status == 5
    assert "slow: took too long" in ran.err


def test_without_git_every_file_of_the_folder_is_searched(tmp_path: Path, small: Repository) -> None:
    small.write(".gitignore", b"new.txt\n")
    ran = small.grep("--no-index", "-l", "foo")
    assert ran.out == b"a.py\nd/b.txt\nnew.txt\n"
    small.same("--no-index", "foo", git=())
    small.same("--no-index", "foo", "--", "d", "*.py", git=())


def test_one_match_is_enough_for_quiet(small: Repository) -> None:
    assert (small.grep("-q", "foo").status, small.grep("-q", "foo").out) == (0, b"")
    assert small.grep("-q", "nowhere").status == 1


def test_a_reader_that_leaves_ends_the_search_quietly(repository: Repository) -> None:
    repository.write("a", b"zebra\n" * 200_000)
    command = f"{sys.executable} -m greppy grep zebra | head -1; echo ${{PIPESTATUS[0]}}"
    environment = {**repository.environment, "PYTHONPATH": SOURCE}
    ran = subprocess.run(["bash", "-c", command], cwd=repository.root, env=environment, capture_output=True)
    assert ran.stdout == b"a:1:zebra\n141\n"
    assert ran.stderr == b""


def test_a_damaged_shard_is_repaired_and_nothing_is_lost(repository: Repository) -> None:
    for number in range(20):
        repository.write(f"f{number}", b"zebra %d\n" % number)
    indexed(repository)
    shard = next((Path(repository.environment["GREPPY_HOME"])).glob("indexes/*/shards/*"))
    data = bytearray(shard.read_bytes())
    for at in range(200, len(data) - 200, 7):
        data[at] ^= 0xFF
    shard.chmod(0o600)
    shard.write_bytes(bytes(data))
    assert len(run(repository, "grep", "zebra").stdout.splitlines()) == 20


DEAR = {
    "argparse",
    "click",
    "dataclasses",
    "enum",
    "functools",
    "json",
    "logging",
    "pathlib",
    "re",
    "re2",
}
DEAR |= {"subprocess", "typing"}


@pytest.mark.start_up
@pytest.mark.parametrize("args", [["word"], ["-iw", "word"], ["-n", "-A1", "word"], ["-c", "a|b"], ["-F", "a.b"]])
def test_a_plain_search_imports_no_dear_module(repository: Repository, args: list[str]) -> None:
    repository.write("a", b"a word\n")
    indexed(repository)
    code = (
        "import sys; before = set(sys.modules); from greppy.cli.main import main; main(['grep', *sys.argv[1:]])\n"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    environment = {**repository.environment, "PYTHONPATH": SOURCE}
    ran = subprocess.run([sys.executable, "-c", code, *args], cwd=repository.root, env=environment, capture_output=True)
    assert not {name.split(".")[0] for name in ran.stderr.decode().split()} & DEAR


@pytest.mark.parametrize("build", [False, True])
@pytest.mark.parametrize(
    "args",
    [
        ("one.*other",),
        ("one.*",),
        (".*other.*one",),
        ("-i", "ONE.*Kiss"),
        ("-i", "-e", "one.*kiss", "-e", "absent"),
        ("-w", "one.*other"),
        ("-c", "one.*other"),
        ("-l", "-e", "one.*other", "-e", "kiss"),
        ("-o", "one.*o"),
        ("--column", "one.*other"),
        ("-v", "one.*other"),
        ("-i", "-w", "kiss"),
        ("-h", "-i", "kiss"),
        ("-z", "one.*other"),
        ("-a", "one.*other"),
        ("-I", "one.*other"),
        ("-q", "one.*other"),
        ("-A1", "one.*other"),
        ("-m1", "one.*other"),
        ("-i", "-e", "123", "-e", "KISS"),
        ("-e", "one", "-e", "other", "-e", "absent", "-e", "kiss", "-e", "123"),
    ],
)
def test_texts_in_a_row_and_folded_ones_are_found_as_git_finds_them(
    repository: Repository, build: bool, args: tuple[str, ...]
) -> None:
    between = [b"", b" ", "é".encode(), b"\xe9", b"\0", b"\xed\xa0\x80", "\U0001f600".encode(), b"oneother", b"one"]
    repository.write("between", b"\n".join(b"one" + each + b"other" for each in between))
    repository.write("order", b"other one\nonother\none\nother\none-other 123\none\xe9oneother\n")
    repository.write("foreign", "\u212aiss\nki\u017fs\nKISS kiss_\none and a kiss\n\u212ais\n".encode())
    repository.write("na\u00efve", b"one, other\nkiss\n")
    repository.write("binary", b"\0one other\nkiss\n")
    if build:
        indexed(repository)
    repository.same(*args)


@pytest.mark.parametrize("pattern", ["[[:punct:]]", "[[:alnum:]]{2}", r"\W{2}", r"\w{3}", "[^[:punct:]]{4}"])
def test_vowel_signs_and_letters_in_circles_are_what_they_are_for_the_c_library(
    repository: Repository, pattern: str
) -> None:
    lines = [
        "\u09ac\u09be\u0982\u09b2\u09be",
        "\u0939\u093f\u0902",
        "\u24b6\u24d0",
        "a\u20dd",
        "\u00a9\u2122",
        "x\u0301",
    ]
    repository.write("f", "\n".join(lines).encode())
    repository.same(pattern)
