"""A hard budget for what is printed, spent on the best results first. Hot path.

In: results, a function that prints one in some detail, tokens. Out: texts that together take no more. A token is taken
as four bytes of output, which is what common tokenizers make of source code and English, or a little less. The best
result may take a quarter of what is left, so that there is room for others; each is printed in the greatest detail that
fits. Something is always printed: where not even one result fits, its path and lines are.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from greppy.output.records import Detail
    from greppy.search.result import Result

    Print = Callable[[Result, Detail], str]

BYTES_PER_TOKEN = 4
_SHARE = 4


def tokens(size: int) -> int:
    """The tokens of so many bytes, rounded up."""
    return -(-size // BYTES_PER_TOKEN)


def spend(results: Sequence[Result], printed: Print, detail: Detail, budget: int) -> Iterator[str]:
    """The texts of the first results, as many as fit into `budget` bytes."""
    left = budget
    for place, result in enumerate(results):
        allowance = max(left // _SHARE, left // (len(results) - place))
        text = _fitting(result, printed, detail, allowance, left, place == 0)
        if text is None:
            return
        left -= len(text.encode("utf-8", "replace"))
        yield text


def _fitting(result: Result, printed: Print, detail: Detail, allowance: int, left: int, is_first: bool) -> str | None:
    """The result within its allowance, else in its smallest form within what is left; None where that is too large."""
    *details, bare = detail.smaller()
    text = ""
    for each in details:
        text = printed(result, each)
        if len(text.encode("utf-8", "replace")) <= allowance:
            return text
    if len(text.encode("utf-8", "replace")) <= left:
        return text
    return printed(result, bare) if is_first else None
