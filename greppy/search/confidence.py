"""How likely it is that a result is right: a logistic function of how far it leads, calibrated. Hot path.

In: scores of one answer. Out: a probability. How high a score is says little of whether it is right; by how much the
best result leaves the next one behind, or another is left behind by the best, says nearly all (dev: log loss .180, with
the score itself .180). The numbers are round, and fitted on the first ten files for each question of the development
half of our set (`greppy.search.weights`), right being a file that the question's truth names: expected calibration
error .01, of the first files alone .03.
"""

from __future__ import annotations

from math import exp, log

BASE = -1.25
LEAD = 4.5
FIRST = 1.25

ALONE = 0.5
"""Of the ideal score: what a result that has no rival is measured by."""


def confidence(score: float, rival: float, is_first: bool) -> float:
    """The probability that a result is right. `rival` is the best score among the other results, above 0."""
    lead = log(score / rival) if score > 0 else -10.0
    return 1 / (1 + exp(-(BASE + LEAD * lead + FIRST * is_first)))


def rivals(scores: list[float], ideal: float) -> tuple[float, float]:
    """What the best result is measured by, and what all others are: the second best score, and the best."""
    best = max(scores, default=0.0) or 1.0
    second = sorted(scores)[-2] if len(scores) > 1 else ALONE * (ideal or 1.0)
    return max(second, best / 100), best
