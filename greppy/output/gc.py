"""What `gc` did, for people and as JSON. Cold.

In: the values of `greppy.index.gc`. Out: text that ends with a newline, or plain values for `json_text`.
"""

from __future__ import annotations

from greppy.index.gc import Report
from greppy.index.tend import GONE, Tended
from greppy.log import printable
from greppy.output.quote import quote_path
from greppy.output.report import count, format_size


def gc_lines(report: Report) -> str:
    """A line for each index with which anything was done, then the sum."""
    lines = [_line(tended) for tended in report.indexes if _has_news(tended)]
    if report.beside:
        lines.append(f"temporary files beside the indexes; {format_size(report.beside)}\n")
    freed = "Would free" if report.dry_run else "Freed"
    return "".join(lines) + f"{freed} {format_size(max(report.freed, 0))}, {format_size(report.left)} left\n"


def _has_news(tended: Tended) -> bool:
    return bool(tended.freed or tended.trouble or tended.compacted.replaced)


def _line(tended: Tended) -> str:
    name = quote_path(tended.roots[0]) if tended.roots else quote_path(tended.directory)
    others = f" and {count(len(tended.roots) - 1, 'worktree')}" if len(tended.roots) > 1 else ""
    size = f"; {format_size(max(tended.freed, 0))}" if tended.freed > 0 else ""
    return f"{name}{others}: {', '.join(_done(tended))}{size}\n"


def _done(tended: Tended) -> list[str]:
    if tended.removed:
        return [f"removed ({tended.removed})"]
    replaced, written, dropped, _ = tended.compacted
    parts = [f"{quote_path(root)}: {GONE}" for root in tended.gone]
    parts += [f"{count(tended.revisions, 'revision')} not asked for lately"] if tended.revisions else []
    parts += [f"{count(tended.shards, 'shard')} that nothing needed"] if tended.shards else []
    parts += [f"{count(tended.temporary, 'temporary file')}"] if tended.temporary else []
    parts += [f"{count(replaced, 'shard')} made {written}"] if replaced else []
    parts += [f"{dropped} analyses unused for long"] if dropped else []
    parts += [f"left as it is: {printable(tended.trouble)}"] if tended.trouble else []
    return parts or ["older files"]


def gc_values(report: Report) -> dict[str, object]:
    """The document of `gc --json`."""
    return {
        "dry_run": report.dry_run,
        "freed_bytes": report.freed,
        "left_bytes": report.left,
        "temporary_bytes": report.beside,
        "indexes": [_values(tended) for tended in report.indexes],
    }


def _values(tended: Tended) -> dict[str, object]:
    return {
        "directory": tended.directory,
        "paths": list(tended.roots),
        "freed_bytes": tended.freed,
        "left_bytes": tended.left,
        "removed": tended.removed or None,
        "missing": list(tended.gone),
        "revisions": tended.revisions,
        "shards": tended.shards,
        "temporary_files": tended.temporary,
        "shards_replaced": tended.compacted.replaced,
        "shards_written": tended.compacted.written,
        "analyses_dropped": tended.compacted.dropped,
        "trouble": tended.trouble or None,
    }
