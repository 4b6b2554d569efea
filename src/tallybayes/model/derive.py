"""From a model and a document to the plain values that a derivation is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..derive import Counts, Derivation, derive_counts
from ..derive.numbers import Number, exact
from ..scores import given_prior
from ..tally.cells import cell_histograms, cells_of
from .row import TextModel, row_of

__all__ = ["derive"]


def derive(model: TextModel, document: str, *, features: int = 20, classes: int = 6) -> Derivation:
    """Derive a model's answer for one document, step by step.

    Parameters
    ----------
    model : TextModel
        A `Model`.
    document : str
    features, classes : int
        How many of each the tables show at most; the totals are those of all.

    Returns
    -------
    Derivation

    Raises
    ------
    InputTypeError
        If `document` is no str.
    """
    row, table, tally, reading = row_of(model, document), model.scorer.table, model.scorer.tally, model.reading
    channel = "documents" if reading.value == "binary" else "occurrences"
    cells, class_totals = tally.values(channel), tally.totals(channel)
    amounts: list[Number] = row.amounts.tolist() if reading.weighting in ("log", "tfidf") else list(row.counts)
    if reading.value == "binary":
        amounts = [1] * len(amounts)
    if table.gain.size:
        cells = cells * np.repeat(table.gain, np.diff(tally.indptr))
        class_totals = np.bincount(tally.class_index, cells, len(tally.classes))
        amounts = [x * float(table.gain[p]) for x, p in zip(amounts, row.positions, strict=True)]

    # Under the floor a feature never seen has its probability too; everywhere else it does not enter.
    enters = (row.positions >= 0) | table.unknown
    names = [name for name, known in zip(row.features, enters, strict=True) if known]
    listed = [amount for amount, known in zip(amounts, enters, strict=True) if known]
    positions, rest = row.positions[enters], None
    if reading.model == "bernoulli":
        absent = np.setdiff1d(np.arange(len(tally.features)), positions)
        if len(tally.features) <= features or isinstance(reading.alpha, tuple):
            names += [str(tally.features.label(position)) for position in absent.tolist()]
            listed += [0] * len(absent)
            positions = np.concatenate((positions, absent))
        else:
            rest = cell_histograms(tally, cells, absent)
    each = isinstance(reading.alpha, tuple)
    alphas = [exact(alpha) for alpha in reading.alpha] if isinstance(reading.alpha, tuple) else []
    return derive_counts(
        Counts(
            classes=tally.classes.array.tolist(),
            documents=tally.class_count.tolist(),
            features=names,
            cells=cells_of(tally, cells, positions),
            totals=class_totals.tolist(),
            n_features=len(tally.features),
            words=tally.totals("occurrences").tolist() if reading.prior == "words" else None,
            rest=rest,
        ),
        listed,
        model=reading.model,
        alpha=[alphas[p] if p >= 0 else exact(0) for p in positions.tolist()] if each else reading.alpha,
        alpha_sum=sum(alphas, exact(0)) if each else None,
        smoothing=reading.smoothing,
        floor=reading.floor,
        prior=_prior(model),
        prior_alpha=reading.prior_alpha,
        norm_sums=np.divide(1.0, table.scale, out=np.zeros_like(table.scale), where=table.scale != 0).tolist()
        if reading.norm
        else None,
        unknown=[name for name, known in zip(row.features, enters, strict=True) if not known],
        text=document,
        features=features,
        classes=classes,
    )


def _prior(model: TextModel) -> Any:
    """The prior as `derive_counts` takes it: a name, None, or a probability for each class in order."""
    prior = model.reading.prior
    if prior is None or isinstance(prior, str):
        return prior
    return given_prior(prior, model.scorer.tally.classes.array.tolist()).tolist()
