"""Every check of this project, in the order of their cost: `python -m tests [pytest arguments]`.

In: an environment with the package installed in editable mode with its `dev` extra. Out: the checks' output, a line a
check at the end, and exit status 0 only when all passed. All tests run with the compiled kernels, with coverage of
every process that they start; then those that touch the kernels again with their Python twins, and those that watch
what a start imports again without coverage, which imports much itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
TWIN_TESTS = ("tests/kernels", "tests/search", "tests/query", "tests/index")


def checks(arguments: list[str]) -> list[tuple[str, list[str], dict[str, str]]]:
    """(name, command, additions to the environment) of each check."""
    python = [sys.executable, "-m"]
    scripts = Path(sys.executable).parent
    pytest = [
        *python,
        "pytest",
        "-q",
        "--durations=12",
        "-n",
        str(os.cpu_count() or 2),
        "--dist",
        "worksteal",
        *arguments,
    ]
    return [
        ("format", [*python, "ruff", "format", "--check", "."], {}),
        ("lint", [*python, "ruff", "check", "."], {}),
        ("types", [*python, "mypy"], {}),
        ("layers", [str(scripts / "lint-imports")], {}),
        ("tests", [*pytest, "--cov", "--cov-report=term", "--cov-config=pyproject.toml"], {}),
        ("tests, what a start imports", [*pytest, "-m", "start_up"], {}),
        ("tests, Python kernels", [*pytest, "-m", "not start_up", *TWIN_TESTS], {"GREPPY_KERNELS": "python"}),
    ]


def main() -> int:
    os.chdir(ROOT)
    lines: list[str] = []
    failed = False
    for name, command, additions in checks(sys.argv[1:]):
        print(f"--- {name}: {' '.join(command[1:])}", flush=True)
        started = time.monotonic()
        status = subprocess.run(command, env={**os.environ, **additions}, check=False).returncode
        failed |= status != 0
        lines.append(f"{'ok' if status == 0 else 'FAILED':7}{time.monotonic() - started:6.0f} s  {name}")
    print("\n".join(["", *lines]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
