"""Slow, exact twins of the kernel's dense loops: fractions, one value at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any


def moments(
    rows: Sequence[Sequence[float]], class_index: Sequence[int], n_classes: int, weights: Sequence[float] | None = None
) -> list[list[tuple[Fraction, Fraction, Fraction]]]:
    """Weight, mean and sum of squared deviations per class and column; NaN is a value that is not there."""
    width = len(rows[0]) if rows else 0
    return [
        [
            _moments(
                [
                    (Fraction(1 if weights is None else weights[i]), Fraction(float(row[j])))
                    for i, row in enumerate(rows)
                    if class_index[i] == c and not math.isnan(row[j])
                ]
            )
            for j in range(width)
        ]
        for c in range(n_classes)
    ]


def _moments(values: list[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction, Fraction]:
    weight = sum((w for w, _ in values), Fraction(0))
    if weight == 0:
        return Fraction(0), Fraction(0), Fraction(0)
    mean = sum((w * x for w, x in values), Fraction(0)) / weight
    return weight, mean, sum((w * (x - mean) ** 2 for w, x in values), Fraction(0))


def gaussian_score(row: Sequence[float], mean: Any, factor: Any, constant: Any, base: float) -> float:
    """Give base + Σ factor · (x - mean)² (+ constant) over the columns that are there, correctly rounded."""
    total = Fraction(base)
    for j, x in enumerate(row):
        if not math.isnan(x):
            total += Fraction(factor[j]) * (Fraction(float(x)) - Fraction(mean[j])) ** 2
            total += 0 if constant is None else Fraction(constant[j])
    return float(total)


def count_codes(
    rows: Sequence[Sequence[int]], class_index: Sequence[int], n_classes: int, weights: Sequence[Any] | None = None
) -> list[list[dict[int, Any]]]:
    """Counts [class][column] of each code; negative codes are missing."""
    width = len(rows[0]) if rows else 0
    counts: list[list[dict[int, Any]]] = [[{} for _ in range(width)] for _ in range(n_classes)]
    for i, row in enumerate(rows):
        for j, code in enumerate(row):
            if code >= 0:
                cell = counts[class_index[i]][j]
                cell[code] = cell.get(code, 0) + (1 if weights is None else weights[i])
    return counts
