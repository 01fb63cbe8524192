"""`greppy daemon`: start, stop, status, restart, run; by hand, by the first search, by the session."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.conftest import Site, eventually, is_alive


def test_it_starts_answers_and_stops(site: Site) -> None:
    assert site.run("daemon", "status").returncode == 1
    started = site.run("daemon", "start")
    assert (started.returncode, started.stdout.split()[0]) == (0, b"Started")
    again = site.run("daemon", "start")
    assert (again.returncode, b"already" in again.stdout) == (0, True)
    site.run("search", "session")
    shown = site.run("daemon", "status")
    assert (shown.returncode, shown.stderr) == (0, b"")
    document = json.loads(site.run("daemon", "status", "--json").stdout)
    assert document["running"] is True
    assert document["uptime"] > 0
    assert document["requests"] >= 1
    processes = [document["pid"], *document["workers"]]
    assert all(map(is_alive, processes))
    assert document["rss_bytes"] > document["pss_bytes"] > 0
    stopped = site.run("daemon", "stop")
    assert (stopped.returncode, stopped.stdout) == (0, b"Stopped the daemon\n")
    eventually(lambda: not any(map(is_alive, processes)))
    assert not site.socket.exists()
    assert b"not running" in site.run("daemon", "stop").stdout
    document = json.loads(site.run("daemon", "status", "--json").stdout)
    assert document == {"running": False, "socket": str(site.socket)}


def test_status_tells_of_the_projects_in_use(served: Site) -> None:
    served.run("search", "session")
    (project,) = json.loads(served.run("daemon", "status", "--json").stdout)["projects"]
    assert project["path"] == str(served.project)
    assert project["files"] == 4
    assert project["freshness"] == "events"
    assert str(served.project).encode() in served.run("daemon", "status").stdout


def test_restart_makes_another_one(served: Site) -> None:
    before = served.status()["pid"]
    assert served.run("daemon", "restart").returncode == 0
    assert served.status()["pid"] != before
    eventually(lambda: not is_alive(before))


def test_socket_and_folder_are_private(served: Site) -> None:
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (served.home, served.socket)]
    assert modes == [0o700, 0o600]
    files = [*served.home.glob("daemon*")]
    assert all(stat.S_IMODE(path.lstat().st_mode) == 0o600 for path in files)


def test_it_runs_in_the_foreground_until_ctrl_c(site: Site) -> None:
    process = subprocess.Popen(
        site.command("daemon", "run"), cwd=site.project, env=site.environment, stdout=subprocess.PIPE
    )
    eventually(site.socket.exists)
    assert site.status()["pid"] == process.pid
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[0] == b""
    assert process.returncode == 0
    assert not site.socket.exists()


def test_one_that_does_not_answer_is_ended_by_force(served: Site) -> None:
    status = served.status()
    for process in (status["pid"], *status["workers"]):
        os.kill(process, signal.SIGSTOP)
    assert served.run("daemon", "status").returncode == 3
    for process in status["workers"]:
        os.kill(process, signal.SIGKILL)
    os.kill(status["pid"], signal.SIGCONT)
    assert served.run("daemon", "stop").returncode == 0
    eventually(lambda: not is_alive(status["pid"]))


FROZEN: dict[str, Callable[[dict[str, Any]], list[int]]] = {
    "the supervisor": lambda status: [status["pid"]],
    "the supervisor and its workers": lambda status: [status["pid"], *status["workers"]],
    "all workers": lambda status: list(status["workers"]),
    "one worker": lambda status: status["workers"][:1],
}


@pytest.mark.parametrize("who", FROZEN)
def test_one_that_is_frozen_is_ended_with_all_its_processes(served: Site, who: str) -> None:
    status = served.status()
    for process in FROZEN[who](status):
        os.kill(process, signal.SIGSTOP)
    ran = served.run("daemon", "stop")
    assert (ran.returncode, ran.stdout) == (0, b"Stopped the daemon by force\n")
    eventually(lambda: not any(map(is_alive, [status["pid"], *status["workers"]])))
    served.start()


def test_frozen_workers_that_have_lost_their_supervisor_are_ended(served: Site) -> None:
    status = served.status()
    for process in status["workers"]:
        os.kill(process, signal.SIGSTOP)
    os.kill(status["pid"], signal.SIGKILL)
    assert served.run("daemon", "stop").returncode == 0
    eventually(lambda: not any(map(is_alive, status["workers"])))


def test_who_only_looks_at_the_lock_is_not_taken_for_the_daemon(served: Site) -> None:
    status = served.status()
    os.kill(status["pid"], signal.SIGSTOP)
    with open(f"{served.socket}.lock", "rb") as lock:
        looking = subprocess.Popen(["sleep", "60"], stdin=lock)
    served.stop()
    assert looking.poll() is None
    looking.kill()
    looking.wait()


def test_ten_that_start_at_once_are_one(site: Site) -> None:
    starting = [
        subprocess.Popen(
            site.command("daemon", "start"), env=site.environment, cwd=site.project, stdout=subprocess.PIPE
        )
        for _ in range(10)
    ]
    said = [process.communicate(timeout=60)[0] for process in starting]
    assert [process.returncode for process in starting] == [0] * 10
    assert sum(b"Started" in line for line in said) == 1


def test_a_stale_socket_is_replaced(site: Site) -> None:
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(os.fsencode(site.socket))
    site.start()
    assert site.status()["workers"]


def test_what_is_no_stale_socket_of_ours_stays(site: Site) -> None:
    victim = site.folder / "victim"
    victim.write_text("precious")
    site.socket.write_text("no socket")
    assert site.run("daemon", "start").returncode == 3
    assert site.socket.read_text() == "no socket"
    site.socket.unlink()
    site.socket.symlink_to(victim)
    assert site.run("daemon", "start").returncode == 3
    assert site.socket.is_symlink()
    assert victim.read_text() == "precious"
    site.socket.unlink()
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(os.fsencode(site.socket))
        living.listen(1)
        ran = site.run("daemon", "start")
        assert ran.returncode == 3
        assert b"another program listens" in ran.stderr
        assert site.socket.is_socket()
    if os.geteuid() == 0:
        os.chown(site.socket, 12345, -1)
        assert b"another user" in site.run("daemon", "start").stderr


def test_a_long_path_is_refused_with_the_remedy(site: Site) -> None:
    home = site.folder / ("x" * 100)
    ran = site.run("daemon", "start", more={"GREPPY_HOME": str(home)})
    assert ran.returncode == 3
    assert b"GREPPY_DAEMON_SOCKET" in ran.stderr
    assert site.run("search", "session", more={"GREPPY_HOME": str(home)}).returncode == 0
    short = {"GREPPY_HOME": str(home), "GREPPY_DAEMON_SOCKET": str(site.folder / "s")}
    assert site.run("daemon", "start", more=short).returncode == 0
    assert site.run("search", "session", more=short).returncode == 0
    assert site.run("daemon", "stop", more=short).returncode == 0


def test_a_folder_that_others_may_write_to_is_refused(site: Site) -> None:
    folder = site.folder / "open"
    folder.mkdir()
    folder.chmod(0o777)
    ran = site.run("daemon", "start", more={"GREPPY_DAEMON_SOCKET": str(folder / "s")})
    assert (ran.returncode, b"others may write" in ran.stderr) == (3, True)


def test_root_does_not_serve_another_users_files(site: Site) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be root")
    os.chown(site.home, 12345, -1)
    ran = site.run("daemon", "start")
    assert (ran.returncode, b"belongs to another user" in ran.stderr) == (3, True)
    os.chown(site.home, 0, -1)


def test_the_first_search_starts_one_where_that_is_wanted(site: Site) -> None:
    (site.home / "config.toml").write_text("[daemon]\nautostart = true\n")
    ran = site.run("search", "session")
    assert (ran.returncode, ran.stderr) == (0, b"")
    eventually(site.socket.exists)
    before = site.by_daemon()
    site.run("search", "session")
    assert site.by_daemon() == before + 1


def test_without_being_asked_to_nothing_is_started(site: Site) -> None:
    site.run("search", "session")
    assert not site.socket.exists()


def test_one_that_nobody_uses_ends(site: Site) -> None:
    code = (
        "import sys\nfrom greppy.daemon import launch\nfrom greppy.daemon.supervisor import Settings\n"
        "from greppy.cli.daemon import CommandLine\nimport os\n"
        "launch.serve(os.fsencode(sys.argv[1]), CommandLine(), Settings(os.fsencode(sys.argv[2]), 1, 1.0))\n"
    )
    command = [sys.executable, "-c", code, str(site.socket), str(site.home)]
    process = subprocess.Popen(command, env=site.environment, stderr=subprocess.DEVNULL)
    assert process.wait(30) == 0
    assert not site.socket.exists()


def fake_systemctl(folder: Path, status: int) -> Path:
    tools = folder / "tools"
    tools.mkdir()
    script = tools / "systemctl"
    script.write_text(f'#!/bin/sh\necho "$@" >> "{folder}/told"\necho no session >&2\nexit {status}\n')
    script.chmod(0o755)
    return tools


@pytest.mark.skipif(sys.platform != "linux", reason="of systemd")
def test_it_is_installed_and_uninstalled_as_a_service(site: Site) -> None:
    path = f"{fake_systemctl(site.folder, 0)}{os.pathsep}{site.environment['PATH']}"
    unit = site.folder / ".config/systemd/user/greppy.service"
    assert site.run("daemon", "start", "--install", more={"PATH": path}).returncode == 0
    text = unit.read_text()
    assert f'"GREPPY_HOME={site.home}"' in text
    assert f'ExecStart="{os.path.abspath(sys.executable)}" -P -m greppy daemon run' in text
    assert "@" not in text
    assert "enable --now greppy.service" in (site.folder / "told").read_text()
    assert not site.socket.exists()
    assert site.run("daemon", "start", "--uninstall", more={"PATH": path}).returncode == 0
    assert not unit.exists()
    assert "disable --now greppy.service" in (site.folder / "told").read_text()
    assert b"Nothing to do" in site.run("daemon", "start", "--uninstall", more={"PATH": path}).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="of systemd")
def test_where_the_session_does_not_start_it_it_is_started_all_the_same(site: Site) -> None:
    path = f"{fake_systemctl(site.folder, 1)}{os.pathsep}{site.environment['PATH']}"
    ran = site.run("daemon", "start", "--install", more={"PATH": path})
    assert (ran.returncode, b"no session" in ran.stderr) == (0, True)
    assert site.status()["workers"]


def test_an_action_that_there_is_not_is_status_4(site: Site) -> None:
    assert site.run("daemon", "begin").returncode == 4
    assert site.run("daemon").returncode == 4


def test_a_lock_that_is_removed_does_not_make_two_of_one(served: Site) -> None:
    before = served.status()["pid"]
    Path(f"{served.socket}.lock").unlink()
    assert b"already" in served.run("daemon", "start").stdout
    assert served.status()["pid"] == before
    assert served.run("daemon", "stop").stdout == b"Stopped the daemon\n"
    eventually(lambda: not is_alive(before))


def test_a_home_that_is_removed_ends_it(served: Site) -> None:
    before = served.status()["pid"]
    shutil.rmtree(served.home)
    eventually(lambda: not is_alive(before))
