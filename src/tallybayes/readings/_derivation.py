"""From a linear table and a row to the plain values that a derivation is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..derive import Counts, Derivation, derive_counts
from ..derive.numbers import Number, exact
from ..described import Described
from ..tally.cells import cell_histograms, cells_of

__all__ = ["linear_derivation"]


def linear_derivation(scores: Any, described: Described, features: int, classes: int) -> Derivation:
    """Derive the answer of a `LinearScores` for one row; see `Scores.derive`."""
    tally, reading, table = scores.tally, scores.reading, scores.table
    of_columns = described.noun == "column"
    found = tally.features.find(described.keys)
    cells, class_totals = tally.values(reading.channel), tally.totals(reading.channel)
    whole = (described.amounts == np.asarray(described.counts, np.float64)).all()
    amounts: list[Number] = list(described.counts) if whole else described.amounts.tolist()
    if reading.value == "binary":
        amounts = [1] * len(amounts)
    if table.gain.size:
        cells = cells * np.repeat(table.gain, np.diff(tally.indptr))
        class_totals = np.bincount(tally.class_index, cells, len(tally.classes))
        amounts = [x * float(table.gain[p]) for x, p in zip(amounts, found, strict=True)]

    # Under the floor a feature never seen has its probability too; everywhere else it does not enter.
    enters = (found >= 0) | reading.unknown
    names = [name for name, known in zip(described.names, enters, strict=True) if known]
    listed = [amount for amount, known in zip(amounts, enters, strict=True) if known]
    positions, rest = found[enters], None
    each = isinstance(reading.alpha, tuple)
    if reading.absent_enters:
        absent = np.setdiff1d(np.arange(len(tally.features)), positions)
        if len(tally.features) <= features or each:
            names += [_name(tally, position, of_columns) for position in absent.tolist()]
            listed += [0] * len(absent)
            positions = np.concatenate((positions, absent))
        else:
            rest = cell_histograms(tally, cells, absent)
    if of_columns:
        order = np.argsort(positions, kind="stable")
        positions, names, listed = positions[order], [names[i] for i in order], [listed[i] for i in order]
    alphas = [exact(alpha) for alpha in reading.alpha] if isinstance(reading.alpha, tuple) else []
    return derive_counts(
        Counts(
            classes=list(tally.classes),
            documents=tally.class_count.tolist(),
            features=names,
            cells=cells_of(tally, cells, positions),
            totals=class_totals.tolist(),
            n_features=len(tally.features),
            words=tally.totals("occurrences").tolist() if reading.prior == "words" else None,
            rest=rest,
        ),
        listed,
        event_model=reading.derivation or "",
        alpha=[alphas[p] if p >= 0 else exact(0) for p in positions.tolist()] if each else reading.alpha,
        alpha_sum=sum(alphas, exact(0)) if each else None,
        prior=reading.prior_of(list(tally.classes)) if scores.prior_enters else None,
        prior_alpha=reading.prior_alpha,
        unknown=[name for name, known in zip(described.names, enters, strict=True) if not known],
        text=described.text,
        noun="rows" if of_columns else "documents",
        features=features,
        classes=classes,
        **reading.derivation_settings(scores),
    )


def _name(tally: Any, position: int, of_columns: bool) -> str:
    """What a feature is called that the row does not hold."""
    label = tally.features.label(position)
    if not of_columns:
        return str(label)
    return f"column {label}" if tally.columns is None else str(tally.columns[label])
