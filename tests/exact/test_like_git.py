"""Byte for byte what git grep prints, for generated trees, patterns and flags."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.exact.conftest import Repository

WORDS = [
    b"foo",
    b"bar",
    b"Foo",
    b"foobar",
    b"foo_bar",
    b"x",
    b"a.b",
    b"(",
    b"  ",
    b"\t",
    b"-",
    b"caf\xc3\xa9",
    b"\xce\xb1\xce\xb2",
    b"123",
    b"fn",
]
ATOMS = [
    "foo",
    "bar",
    "x",
    "fo+",
    "o*",
    "[a-f]+",
    "[^o]",
    ".",
    "^",
    "$",
    "a.b",
    r"a\.b",
    "(foo|bar)",
    "(a|ab)(c|bcd)?",
    "b{1,2}",
    "caf.",
    "é",
    "[[:alpha:]]",
    "[[:digit:]]+",
    "[[:space:]]",
    "_",
    "1",
    r"\(",
    "",
    "-",
]
FLAGS = [
    "-i",
    "-w",
    "-v",
    "-l",
    "-L",
    "-c",
    "-o",
    "-h",
    "--column",
    "-z",
    "-a",
    "-I",
    "-A1",
    "-B1",
    "-C2",
    "-m1",
    "-m2",
    "-p",
    "-1",
    "--full-name",
    "-q",
]
lines = st.lists(st.sampled_from(WORDS), max_size=5).map(b"".join)
ends = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\n\n"])
contents = st.builds(
    lambda rows, tail: b"".join(a + b for a, b in rows) + tail, st.lists(st.tuples(lines, ends), max_size=12), lines
)
binaries = st.builds(lambda before, content: before + b"\0" + content, contents, contents)
late = st.builds(lambda content: b"pad\n" * 2000 + content + b"\0foo\n" + content, contents)
files = st.one_of(contents, contents, contents, binaries, late)
patterns = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=3).map("".join)
flags = st.lists(st.sampled_from(FLAGS), max_size=3, unique=True)
NAMES = ["a.py", "b", "d/c.txt", "d/e/f", "é.txt", 'q"uote', "z z"]

HARD = settings(
    max_examples=8,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def make_state(
    repository: Repository, committed: dict[str, bytes], staged: dict[str, bytes], now: dict[str, bytes]
) -> None:
    """The repository anew: a commit, then a staging area, then a working tree."""
    repository.git("rm", "-rqf", "--ignore-unmatch", ".")
    repository.git("clean", "-qfdx")
    for content_of in (committed, staged, now):
        for name, content in content_of.items():
            repository.write(name, content)
        if content_of is committed:
            repository.commit()
        if content_of is staged:
            repository.git("add", "-A")


trees = st.dictionaries(st.sampled_from(NAMES), files, max_size=3)


@HARD
@given(st.data())
def test_the_working_tree_the_staging_area_and_revisions_read_as_git_grep_prints_them(
    repository: Repository, data: st.DataObject
) -> None:
    make_state(repository, data.draw(trees), data.draw(trees), data.draw(trees))
    for _ in range(8):
        pattern = data.draw(patterns)
        chosen = data.draw(flags)
        args = [*chosen, "-e", pattern]
        for extra in data.draw(st.lists(patterns, max_size=1)):
            args += ["-e", extra]
        if agree(repository, args):
            repository.same(*args)
            repository.same(*args, "--cached", git=())
            repository.same(*args, "HEAD", git=())


def agree(repository: Repository, args: list[str]) -> bool:
    """Whether git takes the pattern at all (it refuses `^*` and the like, which RE2 has) and in its plain meaning: the
    C library finds only some of the empty lines by `$^`, and until 2.50 git counts the columns of -o wrongly."""
    if any("$^" in arg or "$$" in arg or "^^" in arg for arg in args) or {"-o", "--column"} <= set(args):
        return False
    return repository.git_grep(*args).status in (0, 1)


@HARD
@given(st.data())
def test_whole_functions_read_as_git_grep_prints_them(repository: Repository, data: st.DataObject) -> None:
    # From 2.41 on git leaves out blank lines at the end of a file.
    make_state(repository, {}, {}, {"f": data.draw(contents).rstrip() + b"\nend\n"})
    for _ in range(8):
        args = ["-W", *data.draw(flags), "-e", data.draw(patterns)]
        if agree(repository, args):
            repository.same(*args)


@HARD
@given(st.data())
def test_plain_text_reads_as_git_grep_prints_it(repository: Repository, data: st.DataObject) -> None:
    make_state(repository, {}, {}, data.draw(trees))
    for _ in range(10):
        pattern = data.draw(st.sampled_from([*ATOMS, "oo", "FOO", "CAFÉ", "foo bar", "a.b(", "*", "[", "\\"]))
        chosen = [flag for flag in data.draw(flags) if flag != "-o"]
        repository.same("-F", *chosen, "-e", pattern, *data.draw(st.sampled_from([(), ("-e", "bar")])))


OPERANDS = st.sampled_from(["foo", "bar", "x", "^f", "123"])


def expressions(depth: int) -> st.SearchStrategy[list[str]]:
    """The words of a joined expression."""
    atom = OPERANDS.map(lambda pattern: ["-e", pattern])
    if not depth:
        return atom
    below = expressions(depth - 1)
    return st.one_of(
        atom,
        below.map(lambda part: ["--not", *(["(", *part, ")"] if len(part) > 2 else part)]),
        st.builds(lambda a, b: [*a, "--and", *b], below, below),
        st.builds(lambda a, b: [*a, *b], below, below),
        st.builds(lambda a, b: [*a, "--or", *b], below, below),
        below.map(lambda part: ["(", *part, ")"]),
    )


@HARD
@given(st.data())
def test_joined_patterns_read_as_git_grep_prints_them(repository: Repository, data: st.DataObject) -> None:
    make_state(repository, {}, {}, data.draw(trees))
    for _ in range(8):
        chosen = [flag for flag in data.draw(flags) if flag != "-o"]
        repository.same(*chosen, *data.draw(expressions(3)))


@HARD
@given(st.data())
def test_lines_that_are_not_utf8_read_as_git_grep_prints_them_in_either_locale(
    repository: Repository, data: st.DataObject
) -> None:
    words = [b"foo", b"caf\xe9", b"\xff", b"x ", b"na\xefve", b"caf\xc3\xa9", b"\xc3", b"\xa9"]
    row = st.lists(st.sampled_from(words), min_size=1, max_size=4).map(b"".join)
    content = b"".join(line + b"\n" for line in data.draw(st.lists(row, max_size=6)))
    make_state(repository, {}, {}, {"l": content})
    for _ in range(8):
        locale = data.draw(st.sampled_from(["C", "C.UTF-8"]))
        args = [*data.draw(flags), "-e", data.draw(patterns)]
        if agree(repository, args) and repository.git_grep(*args, locale=locale).status in (0, 1):
            repository.same(*args, locale=locale)
