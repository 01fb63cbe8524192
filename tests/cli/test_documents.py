"""Man page, completions and README say what the option table says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from greppy.cli.man import DOCUMENTS, main, readme_tables
from greppy.cli.options import VERBS

TOP = Path(__file__).resolve().parents[2]
FILES = [name for name in DOCUMENTS if name != "readme"]
BEGIN, END = "<!-- made by python -m greppy.cli.man readme -->\n", "<!-- end -->"


@pytest.mark.parametrize("name", FILES)
def test_contrib_holds_what_is_made_from_the_table(name: str) -> None:
    made = (TOP / "contrib" / name).read_text(encoding="utf-8")
    assert made == DOCUMENTS[name](), "run: python -m greppy.cli.man --write contrib"


def test_the_tables_of_the_readme_are_made_from_the_table() -> None:
    readme = TOP / "README.md"
    if not readme.exists():
        pytest.skip("no README.md here")
    text = readme.read_text(encoding="utf-8")
    assert BEGIN in text, f"README.md lacks the line {BEGIN!r}"
    assert text.split(BEGIN)[1].split(END)[0] == readme_tables()


def test_every_command_and_option_is_documented() -> None:
    for document in (DOCUMENTS["git-greppy.1"]().replace("\\-", "-"), readme_tables(), DOCUMENTS["greppy.bash"]()):
        for verb in VERBS.values():
            assert verb.name in document
            for option in verb.options:
                assert all(form in document for form in (option.short, option.long, option.negative))


def test_all_documents_can_be_written_into_a_folder(tmp_path: Path) -> None:
    assert main(["--write", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    assert main(["nothing"]) == 4


@pytest.mark.skipif(not shutil.which("man"), reason="no man here")
def test_the_man_page_is_roff_without_complaints() -> None:
    page = str(TOP / "contrib" / "git-greppy.1")
    ran = subprocess.run(
        ["man", "--warnings", "-l", page], capture_output=True, encoding="utf-8", env={"PATH": "/usr/bin:/bin"}
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def completed(*words: str, current: int | None = None) -> list[str]:
    script = TOP / "contrib" / "greppy.bash"
    at = len(words) - 1 if current is None else current
    function = "_git_greppy" if words[0] == "git" else "_greppy"
    code = f'. "$0"; COMP_WORDS=("$@"); COMP_CWORD={at}; {function}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    ran = subprocess.run(
        ["bash", "-c", code, str(script), *words], capture_output=True, encoding="utf-8", check=True, cwd=TOP
    )
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["greppy", "s"], ["search", "status"]),
        (["greppy", "search", "--no"], ["--no-refresh", "--no-content"]),
        (["greppy", "where", "--lim"], ["--limit"]),
        (["greppy", "--lim"], ["--limit"]),
        (["greppy", "index", "--f"], ["--force"]),
        (["greppy", "index", "contr"], ["contrib"]),
        (["greppy", "search", "x", "-p", "contr"], ["contrib"]),
        (["greppy", "search", "x", "--lang", "pyt"], ["python"]),
        (["greppy", "help", "fo"], ["forget"]),
        (["git", "greppy", "fo"], ["forget"]),
        (["git", "greppy", "status", "--sk"], ["--skipped"]),
    ],
)
def test_bash_completes(words: list[str], expected: list[str]) -> None:
    assert completed(*words) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_is_read_by_its_shell(shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    name = {"zsh": "_greppy", "fish": "greppy.fish"}[shell]
    subprocess.run([shell, "-n", str(TOP / "contrib" / name)], check=True)
