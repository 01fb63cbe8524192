"""What `index`, `list`, `status` and `config` say, for people and as JSON. Cold.

In: the values of `greppy.index.report`. Out: text that ends with a newline, or plain values for `json_text`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from greppy.index.background import Building
from greppy.index.report import BuildReport, IndexInfo, Status
from greppy.log import printable
from greppy.output.quote import quote_path

_UNITS = ("bytes", "KB", "MB", "GB", "TB")
_AGES = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def build_line(report: BuildReport) -> str:
    """One line about what an `index` did."""
    name = quote_path(report.root)
    if not report.changed:
        return f"{name}: {count(report.files, 'file')}, nothing changed ({seconds(report.seconds)})\n"
    parts = [f"{report.analysed} analysed", f"{report.reused} known"]
    parts += [f"{report.removed} removed"] if report.removed else []
    parts += [f"{report.skipped} not indexed"] if report.skipped else []
    size = f"{count(report.chunks, 'chunk')}, {format_size(report.index_bytes)}"
    return f"{name}: {count(report.files, 'file')} ({', '.join(parts)}), {size}, in {seconds(report.seconds)}\n"


def list_lines(infos: Iterable[IndexInfo], now: float) -> str:
    """One line for each indexed project."""
    return "".join(f"{quote_path(info.root)}  {_about(info, now)}\n" for info in infos)


def _about(info: IndexInfo, now: float) -> str:
    size = f"{info.only or count(info.files, 'file')}, {format_size(info.index_bytes)}"
    gone = ", folder is gone" if info.missing else ""
    return f"{size}, indexed {format_age(now - info.indexed_at)}{gone}"


def list_values(infos: Iterable[IndexInfo]) -> dict[str, object]:
    """The document of `list --json`."""
    return {"projects": [_info_values(info) for info in infos]}


def _info_values(info: IndexInfo) -> dict[str, object]:
    return {
        "path": info.root,
        "files": info.files,
        "chunks": info.chunks,
        "index_bytes": info.index_bytes,
        "indexed_at": timestamp(info.indexed_at),
        "missing": info.missing,
    }


def status_lines(status: Status, now: float) -> str:
    """The state of one project's index, a topic a line."""
    rows = [("Project", f"{quote_path(status.root)}  (by {printable(status.marker)})")]
    if status.indexed:
        rows += _indexed_rows(status, now)
    elif not status.building:
        rows.append(("Index", "none yet; the first search or 'greppy index' builds it"))
    if status.building:
        rows.append(("Building", _progress(status.building, now)))
    rows += [("Kernels", status.kernels), ("Analyzer", str(status.analyzer))]
    return "".join(f"{topic:<11}{text}\n" for topic, text in rows)


def _progress(building: Building, now: float) -> str:
    files = f"{building.done} of {count(building.total, 'file')}" if building.total else building.what
    return f"{files} in the background for {seconds(max(now - building.started, 0))}  (process {building.pid})"


def _indexed_rows(status: Status, now: float) -> list[tuple[str, str]]:
    size = f"{format_size(status.index_bytes)} for {format_size(status.text_bytes)} of text"
    changed = f"{count(status.stale, 'change')} since; the next search takes them in" if status.stale else "none since"
    return [
        ("Index", f"{quote_path(status.directory)}  ({count(status.shards, 'shard')}, {size})"),
        ("Indexed", f"{timestamp(status.indexed_at)}  ({format_age(now - status.indexed_at)})"),
        ("Changes", changed),
        ("Files", f"{status.files} in {count(status.chunks, 'chunk')}"),
        ("Skipped", _counts(status.skipped) + (" ('greppy status --skipped' lists them)" if status.skipped else "")),
        ("Languages", _counts(status.languages)),
    ]


def _counts(counts: Mapping[str, int]) -> str:
    most_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{printable(name)} {number}" for name, number in most_first) or "none"


def status_values(status: Status) -> dict[str, object]:
    """The document of `status --json`, without the list of skipped files."""
    values: dict[str, object] = {"path": status.root, **status._asdict()}
    del values["root"]
    values["indexed_at"] = timestamp(status.indexed_at) if status.indexed else None
    values["building"] = status.building and {
        **status.building._asdict(),
        "started": timestamp(status.building.started),
    }
    return values


def skipped_lines(skipped: Iterable[tuple[bytes, str]]) -> str:
    """One line for each file that is not indexed: its name and why."""
    return "".join(f"{quote_path(path)}: {printable(reason)}\n" for path, reason in skipped)


def skipped_values(skipped: Iterable[tuple[bytes, str]]) -> list[dict[str, object]]:
    """The same for JSON."""
    return [{"path": path, "reason": reason} for path, reason in skipped]


def count(number: int, thing: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def seconds(duration: float) -> str:
    """A duration in seconds as people say it: `42ms`, `3.2s`, `2m05s`."""
    if duration < 1:
        return f"{max(1, round(duration * 1000))}ms"
    return f"{duration:.1f}s" if duration < 60 else f"{int(duration) // 60}m{int(duration) % 60:02d}s"


def format_size(size: float) -> str:
    """Bytes in units of 1024."""
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"


def format_age(age: float) -> str:
    """Seconds ago, in the largest unit that fits; a clock that was set back gives `just now`."""
    for length, unit in _AGES:
        if age >= length:
            return count(int(age // length), unit) + " ago"
    return "just now"


def timestamp(moment: float) -> str:
    """Seconds since the epoch in UTC, as ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
