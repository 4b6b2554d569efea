"""Leave-one-out the slow way: really remove the row, count the rest, and take the textbook's products of logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence


def log(value: float) -> float:
    """Logarithm in which log 0 is minus infinity."""
    return math.log(value) if value > 0 else -math.inf


def likelihoods(
    rows: Sequence[Sequence[float]],
    classes: Sequence[int],
    weights: Sequence[float],
    left_out: int,
    n_classes: int,
    model: str,
    alpha: float,
    *,
    norm: bool,
    vanish: bool,
) -> list[float]:
    """Log likelihood of dense row `left_out` under every class of the other rows; NaN for a class that has none."""
    x = rows[left_out]
    others = [(w, c, row) for i, (w, c, row) in enumerate(zip(weights, classes, rows, strict=True)) if i != left_out]
    counts = [[sum(w * row[j] for w, c, row in others if c == k) for j in range(len(x))] for k in range(n_classes)]
    size = [sum(w for w, c, _ in others if c == k) for k in range(n_classes)]
    if vanish:
        stay = [j for j in range(len(x)) if any(counts[k][j] for k in range(n_classes))]
        x, counts = [x[j] for j in stay], [[count[j] for j in stay] for count in counts]
    return [_class_likelihood(x, counts, size, k, model, alpha, norm) for k in range(n_classes)]


def _class_likelihood(
    x: Sequence[float], counts: list[list[float]], size: list[float], k: int, model: str, alpha: float, norm: bool
) -> float:
    if size[k] == 0:
        return math.nan
    if model == "bernoulli":
        p = [(n + alpha) / (size[k] + 2 * alpha) for n in counts[k]]
        return sum(log(q if present else 1 - q) for q, present in zip(p, x, strict=True))
    if model == "multinomial":
        total = sum(counts[k]) + alpha * len(x)
        p = [(n + alpha) / total if total > 0 else 0.0 for n in counts[k]]
        return sum(value * log(q) for q, value in zip(p, x, strict=True) if value)
    rest = [sum(counts[c][j] for c in range(len(counts)) if c != k) + alpha for j in range(len(x))]
    total = sum(rest)
    # Unsmoothed, a feature that only this class has makes it certain; one that no class has says nothing but the total.
    weights = [
        (-log(r / total) if r > 0 else math.inf if n > 0 else log(total) if total > 0 else 0.0)
        for r, n in zip(rest, counts[k], strict=True)
    ]
    score = sum(value * weight for value, weight in zip(x, weights, strict=True) if value)
    if norm and math.isfinite(score):
        divisor = sum(weights)
        return score / divisor if abs(divisor) > 1e-12 * max(1, len(x)) else 0.0
    return score
