"""What the counting kernel computes, written as slowly and plainly as possible."""

from __future__ import annotations

import itertools
import math
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


def count_documents(
    documents: Sequence[Sequence[bytes]],
    classes: Sequence[int],
    weights: Sequence[Any] | None,
    *,
    occurrences: bool,
    documents_channel: bool,
    value: str = "count",
) -> Cells:
    """Class sums of documents, each given as the list of its features; "log" counts in units of 2^-32."""
    rows = [Counter(features) for features in documents]
    if value == "binary":
        rows = [Counter(dict.fromkeys(row, 1)) for row in rows]
    sums: dict[Any, dict[int, list[Any]]] = {}
    for i, row in enumerate(rows):
        weight = 1 if weights is None else weights[i]
        for feature, times in row.items():
            cell = sums.setdefault(feature, {}).setdefault(classes[i], [0] * (occurrences + documents_channel))
            if occurrences:
                cell[0] += weight * (round(2**32 * (1 + math.log(times))) if value == "log" else times)
            if documents_channel:
                cell[-1] += weight
    return without_zeros({f: {c: tuple(v) for c, v in row.items()} for f, row in sums.items()})


def tallybayes_hash(data: bytes, seed: int = 0) -> int:
    """The 64-bit hash behind our hash columns ("tallybayes-1"), in plain integers."""
    keys = []
    for _ in range(2):
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        keys.append(z ^ (z >> 31))
    a, b = keys[0], keys[1] | 1

    def mix(x: int, y: int) -> int:
        product = x * y
        return (product % 2**64) ^ (product >> 64)

    def word(at: int, source: bytes = data) -> int:
        return int.from_bytes(source[at : at + 8], "little")

    if len(data) <= 16:
        padded = data.ljust(16, b"\0")
        return mix(word(0, padded) ^ a, word(8, padded) ^ b ^ (len(data) << 56))
    h = a ^ len(data)
    last = len(data) - 16
    for at in [*range(0, last, 16), last]:
        h = mix(word(at) ^ b, word(at + 8) ^ h)
    return mix(h ^ a, b)
