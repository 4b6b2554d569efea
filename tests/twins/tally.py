"""A count tally as a dict of dicts: the slow twin of the arrays, of their merge, and of the digest.

A table is ``{class label: {feature: {channel: count}}}``; rows are ``{class label: number of rows}``.
"""

from __future__ import annotations

import hashlib
import json
import struct


def table_of(tally) -> dict:
    """Read a tally cell by cell."""
    table = {label: {} for label in tally.classes}
    for position in range(len(tally.features)):
        for cell in range(tally.indptr[position], tally.indptr[position + 1]):
            counts = {name: values[cell].item() for name, values in tally.channels.items()}
            table[tally.classes[tally.class_index[cell]]][tally.features.label(position)] = counts
    return table


def rows_of(tally) -> dict:
    return dict(zip(tally.classes, tally.class_count.tolist(), strict=True))


def merged_rows(a: dict, b: dict, sign: int) -> dict:
    return {label: a.get(label, 0) + sign * b.get(label, 0) for label in {**a, **b}}


def merged(a: dict, b: dict, sign: int) -> dict:
    """Add or subtract two tables; zero cells vanish."""
    out = {}
    for label in {**a, **b}:
        out[label] = {}
        mine, theirs = a.get(label, {}), b.get(label, {})
        for feature in {**mine, **theirs}:
            one, other = mine.get(feature, {}), theirs.get(feature, {})
            counts = {name: one.get(name, 0) + sign * other.get(name, 0) for name in {**one, **other}}
            if any(counts.values()):
                out[label][feature] = counts
    return out


def digest(rows: dict, table: dict, channels: list, space_id: str, n_columns: int | None, unit: int) -> str:
    """Write the canonical form by hand, as the docstring of `CountTally.digest` describes it."""
    labels = sorted(label for label in rows if rows[label] or table.get(label))
    features = sorted(
        {f for label in labels for f in table[label]}, key=lambda f: f.encode() if n_columns is None else f
    )
    cells = [[(k, table[label][f]) for k, label in enumerate(labels) if f in table[label]] for f in features]
    kinds = {type(label).__name__ for label in labels}
    header = {
        "format": "tallybayes count tally 1",
        "space": space_id,
        "unit": unit,
        "channels": sorted(channels),
        "classes": {"kind": kinds.pop() if kinds else "", "values": labels},
        "n_features": len(features),
        "n_cells": sum(map(len, cells)),
        "n_columns": n_columns,
    }
    sha = hashlib.sha256(json.dumps(header, sort_keys=True, separators=(",", ":")).encode("ascii"))

    def write(code, values):
        for value in values:
            sha.update(struct.pack("<" + code, value))

    write("q", [rows[label] for label in labels])
    if n_columns is None:
        encoded = [feature.encode() for feature in features]
        sha.update(b"".join(encoded))
        write("q", [sum(map(len, encoded[:i])) for i in range(len(encoded) + 1)])
    else:
        write("q", features)
    write("q", [sum(map(len, cells[:i])) for i in range(len(cells) + 1)])
    write("i", [k for row in cells for k, _ in row])
    for name in sorted(channels):
        write("q", [counts[name] for row in cells for _, counts in row])
    return sha.hexdigest()
