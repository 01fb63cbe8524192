"""What ranking does by arrays: best blobs and files, classes, names; worked by hand, and equality of the twins."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from itertools import accumulate
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.kernels import reference

PATHS = (
    "src/user_session.py",
    "a/HTTPServer2.go",
    "Größe.md",
    ".env",
    "x/__init__.py",
    "readme",
    "docs/a.b.c",
    "..",
    "_",
)
WORDS = ("user", "session", "http", "server", "init", "env", "us", "s", "sessions", "2", "read", "größe")
small = st.integers(-1, 6).map(lambda number: number / 2)
columns = st.lists(st.lists(small, max_size=9), max_size=3)


def floats(values: list[float]) -> array[float]:
    return array("d", values)


def lists(views: Any) -> list[list[int]]:
    return [list(view) for view in views]


def test_what_ties_with_the_last_of_the_best_is_among_them(twin: ModuleType) -> None:
    given_columns = (floats([3.0, 1.0, 2.0]), floats([2.0, 0.0, -1.0, 2.0]))
    assert lists(twin.best_blobs(given_columns, 2)) == [[0, 2], [0, 3]]
    assert lists(twin.best_blobs(given_columns, 2, False)) == [[0, 2], []]
    assert lists(twin.best_blobs(given_columns, 9)) == [[0, 1, 2], [0, 3]]
    assert lists(twin.best_blobs(given_columns, 0)) == [[], []]


@given(values=columns, count=st.integers(-1, 20), ties=st.booleans())
def test_the_twins_choose_the_same_blobs(fast: ModuleType, values: list[list[float]], count: int, ties: bool) -> None:
    arrays = tuple(map(floats, values))
    assert lists(fast.best_blobs(arrays, count, ties)) == lists(reference.best_blobs(arrays, count, ties))


@given(seed=st.integers(0, 2**32))
def test_the_twins_choose_the_same_of_many_blobs(fast: ModuleType, seed: int) -> None:
    dice = random.Random(seed)
    arrays = tuple(floats([dice.choice([0.0, dice.random(), 0.5]) for _ in range(300)]) for _ in range(2))
    count = dice.randrange(400)
    assert lists(fast.best_blobs(arrays, count)) == lists(reference.best_blobs(arrays, count))


def test_a_file_has_its_own_flags_and_its_blobs_but_for_those_that_it_forbids(twin: ModuleType) -> None:
    flags = array("I", [8, 0, 1 << 16, 0, 8])
    places, blobs = array("I", [0, 0, 0, 7, 0]), array("I", [0, 1, 1, 0, 0])
    classes, distinct = twin.file_classes(flags, places, blobs, (b"\x00\x01",))
    assert [distinct[number] for number in classes] == [8, 1, 1 << 16, 0, 8]
    assert len(distinct) == 4
    with pytest.raises(ValueError, match="fit together"):
        twin.file_classes(flags, places[:2], blobs, ())


def choice(dice: random.Random) -> dict[str, Any]:
    """Arguments of `best_files` that fit together."""
    files, shards = dice.randrange(12), dice.randrange(1, 3)
    sizes = [dice.randrange(1, 6) for _ in range(shards)]
    places = [dice.randrange(shards) for _ in range(files)]
    blobs = [dice.randrange(sizes[place]) for place in places]
    named = [dice.randrange(files) for _ in range(dice.randrange(4))] if files else []
    return {
        "columns": tuple(
            (
                floats([dice.choice([0.0, 1.0, dice.random()]) for _ in range(size)]),
                array("Q", [dice.randrange(1 << 4) | (1 << 63) * dice.randrange(2) for _ in range(size)]),
                array("I", [dice.randrange(size) for _ in range(dice.randrange(4))]),
            )
            for size in sizes
        ),
        "named": array("I", named),
        "shares": floats([dice.choice([0.0, 0.5, 1.0]) for _ in range(files)]),
        "worths": floats([dice.choice([0.0, dice.random()]) for _ in range(files)]),
        "cover": tuple(dice.random() for _ in range(dice.choice([0, 3, 64]))),
        "extra": dice.random(),
        "places": array("I", places),
        "blobs": array("I", blobs),
        "order": array("I", sorted(range(files), key=lambda file: (places[file], blobs[file], file))),
        "classes": array("H", [dice.randrange(2) for _ in range(files)]),
        "factors": floats([1.0, dice.choice([0.0, 0.5])]),
        "allowed": None if dice.randrange(2) else bytes(dice.randrange(2) for _ in range(files)),
        "by_name": bool(dice.randrange(2)),
    }


@given(seed=st.integers(0, 2**32))
def test_the_twins_choose_the_same_files_with_the_same_values(fast: ModuleType, seed: int) -> None:
    call = choice(random.Random(seed))
    expected, found = reference.best_files(**call), fast.best_files(**call)
    assert lists(found) == lists(expected)


def test_files_come_by_what_they_are_worth_and_each_once(twin: ModuleType) -> None:
    call = {
        "columns": ((floats([2.0, 0.0, 1.0]), array("Q", [0b11, 0, 0b01]), array("I", [2, 0])),),
        "named": array("I", [1, 1, 3]),
        "shares": floats([0.0, 1.0, 0.0, 0.5]),
        "worths": floats([0.0, 3.0, 0.0, 9.0]),
        "cover": (0.25, 0.5),
        "extra": 0.125,
        "places": array("I", [0] * 4),
        "blobs": array("I", [0, 1, 2, 1]),
        "order": array("I", [0, 1, 3, 2]),
        "classes": array("H", [1, 0, 0, 0]),
        "factors": floats([1.0, 0.5]),
        "allowed": None,
        "by_name": True,
    }
    files, values = twin.best_files(**call)
    assert list(files) == [1, 0, 2]  # the last has neither text nor all of the query in its name
    assert list(values) == [3.125, (2.0 + 0.75 + 0.125) * 0.5, 1.0 + 0.25 + 0.125]
    assert list(twin.best_files(**{**call, "by_name": False})[0]) == [0, 2]
    assert list(twin.best_files(**{**call, "allowed": b"\0\1\1\1"})[0]) == [1, 2]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"named": array("I", [9])}, "no such file"),
        ({"order": array("I", [9])}, "no such file"),
        ({"shares": floats([0.0])}, "fit together"),
        ({"worths": bytes(8)}, "fit together"),
        ({"classes": array("H", [0])}, "fit together"),
        ({"classes": array("H", [7, 7])}, "outside"),
        ({"blobs": array("I", [5, 5])}, "outside"),
        ({"places": array("I", [3, 3])}, "outside"),
        ({"allowed": b"\1"}, "fit together"),
        ({"cover": (0.0,) * 65}, "64 bits"),
        ({"columns": ((floats([1.0]), array("Q"), array("I")),)}, "fit together"),
    ],
)
def test_columns_that_do_not_fit_are_refused(twin: ModuleType, changes: dict[str, Any], problem: str) -> None:
    call: dict[str, Any] = {
        "columns": ((floats([1.0]), array("Q", [1]), array("I", [0])),),
        "named": array("I", [0]),
        "shares": floats([0.0, 0.0]),
        "worths": floats([0.0, 0.0]),
        "cover": (1.0,),
        "extra": 0.0,
        "places": array("I", [0, 0]),
        "blobs": array("I", [0, 0]),
        "order": array("I", [0, 1]),
        "classes": array("H", [0, 0]),
        "factors": floats([1.0]),
        "allowed": None,
        "by_name": False,
    }
    with pytest.raises(ValueError, match=problem):
        twin.best_files(**{**call, **changes})


postings = st.lists(st.sets(st.integers(0, 39), min_size=1).map(sorted), max_size=5)


@given(found=postings)
def test_lists_are_joined_as_sets_are(twin: ModuleType, found: list[list[int]]) -> None:
    encoded = [reference.encode_postings(docs, bytes(len(docs)), 40) for docs in found]
    assert list(twin.joined_lists(encoded, 40)) == sorted(set().union(*found))


def test_a_file_beyond_the_last_one_is_refused(twin: ModuleType) -> None:
    encoded = reference.encode_postings([3], b"\0", 40)
    calls: tuple[Callable[[], object], ...] = (
        lambda: twin.joined_lists([encoded], 3),
        lambda: twin.path_shares((array("I", [3]),), (1.0,), 1.0, 3),
        lambda: twin.named_wholly(array("I", [1]), b"a\0", array("I", [0]), (b"a",), 3),
        lambda: twin.name_worths(array("I", [1]), floats([1.0]), b"\0", array("I"), (1.0, 1.0, 1.0)),
        lambda: twin.name_worths(array("I"), floats([1.0]), b"\0", array("I", [1]), (1.0, 1.0, 1.0)),
    )
    for call in calls:
        with pytest.raises(ValueError, match="no such file"):
            call()


@given(
    found=st.lists(st.tuples(st.sets(st.integers(0, 9)).map(sorted), st.floats(0, 9)), max_size=5),
    total=st.floats(0.01, 9),
)
def test_the_twins_share_a_query_out_among_files(
    fast: ModuleType, found: list[tuple[list[int], float]], total: float
) -> None:
    call = tuple(array("I", files) for files, _ in found), tuple(weight for _, weight in found), total, 10
    assert lists(fast.path_shares(*call)) == lists(reference.path_shares(*call))


def table() -> tuple[bytes, array[int]]:
    paths = [path.encode() + b"\0" for path in PATHS]
    return b"".join(paths), array("I", [0, *accumulate(map(len, paths))][:-1])


@given(words=st.lists(st.sampled_from(WORDS), max_size=4), shortest=st.integers(0, 4))
def test_the_twins_find_the_same_names_wholly_in_a_query(fast: ModuleType, words: list[str], shortest: int) -> None:
    named = array("I", range(len(PATHS)))
    call = named, *table(), tuple(word.encode() for word in words), shortest
    assert fast.named_wholly(*call) == reference.named_wholly(*call)


def test_a_name_is_asked_for_wholly_where_each_of_its_words_is_kin_to_one_that_was_asked(twin: ModuleType) -> None:
    named = array("I", range(len(PATHS)))
    marks = twin.named_wholly(named, *table(), (b"users", b"session", b"env"), 3)
    assert dict(zip(PATHS, marks, strict=True)) == {**dict.fromkeys(PATHS, 0), PATHS[0]: 1, "Größe.md": 2, ".env": 1}
    assert twin.named_wholly(array("I", [1]), *table(), (b"http", b"server2"), 3)[1] == 1


@given(seed=st.integers(0, 2**32))
def test_the_twins_weigh_names_equally(fast: ModuleType, seed: int) -> None:
    dice = random.Random(seed)
    shares = floats([dice.random() for _ in range(6)])
    files = [array("I", sorted(dice.sample(range(6), dice.randrange(6)))) for _ in range(2)]
    rates = (dice.random(), dice.random(), dice.random())
    call = files[0], shares, bytes(dice.randrange(3) for _ in range(6)), files[1], rates
    assert list(fast.name_worths(*call)) == list(reference.name_worths(*call))


def test_what_a_name_adds_depends_on_its_share_and_its_stem(twin: ModuleType) -> None:
    worths = twin.name_worths(
        array("I", [0, 1]), floats([0.5, 0.5, 0.25]), b"\0\1\0", array("I", [1, 2]), (4.0, 2.0, 8.0)
    )
    assert list(worths) == [2.0, 2.0 + 1.0 + 8.0, 8.0]
