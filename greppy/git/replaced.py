"""Which objects stand in the place of others, by `git replace` (cold).

In: a project. Out: hashes, in hexadecimal. What a tree holds is kept by hashes here, and a replacement changes what a
hash stands for: whoever keeps something has to ask.
"""

from __future__ import annotations

from collections.abc import Mapping

from greppy.git.plumbing import run
from greppy.git.project import Project

_MOST = 5
"""Replacements of replacements; git gives up behind them."""


def replacements(project: Project) -> dict[bytes, bytes]:
    """What `git replace` puts in the place of which object; nothing where `core.useReplaceRefs` is off."""
    args = ["for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/replace"]
    pairs = [line.split(b" ") for line in run(project.root, args, work_tree=project.work_tree).splitlines()]
    return {pair[0]: pair[1] for pair in pairs} if pairs and _are_used(project) else {}


def _are_used(project: Project) -> bool:
    args = ["config", "--type=bool", "--get", "core.useReplaceRefs"]
    return run(project.root, args, work_tree=project.work_tree, accept=(0, 1)).strip() != b"false"


def followed(oid: bytes, instead: Mapping[bytes, bytes]) -> bytes:
    """An object's hash after all replacements."""
    for _ in range(_MOST):
        if oid not in instead:
            return oid
        oid = instead[oid]
    return oid


def fingerprint(instead: Mapping[bytes, bytes]) -> bytes:
    """Bytes that are others when the replacements are; b"" for none."""
    return b"".join(b"%s %s\n" % pair for pair in sorted(instead.items()))
