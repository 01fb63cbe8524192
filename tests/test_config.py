"""The configuration: what is taken, what is refused, and that its cache never lies."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy import config as module
from greppy.config import Config, load_config
from greppy.config.cache import read_cache, write_cache
from greppy.config.settings import SETTINGS
from greppy.errors import BadArguments, IoFailure

EVERYTHING = """
[general]
limit = 50
snippet_lines = 3
color = "never"
pager = false
content = false
[ignore]
patterns = ["*.min.js", "docs/_build"]
[index]
max_file_size = "2MB"
max_files = 10
workers = 3
shard_bytes = "64 MiB"
background = false
[lexicon]
concepts = ["k8s = kubernetes"]
[hooks]
max_seconds = 9
first_index = true
[gc]
keep_days = 3
max_size = "1.5 TB"
[daemon]
autostart = true
idle_minutes = 5
workers = 2
[watch]
paths = ["/x", "/y"]
[projects."/x"]
limit = 7
patterns = []
[projects."~/y".index]
max_files = 5
"""


def values(config: Config) -> list[object]:
    return [getattr(config, name) for name in Config.__slots__]


def written(home: Path, text: str, age: float = 60) -> Path:
    """A config.toml of that age: one that is old enough is cached."""
    home.mkdir(exist_ok=True)
    file = home / "config.toml"
    file.write_text(text, encoding="utf-8")
    moment = time.time() - age
    os.utime(file, (moment, moment))
    return file


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, where files settle at once: their ctime cannot be set back."""
    monkeypatch.setattr(module, "_SETTLED_NS", -1)
    return tmp_path / "home"


def test_without_a_file_there_are_the_defaults(home: Path) -> None:
    assert values(load_config(bytes(home))) == values(Config())
    assert all(getattr(Config(), setting.name) == setting.default for setting in SETTINGS)


def test_every_setting_is_read(home: Path) -> None:
    file = written(home, EVERYTHING)
    config = load_config(bytes(home))
    assert (config.limit, config.snippet_lines, config.color, config.pager, config.content) == (
        50,
        3,
        "never",
        False,
        False,
    )
    assert config.ignore_patterns == ("*.min.js", "docs/_build")
    assert (config.max_file_size, config.max_files, config.workers, config.shard_bytes) == (2 << 20, 10, 3, 64 << 20)
    assert (config.background, config.hook_seconds, config.hook_first_index) == (False, 9, True)
    assert (config.gc_keep_days, config.gc_max_size) == (3, 3 << 39)
    assert (config.daemon_autostart, config.daemon_idle, config.daemon_workers) == (True, 5, 2)
    assert config.watch_paths == ("/x", "/y")
    assert config.origins == {setting.name: str(file) for setting in SETTINGS}
    assert config.warnings == ()


def test_a_project_overrides_by_the_key_alone_or_in_a_section(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    written(home, EVERYTHING)
    config = load_config(bytes(home))
    own = config.for_project(b"/x")
    assert (own.limit, own.ignore_patterns, own.max_files, own.origins["limit"]) == (7, (), 10, '[projects."/x"]')
    assert config.for_project(b"/home/someone/y").max_files == 5
    assert config.for_project(b"/z") is config
    assert config.limit == 50


def test_a_project_is_meant_by_a_link_to_it_too(home: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    written(home, f'[projects."{tmp_path}/link/"]\nlimit = 3\n')
    assert load_config(bytes(home)).for_project(bytes(tmp_path / "real")).limit == 3


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("[general]\nlimt = 3\n", 'unknown key "limt" in [general]; did you mean "limit"?'),
        ("[genral]\n", 'unknown section [genral]; did you mean "general"?'),
        ("limit = 3\n", "unknown section [limit]"),
        ('[projects."/x"]\nmax_file = 3\n', 'unknown key "max_file" in [projects."/x"]; did you mean "max_files"?'),
        ('[projects."/x".indx]\n', 'unknown section [projects."/x".indx]; did you mean "index"?'),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(home: Path, text: str, warning: str) -> None:
    file = written(home, text)
    for _ in ("parsed", "cached"):
        assert load_config(bytes(home)).warnings == (f"{file}: {warning}",)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[general]\nlimit = 0\n", "general.limit must be a number from 1 to 100, not 0"),
        ("[general]\nlimit = true\n", "general.limit must be a number from 1 to 100, not True"),
        ("[general]\nlimit = '5'\n", "general.limit must be a number"),
        ("[general]\ncolor = 'red'\n", "general.color must be one of auto, always, never, not 'red'"),
        ("[general]\npager = 1\n", "general.pager must be true or false, not 1"),
        ("[ignore]\npatterns = 'x'\n", "ignore.patterns must be a list of texts, not 'x'"),
        ("[ignore]\npatterns = [1]\n", "ignore.patterns must be a list of texts"),
        (
            "[index]\nmax_file_size = '1XB'\n",
            'index.max_file_size must be a number of bytes, or text such as "1MB", from',
        ),
        ("[index]\nmax_file_size = 1.5\n", "index.max_file_size must be a number"),
        ("general = 3\n", "general must be a table"),
        ("projects = 3\n", "projects must be a table"),
        ('[projects]\n"/x" = 3\n', 'projects."/x" must be a table'),
        ('[projects."/x"]\nlimit = 0\n', 'projects."/x".limit must be a number'),
        ("limit = \n", "is not valid TOML"),
    ],
)
def test_a_wrong_value_is_refused_with_file_key_and_what_is_expected(home: Path, text: str, complaint: str) -> None:
    file = written(home, text)
    with pytest.raises(BadArguments) as refused:
        load_config(bytes(home))
    assert str(file) in refused.value.message
    assert complaint in refused.value.message
    assert not (home / "config.cache").exists()


@pytest.mark.parametrize("text", ["1048576", "1024KB", "1024 KiB", "1MB", "1 mib", "1M", "1.0MB"])
def test_sizes_may_have_units(home: Path, text: str) -> None:
    written(home, f'[index]\nmax_file_size = "{text}"\n')
    assert load_config(bytes(home)).max_file_size == 1 << 20


def test_a_file_that_is_not_utf8_or_not_a_file_is_refused(home: Path) -> None:
    written(home, "").write_bytes(b"[general]\n# \xff\n")
    with pytest.raises(BadArguments, match="not valid TOML"):
        load_config(bytes(home))
    (home / "config.toml").unlink()
    os.mkfifo(home / "config.toml")
    with pytest.raises(IoFailure, match="not a regular file"):
        load_config(bytes(home))
    (home / "config.toml").unlink()
    (home / "config.toml").mkdir()
    with pytest.raises(IoFailure, match="cannot read"):
        load_config(bytes(home))


def test_a_home_that_is_a_file_has_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    assert values(load_config(bytes(tmp_path / "home"))) == values(Config())


def test_the_cache_gives_what_the_file_gave(home: Path) -> None:
    written(home, EVERYTHING + "[unknown]\n")
    parsed = load_config(bytes(home))
    assert (home / "config.cache").stat().st_mode & 0o777 == 0o600
    (cached := read_cache(bytes(home), os.stat(home / "config.toml")))
    assert cached is not None
    assert values(cached) == values(parsed) == values(load_config(bytes(home)))


def test_a_change_of_the_file_is_seen_though_size_and_time_stay(home: Path) -> None:
    file = written(home, "[general]\nlimit = 5\n")
    before = file.stat()
    assert load_config(bytes(home)).limit == 5
    file.write_text("[general]\nlimit = 6\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load_config(bytes(home)).limit == 6


def test_a_file_that_changed_just_now_is_not_cached(tmp_path: Path) -> None:
    written(tmp_path, "[general]\nlimit = 5\n", age=0)
    assert load_config(bytes(tmp_path)).limit == 5
    assert not (tmp_path / "config.cache").exists()


def test_a_home_that_cannot_be_written_only_costs_the_cache(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(home, "[general]\nlimit = 5\n")
    (home / "config.cache").mkdir()
    assert [load_config(bytes(home)).limit for _ in range(2)] == [5, 5]
    assert sorted(path.name for path in home.iterdir()) == ["config.cache", "config.toml"]


@given(st.data())
def test_a_damaged_cache_is_noticed_or_harmless(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    home = tmp_path_factory.mktemp("home")
    file = written(home, EVERYTHING)
    parsed = load_config(bytes(home))
    write_cache(bytes(home), file.stat(), parsed)
    cache = home / "config.cache"
    whole = cache.read_bytes()
    cut = data.draw(st.integers(0, len(whole) - 1))
    cache.write_bytes(whole[:cut])
    assert read_cache(bytes(home), file.stat()) is None
    cache.write_bytes(whole[:cut] + bytes([data.draw(st.integers(0, 255))]) + whole[cut + 1 :])
    found = read_cache(bytes(home), file.stat())
    assert found is None or all(isinstance(getattr(found, s.name), type(getattr(parsed, s.name))) for s in SETTINGS)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_any_pattern_survives_the_cache(tmp_path_factory: pytest.TempPathFactory, patterns: list[str]) -> None:
    home = tmp_path_factory.mktemp("home")
    file = written(home, "")
    origins = {"ignore_patterns": str(file)}
    made = Config(ignore_patterns=patterns, origins=origins, overrides={"/a\tb": {"limit": 3}}, warnings=["w\n\\n"])
    write_cache(bytes(home), file.stat(), made)
    cached = read_cache(bytes(home), file.stat())
    assert cached is not None
    assert values(cached) == values(made)


def test_the_digest_changes_with_what_decides_about_the_index_only() -> None:
    digest = Config().digest()
    assert len(digest) == 8
    assert Config(limit=3, workers=2, shard_bytes=1 << 20, color="never").digest() == digest
    others = [
        Config(max_files=3),
        Config(max_file_size=3),
        Config(ignore_patterns=["a"]),
        Config(ignore_patterns=["a", "b"]),
    ]
    assert len({digest, *(config.digest() for config in others), Config(ignore_patterns=["b", "a"]).digest()}) == 6
