"""What the counting kernel computes, written as slowly and plainly as possible."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Cells = dict[Any, dict[int, tuple[Any, ...]]]  # feature -> class -> one value per channel


def without_zeros(cells: Mapping[Any, Mapping[int, tuple[Any, ...]]]) -> Cells:
    """Leave out cells that are zero in every channel, and features without cells; sort both."""
    kept = {
        feature: {c: values for c, values in sorted(row.items()) if any(values)}
        for feature, row in sorted(cells.items())
    }
    return {feature: row for feature, row in kept.items() if row}


def count_rows(
    rows: Sequence[Sequence[tuple[int, Any]]],
    classes: Sequence[int],
    weights: Sequence[Any] | None,
    *,
    occurrences: bool,
    documents: bool,
    threshold: Any = 0,
) -> Cells:
    """Class sums of rows of (column, value); the values of a column that is named twice are added first."""
    sums: dict[int, dict[int, list[Any]]] = {}
    for i, row in enumerate(rows):
        weight = 1 if weights is None else weights[i]
        total: Counter[int] = Counter()
        for column, value in row:
            total[column] += value
        for column, value in total.items():
            cell = sums.setdefault(column, {}).setdefault(classes[i], [0] * (occurrences + documents))
            if occurrences:
                cell[0] += weight * value
            if documents and value > threshold:
                cell[-1] += weight
    return without_zeros({f: {c: tuple(v) for c, v in row.items()} for f, row in sums.items()})


def merge(a: Cells, b: Cells, a_map: Sequence[int], b_map: Sequence[int], sign: int) -> Cells | tuple[Any, int, int]:
    """a + sign·b, classes renumbered; or (feature, class, channel) of the first cell that would be negative."""
    sums: dict[Any, dict[int, list[Any]]] = {}
    for tally, class_map, factor in ((a, a_map, 1), (b, b_map, sign)):
        for feature, row in tally.items():
            for c, values in row.items():
                cell = sums.setdefault(feature, {}).setdefault(class_map[c], [0] * len(values))
                for channel, value in enumerate(values):
                    cell[channel] += factor * value
    for feature, summed in sorted(sums.items()):
        for c, totals in sorted(summed.items()):
            for channel, total in enumerate(totals):
                if total < 0:
                    return feature, c, channel
    return without_zeros({f: {c: tuple(v) for c, v in row.items()} for f, row in sums.items()})


def cells_of(arrays: Mapping[str, Any], channels: Sequence[Any]) -> Cells:
    """Read the kernel's arrays back as cells; the kernel's own order is kept, so that a wrong order is seen."""
    if "columns" in arrays:
        features = arrays["columns"].tolist()
    else:
        data, offsets = arrays["bytes"].tobytes(), arrays["offsets"].tolist()
        features = [data[a:b] for a, b in itertools.pairwise(offsets)]
    indptr, classes = arrays["indptr"].tolist(), arrays["class_index"].tolist()
    values = [channel.tolist() for channel in channels]
    return {
        feature: {classes[p]: tuple(v[p] for v in values) for p in range(indptr[i], indptr[i + 1])}
        for i, feature in enumerate(features)
    }
