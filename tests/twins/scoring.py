"""What the scoring kernel computes, one row and one class at a time, in exactly its order of additions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass
class Table:
    """score_c(x) = base_c + scale_c · ((F + |x| · unit_c) + D_c); deltas[i] maps a class to δ_ic."""

    base: list[float]
    scale: list[float]
    unit: list[float]
    deltas: list[dict[int, float]]
    feature: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)


def value_of(x: float, value: str, threshold: float) -> float:
    """What an entry counts as."""
    if value == "binary":
        return 1.0 if x > threshold else 0.0
    if value == "log":
        return 1.0 + math.log(x) if x > 0 else 0.0
    return float(x)


def score(
    table: Table, row: Sequence[tuple[int, float]], value: str = "count", threshold: float = 0.0, unknown: float = 0
) -> list[float]:
    """Scores of one row of (feature, value): in its own order for counts, summed and ascending otherwise."""
    if value != "count":
        total: Counter[int] = Counter()
        for i, x in row:
            total[i] += x  # type: ignore[assignment]
        row = [(i, value_of(x, value, threshold)) for i, x in sorted(total.items())]
    size, feature = 0.0, 0.0
    sums = [0.0] * len(table.base)
    for i, x in row:
        x = float(x) * (table.gain[i] if table.gain else 1.0)
        size += x
        feature += x * (table.feature[i] if table.feature else 0.0)
        for c, delta in table.deltas[i].items():
            sums[c] += x * delta
    size += unknown
    return [
        b + s * ((feature + size * u) + d) for b, s, u, d in zip(table.base, table.scale, table.unit, sums, strict=True)
    ]


def lists(deltas: Sequence[Mapping[int, float]]) -> tuple[list[int], list[int], list[float]]:
    """The three arrays of a CSR of features × classes."""
    indptr, classes, values = [0], [], []
    for row in deltas:
        classes += row.keys()
        values += row.values()
        indptr.append(len(classes))
    return indptr, classes, values
