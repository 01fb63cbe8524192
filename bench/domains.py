"""Hits in the first three for questions about licences, manuals and logs: `python bench/domains.py`.

In: `domains.tsv` (domain, question, what the right place says), written before anything was looked at; the licences
and manuals that Debian installs below /usr/share; logs made here with a fixed seed. Out: for each domain the share of
questions whose first three results have a right place, and the questions that have none.
"""

from __future__ import annotations

import glob
import gzip
import os
import random
import re
import sys
import tempfile
from pathlib import Path

from greppy.config import Config
from greppy.search.engine import search
from greppy.search.result import Request

HERE = Path(__file__).parent
LICENSES = "/usr/share/common-licenses/*"
MANUALS = (
    "xz-file-format", "python-policy", "sedfaq", "libpng-manual", "randrproto", "usage", "algorithm", "FAQ", "faq",
    "users-and-groups", "howto-*", "man-db-manual", "fontconfig-user", "triggers", "frontend-api",
)  # fmt: skip
ROUTINE = (
    "INFO request served in {n} ms", "DEBUG cache hit for key user:{n}", "INFO health check ok", "INFO job {n} done",
    "INFO user {n} viewed the dashboard", "DEBUG pool has {n} idle workers", "INFO metrics flushed, {n} points",
)  # fmt: skip
EVENTS = (
    "ERROR write failed: No space left on device", "ERROR kernel: Out of memory: Killed process 4242 (java)",
    "WARN sshd[811]: Failed password for root from 10.0.0.9", "INFO sshd[811]: Accepted publickey for ann",
    "WARN sshd[811]: Invalid user oracle from 10.0.0.9", "ERROR db: could not connect: Connection refused",
    "ERROR java.lang.NullPointerException\n\tat shop.Cart.total(Cart.java:42)\n\tat shop.Main.run(Main.java:7)",
    "ERROR payment 77 declined by issuer", "WARN slow query: SELECT * FROM orders took 8123 ms",
    "ERROR tls: certificate has expired for shop.example", "INFO Server listening on port 8080",
    "INFO received SIGTERM, shutting down", 'INFO access "GET /cart HTTP/1.1" 500 12', 'INFO access "GET /x" 404 9',
    "INFO kernel: usb 1-1: new high-speed USB device", "WARN kernel: eth0: Link is Down",
    "INFO CRON[99]: (root) CMD (run-parts /etc/cron.daily)", "INFO dpkg: status installed nginx 1.22",
    "WARN http client: timeout, retry 3 of 5", "ERROR db: deadlock detected, transaction 9 rolled back",
    "ERROR open /etc/shadow: Permission denied", "INFO backup completed in 312 s", "INFO configuration reloaded",
    "DEBUG cache evicted 120 entries", "INFO session closed for user ann", "WARN api: rate limit exceeded for key 5",
    "ERROR kernel: app[77]: segfault at 0 ip 0000", "ERROR could not resolve host db.internal: NXDOMAIN",
    "WARN queue backlog is 9100 messages", "ERROR kernel: sda: I/O error, sector 1024",
)  # fmt: skip


def main() -> int:
    """Ask everything and print the shares."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "p"
        _fill(root)
        home, rows = os.fsencode(Path(folder) / "home"), (HERE / "domains.tsv").read_text(encoding="utf-8")
        asked = [line.split("\t") for line in rows.splitlines()]
        for domain in ("legal", "docs", "logs"):
            for name in (domain, "auto"):
                _report(domain, name, [(q, a) for d, q, a in asked if d == domain], os.fsencode(root), home)
    return 0


def _report(domain: str, name: str, questions: list[tuple[str, str]], root: bytes, home: bytes) -> None:
    missed = [question for question, answer in questions if not _is_found(question, answer, name, root, home)]
    share = 1 - len(missed) / len(questions)
    print(f"{domain}, --domain {name}: {share:.2f} of {len(questions)}; not: {'; '.join(missed)}")


def _is_found(question: str, answer: str, domain: str, root: bytes, home: bytes) -> bool:
    request = Request(question, root, root, limit=3, domain=domain)
    response = search(request, home, Config(workers=1), lambda done, total, what: None)
    right = re.compile(answer, re.DOTALL)
    return any(right.search(" ".join(result.content.split())) for result in response.results)


def _fill(root: Path) -> None:
    for folder in ("legal", "docs", "logs"):
        (root / folder).mkdir(parents=True)
    (root / ".greppy").touch()
    for path in glob.glob(LICENSES):
        if not os.path.islink(path):
            (root / "legal" / os.path.basename(path)).write_bytes(Path(path).read_bytes())
    for name in MANUALS:
        for path in glob.glob(f"/usr/share/doc/*/{name}.txt*"):
            data = Path(path).read_bytes()
            data = gzip.decompress(data) if path.endswith(".gz") else data
            (root / "docs" / os.path.basename(path).removesuffix(".gz")).write_bytes(data)
    (root / "logs" / "app.log").write_text(_log(), encoding="utf-8")


def _log() -> str:
    chance = random.Random(7)
    lines = [chance.choice(ROUTINE).format(n=chance.randrange(900)) for _ in range(9000)]
    for event in EVENTS:
        for _ in range(3):
            lines.insert(chance.randrange(len(lines)), event)
    stamp = "2026-01-31 {:02d}:{:02d}:{:02d} "
    return "".join(stamp.format(n // 3600 % 24, n // 60 % 60, n % 60) + line + "\n" for n, line in enumerate(lines))


if __name__ == "__main__":
    sys.exit(main())
