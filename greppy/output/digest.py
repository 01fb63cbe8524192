"""SHA-1 of what identifies a record. Hot path: `import hashlib` costs what it takes to print ten records.

In: bytes. Out: hexadecimal digits.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash as Hash


def _sha1() -> Callable[..., Hash]:
    """CPython's own module, which loads in a tenth of OpenSSL's time."""
    try:
        return __import__("_sha1").sha1  # type: ignore[no-any-return]
    except ImportError:
        from hashlib import sha1

        return sha1


def sha1_hex(data: bytes) -> str:
    """The SHA-1 of `data` in hexadecimal."""
    return _sha1()(data, usedforsecurity=False).hexdigest()
